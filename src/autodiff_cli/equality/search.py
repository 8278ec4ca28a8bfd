"""Two functions with their slopes in; the points that were looked at, and the first that tells them apart, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .doubt import doubtful
from .numbers import DIGITS, FINER, MORE, SHRUNK, apart, cost, defined, evaluated, near, pole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn
    from .numbers import Parts
    from .points import Point

    Pair = tuple[Parts, Parts]


BUDGET = 300_000  # steps
LEAST = 4  # random points of the common domain
DEEP = 3  # of them are looked at with many more digits


class Difference(NamedTuple):
    """A point where two functions differ in "value", "shape", "domain" or "slope": what each gives there."""

    kind: str
    point: dict[str, Any]
    values: Pair
    slopes: Pair


class Search:
    """The functions, their gradients (values first) or None, the values that are fixed; what was found so far.

    `by_domain`, `by_slope` and `at_kink` are the first points that differ only so; a difference in value ends the search.
    """

    __slots__ = (
        "at_kink",
        "by_domain",
        "by_slope",
        "by_value",
        "common",
        "fixed",
        "functions",
        "gradients",
        "random",
        "steps",
        "tried",
        "unlike",
    )

    def __init__(self, functions: Sequence[Fn], gradients: Sequence[Fn] | None, fixed: Mapping[str, Any]) -> None:
        self.functions, self.gradients, self.fixed = functions, gradients, fixed
        self.by_value: Difference | None = None
        self.by_domain: Difference | None = None
        self.by_slope: Difference | None = None
        self.at_kink: Difference | None = None
        self.unlike = len({fn.nodes[fn.outs[0]].type.shape for fn in functions}) > 1
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
        if not any(known):
            return
        if not all(known):
            if self.by_domain is None and self._verdict(self.functions, point, values) == "different":
                self.by_domain = self._found("domain", point, values)
            return
        verdict = "alike" if self.unlike else self._alike(point, values)
        if verdict == "alike":
            self._compare(point, values)
        elif verdict == "different":
            seen = (near(*values) and self._pair(self.functions, point, MORE)) or values
            self.by_value = self._found("value", point, seen)
            self.common += 1

    def _compare(self, point: Point, values: Pair) -> None:
        self.common += 1
        self.random += not point.marked
        if self.unlike:
            self.by_value = self._found("shape", point, values)
        elif self.gradients is not None and (self.by_slope is None or self.at_kink is None):
            self._compare_slopes(point, values)

    def _compare_slopes(self, point: Point, values: Pair) -> None:
        slopes = self._pair(self.gradients or (), point, first=1)
        if slopes is None or near(*slopes) or not any(map(defined, slopes)):
            return
        both = all(map(defined, slopes))
        if self._verdict(self.gradients or (), point, slopes, first=1) != "different":
            return
        found = Difference("slope", self._point(point), values, slopes)
        if both and not point.marked:
            self.by_slope = self.by_slope or found
        else:
            self.at_kink = self.at_kink or found

    def _pair(self, functions: Sequence[Fn], point: Point, digits: int = DIGITS, first: int = 0) -> Pair | None:
        """The results of both from the number `first` on; None where one cannot be run there."""
        a, b = [evaluated(fn, self._point(point), digits) for fn in functions]
        return None if a is None or b is None else (a[first:], b[first:])

    def _verdict(self, functions: Sequence[Fn], point: Point, found: Pair, first: int = 0) -> str:
        """Whether results that are not alike are "different" with more digits, too, "alike", or "open" as nothing but rounding decides."""
        finer = self._pair(functions, point, FINER, first)
        if finer is None:
            return "different" if all(map(defined, found)) else "open"
        known = [defined(side) for side in finer]
        if known != [defined(side) for side in found] or pole(found, finer):
            return "open"
        if all(known) and (near(*finer, FINER) or apart(*finer) <= SHRUNK * apart(*found)):
            return "alike"
        return "open" if any(doubtful(fn, self._point(point)) for fn in functions) else "different"

    def _alike(self, point: Point, values: Pair) -> str:
        """The same of two values; of a few random points many more digits are compared."""
        if not near(*values):
            return self._verdict(self.functions, point, values)
        if point.marked or self.random >= DEEP or self.steps > BUDGET // 100:
            return "alike"
        more = self._pair(self.functions, point, MORE)
        if more is None or not all(map(defined, more)) or near(*more, MORE):
            return "alike"
        return self._verdict(self.functions, point, more)

    def _point(self, point: Point) -> dict[str, Any]:
        return {**self.fixed, **point.values}

    def _found(self, kind: str, point: Point, values: Pair) -> Difference:
        slopes = None if self.gradients is None else self._pair(self.gradients, point, first=1)
        return Difference(kind, self._point(point), values, slopes or ([], []))
