"""Two functions with their slopes in; the points that were looked at, and the first that tells them apart, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .numbers import DIGITS, FINER, SHRUNK, apart, cost, defined, evaluated, near

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn
    from .points import Point

    Pair = tuple[list[Any], list[Any]]


BUDGET = 300_000  # steps
LEAST = 4  # random points of the common domain


class Difference(NamedTuple):
    """A point where two functions differ in "value", "domain" or "slope": what each gives there."""

    kind: str
    point: dict[str, Any]
    values: Pair
    slopes: Pair


class Search:
    """The functions, their gradients (values first) or None, the values that are fixed; what was found so far.

    `by_domain`, `by_slope` and `at_kink` are the first points that differ only so; a difference in value ends the search.
    """

    __slots__ = ("at_kink", "by_domain", "by_slope", "by_value", "common", "fixed", "functions", "gradients", "random", "steps", "tried")

    def __init__(self, functions: Sequence[Fn], gradients: Sequence[Fn] | None, fixed: Mapping[str, Any]) -> None:
        self.functions, self.gradients, self.fixed = functions, gradients, fixed
        self.by_value: Difference | None = None
        self.by_domain: Difference | None = None
        self.by_slope: Difference | None = None
        self.at_kink: Difference | None = None
        self.common = self.random = self.tried = self.steps = 0

    @property
    def difference(self) -> Difference | None:
        return self.by_value or self.by_domain or self.by_slope

    @property
    def tired(self) -> bool:
        """Whether so many steps have been taken that fewer points have to do."""
        return self.tried * self.steps > BUDGET * (1 if self.random >= LEAST else 10)

    def look(self, point: Point) -> None:
        """Compare at one point; marked ones are left out of what takes long."""
        if point.marked and self.tried * self.steps > BUDGET // LEAST:
            return
        self.steps = self.steps or sum([cost(fn, self._point(point)) for fn in (*self.functions, *(self.gradients or ()))])
        self.tried += 1
        values = self._pair(self.functions, point)
        if values is None:
            return
        known = [defined(side) for side in values]
        if all(known):
            self.common += 1
            self.random += not point.marked
            self._compare(point, values)
        elif any(known) and self.by_domain is None and self._stays(point):
            self.by_domain = self._found("domain", point, values)

    def _compare(self, point: Point, values: Pair) -> None:
        if not near(*values) and not self._rounding(self.functions, point, values):
            self.by_value = self._found("value", point, values)
        elif self.gradients is not None and (self.by_slope is None or self.at_kink is None):
            self._compare_slopes(point, values)

    def _compare_slopes(self, point: Point, values: Pair) -> None:
        slopes = self._pair(self.gradients or (), point, first=1)
        if slopes is None or near(*slopes) or not any(map(defined, slopes)):
            return
        both = all(map(defined, slopes))
        if both and self._rounding(self.gradients or (), point, slopes, first=1):
            return
        found = Difference("slope", self._point(point), values, slopes)
        if both and not point.marked:
            self.by_slope = self.by_slope or found
        else:
            self.at_kink = self.at_kink or found

    def _pair(self, functions: Sequence[Fn], point: Point, digits: int = DIGITS, first: int = 0) -> Pair | None:
        """The results of both from the number `first` on; None where one cannot be run there."""
        a, b = [evaluated(fn, self._point(point), digits) for fn in functions]
        if a is None or b is None:
            return None
        return [x for part in a[first:] for x in part], [x for part in b[first:] for x in part]

    def _rounding(self, functions: Sequence[Fn], point: Point, found: Pair, first: int = 0) -> bool:
        """Whether a difference gets smaller with more digits."""
        finer = self._pair(functions, point, FINER, first)
        return finer is not None and all(map(defined, finer)) and apart(*finer) <= SHRUNK * apart(*found)

    def _stays(self, point: Point) -> bool:
        """Whether with more digits, too, one of two has no value."""
        finer = self._pair(self.functions, point, FINER)
        return finer is not None and defined(finer[0]) != defined(finer[1])

    def _point(self, point: Point) -> dict[str, Any]:
        return {**self.fixed, **point.values}

    def _found(self, kind: str, point: Point, values: Pair) -> Difference:
        slopes = None if self.gradients is None else self._pair(self.gradients, point, first=1)
        return Difference(kind, self._point(point), values, slopes or ([], []))
