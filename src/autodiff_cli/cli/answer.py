"""A call and what its command asks of a program in; the answer at a point, or row by row, out. The one path of every command with rows."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import AutodiffError, Exit, error
from ..types import Type
from . import color
from .ahead import ahead
from .form import ALIGNED, COLLECTED, NESTED, form, form_of_rows
from .inputs import about_columns, column, drawn, inputs, opened, settled
from .prepare import prepare, typed
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..api import Task
    from ..data.groups import Groups
    from ..data.open import Rows
    from ..data.sweep import Sweep
    from ..render import View
    from ..report import Report
    from ..rowwise.blocks import Blocks
    from .arguments import Call
    from .inputs import Inputs
    from .prepare import Prepared
    from .watch import Watch

    Ask = Callable[[Prepared], Task]


UNLIKE = {"precision", "stats"}  # options about the function as it is written


def answer(call: Call, watch: Watch, ask: Ask) -> Report:
    """What `ask` asks, at the point that is given or for every row."""
    ahead(call)
    ready = prepare(call, watch)
    found = inputs(call, ready)
    if found is not None:
        return _over_rows(call, watch, ready, ask, found)
    task = ask(ready._replace(together=UNLIKE.isdisjoint(call.options)))
    watch.mark("derive")
    from ..run.meter import Meter

    form(call)
    if "precision" in call.options:
        from .exact import precise

        report = precise(call, ready, task, watch)
    else:
        meter = Meter() if "stats" in call.options else None
        report = api.answer(task, ready.values, watch.mark, meter, call.options.get("rescue", "auto"))
    return report._replace(notes=(*ready.notes, *report.notes))


def _over_rows(call: Call, watch: Watch, ready: Prepared, ask: Ask, found: Inputs) -> Report:
    early = not (ready.shapeless or ready.offered or ready.idle)
    task = ask(ready) if early else None
    watch.mark("derive")
    rows = opened(call, ready, found)
    gc.freeze()
    gc.enable()  # a stream may never end
    try:
        if not early:
            ready = settled(call, ready, rows)
            task = None if ready.shapeless else ask(ready)
        notes = about_columns(ready, rows)
        blocks = _blocks(call, ready, rows, _maker(call, ready, task, ask, rows))
        report = _reduced(call, ready, rows, blocks) if "reduce" in call.options else _each(call, ready, rows, blocks)
    except AutodiffError as problem:
        raise drawn(problem, ready) from None
    finally:
        rows.close()
    watch.mark("rows")
    return report._replace(notes=(*ready.notes, *blocks.lowered, *notes, *rows.notes, *report.notes))


def _maker(call: Call, ready: Prepared, task: Task | None, ask: Ask, rows: Rows | Sweep) -> Callable[[Mapping[str, Any]], Task]:
    """What makes the task for rows whose cells have given shapes, and the kinds that the columns have."""

    def make(shapes: Mapping[str, tuple[int, ...]]) -> Task:
        types = {name: Type("bool" if rows.kinds[name] == "bool" else "real", shape) for name, shape in shapes.items()}
        found = typed(call, ready, types)
        return task if task is not None and found is ready else ask(found)

    return make


def _each(call: Call, ready: Prepared, rows: Rows | Sweep, blocks: Blocks) -> Report:
    """A result for every row, written as they come."""
    writer = None if rows.shapeless or not rows.columns else _writer(call, rows, blocks.names)
    progress = Progress(seen=not color.terminal(sys.stdout) or "o" in call.options)
    try:
        for block, results in blocks(rows):
            writer = writer or _writer(call, rows, blocks.names)
            writer.write(block, results)
            progress.rows(blocks.count)
        writer = writer or _writer(call, rows, _names(call, ready, rows, blocks))
        writer.close()
    except BaseException:
        if writer is not None:
            writer.abort()
        raise
    finally:
        progress.done()
    return _report(call, rows, blocks, writer)


def _names(call: Call, ready: Prepared, rows: Rows | Sweep, blocks: Blocks) -> Sequence[str]:
    """The columns of results where there are no rows: unknown, where their shapes would tell, and then no table can be written."""
    if not ready.shapeless or blocks.count:
        return blocks.names
    if form_of_rows(call, rows) in {"json", "ndjson"}:
        return ()
    listed = ", ".join([f"`{name}`" for name in ready.missing])
    raise error("no-rows", f"there are no rows, which would tell the shape of {listed}", exit=Exit.DATA)


def _reduced(call: Call, ready: Prepared, rows: Rows | Sweep, blocks: Blocks) -> Report:
    """One result over all rows, or over those of each group."""
    from ..rowwise.reduced import Reduction

    by = call.options.get("by", ())
    reduction = Reduction(blocks, call.options["reduce"], [column(call, rows, name) for name in by], call.options.get("on-error", "fail"))
    progress = Progress()
    try:
        reduction.read(rows, progress.rows)
    finally:
        progress.done()
    if not by:
        report = api.report(blocks.task, reduction.results(), ready.values)
        return report._replace(notes=tuple(_notes(call, rows, blocks, reduction.left_out)), stats=blocks.stats())
    return _of_groups(call, rows, blocks, reduction)


def _of_groups(call: Call, rows: Rows | Sweep, blocks: Blocks, reduction: Any) -> Report:
    from ..data.groups import Groups

    groups = Groups(rows, call.options["by"])
    columns = reduction.columns(nested=form_of_rows(call, groups) in NESTED)
    writer = _writer(call, groups, list(columns))
    try:
        writer.write(groups.block(reduction.keys(), list(reduction.firsts.values())), columns)
        writer.close()
    except BaseException:
        writer.abort()
        raise
    return _report(call, rows, blocks, writer, reduction.left_out)


def _blocks(call: Call, ready: Prepared, rows: Rows | Sweep, make: Callable[[Mapping[str, Any]], Task]) -> Blocks:
    from ..rowwise.blocks import Blocks
    from ..run.meter import Meter

    options = call.options
    reduced = "reduce" in options
    return Blocks(
        make, ready.values, ready.missing, options.get("on-error", "fail"), quiet="q" in options, reduced=reduced,
        nested=not reduced and form_of_rows(call, rows) in NESTED, meter=Meter() if "stats" in options else None,
        rescue=options.get("rescue", "auto"), precise=_precise(call, ready, rows),
    )  # fmt: skip


def _precise(call: Call, ready: Prepared, rows: Rows | Sweep) -> Any:
    """What computes rows with many digits, where these are asked for."""
    if "precision" not in call.options:
        return None
    from .exact import over_rows

    return over_rows(call, ready, rows, form_of_rows(call, rows))


def _writer(call: Call, rows: Rows | Sweep | Groups, names: Sequence[str]) -> Any:
    """Where rows go: to the terminal, to a listing, or to a stream or file."""
    from ..data.write import check_names, open_writer

    chosen, options = form_of_rows(call, rows), call.options
    columns = () if "only" in options else rows.columns
    if chosen == ALIGNED or chosen in COLLECTED:
        from .screen import Collected, Screen

        check_names(columns, names)
        return (Screen if chosen == ALIGNED else Collected)(columns, names, _view(call))
    return open_writer(
        rows, names, options.get("o"), chosen, only="only" in options, header="no-header" not in options,
        delimiter=options.get("delimiter") if chosen == rows.format else None,
    )  # fmt: skip


def _view(call: Call) -> View:
    from ..render import View

    return View(call.options.get("digits", 12))


def _report(call: Call, rows: Rows | Sweep, blocks: Blocks, writer: Any, left_out: int = 0) -> Report:
    """What is left to say when the rows are written, or to show where they were collected."""
    from ..report import Report

    report = writer.report(call.command) if hasattr(writer, "report") else Report(call.command, written=True)
    passed = blocks.finite or "strict" not in call.options
    return report._replace(notes=tuple(_notes(call, rows, blocks, left_out)), passed=passed, stats=blocks.stats())


def _notes(call: Call, rows: Rows | Sweep, blocks: Blocks, left_out: int) -> list[Any]:
    from ..rowwise.failing import bad_rows

    on_error, reduced = call.options.get("on-error", "fail"), "reduce" in call.options
    passed_over = 0 if reduced and on_error == "null" else rows.bad  # these are among those that were left out
    bad = bad_rows(passed_over + blocks.bad + left_out, rows.first or blocks.first, on_error, reduced=reduced)
    return [*bad, *([] if "q" in call.options else blocks.notes())]
