"""Float kernels of digamma and its derivatives on the whole line: floats in, a float out."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from .kernels_trig import cospi, sinpi

INF, NAN = math.inf, math.nan
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def pole(x: float) -> bool:
    """Whether gamma has a pole there."""
    return x <= 0 and x == math.floor(x)


@cache
def by_cotangent(n: int) -> tuple[int, ...]:
    """The n-th derivative of cot as a polynomial of cot: c' = -(1 + c**2); its coefficients from the lowest."""
    if n == 0:
        return (0, 1)
    slopes = [k * c for k, c in enumerate(by_cotangent(n - 1))][1:]
    return tuple([-(a + b) for a, b in zip([*slopes, 0, 0], [0, 0, *slopes], strict=True)])


def cotangent(n: int, r: float) -> float:
    """The n-th derivative of pi*cot(pi x) at the distance r from a pole."""
    c = cospi(r) / sinpi(r)
    *rest, last = by_cotangent(n)
    value = float(last)
    for k in reversed(rest):
        value = value * c + k
    return value * math.pi ** (n + 1)


def polygamma(sp: Any, n: int, x: float) -> float:
    """The n-th derivative of digamma; below 0 by reflection, which a rounded pi*x does not spoil."""
    if x > 0 or (n == 0 and -0.8 < x < -0.2):
        return float(sp.psi(x)) if n == 0 else float((1 if n % 2 else -1) * math.factorial(n) * sp.zeta(n + 1, x))
    if x != x or x == -INF or pole(x):
        return at_pole(n, x)
    return reflected(sp, n, x, x - round(x))


def at_pole(n: int, x: float) -> float:
    return NAN if x != x or x == -INF else INF if n % 2 else NAN if x else -INF


def reflected(sp: Any, n: int, x: float, r: float) -> float:
    """The same at x < 0, which is r from a pole: (-1)**n f(1 - x) less the derivative of pi*cot(pi x)."""
    above = polygamma(sp, n, 1.0 - x)
    return (-above if n % 2 else above) - cotangent(n, r)


def digammas(sp: Any, n: int, x: float, d: float) -> float:
    """polygamma(n, x + d) - polygamma(n, x) without cancellation for small d."""
    y = x + d
    if not (x - x == 0 and y - y == 0) or pole(x) or (pole(y) and math.fsum([x, d, -y]) == 0):
        return NAN
    if d == 0:
        return 0.0
    if x > 0 and y > 0:
        return _both_above(n, x, d)
    r = math.fsum([x, d, -round(y)])
    if x >= 0.5 or y >= 0.5:
        return (reflected(sp, n, y, r) if y <= 0 else polygamma(sp, n, y)) - polygamma(sp, n, x)
    above = _both_above(n, 1.0 - x, -d)
    return (-above if n % 2 else above) - _cotangents(n, x - round(x), r, d)


def _cotangents(n: int, r: float, s: float, d: float) -> float:
    """cotangent(n, s) - cotangent(n, r) where s is r + d but for a whole number."""
    b, c = cospi(s) / sinpi(s), cospi(r) / sinpi(r)
    total = 0.0
    for k, coefficient in enumerate(by_cotangent(n)):
        total += coefficient * math.fsum([b**m * c ** (k - 1 - m) for m in range(k)]) if coefficient else 0.0
    turns = -1.0 if round(s - r - d) % 2 else 1.0
    return -turns * sinpi(d) / sinpi(r) / sinpi(s) * total * math.pi ** (n + 1)


def _both_above(n: int, x: float, d: float) -> float:
    y, total, most = x + d, 0.0, 12.0 + n
    while x < most or y < most:
        total += _powers(x, y, d, n + 1)
        x, y = x + 1.0, y + 1.0
    total = math.factorial(n) * (total + _powers(x, y, d, n + 1) / 2)
    total += math.factorial(n - 1) * _powers(x, y, d, n) if n else math.log1p(d / x)
    for k, b in enumerate(BERNOULLI, 1):
        total += b * math.factorial(2 * k + n - 1) / math.factorial(2 * k) * _powers(x, y, d, 2 * k + n)
    return -total if n % 2 else total


def _powers(x: float, y: float, d: float, p: int) -> float:
    """x**-p - y**-p for y = x + d."""
    t = d / x
    return float(-(x**-p) * math.expm1(-p * math.log1p(t)) if t > -0.5 else x**-p - y**-p)
