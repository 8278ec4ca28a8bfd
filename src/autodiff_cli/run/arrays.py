"""Rows: a program and columns of numbers in, arrays of results out, block by block in buffers that are used again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..ops.structured import loop_
from ..program import compile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ..graph import Fn
    from ..program import Program
    from .arrays_loops import Looped
    from .arrays_plan import Plan
    from .meter import Meter

    Value = float | bool

ALONE = 1 << 17  # fewer rows are done before a second thread has started
KEPT = 8


def run(program: Program, values: Mapping[str, Any], rows: int) -> list[Any]:
    """The results over rows: `values` are arrays of `rows` entries, or numbers; a result is an array, or the number that all rows have."""
    columns = {name: value for name, value in values.items() if getattr(value, "ndim", 0)}
    return bind(program, columns, {name: value for name, value in values.items() if name not in columns})(columns, rows)


def evaluate(fn: Fn, values: Mapping[str, Any], rows: int) -> list[Any]:
    """The results of a function over rows."""
    return run(compile(fn), values, rows)


def bind(program: Program, columns: Collection[str], values: Mapping[str, Value]) -> Bound | Looped:
    """The program made ready for rows of `columns`, with `values` of its other inputs; the last few are kept."""
    kept: dict[Any, Bound | Looped] = program.cache.setdefault("arrays", {})
    key = (frozenset(columns), repr(sorted(values.items())))
    if key not in kept:
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = _bound(program, columns, values)
    return kept[key]


def _bound(program: Program, columns: Collection[str], values: Mapping[str, Value]) -> Bound | Looped:
    if any(step.op is loop_ for r in program.runs for step in r.steps):
        from .arrays_loops import Looped

        return Looped(program, columns, values)
    from .arrays_plan import plan

    return Bound(plan(program, columns, values))


class Bound:
    """A program with the names of its columns and the values of its other inputs, for any number of blocks.

    `results` holds, for each result, the number that all rows have, or None where it is an array; `meter` is told of the memory.
    """

    __slots__ = ("_plan", "_spaces", "meter", "results")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.meter: Meter | None = None
        self._spaces: list[Any] = []
        self.results = plan.results

    def __call__(self, columns: Mapping[str, Any], rows: int, out: Sequence[Any] | None = None, threads: int | None = None) -> list[Any]:
        """One entry a result: an array of `rows` entries, or the number that all rows have.

        `columns` are arrays of that length. `out` are arrays to write into, None to have one made.
        `threads` are as many as there are cores, or one where the rows are few.
        """
        given = [columns[name] for _, name in self._plan.columns]
        wanted = [None] * len(self.results) if out is None else out
        places = [w for w, r in zip(wanted, self.results, strict=True) if r is None]
        arrays = [_ready(place, rows, kind) for place, kind in zip(places, self._plan.types, strict=True)]
        if rows and arrays:
            self._all(given, arrays, rows, threads or (_cores() if rows > ALONE else 1))
        if self.meter:
            own = [array for space in self._spaces for array in space.arrays if array is not None]
            self.meter.saw(sum([array.nbytes for array in (*given, *arrays, *own)]))
        for array, place in zip(arrays, places, strict=True):
            if place is not None and place is not array:
                place[...] = array
        left = iter([array if place is None else place for array, place in zip(arrays, places, strict=True)])
        return [next(left) if r is None else r for r in self.results]

    def _all(self, columns: list[Any], arrays: list[Any], rows: int, threads: int) -> None:
        stretch = self._plan.rows * 4
        starts = iter(range(0, rows, stretch))
        if threads < 2 or rows <= stretch:
            self._work(columns, arrays, rows, starts)
        else:
            _together([lambda: self._work(columns, arrays, rows, starts)] * min(threads, -(-rows // stretch)))

    def _work(self, columns: list[Any], arrays: list[Any], rows: int, starts: Iterator[int]) -> None:
        """The stretches of rows that no other thread has taken."""
        import numpy as np

        from .arrays_block import Space

        step = self._plan.rows
        space = self._spaces.pop() if self._spaces else Space(self._plan)
        with np.errstate(all="ignore"):
            for start in starts:
                for i in range(start, min(start + 4 * step, rows), step):
                    space.run([c[i : i + step] for c in columns], [a[i : i + step] for a in arrays])
        space.forget()
        self._spaces.append(space)


def _ready(array: Any, rows: int, kind: str) -> Any:
    """An array to write into: the given one if it lies in memory as the kernels want it."""
    import numpy as np

    dtype = np.float64 if kind == "real" else np.bool_
    good = array is not None and array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned
    return array if good else np.empty(rows, dtype)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _together(jobs: list[Any]) -> None:
    """Run the jobs side by side; the first error is raised when all have ended."""
    from threading import Thread

    failed: list[BaseException] = []

    def guarded(job: Any) -> None:
        try:
            job()
        except BaseException as e:  # noqa: BLE001 (raised below, in the thread of the caller)
            failed.append(e)

    helpers = [Thread(target=guarded, args=[job]) for job in jobs[1:]]
    for helper in helpers:
        helper.start()
    guarded(jobs[0])
    for helper in helpers:
        helper.join()
    if failed:
        raise failed[0]
