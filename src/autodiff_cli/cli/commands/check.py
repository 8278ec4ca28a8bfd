"""`autodiff check`: every derivative by reverse, forward, differences and 50 digits; or another program's derivatives against these."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ... import api
from ...diagnostics import AutodiffError, Diagnostic, Exit, error
from ..ahead import ahead
from ..arguments import usage
from ..form import form
from ..inputs import about_columns, inputs, opened, settled
from ..prepare import prepare, typed
from ..wanted import wrt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...checking import Checked
    from ...lower import Lowered
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Whether the derivatives at the point, in every row, or in a table of another program are right."""
    ahead(call)
    ready = prepare(call, watch)
    form(call)
    if "against" in call.options:
        from ..against import against

        return against(call, ready)
    found = inputs(call, ready)
    from ...checking.report import report

    if found is None:
        by = names(call, ready)
        from ...checking import checked

        answer = report([(None, checked(_one(ready.lowered), ready.values, by))], strict="strict" in call.options)
        watch.mark("check")
        return answer._replace(notes=(*ready.notes, *ready.lowered.notes, *answer.notes))
    with strictly():
        rows = opened(call, ready, found)
    try:
        ready = settled(call, ready, rows)
        notes = about_columns(ready, rows)
        gaps: list[str] = []
        with strictly():
            answer = report(_over_rows(call, ready, rows, gaps), strict="strict" in call.options)
        notes += not_checked(gaps)
    finally:
        rows.close()
    watch.mark("rows")
    return answer._replace(notes=(*ready.notes, *notes, *rows.notes, *answer.notes))


def _one(lowered: Lowered) -> Any:
    api.one_number(lowered, "a check")
    return lowered.fn


def names(call: Call, ready: Prepared) -> list[str]:
    """The variables that are differentiated by, of those that the program uses."""
    found = [name for name in wrt(call, ready) if name not in ready.unused]
    for name in found:
        if name not in ready.lowered.free:
            raise usage(
                call, call.places["wrt"], "unlike-options", f"`{name}` is assigned in the program, and `check` is about what is given from outside",
                hint="leave its assignment out and give it a value",
            )  # fmt: skip
    if not found:
        raise error("no-variable", "there is no variable to differentiate by, so there is nothing to check", exit=Exit.USAGE)
    return found


def not_checked(gaps: list[str]) -> list[Diagnostic]:
    """How many rows have a missing cell."""
    if not gaps:
        return []
    from ...notes.rows import rows

    have = "has a missing cell and was" if len(gaps) == 1 else "have a missing cell and were"
    return [Diagnostic("not-checked", f"{rows(len(gaps))} {have} not checked", notes=(f"first in {gaps[0]}",), severity="note")]


def _over_rows(call: Call, ready: Prepared, rows: Any, gaps: list[str]) -> Iterator[tuple[str, Checked]]:
    """The check of every row that has all its cells; the places of the others are added to `gaps`."""
    from ...checking import checked

    for place, point, lowered in points(call, ready, rows, gaps):
        yield place, checked(_one(lowered), point, names(call, ready._replace(lowered=lowered)))


def points(call: Call, ready: Prepared, rows: Any, gaps: list[str]) -> Iterator[tuple[str, Mapping[str, Any], Lowered]]:
    """Where each row is, the values of all variables in it, and the program for them."""
    for block, row, point, lowered in each(call, ready, rows, gaps):
        yield str(block.place(row)), point, lowered


def each(call: Call, ready: Prepared, rows: Any, gaps: list[str]) -> Iterator[tuple[Any, int, Mapping[str, Any], Lowered]]:
    """The rows with all the cells that the program uses: the block, which one, the values of all variables, and the program for them."""
    from ...types import Type

    known: dict[Any, Lowered] = {}
    for block in rows:
        for row in range(block.count):
            if block.bad is not None and block.bad[row] or any(row_has_gap(block, name, row) for name in ready.missing):
                gaps.append(str(block.place(row)))
                continue
            cells = {name: cell(block.values[name], row) for name in ready.missing}
            types = {name: Type("bool" if rows.kinds[name] == "bool" else "real", getattr(x, "shape", ())) for name, x in cells.items()}
            key = tuple(types.values())
            if key not in known:
                known[key] = typed(call, ready, types).lowered
            yield block, row, {**ready.values, **cells}, known[key]


def row_has_gap(block: Any, name: str, row: int) -> bool:
    """Whether a cell is missing."""
    gap = block.gaps.get(name)
    return gap is not None and bool(gap[row])


def cell(column: Any, row: int) -> Any:
    """A cell: a number or a condition, or an array."""
    if hasattr(column, "cell"):
        found = column.cell(row)
        return found if found.shape else found.item()
    return column[row].item()


@contextmanager
def strictly() -> Iterator[None]:
    """A check has no way around a bad cell, so no hint speaks of one."""
    try:
        yield
    except AutodiffError as problem:
        found = problem.diagnostic
        if not (found.hint or "").startswith("`--on-error"):
            raise
        raise AutodiffError(found._replace(hint=None)) from None
