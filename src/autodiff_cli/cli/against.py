"""A call with `--against FILE` in; the value and derivatives that another program wrote there against the exact ones, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import AutodiffError, Exit
from .arguments import placed, usage
from .inputs import Inputs, opened
from .prepare import wrt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..checking.columns import Row
    from ..report import Report
    from .arguments import Call
    from .prepare import Prepared


def against(call: Call, ready: Prepared) -> Report:
    """The columns of the table, each with the row in which it is worst."""
    from ..checking.columns import compared, named, report

    place = call.places["against"]
    api.one_number(ready.lowered, "a check")
    if ready.axes or "data" in call.options or call.extras:
        raise usage(call, place, "unlike-options", "`--against` is the table of the rows, and there can be no other rows")
    names = [name for name in wrt(call, ready) if name in ready.lowered.free]
    known = _columns(call, ready)
    wanted = [column for each in named(ready.lowered.fn, names) for column in each]
    theirs = [column for column in wanted if column in known]
    if not theirs:
        listed = " and no ".join([f"`{column}`" for column in wanted])
        lack = usage(call, place, "no-column", f"`{call.options['against']}` has no {listed}: there is nothing to compare").diagnostic
        raise AutodiffError(lack._replace(exit=Exit.DATA))
    rows = _rows(call, ready, [*ready.missing, *theirs])
    try:
        found = report(compared(ready.lowered.fn, ready.values, names, theirs, _each(rows, ready)))
    finally:
        rows.close()
    return found._replace(notes=(*ready.notes, *ready.lowered.notes, *rows.notes, *found.notes))


def _columns(call: Call, ready: Prepared) -> tuple[str, ...]:
    """The columns of the table."""
    rows = _rows(call, ready, [])
    rows.close()
    return tuple(rows.columns)


def _rows(call: Call, ready: Prepared, used: Sequence[str]) -> Any:
    """The table, opened."""
    path = call.options["against"]
    if path in {"-", "@-"}:
        raise usage(call, call.places["against"], "unlike-options", "`--against` takes a file, not stdin", hint="--against theirs.csv")
    with placed(call, call.places["against"]):
        return opened(call, ready._replace(missing=tuple(used)), Inputs((path,)))


def _each(rows: Any, ready: Prepared) -> Iterator[Row]:
    """Every row that has all its cells: where it is, its values, and the cells of the other program as texts."""
    from ..checking.columns import Row

    for block in rows:
        texts = {name: block.texts(rows.places[name]) for name in rows.places if name not in ready.missing}
        for row in range(block.count):
            if block.missing is None or not block.missing[row]:
                point = {name: block.values[name][row].item() for name in ready.missing}
                yield Row(str(block.place(row)), point, {name: cells[row] for name, cells in texts.items()})
