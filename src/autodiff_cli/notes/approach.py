"""A function and a point in; what its results approach on one side of the point, or None, out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..run import digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn

DISTANCES = ("1e-24", "1e-36", "1e-48", "1e-60")  # each the same share of the one before, as the extrapolation asks for
SHRINKING = "0.1"  # a share of the change before: less where numbers approach one like a power of the distance
STEADY = 0.3  # how much the exponent of growth may change from one distance to the next, as a logarithm
AGREE = "1e-13"
SPARE = 50  # so many fewer digits must give the same, or what is left is rounding
ROUNDING = "1e-30"  # rounding is that much smaller with `SPARE` more digits


def beside(
    fn: Fn, values: Mapping[str, Any], signs: Mapping[str, int], many: int, steps: float, *, doubles: bool = True
) -> list[Any]:  # fmt: skip
    """What the results approach where the variables of `signs` come from above (1) or below (-1), with so many digits; None for those
    that approach nothing, or whose digits are lost.
    """
    from mpmath import mp

    with mp.workdps(many):
        points = [{**values, **{n: mp.mpf(values[n]) + sign * mp.mpf(step) for n, sign in signs.items()}} for step in DISTANCES]
        rings = [digits.evaluate(fn, point, many, steps, doubles=doubles) for point in points]
        rough = digits.evaluate(fn, points[-1], many - SPARE, steps, doubles=doubles)
        return [_beside(one, last) for one, last in zip(zip(*rings, strict=True), rough, strict=True)]


def _beside(found: Sequence[Any], rough: Any) -> Any:
    """The limit where the last number has its digits, 0 where it is nothing but rounding."""
    from mpmath import mp

    if found[-1] == rough or abs(found[-1] - rough) <= mp.mpf(AGREE) * abs(found[-1]):
        return approached(found)
    return mp.mpf(0) if abs(found[-1]) <= mp.mpf(ROUNDING) * abs(rough) < mp.mpf(ROUNDING) else None


def approached(found: Sequence[Any]) -> Any:
    """The limit of numbers at `DISTANCES`, infinite where they grow beyond all bounds on one side; None where they settle on nothing."""
    from mpmath import mp

    if any(mp.isnan(x) for x in found):
        return None
    if any(mp.isinf(x) for x in found):
        return found[-1] if len(set(found[-2:])) == 1 else None
    changes = [b - a for a, b in pairwise(found)]
    if _settle(found, changes):
        return _end(found, changes)
    return mp.sign(found[-1]) * mp.inf if _grow(found, changes) else None


def common(limits: Sequence[Any]) -> Any:
    """The limit that all sides agree on, or None."""
    from mpmath import mp

    if any(one is None for one in limits):
        return None
    first = limits[0]
    alike = [one == first or (mp.isfinite(first) and abs(one - first) <= mp.mpf(AGREE) * abs(first)) for one in limits]
    return first if all(alike) else None


def _settle(found: Sequence[Any], changes: Sequence[Any]) -> bool:
    """Whether every change is a small share of the one before, or too small to count."""
    from mpmath import mp

    close = mp.mpf(AGREE) ** 2 * abs(found[-1])
    return all(abs(b) <= max(mp.mpf(SHRINKING) * abs(a), close) for a, b in pairwise(changes))


def _end(found: Sequence[Any], changes: Sequence[Any]) -> Any:
    """Where numbers end whose changes shrink as those of a geometric series; numbers that shrink themselves end at 0."""
    from mpmath import mp

    if all(abs(b) <= mp.mpf(SHRINKING) * abs(a) for a, b in pairwise(found)):
        return mp.mpf(0)
    before, last = changes[-2:]
    return found[-1] - (last * last / (last - before) if abs(last) < abs(before) else 0)


def _grow(found: Sequence[Any], changes: Sequence[Any]) -> bool:
    """Whether numbers of one sign get larger at every distance as steadily as powers and logarithms do, or faster and faster."""
    from mpmath import mp

    one_way = len({mp.sign(x) for x in (*found, *changes)}) == 1
    if not one_way or any(abs(b) < mp.mpf("0.9") * abs(a) for a, b in pairwise(changes)):
        return False
    rates = [mp.log(abs(b) / abs(a)) for a, b in pairwise(found)]
    return all(abs(b - a) <= STEADY or b > 2 * a for a, b in pairwise(rates))
