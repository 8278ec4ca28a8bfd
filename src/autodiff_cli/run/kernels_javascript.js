// Functions of the op table that Math does not have: numbers in, a number or a truth value out.
// They are those of the command line, step for step; a static argument comes first.
const kernels = {};

kernels.pow = (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x === -Infinity && Number.isFinite(y) && y % 1 ? NaN : Math.pow(x, y));
kernels.dpow = ([j, k], x, y) => (k === 0 ? byBase(x, y, j) : x === 0 ? powerAtZero(y, j, k) : x > 0 ? mixed(x, y, j, k) : NaN);
kernels.square = (x) => x * x;
kernels.exp2 = (x) => Math.pow(2, x);
kernels.exp10 = (x) => Math.pow(10, x);

kernels.mod = (x, y) => {
  const rest = x % y;
  if (rest === 0) return y < 0 ? -0 : 0;
  return rest < 0 !== y < 0 ? rest + y : rest;
};
kernels.floordiv = (x, y) => {
  if (y === 0) return x / y;
  let rest = x % y;
  let whole = (x - rest) / y;
  if (rest !== 0 && rest < 0 !== y < 0) whole -= 1;
  if (whole === 0) return kernels.copysign(0, x / y);
  const floor = Math.floor(whole);
  return whole - floor > 0.5 ? floor + 1 : floor;
};
kernels.fmod = (x, y) => x % y;

kernels.sign = (x) => (x > 0 ? 1 : x < 0 ? -1 : x === x ? 0 : x);
kernels.round = (places, x) => {
  if (!places) return halfToEven(x);
  const scale = Number(`1e${Math.abs(places)}`);
  if (places < 0) return halfToEven(x / scale) * scale;
  const y = x * scale;
  return -1e308 < y && y < 1e308 ? halfToEven(y) / scale : x;
};
kernels.copysign = (x, y) => {
  if (y !== y) return y;
  const size = Math.abs(x);
  return y < 0 || Object.is(y, -0) ? -size : size;
};
kernels.heaviside = (x, h) => (x > 0 ? 1 : x < 0 ? 0 : x === 0 ? h : x);
kernels.max = (...xs) => xs.reduce((best, x) => (x > best || x !== x ? x : best));
kernels.min = (...xs) => xs.reduce((best, x) => (x < best || x !== x ? x : best));
kernels.clip = (x, low, high) => kernels.min(kernels.max(x, low), high);
kernels.takes = (x, best) => x === best || x !== x;
kernels.tie_share = (best, ...xs) => (best === best ? 1 / xs.filter((x) => x === best).length : NaN);
kernels.inside = (x, low, high) => (low <= x && x <= high) || x !== x;
kernels.below = (x, low, high) => (x < low && low <= high) || low !== low;
kernels.above = (x, low, high) => (x === x && low === low && (high < x || high < low)) || high !== high;

