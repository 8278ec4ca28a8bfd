"""A function of one float64 and a point in; its slope there by central differences, with an estimate of the error, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import AutodiffError
from ..run.budget import Expired, budget

if TYPE_CHECKING:
    from collections.abc import Callable

SHRINK = 1.4  # from one step to the next
COLUMNS = 10
SECONDS = 2.0
STARTS = (0.2, 1e-2, 1e-4)  # the first step, as a share of the point


class Slope(NamedTuple):
    """A slope and how far it may be off; both NaN where there are no numbers around the point."""

    value: float
    error: float


NOTHING = Slope(float("nan"), float("nan"))


def slope(f: Callable[[float], float], x: float) -> Slope:
    """The slope of `f` at `x` by Ridders' method, from the first step whose estimate of the error is the smallest."""
    found = [_within(f, x, share * (abs(x) or 1.0)) for share in STARTS]
    return min([s for s in found if s.value == s.value], key=lambda s: s.error, default=NOTHING)


def _within(f: Callable[[float], float], x: float, step: float) -> Slope:
    """Ridders' method, if it has numbers and does not take too long around the point."""
    try:
        with budget(SECONDS):
            return _ridders(f, x, step)
    except (AutodiffError, Expired):
        return NOTHING


def _ridders(f: Callable[[float], float], x: float, step: float) -> Slope:
    """Central differences with ever smaller steps, extrapolated to step 0 (Neville); it stops where rounding takes over."""
    best, row = NOTHING, [_central(f, x, step)]
    if not _finite(row[0]):
        return NOTHING
    best = Slope(row[0], float("inf"))
    for _ in range(1, COLUMNS):
        step /= SHRINK
        last, row = row, [_central(f, x, step)]
        factor = SHRINK**2
        for k, before in enumerate(last):
            row.append((row[k] * factor - before) / (factor - 1))
            factor *= SHRINK**2
            error = max(abs(row[k + 1] - row[k]), abs(row[k + 1] - before))
            if error <= best.error:
                best = Slope(row[k + 1], error)
        if not _finite(row[-1]) or abs(row[-1] - last[-1]) >= 2 * best.error:
            break
    return best


def _central(f: Callable[[float], float], x: float, step: float) -> float:
    """(f(x + h) - f(x - h))/2h, with the step that the two points really are apart."""
    above, below = x + step, x - step
    if above == below:  # a step below the smallest float64
        return float("nan")
    return (f(above) - f(below)) / (above - below)


def _finite(value: float) -> bool:
    return value - value == 0
