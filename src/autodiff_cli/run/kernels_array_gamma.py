"""Arrays of gamma functions and their kin: SciPy's functions in, functions of arrays out; NaN marks what the floats have to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernels_families import legendre_terms
from .kernels_polygamma import BERNOULLI

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., Any]


def digamma(sp: Any, _: Any) -> Kernel:
    """By reflection below 0, but for the zero that SciPy knows."""

    def function(x: Any) -> Any:
        below = sp.psi(1.0 - x) - math.pi / np.tan(math.pi * (x - np.rint(x)))
        return np.where((x > 0) | ((x > -0.8) & (x < -0.2)), sp.psi(x), np.where(x == np.floor(x), np.nan, below))

    return function


def polygamma(sp: Any, n: int) -> Kernel:
    scale = (1 if n % 2 else -1) * float(math.factorial(n))
    return (lambda x: np.where(x > 0, scale * sp.zeta(n + 1.0, np.maximum(x, 0.0)), np.nan)) if n else digamma(sp, n)


def digammas(_: Any, n: int | None) -> Kernel | None:
    """digamma(x + d) - digamma(x) above 0, as the sum of the floats."""
    return None if n else _digammas


def _digammas(x: Any, d: Any) -> Any:
    y, total = x + d, 0.0
    fine = (x > 0) & (y > 0)
    x = np.where(fine, x, 1.0)
    y = x + np.where(fine, d, 1.0)
    for k in range(12):
        total = total + d / (x + k) / (y + k)
    x, y = x + 12.0, y + 12.0
    total = total + d / (2 * x * y) + np.log1p(d / x)
    u, v = 1 / (x * x), 1 / (y * y)
    rise = d * (x + y) * u * v
    fall, power = rise, v
    for k, b in enumerate(BERNOULLI, 1):
        total = total + b / (2 * k) * fall
        fall, power = u * fall + power * rise, power * v
    return np.where(fine, total, np.nan)


def _beta(sp: Any, a: Any, b: Any) -> Any:
    """Of positive numbers of moderate size."""
    value = sp.gamma(a) * (sp.gamma(b) / sp.gamma(a + b))
    return np.where((a > 1e-200) & (b > 1e-200) & (a + b < 170), value, np.nan)


def beta(sp: Any, _: Any) -> Kernel:
    return lambda a, b: _beta(sp, a, b)


def betaln(sp: Any, _: Any) -> Kernel:
    return lambda a, b: np.log(_beta(sp, a, b))


def beta_slope(sp: Any, ij: tuple[int, int]) -> Kernel | None:
    if ij == (1, 0):
        return lambda a, b: -(_beta(sp, a, b) * _digammas(a, b))
    return (lambda a, b: -(_beta(sp, a, b) * _digammas(b, a))) if ij == (0, 1) else None


def gammaincc(sp: Any, _: Any) -> Kernel:
    """Where SciPy's loses digits, by Legendre's continued fraction, or as 1 less the lower one."""

    def function(a: Any, x: Any) -> Any:
        a, x = np.broadcast_arrays(a, x)
        value = sp.gammaincc(a, x)
        weak = (a > 0) & (a < 3) & (x > 0.4) & (x < 3)
        past, before = weak & (x > a), weak & (x <= a)
        value[before] = 1.0 - sp.gammainc(a[before], x[before])
        if past.any():
            value[past] = _fraction(sp, a[past], x[past])
        return value

    return function


def _fraction(sp: Any, a: Any, x: Any) -> Any:
    tail = np.zeros_like(x)
    for k in range(legendre_terms(float(x.min())), 0, -1):
        tail = k * (k - a) / (x + (2 * k + 1) - a - tail)
    return np.power(x, a) * np.exp(-x) / sp.gamma(a) / (x + 1 - a - tail)


def gammapdf(sp: Any, _: Any) -> Kernel:
    """x**(a-1) exp(-x)/gamma(a) for moderate a."""
    return lambda a, x: np.where((a > 0) & (a < 30) & (x > 0), np.power(x, a - 1) * np.exp(-x) / sp.gamma(a), np.nan)


def betainc(sp: Any, _: Any) -> Kernel:
    """Near 1 from the other end."""

    def function(a: Any, b: Any, x: Any) -> Any:
        high = x > 0.5
        rest = np.where(high, sp.betainc(b, a, 1.0 - x), 1.0)
        value = np.where(rest < 0.5, 1.0 - rest, sp.betainc(a, b, x))
        return np.where((a > 0) & (b > 0) & (a < np.inf) & (b < np.inf), value, np.nan)

    return function


def betapdf(sp: Any, ij: tuple[int, int]) -> Kernel:
    i, j = ij

    def function(a: Any, b: Any, x: Any) -> Any:
        factor = math.prod([a - k for k in range(1, i + 1)]) * math.prod([b - k for k in range(1, j + 1)])
        value = factor * np.power(x, a - 1 - i) * np.power(1 - x, b - 1 - j) / _beta(sp, a, b)
        return np.where((x > 0) & (x < 1), value, np.nan)

    return function


def mills(sp: Any, n: int) -> Kernel | None:
    """The density of the normal distribution over its distribution function, and the slope of that ratio."""

    def ratio(x: Any) -> Any:
        return np.where(x > 37, np.exp(-x * x / 2) / math.sqrt(2 * math.pi), math.sqrt(2 / math.pi) / sp.erfcx(-x / math.sqrt(2)))

    def slope(x: Any) -> Any:
        h = ratio(x)
        return np.where(x > -1, -h * (x + h), np.nan)

    return {1: ratio, 2: slope}.get(n)


def zeta(sp: Any, _: Any) -> Kernel:
    return lambda s, q: np.where((q > 0) & (s > 1) & (s < 500), sp.zeta(s, np.maximum(q, 0.0)), np.nan)


OWN: dict[str, Callable[[Any, Any], Kernel | None]] = {
    "beta": beta,
    "beta_slope": beta_slope,
    "betainc": betainc,
    "betaln": betaln,
    "betapdf": betapdf,
    "digamma": digamma,
    "digammas": digammas,
    "gammainc": lambda sp, _: sp.gammainc,
    "gammaincc": gammaincc,
    "gammapdf": gammapdf,
    "mills": mills,
    "polygamma": polygamma,
    "zeta": zeta,
}
