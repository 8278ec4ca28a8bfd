"""A function of one number of many digits and a point in; its slope there with no rule of differentiation, and whether it bends there, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Sides = tuple[Any, Any]
    Function = Callable[[Any, int], Any]  # of a number, and of how many digits it is computed with

DIGITS, MORE = 150, 30  # with so many more, what rounding does is seen
STEP, FINER, RATIO = "1e-24", "1e-27", 1000  # as a share of the point, if that is below 1
SMOOTH = 0.1  # how much smaller the gap between the slopes on both sides is with the finer step, where the function is smooth
SHARE = 1e-15  # slopes are the same
STEEP = 3  # a slope that grows more than so many times with the finer step has no end


class Witness(NamedTuple):
    """The slope by central differences, how far it may be off, the slopes below and above, and "kink" or "jump" where these differ."""

    slope: Any
    error: Any
    below: Any
    above: Any
    bend: str


def witness(f: Function, x: Any, expected: Any = None) -> Witness:
    """The slope of `f` at `x`, from values of `f` alone, with 150 digits behind the point or more.

    Where both sides have the slope that is `expected`, nothing more is asked for.
    """
    from mpmath import mp

    size = min(abs(x), mp.one) or mp.one
    digits = DIGITS + max(0, int(mp.mag(x) * 0.302)) if x else DIGITS
    f = _remembered(f)
    with mp.workdps(digits):
        steps = [mp.mpf(step) * size for step in (STEP, FINER)]
        here = f(x, digits)
        narrow = _sides(f, x, here, steps[1], digits)
        if expected is not None and all(_expected(side, expected) for side in narrow):
            return Witness((narrow[0] + narrow[1]) / 2, abs(narrow[1] - narrow[0]), *narrow, "")
        return _bend(_sides(f, x, here, steps[0], digits), narrow, _noise(f, (x, x - steps[1], x + steps[1]), digits) / steps[1])


def _remembered(f: Function) -> Function:
    """The function, which is asked for no value twice."""
    known: dict[tuple[Any, int], Any] = {}

    def again(x: Any, digits: int) -> Any:
        if (x, digits) not in known:
            known[x, digits] = f(x, digits)
        return known[x, digits]

    return again


def _expected(side: Any, expected: Any) -> bool:
    from mpmath import mp

    return bool(mp.isfinite(side) and mp.isfinite(expected) and abs(side - expected) <= SHARE * abs(expected))


def _bend(wide: Sides, narrow: Sides, rounding: Any) -> Witness:
    """What slopes on both sides with two steps tell."""
    middle = (narrow[0] + narrow[1]) / 2
    error = abs((wide[0] + wide[1]) / 2 - middle) + rounding
    if _jumps(wide, narrow, rounding):
        return Witness(middle, error, *narrow, "jump")
    below, above = (_limit(*pair, rounding) for pair in zip(wide, narrow, strict=True))
    bent = not abs(narrow[1] - narrow[0]) <= 100 * rounding and _bent(wide, narrow, below, above)
    return Witness(middle, error, below, above, "kink" if bent else "")


def _sides(f: Function, x: Any, here: Any, step: Any, digits: int) -> Sides:
    return (here - f(x - step, digits)) / step, (f(x + step, digits) - here) / step


def _noise(f: Function, points: tuple[Any, ...], digits: int) -> Any:
    """How far values may be off: what more digits change, and some units of the last one."""
    from mpmath import mp

    found = [(f(x, digits), f(x, digits + MORE)) for x in points]
    return 100 * max(abs(a - b) for a, b in found) + max(abs(a) for a, _ in found) * mp.mpf(10) ** (10 - digits)


def _jumps(wide: Sides, narrow: Sides, rounding: Any) -> bool:
    """Whether a difference stays the same however near: the slope grows as the step shrinks."""
    from mpmath import mp

    if not all(mp.isfinite(s) for s in (*wide, *narrow)):
        return False
    return any(abs(n) > 100 * rounding and abs(n - RATIO * w) <= 0.01 * abs(n) for w, n in zip(wide, narrow, strict=True))


def _limit(wide: Any, narrow: Any, rounding: Any) -> Any:
    """What the slope on one side comes to as the step shrinks; infinite where it grows, NaN where it does neither."""
    from mpmath import mp

    if not (mp.isfinite(wide) and mp.isfinite(narrow)):
        return mp.nan
    if abs(narrow - wide) <= SMOOTH * max(abs(narrow), abs(wide)) + 2 * RATIO * rounding:
        return narrow
    if abs(narrow) > STEEP * abs(wide) or narrow * wide < 0:
        return mp.sign(narrow) * mp.inf if narrow * wide > 0 else mp.nan
    return mp.zero if abs(wide) > STEEP * abs(narrow) else mp.nan


def _bent(wide: Sides, narrow: Sides, below: Any, above: Any) -> bool:
    """Where a function is smooth, the gap between both sides shrinks with the step; at a kink it stays."""
    from mpmath import mp

    if mp.isnan(below) or mp.isnan(above) or below == above:
        return False
    if mp.isinf(below) or mp.isinf(above):
        return True
    gap, finer = abs(wide[1] - wide[0]), abs(narrow[1] - narrow[0])
    return bool(finer > SMOOTH * gap and finer > mp.mpf(10) ** -60 * max(abs(s) for s in narrow))
