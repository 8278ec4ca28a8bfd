"""Float kernels of powers and their derivatives: floats in, a float out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

INF, NAN = math.inf, math.nan


def power_edge(x: float, y: float) -> float:
    """x**y where `math.pow` raises."""
    odd = math.fmod(y, 2.0) in {1.0, -1.0}
    if x == 0:
        return math.copysign(INF, x) if odd else INF
    if x < 0 and y != math.floor(y):
        return NAN
    return -INF if x < 0 and odd else INF


def raised(x: float, y: float) -> float:
    """x**y as C has it; NaN at -inf too where the exponent is not whole."""
    return NAN if x == -INF and math.isfinite(y) and y != math.floor(y) else math.pow(x, y)


def power(x: float, y: float) -> float:
    """x**y, which never raises."""
    try:
        return raised(x, y)
    except (ValueError, OverflowError):
        return power_edge(x, y)


def dpow(jk: tuple[int, int]) -> Callable[[float, float], float]:
    """The derivative of x**y, j times by x and k times by y."""
    j, k = jk
    if k == 0:
        return lambda x, y: _by_base(x, y, j)
    return lambda x, y: at_zero(y, j, k) if x == 0 else _mixed(x, y, j, k) if x > 0 else NAN


def _by_base(x: float, y: float, j: int) -> float:
    if x < 0 and (y != y or (math.isfinite(y) and y != math.floor(y))):
        return NAN
    factor = 1.0
    for i in range(j):
        factor *= y - i
    scale = power(x, y - j)
    if factor == 0 or scale == 0:
        return 0.0 if y == y else y
    if math.isinf(scale) and abs(factor) < 1 and x:
        half = power(abs(x), (y - j) / 2)
        return factor * half * math.copysign(half, scale)
    return factor * scale


def _mixed(x: float, y: float, j: int, k: int) -> float:
    """x**(y-j) q_j(log x), with q_0 = L**k and q_(j+1) = (y-j) q_j + q_j'."""
    q = [0.0] * k + [1.0]
    for i in range(j):
        q = [(y - i) * c + (m + 1) * (q[m + 1] if m < k else 0.0) for m, c in enumerate(q)]
    scale, log, value = power(x, y - j), math.log(x), 0.0
    if scale == 0 or x == INF:
        return NAN if y != y else INF if scale else 0.0
    for c in reversed(q):
        value = value * log + c if value or c else 0.0
    return scale * value


def at_zero(y: float, j: int, k: int) -> float:
    if y > j or (y == 0 and j == 0 and k == 1):
        return 0.0
    return -INF if y < 0 and (j, k) == (0, 1) else NAN
