"""A call and what it lacks in; the rows that have it out: of files, of axes made on the spot, or of stdin."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import api
from ..diagnostics import AutodiffError, Diagnostic, Label, error
from . import color
from .ahead import load
from .arguments import usage
from .options import spellings
from .prepare import lacking, note_unused, with_columns
from .say import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..data.open import Rows
    from ..data.sweep import Sweep
    from .arguments import Call
    from .prepare import Prepared

OF_ROWS = ("from", "delimiter", "header", "no-header", "columns", "only", "on-error", "reduce", "by")
OF_FILES = ("from", "delimiter", "header", "columns", "on-error")
STDIN = ("-", "@-")
NOTHING = "every variable has a value, so no column is used"


class Inputs(NamedTuple):
    """Files, of which `-` is stdin; or else the axes of a sweep."""

    files: tuple[str, ...] = ()
    axes: Mapping[str, list[float]] = {}


def inputs(call: Call, ready: Prepared) -> Inputs | None:
    """Where the rows come from; None where every variable has a value."""
    files = (*[call.words[place] for place in call.extras], *call.options.get("data", ()))
    _check(call, ready, files)
    absent = [name for name in ready.missing if name not in ready.axes]
    if ready.axes:
        if absent:
            raise lacking(call, ready, absent)
        return Inputs(axes=ready.axes)
    if not absent and not (files and ready.offered):
        return None
    if files:
        return Inputs(files)
    if ready.doubtful.keys() >= set(absent) or not _readable(call):
        raise lacking(call, ready, absent)
    return Inputs(("-",))


def _readable(call: Call) -> bool:
    """Whether rows may come from stdin without being told of."""
    return not ("no-stdin" in call.options or _claimed(call) or sys.stdin is None or color.terminal(sys.stdin))


def _check(call: Call, ready: Prepared, files: Sequence[str]) -> None:
    """Words and options that do not go together, or have no meaning here."""
    options, first = call.options, call.extras[0] if call.extras else call.places.get("data", 0)
    if files and ready.axes:
        raise usage(call, call.places["sweep"], "unlike-options", "rows come of `--sweep` or of files, not of both")
    if "-" in files and ("no-stdin" in options or _claimed(call)):
        why = "`--no-stdin` says that it is not" if "no-stdin" in options else "the expression or a value is read there"
        raise usage(call, first, "unlike-options", f"rows cannot be read from stdin: {why}")
    if files and not ready.missing and not ready.offered:
        raise usage(call, first, "nothing-unbound", NOTHING)
    if "by" in options and "reduce" not in options:
        raise usage(
            call,
            call.places["by"],
            "unlike-options",
            "`--by` is about groups that are reduced to one result",
            hint="--reduce mean or --reduce sum",
        )
    if "header" in options and "no-header" in options:
        raise usage(call, call.places["header"], "unlike-options", "`--header` and `--no-header` do not go together")
    pointless = OF_FILES if ready.axes else () if ready.missing or files else OF_ROWS
    for name in pointless:
        if name in options:
            raise usage(
                call, call.places[name], "unlike-options", f"`{spellings(name)[0]}` is about rows{' that are read' if ready.axes else ''}",
                hint=None if ready.axes else "leave a variable without a value, and `--data FILE` gives the rows",
            )  # fmt: skip


def _claimed(call: Call) -> bool:
    """Whether the expression or a value is read from stdin."""
    return call.expression in STDIN or any(given.text == "@-" for given in call.given) or any("=@-" in text for text, _ in call.sets)


def opened(call: Call, ready: Prepared, found: Inputs) -> Rows | Sweep:
    """The rows, opened: their columns and the kinds of the used ones are known."""
    load()
    if found.axes:
        from ..data.sweep import Sweep

        return Sweep(found.axes)
    from ..data.open import open_rows

    options = call.options
    header = True if "header" in options else False if "no-header" in options else None
    try:
        return open_rows(
            found.files, used=ready.missing, format=options.get("from"), delimiter=options.get("delimiter"), header=header,
            columns=options.get("columns"), on_error=options.get("on-error", "fail"), stdin=_bytes(sys.stdin), slow=lambda: _waiting(call, ready),
            offered=tuple(ready.offered),
        )  # fmt: skip
    except AutodiffError as problem:
        if problem.diagnostic.code == "empty-input" and found.files == ("-",) and ready.missing:
            lack = lacking(call, ready, ready.missing).diagnostic
            raise AutodiffError(lack._replace(notes=("stdin is empty", *lack.notes))) from None
        raise drawn(problem, ready) from None


def drawn(problem: AutodiffError, ready: Prepared) -> AutodiffError:
    """The same error; one about columns that shows no text underlines the variables that it names, or else all that are columns."""
    found = problem.diagnostic
    unset = [fault for name, fault in ready.doubtful.items() if found.code == "no-column" and f"`{name}`" in found.message]
    if unset:
        return unset[0]
    if found.labels or found.code not in ("missing-cell", "no-column", "no-rows"):
        return problem
    sites = {name: api.site(ready.lowered, name) for name in ready.missing}
    named = [name for name in sites if f"`{name}`" in found.message] or list(sites)
    from .mentions import later

    labels = [Label(site.span) for name in named if (site := sites[name])]
    return AutodiffError(found._replace(labels=(*labels, *(later(ready.lowered, named) if found.code == "no-column" else ()))))


def settled(call: Call, ready: Prepared, rows: Rows | Sweep) -> Prepared:
    """The same, now that the columns are known: one that is offered is a variable, and by an idle one the derivative is 0."""
    from ..data.plan import places

    taken = [name for name in ready.offered if name in rows.places]
    if taken:
        ready = with_columns(call, ready, taken)
    elif not (ready.missing or ready.axes or "against" in call.options):
        raise usage(call, call.extras[0] if call.extras else call.places.get("data", 0), "nothing-unbound", NOTHING)
    idle = tuple(places(rows.columns, ready.idle, rows.format))
    notes = [note_unused(name) for name in idle if _derived(call, name)]
    return ready._replace(idle=idle, unused={**ready.unused, **dict.fromkeys(idle, 0.0)}, notes=(*ready.notes, *notes), offered={})


def _derived(call: Call, name: str) -> bool:
    """Whether a derivative by a column is asked for."""
    return call.command not in {"eval", "minimize"} and "reduce" not in call.options and name in call.options.get("wrt", (name,))


def _bytes(stream: Any) -> Any:
    if stream is None or hasattr(stream, "buffer"):
        return getattr(stream, "buffer", None)
    from io import BytesIO

    return BytesIO(stream.read().encode())


def _waiting(call: Call, ready: Prepared) -> None:
    if "q" not in call.options:
        say(Diagnostic("waiting", f"waiting for {', '.join(ready.missing)} on stdin", severity="note"), call.words)


def about_columns(ready: Prepared, rows: Rows | Sweep) -> list[Diagnostic]:
    """Notes on columns whose name has a value; a column called as a constant that is used is an error."""
    from ..data.plan import places

    columns = list(dict.fromkeys(rows.columns))
    for name in places(columns, api.CONSTANTS, rows.format):
        span = None if name in ready.lowered.assigned or name in ready.values else api.constant(ready.source, name)
        if span is not None:
            constant = "exp(1)" if name == "e" else "acos(-1)"
            hint = f'col("{name}") is the column, {constant} the number'
            raise error("constant-column", f"`{name}` is a constant here, and the rows have a column of that name", span, hint=hint)
    return [
        Diagnostic("value-wins", f"`{name}` has the value that was given; the column of that name is not used", severity="note")
        for name in places(columns, list(ready.values), rows.format)
    ]  # fmt: skip


def column(call: Call, rows: Rows | Sweep, name: str) -> int:
    """Where a column of `--by` is."""
    from ..data.plan import place
    from ..diagnostics import Exit, did_you_mean

    at = place(rows.columns, name, rows.format)
    if at is None:
        near = did_you_mean(name, rows.columns)
        label, listed = f"did you mean `{near}`?" if near else "", ", ".join([f"`{other}`" for other in rows.columns[:60]])
        lack = usage(call, call.places["by"], "no-column", f"the rows have no column `{name}`", label=label).diagnostic
        raise AutodiffError(lack._replace(notes=(f"the columns are {listed}",), exit=Exit.DATA))
    return at