kernels.sec = (x) => 1 / Math.cos(x);
kernels.csc = (x) => 1 / Math.sin(x);
kernels.cot = (x) => 1 / Math.tan(x);
kernels.sech = (x) => {
  const y = Math.exp(-Math.abs(x));
  return (2 * y) / (1 + y * y);
};
kernels.csch = (x) => (Math.abs(x) < 20 ? 1 / Math.sinh(x) : kernels.copysign(2 * Math.exp(-Math.abs(x)), x));
kernels.coth = (x) => 1 / Math.tanh(x);
kernels.sinpi = (x) => {
  let half = Math.abs(x % 2);
  let sign = kernels.copysign(1, x);
  if (half >= 1) [half, sign] = [half - 1, -sign];
  if (half === 0) return 0 * x;
  if (half > 0.5) half = 1 - half;
  return sign * (half <= 0.25 ? Math.sin(Math.PI * half) : Math.cos(Math.PI * (0.5 - half)));
};
kernels.cospi = (x) => {
  let half = Math.abs(x % 2);
  let sign = 1;
  if (half > 1) half = 2 - half;
  if (half > 0.5) [half, sign] = [1 - half, -1];
  if (half === 0.5) return 0;
  return sign * (half <= 0.25 ? Math.cos(Math.PI * half) : Math.sin(Math.PI * (0.5 - half)));
};
kernels.tanpi = (x) => {
  if (x % 0.25 === 0 && x % 0.5 !== 0) return Math.abs(x) % 1 === (x > 0 ? 0.25 : 0.75) ? 1 : -1;
  return kernels.sinpi(x) / kernels.cospi(x);
};
kernels.sind = (x) => {
  let half = Math.abs(x % 360);
  let sign = kernels.copysign(1, x);
  if (half >= 180) [half, sign] = [half - 180, -sign];
  if (half === 0) return 0 * x;
  return sign * sineOfDegrees(half > 90 ? 180 - half : half);
};
kernels.cosd = (x) => {
  let half = Math.abs(x % 360);
  if (half > 180) half = 360 - half;
  if (half > 90) return -sineOfDegrees(half - 90);
  return half > 45 ? sineOfDegrees(90 - half) : Math.cos(kernels.deg2rad(half));
};
kernels.tand = (x) => {
  if (x % 45 === 0 && x % 90 !== 0) return Math.abs(x) % 180 === (x > 0 ? 45 : 135) ? 1 : -1;
  return kernels.sind(x) / kernels.cosd(x);
};
kernels.deg2rad = (x) => x * (Math.PI / 180);
kernels.rad2deg = (x) => x * (180 / Math.PI);
kernels.sinc = (x) => (x === 0 ? 1 : Math.abs(x) === Infinity ? 0 : kernels.sinpi(x) / (Math.PI * x));
kernels.gap = (x) => (1 - x) * (1 + x);
kernels.rest = (x) => x * (1 - x);

kernels.div0 = (x, y) => (y !== 0 ? x / y : x === x ? 0 : x);
kernels.ratio0 = (x, y) => (x !== 0 ? x / y : y === y ? 0 : y);
kernels.times0 = (x, y) => (x !== 0 ? x * y : 0);
kernels.share = (k, ...xs) => {
  const length = Math.hypot(...xs);
  if ((1e-290 < length && length < Infinity) || length !== length) return xs[k] / length;
  const scale = xs.reduce((best, x) => (Math.abs(x) > Math.abs(best) ? x : best));
  if (scale === 0 || scale - scale !== 0) return length ? xs[k] / length : 0;
  return kernels.copysign(xs[k] / scale, xs[k]) / Math.hypot(...xs.map((x) => x / scale));
};

kernels.sigmoid = (x) => {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const y = Math.exp(x);
  return y / (1 + y);
};
kernels.logit = (x) => {
  if (!(0.3 < x && x < 0.65)) return Math.log(x) - Math.log1p(-x);
  const t = 2 * (x - 0.5);
  return Math.log1p(t) - Math.log1p(-t);
};
kernels.softplus = (x) => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));
kernels.log_sigmoid = (x) => -kernels.softplus(-x);
kernels.logaddexp = (x, y) => {
  if (x === y) return x + Math.LN2;
  const [big, small] = x > y ? [x, y] : [y, x];
  return big + Math.log1p(Math.exp(small - big));
};
kernels.log1mexp = (x) => (x > -Math.LN2 ? Math.log(-Math.expm1(x)) : Math.log1p(-Math.exp(x)));
kernels.xlogy = (x, y) => (x !== 0 ? x * Math.log(y) : y === y ? 0 : y);
kernels.xlog1py = (x, y) => (x !== 0 ? x * Math.log1p(y) : y === y ? 0 : y);

