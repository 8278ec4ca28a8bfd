"""Numbers of mpmath in; whole numbers, quotients and comparisons, equal where only rounding sets them apart, out."""

from __future__ import annotations

import operator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]

SLIPS = 16  # so many of the last bits rounding may have changed
DOUBLES: ContextVar[bool] = ContextVar("DOUBLES", default=False)  # whether a literal is the float64 next to it
DECIDED: ContextVar[list[int]] = ContextVar("DECIDED", default=[0])  # noqa: B039 (a count of what was taken for equal though it is not)
LOST: ContextVar[list[Any]] = ContextVar("LOST", default=[])  # noqa: B039 (a place for angles too large to be reduced; this one is never read)


def slip(mp: Any) -> Any:
    """How far apart, as a share, numbers are that only rounding sets apart; 0 with few bits."""
    return mp.ldexp(1, SLIPS - mp.prec) if mp.prec > 4 * SLIPS else mp.zero


def snapped(mp: Any, x: Any) -> Any:
    """A whole number where rounding is all that keeps it from that: 1/0.1 is 10 though one tenth has no end in bits."""
    if not mp.isfinite(x):
        return x
    whole = mp.nint(x)
    return whole if not _tiny(mp, x) and _equal(x, whole, slip(mp) * max(1, abs(x))) else x


def _tiny(mp: Any, x: Any) -> bool:
    """Whether a number is too small to be what rounding left of numbers about 1."""
    return bool(x) and abs(x) < mp.ldexp(1, -SLIPS - mp.prec)


def _equal(x: Any, y: Any, tolerance: Any) -> bool:
    """Whether numbers are the same, or so near that it is decided so."""
    if x == y:
        return True
    if not abs(x - y) <= tolerance:
        return False
    DECIDED.get()[0] += 1
    return True


def remainder(mp: Any, x: Any, y: Any) -> Any:
    """x - y*floor(x/y), exact for operands of any size."""
    with mp.extraprec(max(0, mp.mag(x) - mp.mag(y)) if x else 0):
        return x % y


def divided(mp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """floor(x/y) and the remainder, of finite numbers; it is 0 where rounding is all that keeps it from that.

    Decimals have a rounding of their own, and float64 have none.
    """
    share = slip(mp)
    with mp.extraprec(max(0, mp.mag(x) - mp.mag(y)) if x else 0):
        quotient = x / y
        whole = mp.nint(quotient)
        if not _tiny(mp, quotient) and _equal(quotient, whole, min((slip(mp) if DOUBLES.get() else share) * max(1, abs(quotient)), 0.25)):
            return whole, mp.zero
    rest = remainder(mp, x, y)
    return mp.nint((x - rest) / y), rest


def _whole(name: str) -> Maker:
    return lambda mp, _attr: lambda x: x if mp.isinf(x) else getattr(mp, name)(snapped(mp, x))


def _trunc(mp: Any, _attr: Any) -> Callable[..., Any]:
    def trunc(x: Any) -> Any:
        return x if mp.isinf(x) else mp.floor(snapped(mp, x)) if x > 0 else mp.ceil(snapped(mp, x))

    return trunc


def _round(mp: Any, n: int | None) -> Callable[..., Any]:
    def rounded(x: Any) -> Any:
        scale = mp.mpf(10) ** (n or 0)
        scaled = x * scale
        half = mp.floor(scaled) + mp.mpf(0.5) if mp.isfinite(x) else x
        if abs(scaled - half) <= abs(scaled) * (mp.mpf(2) ** -53 if n and DOUBLES.get() else slip(mp)):
            scaled = half  # a tie; of floats, where their product is one
        return scaled if mp.isinf(x) else mp.nint(scaled) / scale

    return rounded


def _mod(mp: Any, _attr: Any) -> Callable[..., Any]:
    def mod(x: Any, y: Any) -> Any:
        if not y or mp.isinf(x):
            return mp.nan
        if mp.isinf(y):
            return x if not x or (x > 0) == (y > 0) else y
        return divided(mp, x, y)[1]

    return mod


def _floordiv(mp: Any, _attr: Any) -> Callable[..., Any]:
    def floordiv(x: Any, y: Any) -> Any:
        if not y:
            return mp.nan if not x or x != x else mp.sign(x) * mp.inf
        if mp.isinf(x):
            return mp.nan
        if mp.isinf(y):
            return mp.zero if not x or (x > 0) == (y > 0) else -mp.one
        return divided(mp, x, y)[0]

    return floordiv


def _fmod(mp: Any, _attr: Any) -> Callable[..., Any]:
    def fmod(x: Any, y: Any) -> Any:
        if not y or mp.isinf(x):
            return mp.nan
        if mp.isinf(y):
            return x
        return mp.sign(x) * divided(mp, abs(x), abs(y))[1]

    return fmod


def _compared(holds: Callable[..., bool]) -> Maker:
    """A comparison in which numbers are equal that only rounding sets apart."""

    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        def compare(x: Any, y: Any) -> bool:
            if x == y or isinstance(x, bool) or not (mp.isfinite(x) and mp.isfinite(y)):
                return bool(holds(x, y))
            return bool(holds(x, x) if _equal(x, y, slip(mp) * abs(y)) else holds(x, y))

        return compare

    return make


# Ops that decide about NaN themselves.
EXACT: dict[str, Maker] = {
    "lt": _compared(operator.lt),
    "le": _compared(operator.le),
    "gt": _compared(operator.gt),
    "ge": _compared(operator.ge),
    "eq": _compared(operator.eq),
    "ne": _compared(operator.ne),
}

TABLE: dict[str, Maker] = {
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "trunc": _trunc,
    "round": _round,
    "mod": _mod,
    "floordiv": _floordiv,
    "fmod": _fmod,
}
