"""A call and what its command asks of a program in; the answer at a point, or row by row, out. The one path of every command with rows."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from .. import api
from ..types import BOOL
from . import color
from .ahead import ahead
from .form import ALIGNED, COLLECTED, form, form_of_rows
from .inputs import about_columns, column, inputs, opened
from .prepare import prepare, reading
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def answer(call: Call, watch: Watch, ask: Ask) -> Report:
    """What `ask` asks, at the point that is given or for every row."""
    ahead(call)
    ready = prepare(call, watch)
    found = inputs(call, ready)
    task = ask(ready)
    watch.mark("derive")
    if found is not None:
        return _over_rows(call, watch, ready, task, ask, found)
    from ..run.meter import Meter

    form(call)
    report = api.answer(task, ready.values, watch.mark, Meter() if "stats" in call.options else None)
    return report._replace(notes=(*ready.notes, *report.notes))


def _over_rows(call: Call, watch: Watch, ready: Prepared, task: Task, ask: Ask, found: Inputs) -> Report:
    rows = opened(call, ready, found)
    gc.freeze()
    gc.enable()  # a stream may never end
    try:
        notes = about_columns(ready, rows)
        if "bool" in rows.kinds.values():
            ready = _with_conditions(call, watch, ready, rows)
            task = ask(ready)
        report = _reduced(call, ready, task, rows) if "reduce" in call.options else _each(call, ready, task, rows)
    finally:
        rows.close()
    watch.mark("rows")
    return report._replace(notes=(*ready.notes, *task.lowered.notes, *notes, *rows.notes, *report.notes))


def _with_conditions(call: Call, watch: Watch, ready: Prepared, rows: Rows | Sweep) -> Prepared:
    """The program with the columns that hold conditions as conditions."""
    types = {name: BOOL for name, kind in rows.kinds.items() if kind == "bool"}
    lowered = api.understand(ready.source, {**ready.values, **types}, call.options.get("wrt", ()), watch.mark, *reading(call))
    return ready._replace(lowered=lowered)


def _each(call: Call, ready: Prepared, task: Task, rows: Rows | Sweep) -> Report:
    """A result for every row, written as they come."""
    blocks = _blocks(call, ready, task)
    writer = _writer(call, rows, blocks.names)
    progress = Progress(seen=not color.terminal(sys.stdout) or "o" in call.options)
    try:
        for block, results in blocks(rows):
            writer.write(block, results)
            progress.rows(blocks.count)
        writer.close()
    except BaseException:
        writer.abort()
        raise
    finally:
        progress.done()
    return _report(call, task, rows, blocks, writer)


def _reduced(call: Call, ready: Prepared, task: Task, rows: Rows | Sweep) -> Report:
    """One result over all rows, or over those of each group."""
    from ..rowwise.reduced import Reduction

    blocks = _blocks(call, ready, api.additive(task))
    by = call.options.get("by", ())
    reduction = Reduction(blocks, call.options["reduce"], [column(call, rows, name) for name in by], call.options.get("on-error", "fail"))
    progress = Progress()
    try:
        reduction.read(rows, progress.rows)
    finally:
        progress.done()
    if not by:
        report = api.report(task, reduction.results(task), ready.values)
        return report._replace(notes=tuple(_notes(call, rows, blocks, reduction.left_out)))
    return _of_groups(call, task, rows, blocks, reduction)


def _of_groups(call: Call, task: Task, rows: Rows | Sweep, blocks: Blocks, reduction: Any) -> Report:
    from ..data.groups import Groups

    groups = Groups(rows, call.options["by"])
    columns = reduction.columns(task)
    writer = _writer(call, groups, list(columns))
    try:
        writer.write(groups.block(reduction.keys()), columns)
        writer.close()
    except BaseException:
        writer.abort()
        raise
    return _report(call, task, rows, blocks, writer, reduction.left_out)


def _blocks(call: Call, ready: Prepared, task: Task) -> Blocks:
    from ..rowwise.blocks import Blocks

    return Blocks(task, ready.values, ready.missing, call.options.get("on-error", "fail"), quiet="q" in call.options)


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


def _report(call: Call, task: Task, rows: Rows | Sweep, blocks: Blocks, writer: Any, left_out: int = 0) -> Report:
    """What is left to say when the rows are written, or to show where they were collected."""
    from ..notes.rows import rows as counted
    from ..report import Report

    report = writer.report(task.command) if hasattr(writer, "report") else Report(task.command, written=True)
    stats = f"stats: {len(task.fn.nodes):,} nodes, {counted(blocks.count)}" if "stats" in call.options else None
    passed = blocks.finite or "strict" not in call.options
    return report._replace(notes=tuple(_notes(call, rows, blocks, left_out)), passed=passed, stats=stats)


def _notes(call: Call, rows: Rows | Sweep, blocks: Blocks, left_out: int) -> list[Any]:
    from ..rowwise.blocks import bad_rows

    on_error, reduced = call.options.get("on-error", "fail"), "reduce" in call.options
    passed_over = 0 if reduced and on_error == "null" else rows.bad  # these are among those that were left out
    bad = bad_rows(passed_over + blocks.bad + left_out, rows.first or blocks.first, on_error, reduced=reduced)
    return [*bad, *([] if "q" in call.options else blocks.notes())]
