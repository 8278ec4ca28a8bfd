"""Float kernels of families that close under differentiation: floats in, a float out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[[float], Any]

INF, NAN = math.inf, math.nan
ROOT2 = math.sqrt(2.0)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


# --- repeated integrals of the normal tail -----------------------------------------------------------


def ratios(n: int, x: float) -> list[float]:
    """R_k = Hh_k(-x)/Hh_0(-x) for k from 0 to n at x < 0: k R_k = x R_(k-1) + R_(k-2), run downwards from far out."""
    start = n + 30 + int(800.0 / (x * x))
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
    if x > 0.5:
        return first * 2.0 ** (-n / 2) * ratios(n, -ROOT2 * x)[n] if x < INF else 0.0
    before, here = 2.0 / math.sqrt(math.pi), first
    for k in range(1, n + 1):
        before, here = here, (before - 2.0 * x * here) / (2 * k)
    return here


def mills(erfcx: Function, n: int, x: float) -> float:
    """n-th repeated integral of the normal distribution function over the function itself; n = -1 is density over it."""
    if x != x:
        return x
    slope = math.exp(-x * x / 2) / math.sqrt(2 * math.pi) if x > 37.0 else math.sqrt(2 / math.pi) / float(erfcx(-x / ROOT2))
    if n < 0:
        return slope
    if x < -0.7:
        return ratios(n, x)[n] if x > -INF else 0.0
    before, here = slope, 1.0
    for k in range(1, n + 1):
        before, here = here, (x * here + before) / k
    return here


# --- differences of polygamma functions --------------------------------------------------------------


def digammas(n: int, x: float, d: float) -> float:
    """polygamma(n, x + d) - polygamma(n, x) without cancellation for small d."""
    y = x + d
    if not (x - x == 0 and y - y == 0):
        return NAN
    if (x <= 0 and x == math.floor(x)) or (y <= 0 and y == math.floor(y)):
        return NAN
    order, total = n + 1, 0.0
    while min(x, y) < 12.0 + n:
        total += _power_step(x, y, d, order)
        x, y = x + 1.0, y + 1.0
    total *= math.factorial(n)
    series = math.log1p(d / x) if n == 0 else -math.factorial(n - 1) * _power_step(x, y, d, n)
    series += math.factorial(n) / 2 * _power_step(x, y, d, n + 1) * (1 if n == 0 else -1)
    for k, b in enumerate(BERNOULLI, 1):
        weight = b / (2 * k) if n == 0 else -b * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        series -= -weight * -_power_step(x, y, d, 2 * k + n) if n == 0 else -weight * _power_step(x, y, d, 2 * k + n)
    sign = 1 if n % 2 == 0 else -1
    return sign * (total + (series if n == 0 else -series) * 1.0) if n else total + series


def _power_step(x: float, y: float, d: float, p: int) -> float:
    """x**-p - y**-p for y = x + d."""
    t = d / x
    return -(x**-p) * math.expm1(-p * math.log1p(t)) if t > -0.5 else x**-p - y**-p
