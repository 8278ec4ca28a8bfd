"""mpmath kernels of powers and trigonometric functions: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp
from .digits_steps import remainder

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


def power(mp: Any, x: Any, y: Any) -> Any:
    """x**y as `math.pow` has it, but for the sign of zero."""
    if y == 0 or x == 1:
        return mp.one
    if x != x or y != y:
        return mp.nan
    if x == 0 or mp.isinf(x) or mp.isinf(y):
        return mp.mpf(_infinite(float(x), float(y)))
    if x < 0 and y != mp.floor(y):
        return mp.nan
    size = exp(mp, y * mp.log(abs(x))) if y != mp.floor(y) or mp.mag(y) > 60 else mp.power(abs(x), int(y))
    return -size if x < 0 and y % 2 else size


def _infinite(x: float, y: float) -> float:
    from .kernels_power import power as floats

    return floats(abs(x) if x == 0 else x, y)


def _dpow(mp: Any, jk: tuple[int, int]) -> Callable[..., Any]:
    from .kernels_power import at_zero

    j, k = jk

    def dpow(x: Any, y: Any) -> Any:
        if k == 0:
            factor = mp.fprod([y - i for i in range(j)])
            return _scaled(mp, factor, power(mp, x, y - j)) if y == y else y
        if x == 0:
            return mp.mpf(at_zero(float(y), j, k))
        if not x > 0:
            return mp.nan
        scale = power(mp, x, y - j)
        if x == mp.inf:
            return y if y != y else mp.inf if scale else mp.zero
        return scale * _polynomial(mp, mp.log(x), y, j, k) if scale else mp.zero

    return dpow


def _scaled(mp: Any, factor: Any, scale: Any) -> Any:
    return factor * scale if factor and scale else mp.zero


def _polynomial(mp: Any, log: Any, y: Any, j: int, k: int) -> Any:
    q = [mp.zero] * k + [mp.one]
    for i in range(j):
        q = [(y - i) * c + (m + 1) * (q[m + 1] if m < k else 0) for m, c in enumerate(q)]
    return mp.fsum([c * log**m for m, c in enumerate(q) if c])


def _degrees(function: str) -> Maker:
    """sin or cos of degrees, exact at multiples of 30."""
    halves = {0: 0, 30: 1, 90: 2, 150: 1, 180: 0, 210: -1, 270: -2, 330: -1, 360: 0, 390: 1, 420: 0}

    shift = 0 if function == "sinpi" else 90

    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        def sine(x: Any) -> Any:
            if mp.isinf(x):
                return mp.nan
            turn = remainder(mp, abs(x), mp.mpf(360))
            sign = mp.sign(x) if function == "sinpi" else 1
            if turn + shift in halves:
                return sign * mp.mpf(halves[int(turn + shift)]) / 2
            return sign * getattr(mp, function)(turn / 180)

        return sine

    return make


def _tangent(per_turn: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        def tangent(x: Any) -> Any:
            if mp.isinf(x):
                return mp.nan
            turn, sign = remainder(mp, abs(x), mp.mpf(per_turn)), mp.sign(x)
            eighths = 8 * turn / per_turn
            if eighths == mp.floor(eighths):
                return sign * [mp.zero, mp.one, mp.inf, -mp.one, mp.zero, mp.one, -mp.inf, -mp.one][int(eighths % 8)]
            return sign * mp.sinpi(2 * turn / per_turn) / mp.cospi(2 * turn / per_turn)

        return tangent

    return make


def _sinc(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: mp.one if not x else mp.zero if mp.isinf(x) else mp.sinpi(x) / (mp.pi * x)


def _circular(name: str) -> Maker:
    return lambda mp, _attr: lambda x: mp.nan if mp.isinf(x) else getattr(mp, name)(x)


# Ops that decide about NaN themselves.
EXACT: dict[str, Maker] = {"pow": lambda mp, _: lambda x, y: power(mp, x, y), "dpow": _dpow}

TABLE: dict[str, Maker] = {
    "sin": _circular("sin"),
    "cos": _circular("cos"),
    "tan": _circular("tan"),
    "sec": _circular("sec"),
    "atan2": lambda mp, _: mp.atan2,
    "deg2rad": lambda mp, _: lambda x: x * mp.pi / 180,
    "rad2deg": lambda mp, _: lambda x: x * 180 / mp.pi,
    "sinpi": _circular("sinpi"),
    "cospi": _circular("cospi"),
    "tanpi": _tangent(2),
    "sind": _degrees("sinpi"),
    "cosd": _degrees("cospi"),
    "tand": _tangent(360),
    "sinc": _sinc,
}
