"""What makes a task, given values and blocks of rows in; each block with its results out, and at the end what was met on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..api import additive
from ..diagnostics import AutodiffError, Diagnostic, Exit, error
from ..notes.rows import Births, Kinks, Ran, rows
from .failing import failing
from .groups import kept, misfit, otherwise, parts, together
from .lane import Lane
from .rescued import Rescue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..api import Task
    from ..data.block import Block
    from ..data.plan import OnError
    from ..run.meter import Meter
    from .groups import Part, Shapes
    from .precise import Precise

    Array = Any
    Results = dict[str, Array]

MANY, KEPT = 500, 1000  # shapes of rows that are worth a note; that are kept ready


class Blocks:
    """Tasks for rows of `columns`, one for each shape that their cells have, made by `make` as they come; call it with blocks.

    With `nested`, arrays are results as they are, of any shape; else each of their entries is a column, and all rows have one shape.
    With `reduced`, results that cannot be added up are left out.
    `count` rows were seen, `bad` of them could not be evaluated, `lacking` had missing cells; `finite` says whether all results were.
    """

    __slots__ = (
        "asked",
        "bad",
        "births",
        "columns",
        "count",
        "finite",
        "first",
        "gaps",
        "held",
        "kinks",
        "lacking",
        "lane",
        "lanes",
        "lowered",
        "make",
        "nested",
        "on_error",
        "options",
        "place",
        "precise",
        "reduced",
        "rescue",
        "values",
    )

    def __init__(  # noqa: PLR0913 (what rows are run with, by name)
        self, make: Callable[[Mapping[str, tuple[int, ...]]], Task], values: Mapping[str, Any], columns: Sequence[str],
        on_error: OnError = "fail", *, quiet: bool = False, nested: bool = False, reduced: bool = False,
        meter: Meter | None = None, rescue: str = "auto", precise: Precise | None = None,
    ) -> None:  # fmt: skip
        self.precise = precise
        quiet = quiet or precise is not None
        self.rescue = None if rescue == "never" else Rescue(values, rescue)
        self.make, self.values, self.on_error, self.nested = make, values, on_error, nested
        self.columns, self.reduced = tuple(columns), reduced
        self.options: dict[str, Any] = {"quiet": quiet, "nested": nested, "meter": meter}
        self.lanes: dict[Shapes, Lane | AutodiffError] = {}
        self.lane: Lane | None = None
        self.asked: Task | None = None
        self.lowered: list[Diagnostic] = []
        self.held: list[Block] = []
        self.births = None if quiet else Births(values)
        self.kinks = Kinks(values)
        self.count = self.bad = 0
        self.finite = True
        self.first: AutodiffError | None = None
        self.lacking, self.place = 0, ""
        self.gaps: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """The columns of the results, as the first row that has any shapes them."""
        return self._any().outs.names

    @property
    def task(self) -> Task:
        """What is asked of the rows of the first shape."""
        return self.asked or self._any().task

    def _any(self) -> Lane:
        return self.lane or self._lane(((),) * len(self.columns))

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[Block, Results]]:
        """Each block, or the parts of it that can be evaluated, with its results by column.

        Rows without results that come before the shape of any is known are given after those that tell it.
        """
        for block in blocks:
            for done, results in self._results(block):
                if self.lane is None:
                    self.held.append(done)
                    continue
                yield from self._released()
                yield done, self._none() if results is None else results
        if self.held and self.lane is None:
            self._guess()
        yield from self._released()

    def _guess(self) -> None:
        """No row told its shapes: numbers, vectors or matrices, whatever the program has a meaning for, name the results."""
        if self.first is not None:
            raise self.first
        for axes in range(3):
            lane = self._made(((1,) * axes,) * len(self.columns))
            if isinstance(lane, Lane):
                return

    def _released(self) -> Iterator[tuple[Block, Results]]:
        held, self.held = self.held, []
        for block in held:
            yield block, self._none()

    def _none(self) -> Results:
        return dict.fromkeys(self.names, float("nan"))

    def _results(self, block: Block) -> Iterator[tuple[Block, Results | None]]:
        """A block, without results in the rows that cannot be evaluated, or without these rows."""
        import numpy as np

        found: list[tuple[Part, Lane, Sequence[Array]]] = []
        bad = np.zeros(block.count, bool)
        for part in parts(block, self.columns):
            found += self._tried(part, bad)
            if self.on_error == "fail" and not found and bad.any():
                break  # other rows may not make it the data's fault
        if bad.any():
            yield from self._pass_over(block, bad)
        spread = []
        for part, lane, results in found:
            self._look(part, lane, results)
            spread.append((part.rows, part.block.count, lane.outs.spread(results, part.block.count)))
        whole = together(spread, self.names, block.count) if spread else None
        if bad.any() and (self.on_error == "skip" or self.reduced):
            left = np.flatnonzero(~bad)
            block = block.take(left)
            whole = whole and {name: column[left] if np.ndim(column) else column for name, column in whole.items()}
        self._see(block)
        if block.count:
            yield block, whole

    def _tried(self, part: Part, bad: Array) -> Iterator[tuple[Part, Lane, Sequence[Array]]]:
        """The rows of a part that can be evaluated, with their results; the others are marked in `bad`."""
        import numpy as np

        able = np.arange(part.block.count) if part.block.missing is None else np.flatnonzero(~part.block.missing)
        whole = np.arange(part.block.count) if part.rows is None else part.rows
        try:
            lane = self._lane(part.shapes)
        except AutodiffError as problem:
            if problem.diagnostic.exit != Exit.EXPRESSION:
                raise
            bad[whole[able]] = True
            return
        try:
            results = self._run(part, lane)
        except AutodiffError as problem:
            if problem.diagnostic.exit != Exit.EVALUATION:
                raise
        else:
            yield part, lane, results
            return
        gone = failing(lambda rows: self._computed(kept(part, rows), lane), able, first=self.on_error == "fail") if len(able) else able
        bad[whole[gone]] = True
        left = kept(part, np.setdiff1d(able, gone))
        if left.block.count and self.on_error != "fail":
            yield left, lane, self._run(left, lane)

    def _pass_over(self, block: Block, bad: Array) -> Iterator[tuple[Block, Results | None]]:
        """Count the rows that cannot be evaluated; the first is an error, after those before it, if one stops."""
        import numpy as np

        first = int(bad.argmax())
        if self.on_error == "fail":
            if first and not self.reduced:
                yield from self._results(block.take(np.arange(first)))
            raise self._reason(block.take(np.array([first])))
        self.bad += int(bad.sum())
        self.first = self.first or self._reason(block.take(np.array([first])))
        if not self.reduced:
            block.without_results(bad)

    def _reason(self, row: Block) -> AutodiffError:
        """Why a row cannot be evaluated, and where it is."""
        try:
            for part in parts(row, self.columns):
                self._computed(part, self._lane(part.shapes))
        except AutodiffError as problem:
            return self._placed(problem, row)
        raise AssertionError(row.place(0))

    def _run(self, part: Part, lane: Lane) -> Sequence[Array]:
        """The results of rows of one shape, right also where float64 breaks down."""
        found = self._computed(part, lane)
        if self.precise is not None or self.rescue is None or not part.columns:
            return found
        return self.rescue(lane.task.fn, lane.task.wrt, part.columns, found, part.block.missing, part.block.place)

    def _computed(self, part: Part, lane: Lane) -> Sequence[Array]:
        if self.precise is not None:
            return self.precise(lane.task, part.block, {name: part.columns[name] for name in self.columns})
        return lane.run(part.columns, part.block.count, part.block.gaps)  # type: ignore[no-any-return]  # a function of a task

    def _lane(self, shapes: Shapes) -> Lane:
        """The task for rows of these shapes; an error if it has no meaning for them."""
        known = self.lanes.get(shapes)
        if known is None:
            while len(self.lanes) >= KEPT:
                self.lanes.pop(next(iter(self.lanes)))
            known = self.lanes[shapes] = self._made(shapes)
        if isinstance(known, AutodiffError):
            raise AutodiffError(known.diagnostic)
        return known

    def _made(self, shapes: Shapes) -> Lane | AutodiffError:
        try:
            task = self.make(dict(zip(self.columns, shapes, strict=True)))
            lane = Lane(additive(task) if self.reduced else task, self.values, self.columns, **self.options)
        except AutodiffError as problem:
            if problem.diagnostic.exit != Exit.EXPRESSION:
                raise
            return problem
        if self.lane is not None and lane.task.wrt != self.lane.task.wrt:
            return otherwise(lane.task.wrt, self.lane.task.wrt)
        if self.lane is not None and not self.nested:
            for name, shape, first in zip(lane.task.fn.names, lane.outs.shapes, self.lane.outs.shapes, strict=True):
                if shape != first:
                    return self._unlike(name, shape, first)
        self.lane, self.asked = self.lane or lane, self.asked or task
        self.lowered += [note for note in task.lowered.notes if note not in self.lowered]
        return lane

    def _unlike(self, name: str, shape: tuple[int, ...], first: tuple[int, ...]) -> AutodiffError:
        """A result that the columns of one shape, or a sum, have no room for."""
        here, there = (f"has shape {each}" if each else "is one number" for each in (shape, first))
        message = f"`{name}` {here} in this row, and {there} in those before"
        return error("unlike-shapes", message, hint=None if self.reduced else "--format ndjson writes arrays of any shape")

    def _placed(self, problem: AutodiffError, block: Block) -> AutodiffError:
        """An error about one row with where it is; where other rows have shapes that fit, it is the data's."""
        found, place = problem.diagnostic, block.place(0)
        if found.exit == Exit.EVALUATION:
            return AutodiffError(found._replace(message=f"{found.message} ({place})"))
        shapes = next(parts(block, self.columns)).shapes
        return misfit(problem, place, dict(zip(self.columns, shapes, strict=True)), fitted=self.lane is not None)

    def _see(self, block: Block) -> None:
        """Count the rows, and those with missing cells that are not bad."""
        import numpy as np

        self.count += block.count
        gaps = {name: gap if block.bad is None else gap & ~block.bad for name, gap in block.gaps.items()}
        lack = np.any(list(gaps.values()), axis=0)
        if not lack.any():
            return
        self.place = self.place or str(block.place(int(lack.argmax())))
        self.lacking += int(lack.sum())
        for name, gap in gaps.items():
            self.gaps[name] = self.gaps.get(name, 0) + int(gap.sum())

    def _look(self, part: Part, lane: Lane, found: Sequence[Array]) -> None:
        """Count what is worth saying about results."""
        block = part.block
        ran = Ran(lane.task.fn, lane.task.wrt, part.columns, block.place, block.count, block.missing)
        bad = lane.outs.not_finite(found, block.count, block.missing)
        if bad is not None:
            self.finite = False
            if self.births is not None:
                self.births.add(ran, bad, lane.outs.varying(found))
        if lane.nodes:
            self.kinks.add(ran, lane.nodes, lane.kinks(found))

    def stats(self) -> str | None:
        """The line for `--stats`, if a meter was told of the memory."""
        meter = self.options["meter"]
        if meter and self.lane:
            meter.nodes = len(self.lane.task.fn.nodes)
        return meter.line(rows(self.count)) if meter else None

    def notes(self) -> list[Diagnostic]:
        """What is said once, after the last row."""
        born = [] if self.births is None else self.births.notes()
        saved = [] if self.rescue is None else self.rescue.notes()
        saved += [] if self.precise is None else self.precise.notes()
        return [*self._missing(), *self._shapes(), *saved, *born, *self.kinks.notes()]

    def _missing(self) -> Iterator[Diagnostic]:
        if self.lacking:
            have, several = "has" if self.lacking == 1 else "have", len(self.gaps) > 1
            names = " or ".join([f"`{name}`" for name in self.gaps])
            each = (", ".join([f"`{name}` in {rows(count)}" for name, count in self.gaps.items()]),) if several else ()
            message = f"{rows(self.lacking)} {have} no value for {names}, and so no results"
            yield Diagnostic("missing-cells", message, notes=(f"first in {self.place}", *each), severity="note")

    def _shapes(self) -> Iterator[Diagnostic]:
        if len(self.lanes) > MANY:
            many = f"{'more than ' if len(self.lanes) == KEPT else ''}{len(self.lanes):,}"
            message = f"the rows have {many} different shapes, and the expression was made ready for each of them"
            yield Diagnostic("many-shapes", message, hint="rows of one length run much faster", severity="note")
