"""What makes a task, given values and blocks of rows in; each block with its results out, and at the end what was met on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..api import additive
from ..diagnostics import AutodiffError, Diagnostic, Exit, error
from ..notes.rows import Births, Kinks, Ran, rows
from .groups import misfit, parts, together
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
        try:
            made = [(part, self._lane(part.shapes)) for part in parts(block, self.columns)]
            found = [self._run(part, lane) for part, lane in made]
        except AutodiffError as problem:
            if problem.diagnostic.exit not in {Exit.EVALUATION, Exit.EXPRESSION}:
                raise
            yield from self._halves(block, problem)
            return
        self._see(block)
        spread = []
        for (part, lane), results in zip(made, found, strict=True):
            self._look(part, lane, results)
            spread.append((part.rows, part.block.count, lane.outs.spread(results, part.block.count)))
        yield block, together(spread, self.names, block.count) if spread else None

    def _run(self, part: Part, lane: Lane) -> Sequence[Array]:
        """The results of rows of one shape, right also where float64 breaks down."""
        if self.precise is not None:
            return self.precise(lane.task, part.block, {name: part.columns[name] for name in self.columns})
        found: Sequence[Array] = lane.run(part.columns, part.block.count, part.block.gaps)
        if self.rescue is None or not part.columns:
            return found
        return self.rescue(lane.task.fn, lane.task.wrt, part.columns, found, part.block.missing, part.block.place)

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

    def _halves(self, block: Block, problem: AutodiffError) -> Iterator[tuple[Block, Results | None]]:
        """A block in which a row cannot be evaluated: smaller ones, down to that row."""
        import numpy as np

        if block.count > 1:
            for part in np.array_split(np.arange(block.count), 2):
                yield from self._results(block.take(part))
            return
        placed = self._placed(problem, block)
        if self.on_error == "fail":
            raise placed
        self.bad += 1
        self.first = self.first or placed
        if self.on_error == "null" and not self.reduced:
            block.without_results(np.array([0]))
            self.count += 1
            yield block, None

    def _placed(self, problem: AutodiffError, block: Block) -> AutodiffError:
        """An error about one row with where it is; where other rows have shapes that fit, it is the data's."""
        found, place = problem.diagnostic, block.place(0)
        if found.exit == Exit.EVALUATION:
            return AutodiffError(found._replace(message=f"{found.message} ({place})"))
        shapes = next(parts(block, self.columns)).shapes
        return misfit(problem, place, dict(zip(self.columns, shapes, strict=True)), fitted=self.lane is not None)

    def _see(self, block: Block) -> None:
        """Count the rows, and those with missing cells."""
        import numpy as np

        self.count += block.count
        if block.gaps:
            lack = np.any(list(block.gaps.values()), axis=0)
            self.place = self.place or str(block.place(int(lack.argmax())))
            self.lacking += int(lack.sum())
            for name, gap in block.gaps.items():
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


def bad_rows(count: int, first: AutodiffError | None, on_error: OnError, *, reduced: bool) -> list[Diagnostic]:
    """How many rows were passed over, and what was wrong with the first of them."""
    if not count:
        return []
    was, have = ("was", "has") if count == 1 else ("were", "have")
    message = f"{rows(count)} {was} left out" if reduced or on_error == "skip" else f"{rows(count)} {have} no results"
    if first is None:
        return [Diagnostic("bad-rows", message, severity="note")]
    found = first.diagnostic
    return [Diagnostic("bad-rows", message, found.labels, (f"the first: {found.message}", *found.notes), severity="note")]
