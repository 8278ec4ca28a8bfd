"""A function of one number of many digits and a point in; its slope there with no rule of differentiation, and whether it bends there, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS, SPARE = 150, 20  # the last ones are lost on the way
STEP, FINER = "1e-24", "1e-27"  # as a share of the point
SMOOTH = 0.1  # how much smaller the gap between the slopes on both sides is with the finer step, where the function is smooth


class Witness(NamedTuple):
    """The slope by central differences, how far it may be off, the slopes below and above, and "kink" or "jump" where these differ."""

    slope: Any
    error: Any
    below: Any
    above: Any
    bend: str


def witness(f: Callable[[Any], Any], x: Any) -> Witness:
    """The slope of `f` at `x`, from values of `f` alone; `f` and `x` are numbers of mpmath with `DIGITS` digits."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        here = f(x)
        wide, narrow = (_sides(f, x, here, mp.mpf(step) * (abs(x) or 1)) for step in (STEP, FINER))
        middle = (narrow[0] + narrow[1]) / 2
        rounding = abs(here) * mp.mpf(10) ** (SPARE - DIGITS) / (mp.mpf(FINER) * (abs(x) or 1))
        error = abs((wide[0] + wide[1]) / 2 - middle) + rounding
        return Witness(middle, error, *narrow, "" if abs(narrow[1] - narrow[0]) <= 100 * rounding else _bend(wide, narrow))


def _sides(f: Callable[[Any], Any], x: Any, here: Any, step: Any) -> tuple[Any, Any]:
    return (here - f(x - step)) / step, (f(x + step) - here) / step


def _bend(wide: tuple[Any, Any], narrow: tuple[Any, Any]) -> str:
    """Where a function is smooth, the gap between both sides shrinks with the step; at a kink it stays, at a jump it grows."""
    from mpmath import mp

    if not all(mp.isfinite(s) for s in (*wide, *narrow)):
        return ""
    gap, finer = abs(wide[1] - wide[0]), abs(narrow[1] - narrow[0])
    if finer <= SMOOTH * gap or finer <= mp.mpf(10) ** -60 * max(abs(s) for s in narrow):
        return ""
    return "jump" if finer > 100 * gap else "kink"
