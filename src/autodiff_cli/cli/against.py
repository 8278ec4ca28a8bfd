"""A call with `--against FILE` in; the value and derivatives that another program wrote there against the exact ones, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import AutodiffError, Exit
from .arguments import placed, usage
from .inputs import Inputs, about_columns, opened, settled
from .wanted import wrt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..checking.columns import Row
    from ..report import Report
    from .arguments import Call
    from .prepare import Prepared


def against(call: Call, ready: Prepared) -> Report:
    """The columns of the table, each with the row in which it is worst."""
    from ..checking.columns import compared, report
    from .commands.check import not_checked, strictly

    if ready.axes or "data" in call.options or call.extras:
        raise usage(call, call.places["against"], "unlike-options", "`--against` is the table of the rows, and there can be no other rows")
    gaps: list[str] = []
    with strictly():
        ready, theirs = _theirs(call, ready)
        rows = _rows(call, ready, [*ready.missing, *theirs])
        try:
            said = about_columns(ready, rows)
            found = report(compared(_each(call, ready, rows, theirs, gaps)))
        finally:
            rows.close()
    return found._replace(notes=(*ready.notes, *ready.lowered.notes, *said, *rows.notes, *not_checked(gaps), *found.notes))


def _theirs(call: Call, ready: Prepared) -> tuple[Prepared, list[str]]:
    """What is asked, now that the columns are known; and those of the table that hold results: `value`, `d_x`, and of arrays `d_v` or `d_v_0`, `d_v_1`, …"""
    try:
        rows = _rows(call, ready, [])
    except AutodiffError as problem:
        found = problem.diagnostic
        if found.code != "no-header":
            raise
        starts = _starts(call, ready)
        wanted = ", ".join([f"`{name}`" for name in (*ready.missing, "value", *starts)])
        raise AutodiffError(found._replace(notes=(f"wanted: {wanted}",))) from None
    rows.close()
    ready = settled(call, ready, rows)
    starts = _starts(call, ready)
    columns = [name for name in rows.columns if name not in ready.missing]
    theirs = [name for name in columns if name in {"value", *starts} or any(_entry_of(name, start) for start in starts)]
    if theirs:
        return ready, theirs
    listed = " and no ".join([f"`{column}`" for column in ("value", *starts)])
    lack = usage(
        call, call.places["against"], "no-column", f"`{call.options['against']}` has no {listed}: there is nothing to compare"
    ).diagnostic
    raise AutodiffError(lack._replace(exit=Exit.DATA))


def _starts(call: Call, ready: Prepared) -> list[str]:
    return ["d_" + name for name in wrt(call, ready) if name not in ready.unused]


def _entry_of(column: str, start: str) -> bool:
    """Whether a column is that of an entry of an array."""
    return column.startswith(start + "_") and column[len(start) :].replace("_", "").isdigit()


def _rows(call: Call, ready: Prepared, used: Sequence[str]) -> Any:
    """The table, opened."""
    path = call.options["against"]
    if path in {"-", "@-"}:
        raise usage(call, call.places["against"], "unlike-options", "`--against` takes a file, not stdin", hint="--against theirs.csv")
    with placed(call, call.places["against"]):
        return opened(call, ready._replace(missing=tuple(used)), Inputs((path,)))


def _each(call: Call, ready: Prepared, rows: Any, theirs: Sequence[str], gaps: list[str]) -> Iterator[Row]:
    """Every row that has the cells of the program; the places of the others are added to `gaps`."""
    from ..checking.columns import Row
    from .commands.check import each, names

    texts: dict[str, list[str]] = {}
    last = None
    for block, row, point, lowered in each(call, ready, rows, gaps):
        if block is not last:
            texts, last = {name: block.texts(rows.places[name]) for name in theirs}, block
        api.one_number(lowered, "a check")
        cells = {name: found for name in theirs if (found := _cell(block, name, row, texts[name])) is not None}
        yield Row(str(block.place(row)), lowered.fn, names(call, ready._replace(lowered=lowered)), point, cells)


def _cell(block: Any, name: str, row: int, texts: Sequence[str]) -> Any:
    """A cell of the other program as a text, or as an array of texts; None where it is empty."""
    from ..data.decimals import shortest
    from .commands.check import cell, row_has_gap

    if row_has_gap(block, name, row):
        return None
    value = cell(block.values[name], row)
    return shortest(value) if hasattr(value, "shape") else texts[row].strip() or None
