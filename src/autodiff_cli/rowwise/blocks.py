"""A task, given values and blocks of rows in; each block with its results out, and at the end what was met on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Exit
from ..notes.rows import Births, Kinks, rows, watched
from ..program import compile
from ..run.point import shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..api import Task
    from ..data.block import Block
    from ..data.plan import OnError

    Array = Any
    Results = dict[str, Array]


class Blocks:
    """A task made ready for rows of `columns`; call it with blocks.

    `count` rows were seen, `bad` of them could not be evaluated, `lacking` had missing cells; `finite` says whether all results were.
    """

    __slots__ = (
        "bad",
        "births",
        "columns",
        "count",
        "finite",
        "first",
        "gaps",
        "kinks",
        "lacking",
        "on_error",
        "outs",
        "place",
        "run",
        "task",
        "values",
    )

    def __init__(
        self, task: Task, values: Mapping[str, Any], columns: Sequence[str], on_error: OnError = "fail", *, quiet: bool = False
    ) -> None:  # fmt: skip
        self.task, self.values, self.on_error = task, values, on_error
        self.columns = tuple([name for name in columns if name in dict(task.fn.params)])
        fn, nodes = (task.fn, ()) if quiet else watched(task.fn, task.wrt)
        self.run = _runner(fn, values, self.columns)
        self.outs = Outs(task, self.columns)
        self.births = None if quiet else Births(task.fn, values, task.wrt)
        self.kinks = Kinks(task.fn, nodes, values, task.wrt)
        self.count = self.bad = 0
        self.finite = True
        self.first: AutodiffError | None = None
        self.lacking, self.place = 0, ""
        self.gaps: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """The columns of the results."""
        return self.outs.names

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[Block, Results]]:
        """Each block, or the parts of it that can be evaluated, with its results by column."""
        for block in blocks:
            yield from self._results(block)

    def _results(self, block: Block) -> Iterator[tuple[Block, Results]]:
        columns = {name: block.values[name] for name in self.columns}
        try:
            found = self.run(columns, block.count, block.gaps)
        except AutodiffError as problem:
            if problem.diagnostic.exit != Exit.EVALUATION:
                raise
            yield from self._halves(block, problem)
            return
        self._look(block, columns, found)
        yield block, self.outs.spread(found, block.count)

    def _halves(self, block: Block, problem: AutodiffError) -> Iterator[tuple[Block, Results]]:
        """A block in which a row cannot be evaluated: smaller ones, down to that row."""
        import numpy as np

        if block.count > 1:
            for part in np.array_split(np.arange(block.count), 2):
                yield from self._results(block.take(part))
            return
        placed = _placed(problem, str(block.place(0)))
        if self.on_error == "fail":
            raise placed
        self.bad += 1
        self.first = self.first or placed
        if self.on_error == "null":
            block.without_results(np.array([0]))
            self.count += 1
            yield block, dict.fromkeys(self.names, float("nan"))

    def _look(self, block: Block, columns: Mapping[str, Array], found: Sequence[Array]) -> None:
        """Count what is worth saying."""
        import numpy as np

        self.count += block.count
        if block.gaps:
            lack = np.any(list(block.gaps.values()), axis=0)
            self.place = self.place or str(block.place(int(lack.argmax())))
            self.lacking += int(lack.sum())
            for name, gap in block.gaps.items():
                self.gaps[name] = self.gaps.get(name, 0) + int(gap.sum())
        bad = self.outs.not_finite(found, block)
        if bad is not None:
            self.finite = False
            if self.births is not None:
                self.births.add(bad, columns, self.outs.varying(found), block.place)
        if self.kinks.nodes:
            self.kinks.add(found[len(self.outs.rows) :], block.missing, columns, block.place, block.count)

    def notes(self) -> list[Diagnostic]:
        """What is said once, after the last row."""
        born = [] if self.births is None else self.births.notes()
        return [*self._missing(), *born, *self.kinks.notes()]

    def _missing(self) -> Iterator[Diagnostic]:
        if self.lacking:
            have, several = "has" if self.lacking == 1 else "have", len(self.gaps) > 1
            names = " or ".join([f"`{name}`" for name in self.gaps])
            each = (", ".join([f"`{name}` in {rows(count)}" for name, count in self.gaps.items()]),) if several else ()
            message = f"{rows(self.lacking)} {have} no value for {names}, and so no results"
            yield Diagnostic("missing-cells", message, notes=(f"first in {self.place}", *each), severity="note")


class Outs:
    """The columns that the results of a task make: one for a number, one for each entry of an array.

    `rows` says which results may differ from row to row.
    """

    __slots__ = ("names", "rows", "shapes")

    def __init__(self, task: Task, columns: Sequence[str]) -> None:
        from ..run.tensors import rows_of

        program = compile(task.fn)
        varying = rows_of(program, frozenset(columns)).of
        outs = program.fn.outs
        self.shapes = [program.fn.nodes[o].type.shape for o in outs]
        self.rows = [bool(varying[o]) for o in outs]
        self.names = ["_".join([name, *place]) for name, shape in zip(task.fn.names, self.shapes, strict=True) for place in _places(shape)]

    def spread(self, found: Sequence[Array], count: int) -> Results:
        """Results as columns by name: an array with an entry a row, or the number that all rows have."""
        cells: list[Array] = []
        for result, shape, varies in zip(found, self.shapes, self.rows, strict=False):
            if not shape:
                cells.append(result)
            else:
                cells += list(result.reshape(count, -1).T) if varies else result.ravel().tolist()
        return dict(zip(self.names, cells, strict=True))

    def start(self, k: int) -> int:
        """Where the columns of result k begin."""
        return sum(len(_places(shape)) for shape in self.shapes[:k])

    def shaped(self, cells: Sequence[float]) -> list[Any]:
        """One row of columns as results in their shapes."""
        import numpy as np

        return [
            np.array(cells[self.start(k) : self.start(k + 1)], dtype=float).reshape(shape) if shape else float(cells[self.start(k)])
            for k, shape in enumerate(self.shapes)
        ]  # fmt: skip

    def varying(self, found: Sequence[Array]) -> list[Array]:
        """The results that are not the same for all rows."""
        import numpy as np

        return [result for result, varies in zip(found, self.rows, strict=False) if varies and np.ndim(result)]

    def not_finite(self, found: Sequence[Array], block: Block) -> Array | None:
        """The places of rows with a result that is not finite, of those that have results; None if there is none."""
        import numpy as np

        varying = self.varying(found)
        uniform = all(
            np.isfinite(result).all() for result, varies in zip(found, self.rows, strict=False) if not (varies and np.ndim(result))
        )
        finite = [np.isfinite(result) for result in varying]
        if uniform and all(each.all() for each in finite):
            return None
        bad = np.full(block.count, not uniform)
        for each in finite:
            bad |= ~each.reshape(block.count, -1).all(axis=1)
        places = np.flatnonzero(bad if block.missing is None else bad & ~block.missing)
        return places if len(places) else None


def bad_rows(count: int, first: AutodiffError | None, on_error: OnError, *, reduced: bool) -> list[Diagnostic]:
    """How many rows were passed over, and what was wrong with the first of them."""
    if not count:
        return []
    was, have = ("was", "has") if count == 1 else ("were", "have")
    message = f"{rows(count)} {was} left out" if reduced or on_error == "skip" else f"{rows(count)} {have} no results"
    if first is None:
        return [Diagnostic("bad-rows", message, severity="note")]
    found = first.diagnostic
    return [Diagnostic("bad-rows", message, found.labels, (f"the first: {found.message}",), severity="note")]


def _places(shape: tuple[int, ...]) -> list[tuple[str, ...]]:
    from itertools import product

    return list(product(*[map(str, range(size)) for size in shape]))


def _runner(fn: Any, values: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """A function of columns, their length and their gaps: the results."""
    program = compile(fn)
    if not shaped(program.fn):
        from ..run import arrays

        bound = arrays.bind(program, columns, {name: value for name, value in values.items() if name not in columns})
        return lambda given, count, _gaps: bound(given, count)
    from ..run import tensors

    varying = frozenset(columns)
    return lambda given, _count, gaps: tensors.run(program, {**values, **_filled(given, gaps)}, varying)


def _filled(columns: Mapping[str, Array], gaps: Mapping[str, Array]) -> dict[str, Array]:
    """Columns with 0 where a cell is missing: a place that there is, for what is an index."""
    import numpy as np

    return {name: np.where(gaps[name], 0, column) if name in gaps else column for name, column in columns.items()}


def _placed(problem: AutodiffError, place: str) -> AutodiffError:
    """An error of evaluation with the row it is about."""
    found = problem.diagnostic
    return AutodiffError(found._replace(message=f"{found.message} ({place})"))
