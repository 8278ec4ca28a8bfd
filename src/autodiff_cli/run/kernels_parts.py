"""Float kernels of parts, steps, selections, stable forms and activations: floats in, a float out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

INF, NAN = math.inf, math.nan


def quotient(x: float, y: float) -> float:
    """x / y where y is 0."""
    return math.copysign(INF, x) * math.copysign(1.0, y) if x and x == x else NAN


def floor(x: float) -> float:
    return float(math.floor(x)) or x * 0.0


def ceil(x: float) -> float:
    return float(math.ceil(x)) or x * 0.0


def trunc(x: float) -> float:
    return float(math.trunc(x)) or x * 0.0


def rounded(n: int | None) -> Callable[[float], float]:
    if not n:
        return lambda x: float(round(x)) or x * 0.0
    scale = float(f"1e{abs(n)}")

    def up(x: float) -> float:
        y = x * scale
        return (float(round(y)) or y * 0.0) / scale if -1e308 < y < 1e308 else x

    def down(x: float) -> float:
        y = x / scale
        return (float(round(y)) or y * 0.0) * scale

    return up if n > 0 else down


def sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else x if x != x else 0.0


def floordiv_edge(x: float, y: float) -> float:
    return quotient(x, y) if y == 0 else NAN


def copysign(x: float, y: float) -> float:
    return math.copysign(x, y) if y == y else y


def heaviside(x: float, h: float) -> float:
    return 1.0 if x > 0 else 0.0 if x < 0 else h if x == 0 else x


def largest(*xs: float) -> float:
    best = xs[0]
    for x in xs:
        if x > best or x != x:
            best = x
    return best


def smallest(*xs: float) -> float:
    best = xs[0]
    for x in xs:
        if x < best or x != x:
            best = x
    return best


def clip(x: float, lo: float, hi: float) -> float:
    return smallest(largest(x, lo), hi)


def takes(x: float, best: float) -> bool:
    """Whether x is the chosen one, or NaN."""
    return x == best or x != x


def tie_share(best: float, *xs: float) -> float:
    """1 over the number of x that are the chosen one."""
    if best != best:
        return NAN
    count = xs.count(best)
    return 1.0 / count if count else INF


def inside(x: float, lo: float, hi: float) -> bool:
    """Whether `clip` passes x on."""
    return lo <= x <= hi or x != x


def below(x: float, lo: float, hi: float) -> bool:
    """Whether `clip` gives its lower bound."""
    return x < lo <= hi or lo != lo


def above(x: float, lo: float, hi: float) -> bool:
    """Whether `clip` gives its upper bound."""
    return (x == x and lo == lo and (hi < x or hi < lo)) or hi != hi


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    y = math.exp(x)
    return y / (1.0 + y)


def logit(x: float) -> float:
    if 0.3 < x < 0.65:
        t = 2.0 * (x - 0.5)
        return math.log1p(t) - math.log1p(-t)
    return math.log(x) - math.log1p(-x)


def logit_edge(x: float) -> float:
    return -INF if x == 0 else INF if x == 1 else NAN


def softplus(x: float) -> float:
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))


def log_sigmoid(x: float) -> float:
    return -softplus(-x)


def logaddexp(x: float, y: float) -> float:
    if x == y:
        return x + math.log(2.0)
    big, small = (x, y) if x > y else (y, x)
    return big + math.log1p(math.exp(small - big))


def log1mexp(x: float) -> float:
    return math.log(-math.expm1(x)) if x > -0.6931471805599453 else math.log1p(-math.exp(x))


def xlogy(x: float, y: float) -> float:
    return x * math.log(y) if x else 0.0 if y == y else y


def xlogy_edge(x: float, y: float) -> float:
    return x * -INF if y == 0 else NAN


def xlog1py(x: float, y: float) -> float:
    return x * math.log1p(y) if x else 0.0 if y == y else y


def xlog1py_edge(x: float, y: float) -> float:
    return x * -INF if y == -1 else NAN


def times0(x: float, y: float) -> float:
    """x y, 0 at x = 0."""
    return x * y if x else 0.0


def ratio0(x: float, y: float) -> float:
    return x / y if x else 0.0 if y == y else y


def div0(x: float, y: float) -> float:
    return x / y if y else 0.0 if x == x else x


def gap(x: float) -> float:
    """1 - x**2."""
    return (1.0 - x) * (1.0 + x)


def rest(x: float) -> float:
    """x - x**2."""
    return x * (1.0 - x)


def share(k: int) -> Callable[..., float]:
    """x_k over the length of all x, also where that length leaves the range; 0 at 0."""

    def part(*xs: float) -> float:
        length = math.hypot(*xs)
        if 1e-290 < length < INF or length != length:
            return xs[k] / length
        scale = max(xs, key=abs)
        if scale == 0 or scale - scale != 0:
            return xs[k] / length if length else 0.0
        return math.copysign(xs[k] / scale, xs[k]) / math.hypot(*[x / scale for x in xs])

    return part


def counts(x: float, parameter: float) -> bool:
    """Whether the partial by x of `x if x > 0 else …` is a number; not where only the parameter is NaN."""
    return parameter == parameter or not x <= 0


def relu(x: float) -> float:
    return 0.0 if x <= 0 else x


def leaky_relu(x: float, slope: float) -> float:
    return x if x > 0 else slope * x


def leaky_by_x(x: float, slope: float) -> float:
    return 1.0 if x > 0 else slope if x <= 0 else x


def elu_by_x(x: float, alpha: float) -> float:
    return 1.0 if x > 0 else alpha * math.exp(x)


def elu(x: float, alpha: float) -> float:
    return x if x > 0 else alpha * math.expm1(x)


def selu(x: float) -> float:
    return 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))


def softsign(x: float) -> float:
    return x / (1.0 + abs(x))


def tanhshrink(x: float) -> float:
    """x - tanh(x) by the continued fraction of tanh, which does not cancel."""
    if not -2.0 < x < 2.0:
        return x - math.tanh(x)
    square, tail = x * x, 0.0
    for k in range(27, 1, -2):
        tail = square / (k + tail)
    return x * (tail / (1.0 + tail))
