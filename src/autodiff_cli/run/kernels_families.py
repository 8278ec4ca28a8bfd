"""Float kernels of families that close under differentiation: floats in, a float out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import kernels_series as series
from . import kernels_waves as waves
from .kernels_polygamma import pole, polygamma
from .kernels_power import power
from .kernels_series import reciprocal_gamma
from .kernels_trig import cospi
from .kernels_waves import far, hankel

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[[float], Any]

INF, NAN = math.inf, math.nan
ROOT2, EULER = math.sqrt(2.0), 0.5772156649015329
WHOLE_ORDERS = range(2, 150)


def ratios(n: int, x: float) -> list[float]:
    """R_k = Hh_k(-x)/Hh_0(-x) for k from 0 to n at x < 0: k R_k = x R_(k-1) + R_(k-2), run downwards from far out."""
    if x < -1e8:
        return [1.0] + [0.0] * n if x == -INF else [(-x) ** -k for k in range(n + 1)]
    start = n + 30 + int(420.0 / (x * x))
    above, here = 0.0, 1e-290
    found = [0.0] * (n + 1)
    for k in range(start, 0, -1):
        if k <= n:
            found[k] = here
        above, here = here, (k + 1) * above - x * here
        if here > 1e270:
            above, here, found = above * 1e-270, here * 1e-270, [f * 1e-270 for f in found]
    return [1.0, *[f / here for f in found[1:]]]


def repeated(erfcx: Function, n: int, x: float) -> float:
    """exp(x**2) times the n-th repeated integral of erfc from x on."""
    first = float(erfcx(x))
    if x > 0.7:
        return first * 2.0 ** (-n / 2) * ratios(n, -ROOT2 * x)[n] if x < INF else 0.0
    before, here = 2.0 / math.sqrt(math.pi), first
    for k in range(1, n + 1):
        before, here = here, (before - 2.0 * x * here) / (2 * k)
    return here


def inverse_tail(sp: Any, x: float) -> float:
    """The inverse of erfc at tiny numbers, by Newton's steps on logarithms."""
    goal, y = math.log(x), 26.5
    for _ in range(5):
        scaled = float(sp.erfcx(y))
        y += (math.log(scaled) - y * y - goal) * scaled * math.sqrt(math.pi) / 2
    return y


def mills(erfcx: Function, n: int, x: float) -> float:
    """The n-th derivative of log(ndtr(x)), n at least 1: far below 0 a cumulant of the normal distribution beyond -x."""
    if x != x or x in {INF, -INF}:
        return x if x != x else 0.0 if x > 0 or n > 2 else INF if n == 1 else -1.0
    slope = gauss(2, x) / math.sqrt(2 * math.pi) if x > 37.0 else math.sqrt(2 / math.pi) / float(erfcx(-x / ROOT2))
    if n == 1:
        return slope
    if x < -1.0:
        return _cumulant(ratios(n, x), n) - (n == 2)
    series = [slope, *[0.0] * (n - 1)]
    for k in range(n - 1):
        series[k + 1] = -(sum(series[i] * series[k - i] for i in range(k + 1)) + x * series[k] + (series[k - 1] if k else 0.0)) / (k + 1)
    return series[n - 1] * math.factorial(n - 1)


def _cumulant(ratios: list[float], n: int) -> float:
    """The n-th cumulant over n! times n!, from moments over factorials."""
    found = [0.0] * (n + 1)
    for m in range(1, n + 1):
        found[m] = ratios[m] - math.fsum(k * found[k] * ratios[m - k] for k in range(1, m)) / m
    return found[n] * math.factorial(n)


def gauss(n: int, x: float) -> float:
    """exp(-x**2/n), from the exact square."""
    if not -60.0 < x < 60.0:
        return 0.0 if x == x else x
    head = float(round(x * 65536)) / 65536
    return math.exp(-head * head / n) * math.exp(-(x - head) * (x + head) / n)


def polynomial(n: float, k: int, j: int) -> float:
    """The j-th derivative by n of n(n-1)...(n-k+1)/k!, by Taylor arithmetic."""
    if k < 0 or n != n:
        return 0.0 if n == n else n
    if j == 0 and 0 <= n < 2 * k and n == math.floor(n):
        k = int(n) - k
    series = [0.0 if k < 0 else 1.0] + [0.0] * j
    for i in range(k):
        series = [(c * (n - i) + (series[m - 1] if m else 0.0)) / (i + 1) for m, c in enumerate(series)]
    return series[j] * math.factorial(j)