kernels.relu = (x) => (x <= 0 ? 0 : x);
kernels.counts = (x, parameter) => parameter === parameter || !(x <= 0);
kernels.leaky_relu = (x, slope) => (x > 0 ? x : slope * x);
kernels.leaky_by_x = (x, slope) => (x > 0 ? 1 : x <= 0 ? slope : x);
kernels.elu = (x, alpha) => (x > 0 ? x : alpha * Math.expm1(x));
kernels.elu_by_x = (x, alpha) => (x > 0 ? 1 : alpha * Math.exp(x));
kernels.selu = (x) => 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * Math.expm1(x));
kernels.softsign = (x) => x / (1 + Math.abs(x));
kernels.tanhshrink = (x) => {
  if (!(-2 < x && x < 2)) return x - Math.tanh(x);
  let tail = 0;
  for (let k = 27; k > 1; k -= 2) tail = (x * x) / (k + tail);
  return x * (tail / (1 + tail));
};
kernels.soft_gate = ([kind, n], x) => {
  x = x < -1e50 ? -1e50 : x > 1e50 ? 1e50 : x;
  if (kind === "mish") {
    const w = kernels.softplus(x);
    return n === 0 ? Math.tanh(w) : derivativeOfTanh([w, ...softplusSeries(kernels.sigmoid(x), kernels.sigmoid(-x), n)], n);
  }
  const [root, cubic] = [Math.sqrt(2 / Math.PI), 0.044715];
  const w = root * (x + cubic * (x * x * x));
  if (n === 0) return kernels.sigmoid(2 * w);
  const series = [w, root * (1 + 3 * cubic * (x * x)), root * 3 * cubic * x, root * cubic, ...Array(n).fill(0)];
  return derivativeOfTanh(series, n) / 2;
};

// What kernels are made of.

function halfToEven(x) {
  const floor = Math.floor(x);
  const over = x - floor;
  const whole = over < 0.5 || (over === 0.5 && floor % 2 === 0) ? floor : over >= 0.5 ? floor + 1 : x;
  return whole === 0 ? x * 0 : whole;
}

function sineOfDegrees(x) {
  if (x === 30) return 0.5;
  return x <= 45 ? Math.sin(kernels.deg2rad(x)) : Math.cos(kernels.deg2rad(90 - x));
}

// The j-th derivative of x**y by x.
function byBase(x, y, j) {
  if (x < 0 && y !== Math.floor(y)) return NaN;
  let factor = 1;
  for (let i = 0; i < j; i++) factor *= y - i;
  const scale = kernels.pow(x, y - j);
  if (factor === 0 || scale === 0) return y === y ? 0 : y;
  if (Math.abs(scale) === Infinity && Math.abs(factor) < 1 && x !== 0) {
    const half = kernels.pow(Math.abs(x), (y - j) / 2);
    return factor * half * kernels.copysign(half, scale);
  }
  return factor * scale;
}

// x**(y-j) q_j(log x), with q_0 = L**k and q_(j+1) = (y-j) q_j + q_j'.
function mixed(x, y, j, k) {
  let q = [...Array(k).fill(0), 1];
  for (let i = 0; i < j; i++) q = q.map((c, m) => (y - i) * c + (m + 1) * (m < k ? q[m + 1] : 0));
  const scale = kernels.pow(x, y - j);
  if (scale === 0 || x === Infinity) return y !== y ? NaN : scale ? Infinity : 0;
  const log = Math.log(x);
  return scale * q.reduceRight((value, c) => (value !== 0 || c !== 0 ? value * log + c : 0), 0);
}

function powerAtZero(y, j, k) {
  if (y > j || (y === 0 && j === 0 && k === 1)) return 0;
  return y < 0 && j === 0 && k === 1 ? -Infinity : NaN;
}

// The Taylor coefficients of softplus from the first on.
function softplusSeries(up, down, n) {
  const [s, r] = [[up], [down]];
  for (let k = 0; k < n - 1; k++) {
    const slope = product(s, r, k) / (k + 1);
    s.push(slope);
    r.push(-slope);
  }
  return s.map((c, k) => c / (k + 1));
}

// The n-th derivative of tanh of a series w: y' = q w' and q' = -2 y q w' with q = sech**2.
function derivativeOfTanh(w, n) {
  const slopes = w.slice(1).map((c, i) => (i + 1) * c);
  const [y, q, both] = [[Math.tanh(w[0])], [kernels.sech(w[0]) ** 2], []];
  let factorial = 1;
  for (let k = 0; k < n; k++) {
    factorial *= k + 1;
    y.push(product(slopes, q, k) / (k + 1));
    both.push(product(q, y, k));
    q.push((-2 * product(slopes, both, k)) / (k + 1));
  }
  return y[n] * factorial;
}

// The k-th coefficient of the product of two series.
function product(a, b, k) {
  let sum = a[0] * b[k];
  for (let i = 1; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}
