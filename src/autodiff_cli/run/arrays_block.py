"""A plan and the columns of one block of rows in, its results out, in buffers that are used again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays_lane import DTYPES
from .kernels_array import blend, spread

if TYPE_CHECKING:
    from .arrays_plan import Branch, Move, Plan

LOOK = 6.0  # what finding the rows of a region costs, in additions


class Frame:
    """Rows that are computed together, side by side: all of the block, or some of those of another frame.

    `local` are their places in frame `outer`, `rows` in the block; `predicate` and `wanted` say how
    they were chosen.
    """

    __slots__ = ("count", "local", "outer", "predicate", "rows", "wanted")

    def __init__(self, count: int, outer: Frame | None = None, local: Any = None, chosen: tuple[int, bool] = (-1, True)) -> None:
        self.count, self.outer, self.local = count, outer, local
        self.predicate, self.wanted = chosen
        self.rows = local if outer is None or outer.outer is None else outer.rows.take(local)

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
        bound = len(plan.constants)
        self.buffers: list[Any] = [None] * len(plan.kinds)
        own = {place for place, _ in plan.columns} | set(plan.outs)
        for place in range(bound, len(plan.kinds)):
            if place not in own:
                self.buffers[place] = _array(plan.rows, plan.kinds[place])
        self.values: list[Any] = [np.array(value) for value in plan.constants] + self.buffers[bound:]
        self.frames: list[Frame | None] = [None] * plan.regions

    def run(self, columns: list[Any], results: list[Any]) -> None:
        """The results of at most `plan.rows` rows, written into the given arrays."""
        plan, count = self.plan, len(columns[0])
        for (place, _), column in zip(plan.columns, columns, strict=True):
            self.values[place] = self._ready(place, column)
        for place, result in zip(plan.outs, results, strict=True):
            if place >= 0:
                self.buffers[place] = result
        frame = self.frames[0] = Frame(count)
        for region, steps in plan.segments:
            if type(steps) is not tuple:
                self._decide(steps)
            elif region == 0:
                self._sweep(steps, frame)
            elif (inner := self.frames[region]) is not None:
                self._sweep(steps, inner)
        for place, k in plan.copies:
            np.copyto(results[k], self.values[place])

    def forget(self) -> None:
        """Let go of the columns and results of the last block."""
        for place in [*[place for place, _ in self.plan.columns], *self.plan.outs]:
            if place >= 0:
                self.values[place] = None
        for place in self.plan.outs:
            if place >= 0:
                self.buffers[place] = None

    def _ready(self, place: int, column: Any) -> Any:
        """The column itself if it lies in memory as the kernels want it, else a copy."""
        kind = np.float64 if self.plan.kinds[place] == "real" else np.bool_
        if column.dtype == kind and column.flags.c_contiguous and column.flags.aligned:
            return column
        if self.buffers[place] is None:
            self.buffers[place] = _array(self.plan.rows, self.plan.kinds[place])
        copy = self.buffers[place][: len(column)]
        np.copyto(copy, column, casting="unsafe")
        return copy

    def _sweep(self, steps: tuple[Move, ...], frame: Frame) -> None:
        values, buffers, count = self.values, self.buffers, frame.count
        whole = count == self.plan.rows
        moved: dict[int, Any] = {}
        for func, args, out, foreign in steps:
            given = [values[a] for a in args]
            if whole:
                target = buffers[out]
            else:
                target = values[out] if any([v is values[out] for v in given]) else buffers[out][:count]
            if func is None:
                target = self._select(args, foreign, frame, target) if foreign else None
            else:
                if foreign:
                    self._fetch(given, args, foreign, frame, moved)
                func(*given, out=target)
            values[out] = target

    def _fetch(self, given: list[Any], args: tuple[int, ...], foreign: Any, frame: Frame, moved: dict[int, Any]) -> None:
        for k, home in foreign:
            if self.frames[home] is not frame:
                if args[k] not in moved:
                    moved[args[k]] = self._bring(given[k], home, frame)
                given[k] = moved[args[k]]

    def _bring(self, value: Any, home: int, frame: Frame) -> Any:
        """The rows of `frame` out of an array over the rows of region `home`, wherever that region is."""
        have = self.frames[home]
        if have is None:
            return value.dtype.type(0)
        if have is frame:
            return value
        places = frame.within(have)
        if places is not None:
            return value.take(places)
        spread = np.zeros(self.frames[0].count, value.dtype)  # type: ignore[union-attr]  # the block is always on
        spread[have.rows] = value
        return spread if frame.outer is None else spread.take(frame.rows)

    def _decide(self, branch: Branch) -> None:
        outer = self.frames[branch.parent]
        self.frames[branch.region] = None if outer is None else self._rows(branch, outer)

    def _rows(self, branch: Branch, outer: Frame) -> Frame | None:
        """No frame, the outer one, or one with the rows where the predicate holds if that is cheaper."""
        mask = self._bring(self.values[branch.place], branch.home, outer)
        held = int(np.count_nonzero(mask))
        count = held if branch.wanted else outer.count - held
        if not count:
            return None
        if branch.cost * (outer.count - count) <= LOOK * outer.count + branch.moves * count:
            return outer
        return Frame(count, outer, np.flatnonzero(mask if branch.wanted else ~mask), (branch.predicate, branch.wanted))

    def _select(self, args: tuple[int, ...], foreign: tuple[Any, ...], frame: Frame, out: Any) -> Any:
        values, (predicate, home, _, *homes) = self.values, foreign
        arms: list[Any] = [None, None]
        parts = []
        for k, region in enumerate(homes):
            value, have = values[args[k + 2]], None if region is None else self.frames[region]
            if have is not None and have.outer is frame and have.predicate == predicate and have.wanted == (k == 0):
                parts.append((have.local, value))
            else:
                arms[k] = value if region is None else self._bring(value, region, frame)
        if not parts:
            self._choose(self._bring(values[args[0]], home, frame), args[1], arms, out)
            return out
        for arm in arms:
            if arm is not None:
                np.copyto(out, arm)
        for places, value in parts:
            out[places] = value
        return out

    def _choose(self, p: Any, place: int, arms: list[Any], out: Any) -> None:
        a, b = arms
        if out.dtype == bool:
            np.logical_or(p & a, b & ~p, out=out)
            return
        if self.values[place] is None:
            self.values[place] = spread(p, out=self.buffers[place][: len(p)])
        blend(self.values[place], a, b, out=out)


def _array(rows: int, kind: str) -> Any:
    return np.empty(rows, DTYPES[kind])
