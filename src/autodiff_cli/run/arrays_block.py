"""A plan and the columns of one block of rows in, its results out, in buffers that are used again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays_lane import DTYPES
from .kernels_array_choice import blend, spread

if TYPE_CHECKING:
    from .arrays_plan import Branch, Move, Plan

LOOK = 6.0  # what finding the rows of a region costs, in additions


class Views(dict[int, Any]):
    """The first `count` entries of the arrays in a list, as they are asked for."""

    def __init__(self, arrays: list[Any], count: int) -> None:
        self.arrays, self.count = arrays, count

    def __missing__(self, place: int) -> Any:
        array = self.arrays[place]
        found = self[place] = array[: self.count] if array.ndim else array
        return found


class Frame:
    """Rows that are computed together, side by side: all of the block, or some of those of another frame.

    `local` are their places in frame `outer`, `rows` in the block; `predicate` and `wanted` say how
    they were chosen. `views` are the arrays over these rows, by place.
    """

    __slots__ = ("count", "local", "outer", "predicate", "rows", "views", "wanted")

    def __init__(
        self, count: int, views: Any, outer: Frame | None = None, local: Any = None, chosen: tuple[int, bool] = (-1, True)
    ) -> None:
        self.count, self.views, self.outer, self.local = count, views, outer, local
        self.predicate, self.wanted = chosen
        self.rows: Any = local if outer is None or outer.rows is None else outer.rows.take(local)

    def within(self, outer: Frame) -> Any:
        """The places of these rows in a frame further out; None if it is not further out."""
        places, frame = self.local, self.outer
        while frame is not None and frame is not outer:
            if frame.local is not None:
                places = frame.local.take(places)
            frame = frame.outer
        return None if frame is None else places


class Space:
    """The buffers of one thread."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.lent = {place for place, _ in plan.columns} | {place for place in plan.outs if place >= 0}
        self.own = [place for place in range(len(plan.constants), len(plan.kinds)) if place not in self.lent]
        self.arrays: list[Any] = [np.array(value) for value in plan.constants] + [None] * (len(plan.kinds) - len(plan.constants))
        for place in self.own:
            self.arrays[place] = self._array(place)
        self.views = self.arrays
        self.copies: dict[int, Any] = {}
        self.frames: list[Frame | None] = [None] * plan.regions
        self.ready: set[int] = set()

    def run(self, columns: list[Any], results: list[Any]) -> None:
        """The results of at most `plan.rows` rows, written into the given arrays."""
        plan, count = self.plan, len(columns[0])
        views = self._views(count)
        for (place, _), column in zip(plan.columns, columns, strict=True):
            views[place] = self._laid(place, column)
        for place, result in zip(plan.outs, results, strict=True):
            if place >= 0:
                views[place] = result
        self.frames[0] = Frame(count, views)
        for region, steps in plan.segments:
            if type(steps) is not tuple:
                self._decide(steps)
            elif (frame := self.frames[region]) is not None:
                self._sweep(steps, frame)
        for place, k in plan.copies:
            np.copyto(results[k], views[place])

    def forget(self) -> None:
        """Let go of the columns and results of the last block."""
        for place in self.lent:
            self.views[place] = None
        self.frames[0] = None

    def _views(self, count: int) -> list[Any]:
        if count == self.plan.rows:
            self.views = self.arrays
        elif self.frames[0] is None or self.frames[0].count != count:
            self.views = list(self.arrays)
            for place in self.own:
                self.views[place] = self.arrays[place][:count]
        return self.views

    def _laid(self, place: int, column: Any) -> Any:
        """The column itself if it lies in memory as the kernels want it, else a copy."""
        if column.dtype == DTYPES[self.plan.kinds[place]] and column.flags.c_contiguous and column.flags.aligned:
            return column
        if place not in self.copies:
            self.copies[place] = self._array(place)
        copy = self.copies[place][: len(column)]
        np.copyto(copy, column, casting="unsafe")
        return copy

    def _array(self, place: int) -> Any:
        return np.empty(self.plan.rows, DTYPES[self.plan.kinds[place]])

    def _sweep(self, steps: tuple[Move, ...], frame: Frame) -> None:
        views, moved = frame.views, dict[int, Any]()
        for func, get, args, foreign in steps:
            if func is None:
                self._select(args, foreign, frame)
            elif not foreign:
                func(*get(views))
            else:
                func(*self._fetched(get(views), args, foreign, frame, moved))

    def _fetched(self, given: tuple[Any, ...], args: tuple[int, ...], foreign: Any, frame: Frame, moved: dict[int, Any]) -> list[Any]:
        found = list(given)
        for k, home in foreign:
            if self.frames[home] is not frame:
                if args[k] not in moved:
                    moved[args[k]] = self._brought(args[k], home, frame)
                found[k] = moved[args[k]]
        return found

    def _brought(self, place: int, home: int | None, frame: Frame) -> Any:
        """An array of region `home`, or a constant, over the rows of `frame`, wherever that region is."""
        have = frame if home is None else self.frames[home]
        if have is None:
            return np.zeros((), DTYPES[self.plan.kinds[place]])
        value = have.views[place]
        if have is frame:
            return value
        places = frame.within(have)
        if places is not None:
            return value.take(places)
        spread = np.zeros(self.frames[0].count, value.dtype)  # type: ignore[union-attr]  # the block is always there
        spread[have.rows] = value
        return spread if frame.rows is None else spread.take(frame.rows)

    def _decide(self, branch: Branch) -> None:
        outer = self.frames[branch.parent]
        self.frames[branch.region] = None if outer is None else self._chosen(branch, outer)

    def _chosen(self, branch: Branch, outer: Frame) -> Frame | None:
        """No frame, the outer one, or one with the rows where the predicate is as wanted if that is cheaper."""
        holds = self._brought(branch.place, branch.home, outer)
        true = int(np.count_nonzero(holds))
        count = true if branch.wanted else outer.count - true
        if not count:
            return None
        if branch.cost * (outer.count - count) <= LOOK * outer.count + branch.moves * count:
            return outer
        local = np.flatnonzero(holds if branch.wanted else ~holds)
        return Frame(count, Views(self.views, count), outer, local, (branch.predicate, branch.wanted))

    def _select(self, args: tuple[int, ...], foreign: tuple[Any, ...], frame: Frame) -> None:
        if not foreign:
            self.ready.discard(args[-1])
            return
        predicate, home, _, *homes = foreign
        out, arms = frame.views[args[-1]], []
        parts = []
        for place, region, wanted in zip(args[2:4], homes, (True, False), strict=True):
            have = None if region is None else self.frames[region]
            if have is not None and have.outer is frame and have.predicate == predicate and have.wanted == wanted:
                parts.append((have.local, have.views[place]))
            else:
                arms.append(self._brought(place, region, frame))
        if not parts:
            self._choose(args, home, arms, frame)
            return
        for arm in arms:
            np.copyto(out, arm)
        for places, value in parts:
            out[places] = value

    def _choose(self, args: tuple[int, ...], home: int, arms: list[Any], frame: Frame) -> None:
        (a, b), out, mask = arms, frame.views[args[-1]], frame.views[args[1]]
        if args[1] not in self.ready or out.dtype == bool:
            p = self._brought(args[0], home, frame)
            if out.dtype == bool:
                np.logical_or(p & a, b & ~p, out=out)
                return
            spread.fill(p, mask)
            self.ready.add(args[1])
        blend.fill(mask, a, b, out)
