"""A task and rows whose cells have one shape each in; its results for a block of them, and the columns these make, out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..cells import entries
from ..notes.rows import Watched, watched
from ..program import compile
from ..report import all_finite
from ..run.point import shaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..api import Task
    from ..run.meter import Meter

    Array = Any
    Results = dict[str, Array]
    Shape = tuple[int, ...]


class Lane:
    """The task made ready for rows of `columns`; `nodes` are those whose kinks are watched."""

    __slots__ = ("nodes", "outs", "run", "task")

    def __init__(
        self, task: Task, values: Mapping[str, Any], columns: Sequence[str], *, quiet: bool = False, nested: bool = False,
        meter: Meter | None = None,
    ) -> None:  # fmt: skip
        self.task = task
        columns = [name for name in columns if name in dict(task.fn.params)]
        seen = Watched(task.fn, ()) if quiet else watched(task.fn, task.wrt)
        self.nodes = seen.nodes
        self.run = _runner(seen.fn, values, columns, meter)
        self.outs = Outs(task, columns, nested=nested)

    def kinks(self, found: Sequence[Array]) -> Sequence[Array]:
        """Of the results of `run`, whether each row is on the kink of each of `nodes`."""
        return found[len(self.outs.rows) :]


class Outs:
    """The columns that the results of a task make: one for each result if `nested`, else one for each entry of an array.

    `rows` says which results may differ from row to row; `shown` which entries of each are columns.
    """

    __slots__ = ("names", "nested", "rows", "shapes", "shown")

    def __init__(self, task: Task, columns: Sequence[str], *, nested: bool = False) -> None:
        from ..run.tensors import rows_of

        program = compile(task.fn)
        varying = rows_of(program, frozenset(columns)).of
        outs = program.fn.outs
        self.nested = nested
        self.shapes = [program.fn.nodes[o].type.shape for o in outs]
        self.rows = [bool(varying[o]) for o in outs]
        if nested:
            self.names = list(task.fn.names)
        else:
            cells = [list(entries(name, shape)) for name, shape in zip(task.fn.names, self.shapes, strict=True)]
            self.names = [cell for named in cells for cell, _ in named]
            self.shown = [[k for _, k in named] for named in cells]

    def spread(self, found: Sequence[Array], count: int) -> Results:
        """Results as columns by name: an array with an entry (if nested, an array) a row, or the number that all rows have."""
        import numpy as np

        cells: list[Array] = []
        for k, (result, shape, varies) in enumerate(zip(found, self.shapes, self.rows, strict=False)):
            if not shape:
                cells.append(result)
                continue
            each = varies or result.dtype == object  # numbers of many digits have a row each
            if self.nested:
                cells.append(result if each else np.broadcast_to(result, (count, *shape)))
            else:
                lines = result.reshape(count, -1).T if each else result.ravel()
                cells += [lines[i] for i in self.shown[k]]
        return dict(zip(self.names, cells, strict=True))

    def start(self, k: int) -> int:
        """Where the columns of result k begin."""
        return sum(map(len, self.shown[:k]))

    def whole(self, k: int, columns: Array) -> Array:
        """The columns of result k as arrays of its shape; the entries of a symmetric block that are no columns are those across."""
        import numpy as np

        shape, shown = self.shapes[k], np.array(self.shown[k], int)
        full = np.empty((columns.shape[1], prod(shape)))
        if len(shown) < full.shape[1]:
            side = prod(shape[: len(shape) // 2])
            full[:, shown % side * side + shown // side] = columns.T
        full[:, shown] = columns.T
        return full.reshape(-1, *shape)

    def varying(self, found: Sequence[Array]) -> list[Array]:
        """The results that are not the same for all rows."""
        import numpy as np

        return [result for result, varies in zip(found, self.rows, strict=False) if varies and np.ndim(result)]

    def not_finite(self, found: Sequence[Array], count: int, missing: Array | None) -> Array | None:
        """The places of rows with a result that is not finite, of those that have results; None if there is none."""
        import numpy as np

        varying = self.varying(found)
        uniform = all(finite(result).all() for result, varies in zip(found, self.rows, strict=False) if not (varies and np.ndim(result)))
        able = [finite(result) for result in varying]
        if uniform and all(each.all() for each in able):
            return None
        bad = np.full(count, not uniform)
        for each in able:
            bad |= ~each.reshape(count, -1).all(axis=1)
        where = np.flatnonzero(bad if missing is None else bad & ~missing)
        return where if len(where) else None


def finite(result: Array) -> Array:
    """Which entries are finite, also of numbers of many digits."""
    import numpy as np

    if getattr(getattr(result, "dtype", None), "kind", "") == "O":
        with np.errstate(all="ignore"):
            return np.asarray(np.frompyfunc(all_finite, 1, 1)(result), bool)
    return np.asarray(np.isfinite(result))


def _runner(fn: Any, values: Mapping[str, Any], columns: Sequence[str], meter: Meter | None) -> Any:
    """A function of columns, their length and their gaps: the results."""
    program = compile(fn)
    if not shaped(program.fn):
        from ..run import arrays

        bound = arrays.bind(program, columns, {name: value for name, value in values.items() if name not in columns})
        bound.meter = meter
        return lambda given, count, _gaps: bound(given, count)
    from ..run import tensors

    varying = frozenset(columns)

    def run(given: Mapping[str, Array], _count: int, gaps: Mapping[str, Array]) -> list[Array]:
        if meter:
            meter.again()
        return tensors.run(program, {**values, **_filled(given, gaps)}, varying, meter)

    return run


def _filled(columns: Mapping[str, Array], gaps: Mapping[str, Array]) -> dict[str, Array]:
    """Columns with 0 where a cell is missing: a place that there is, for what is an index."""
    import numpy as np

    return {name: np.where(gaps[name], 0, column) if name in gaps else column for name, column in columns.items()}