def upper_gamma(sp: Any, a: float, x: float) -> float:
    """The regularised upper incomplete gamma function; past the hump by Legendre's continued fraction, from its far end."""
    if not (0.4 < x < INF and 0 < a < 30 and x > a):
        value = float(sp.gammaincc(a, x))
        return value if not 0.4 < x < 3 or a > 3 else 1.0 - float(sp.gammainc(a, x))
    tail = 0.0
    for k in range(legendre_terms(x), 0, -1):
        tail = k * (k - a) / (x + 2 * k + 1 - a - tail)
    return gamma_density(a, x) * x / (x + 1 - a - tail)


def legendre_terms(x: float) -> int:
    """How many terms of Legendre's continued fraction have all digits."""
    return 20 + int(90 / x)


def lower_gamma(sp: Any, a: float, x: float) -> float:
    """The regularised lower incomplete gamma function."""
    return 1.0 - upper_gamma(sp, a, x) if max(a, 1.0) < x < INF and 0 < a < 30 else float(sp.gammainc(a, x))


def incomplete_beta(sp: Any, a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function; near 1 from the other end."""
    if not proper(a, b, x):
        return NAN
    rest = float(sp.betainc(b, a, 1.0 - x)) if x > 0.5 else 1.0
    return 1.0 - rest if rest < 0.5 else float(sp.betainc(a, b, x))


def first_bessel(sp: Any, v: float, x: float) -> float:
    """J of order v."""
    if v - v != 0:
        return NAN
    whole = v == math.floor(v)
    if far(v, abs(x)) and (x > 0 or whole):
        value = hankel(v, abs(x))[0]
        return -value if x < 0 and v % 2 else value
    if 0 < x < series.MOST and abs(v) < 100 and not whole:
        return series.bessel(v, x)
    return float(sp.jv(v, x))


def second_bessel(sp: Any, v: float, x: float) -> float:
    """Y of order v."""
    if v - v != 0:
        return NAN
    if far(v, x):
        return hankel(v, x)[1]
    if 0 < x < series.MOST and abs(v) < 30 and 0.25 < v % 1.0 < 0.75:
        return series.second_bessel(v, x)
    if x == 0 and v < 0:
        return math.copysign(INF, -cospi(v)) if cospi(v) else 0.0
    return float(sp.yv(v, x) if v else sp.y0(x))


def third_bessel(sp: Any, v: float, x: float) -> float:
    """K of order v."""
    if (0.01 < x < 2.2 and abs(v) < 4) or (600 < x < 750 and abs(v) < 300):
        return series.third_bessel(v, x)
    if 0 < x < 1e-290 and abs(v) < 100:
        return math.gamma(abs(v)) / 2 * power(2, abs(v)) * power(x, -abs(v)) if v else math.log(2) - math.log(x) - EULER
    return float(sp.kv(v, x)) if v - v == 0 else NAN


def gamma_density(a: float, x: float) -> float:
    """x**(a-1) exp(-x)/gamma(a), also for a below 0."""
    if not x >= 0 or a - a != 0:
        return NAN
    if pole(a) or x == INF:
        return 0.0
    if x == 0:
        return 1.0 if a == 1 else 0.0 if a > 1 else math.copysign(INF, math.gamma(a))
    if a < 30:
        half = math.exp(-x / 2)
        return power(x, a - 1) * half * half * reciprocal_gamma(a) if half else 0.0
    r = 1 / (a * a)
    spread = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r / 1680))) / a
    size = math.exp(-a * _excess(x, a) - spread)
    return math.sqrt(a / (2 * math.pi)) / x * size if size else 0.0


def _excess(x: float, a: float) -> float:
    """t - log(1 + t) for t = x/a - 1."""
    t = (x - a) / a
    if abs(t) > 0.3:
        return t - math.log(x / a) if x / a else INF
    return sum((-t) ** k / k for k in range(45, 1, -1))


def proper(a: float, b: float, x: float) -> bool:
    """Whether the incomplete beta function is defined."""
    return 0 < a < INF and 0 < b < INF and 0 <= x <= 1


def beta_density(sp: Any, a: float, b: float, x: float, i: int, j: int) -> float:
    """x**(a-1-i) (1-x)**(b-1-j) gamma(a+b)/gamma(a-i)/gamma(b-j) for a, b > 0."""
    if not proper(a, b, x):
        return NAN
    factor = math.prod(a - k for k in range(1, i + 1)) * math.prod(b - k for k in range(1, j + 1))
    if factor == 0:
        return 0.0
    scale = float(sp.beta(a, b))
    if scale < 1e-200 and 0 < x < 1:
        return factor * math.exp((a - 1 - i) * math.log(x) + (b - 1 - j) * math.log1p(-x) - float(sp.betaln(a, b)))
    return float(factor * power(x, a - 1 - i) * power(1 - x, b - 1 - j) / scale)


def hypergeometric(sp: Any, m: float, a: float, b: float, c: float) -> float:
    """2F1(a, b; c; m) of the derivatives of the complete elliptic integrals, whole c."""
    if not m < 1:
        return INF if m == 1 else NAN
    if 0 <= m <= 0.5:
        return series.gauss(a, b, c, m)
    if m < -1e250 and min(a, b) > 1:
        return 0.0
    if -3 <= m < 0:
        return power(1 - m, -a) * series.gauss(a, c - b, c, m / (m - 1))
    if m == -INF:
        return 0.0
    return float(by_recurrence(m, c - a, c - b, int(c), float(sp.ellipk(m)), float(sp.ellipe(m))) / math.pi * power(1 - m, c - a - b))


def by_recurrence(m: Any, a: float, b: float, c: int, k: Any, e: Any) -> Any:
    """pi times 2F1(a, b; c; m) from c = 1 and 2, which the integrals K and E give."""
    rest = 1 - m
    below, here = (2 * k, 4 * (e - rest * k) / m) if a == b else (2 * e / rest, 4 * (k - e) / m)
    for i in range(2, c):
        below, here = here, (i * (i - 1) * rest * below - i * (i - 1 - (2 * i - a - b - 1) * m) * here) / ((i - a) * (i - b) * m)
    return here


def log_ratio(n: int, x: float) -> float:
    """The n-th derivative of log(x)/(x - 1)."""
    if not x > 0:
        return NAN if x != 0 else -INF if n % 2 else INF
    t = x - 1
    if abs(t) < 0.5:
        return math.fsum((-1) ** k * math.perm(k, n) / (k + 1) * t ** (k - n) for k in range(80 + n, n - 1, -1))
    if x == INF:
        return 0.0
    value = math.log(x) / t
    for i in range(1, n + 1):
        value = ((-1) ** (i + 1) * power(x, -i) * math.factorial(i - 1) - i * value) / t
    return value


def modified_bessel(sp: Any, v: float, x: float) -> float:
    """I of order v; SciPy has 0 for small arguments and NaN for very large ones."""
    if abs(x) > 1e15 and v - v == 0:
        return NAN if x < 0 and v != math.floor(v) else -INF if x < 0 and v % 2 else INF
    if abs(x) > 1e-9 or v - v != 0:
        return float(sp.iv(v, x)) if v - v == 0 else NAN
    order = abs(v) if v == math.floor(v) else v
    return power(x, order) * power(2.0, -order) * reciprocal_gamma(order + 1) if abs(v) < 150 else float(sp.iv(v, x))


def airy(which: int, x: float) -> float:
    """Ai, Ai', Bi, Bi' by their number."""
    return series.airy(which, x) if -12 < x < 12 else waves.airy(which, x) if x == x else x


def hurwitz(sp: Any, s: float, q: float) -> float:
    """The zeta function of Hurwitz outside s > 1, q > 0, where SciPy has none."""
    if s in WHOLE_ORDERS and q < 0:
        n = int(s) - 1
        return polygamma(sp, n, q) / math.factorial(n) * (1 if n % 2 else -1) if not pole(q) else INF
    from mpmath import mp

    from .digits_integrals import zeta

    with mp.workdps(30):
        return float(zeta(mp.mpf(s), mp.mpf(q)))
