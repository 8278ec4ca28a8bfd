"""`autodiff minimize`: parameters that make a loss small, at a point or over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import api
from ...diagnostics import AutodiffError, Exit, error
from ...report import machine
from ...rowwise.failing import bad_rows
from ...run.meter import Meter
from ...training import Rows, minimise
from ...types import Type
from ..arguments import placed, usage
from ..form import form, of_suffix
from ..inputs import about_columns, drawn, inputs, opened, settled
from ..options import spellings
from ..output import write
from ..prepare import prepare, typed
from ..progress import Progress
from ..rows import columns
from ..wanted import wrt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...diagnostics import Span
    from ...optimise import Settings
    from ...optimise.shapes import Group
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..rows import Columns
    from ..watch import Watch

ONLY = {  # options that some optimizers do not take: which do
    "lr": ("sgd", "momentum", "adam"),
    "momentum": ("sgd", "momentum"),
    "batch": ("sgd", "momentum", "adam"),
    "epochs": ("sgd", "momentum", "adam"),
    "seed": ("sgd", "momentum", "adam"),
}
OF_ROWS = ("batch", "epochs", "seed")


def run(call: Call, watch: Watch) -> Report:
    """The minimum, as far as it was found."""
    _check_options(call)
    ready, rows = _rows(call, prepare(call, watch), watch)
    names = _parameters(call, ready)
    form(call)
    meter = Meter() if "stats" in call.options else None
    progress, history = Progress(), ["step,loss\n"]

    def record(steps: int, loss: float) -> None:
        history.append(f"{steps},{machine(loss)}\n")
        progress.step(steps, loss)

    try:
        report = minimise(ready.lowered, ready.values, names, _settings(call, rows), record, rows=rows, meter=meter, mark=watch.mark)
    finally:
        progress.done()
    if "history" in call.options:
        with placed(call, call.places["history"]):
            write("".join(history), call.options["history"])
    return report._replace(notes=(*ready.notes, *report.notes))


def _check_options(call: Call) -> None:
    options = call.options
    optimizer = options.get("optimizer", "lbfgs")
    for name, takers in ONLY.items():
        if name in options and optimizer not in takers:
            listed = ", ".join(takers[:-1]) + f" or {takers[-1]}"
            message = f"`{spellings(name)[0]}` is for --optimizer {listed}"
            raise usage(call, call.places[name], "unlike-options", message, label=f"this is {optimizer}")
    if "steps" in options and "epochs" in options:
        raise usage(call, call.places["epochs"], "unlike-options", "`--epochs` and `--steps` both say how long")
    path = str(options.get("history", ""))
    if of_suffix(path) not in (None, "csv", "table"):
        hint = f"--history {path.rpartition('.')[0]}.csv"
        raise usage(call, call.places["history"], "unknown-suffix", "the losses of `--history` are written as CSV", hint=hint)


def _settings(call: Call, rows: Rows | None) -> Settings:
    from ...optimise import STEPS, Settings

    options: Mapping[str, Any] = call.options
    steps = options.get("steps", STEPS)
    if rows and "epochs" in options:
        count = sum(len(group.places) for group in rows.groups)
        steps = options["epochs"] * -(-count // min(rows.batch or count, count))
    return Settings(options.get("optimizer", "lbfgs"), options.get("lr"), options.get("momentum"), steps, options.get("tol"))


def _rows(call: Call, ready: Prepared, watch: Watch) -> tuple[Prepared, Rows | None]:
    """The columns of what has no value; conditions among them change what the text means."""
    found, options = inputs(call, ready), call.options
    if found is None:
        for name in OF_ROWS:
            if name in options:
                hint = "leave a variable without a value, and `--data FILE` gives the rows"
                raise usage(call, call.places[name], "unlike-options", f"`{spellings(name)[0]}` is about rows", hint=hint)
        return ready, None
    try:
        rows = opened(call, ready, found)
        try:
            ready = settled(call, ready, rows)
            notes = about_columns(ready, rows)
            whole = columns(rows, ready.missing, options.get("on-error", "fail"))
        finally:
            rows.close()
    except AutodiffError as problem:
        raise drawn(problem, ready) from None
    groups, ready, misfits = _groups(call, ready, whole)
    out = whole.left_out + sum(len(group) for group, _ in misfits)
    first = rows.first or whole.first or next((problem for _, problem in misfits), None)
    left_out = bad_rows(rows.bad + out, first, options.get("on-error", "fail"), reduced=True)
    watch.mark("rows")
    ready = ready._replace(notes=(*ready.notes, *notes, *rows.notes, *left_out))
    return ready, Rows(groups, options.get("reduce", "mean"), options.get("batch"), options.get("seed", 0), whole.place)


def _groups(call: Call, ready: Prepared, whole: Columns) -> tuple[list[Group], Prepared, list[tuple[Any, AutodiffError]]]:
    """The rows of each shape with what the program means for them, its meaning for the first, and the rows that it has none for."""
    from ...optimise.shapes import Group
    from ...rowwise.groups import by_shape, misfit, shaped

    groups: list[Group] = []
    statics: dict[str, Span] = {}
    first, misfits = ready, []
    for rows in by_shape(list(whole.values.values())):
        shapes, dense = shaped(whole.values, rows)
        types = {name: Type("bool" if dense[name].dtype == bool else "real", shape) for name, shape in shapes.items()}
        try:
            found = typed(call, ready, types)
            api.one_number(found.lowered)
        except AutodiffError as problem:
            if problem.diagnostic.exit != Exit.EXPRESSION:
                raise
            placed = misfit(problem, whole.place(int(rows[0])), shapes, fitted=bool(groups)) if any(shapes.values()) else problem
            if call.options.get("on-error", "fail") == "fail":
                raise placed from None
            misfits.append((rows, placed))
            continue
        first = first if groups else found
        statics |= found.lowered.statics
        groups.append(Group(found.lowered.fn, dense, rows))
    if not groups:
        raise misfits[0][1]
    return groups, first._replace(lowered=first.lowered._replace(statics=statics)), misfits


def _parameters(call: Call, ready: Prepared) -> list[str]:
    """What is changed: the names of `--wrt`, else every given value that has a derivative."""
    names = wrt(call, ready)
    if "wrt" not in call.options:
        names = [name for name in names if name in ready.values]
    for name in names:
        if name not in ready.values:
            what = "is a column" if name in (*ready.missing, *ready.idle) else "has no starting value"
            message, hint = f"`{name}` {what}, so it is no parameter", f"--{name} 0 gives a starting value"
            raise usage(call, call.places["wrt"], "no-parameter", message, hint=hint)
    if not names:
        why = _unchanging(ready)
        raise error("no-parameter", f"there is nothing to change: {why}", hint="w*x - y with --w 0 changes w", exit=Exit.USAGE)
    return names


def _unchanging(ready: Prepared) -> str:
    """Why no value can be changed."""
    conditions = [name for name in ready.lowered.free if name in ready.values and _is_condition(ready.values[name])]
    for names, one, many in ((ready.missing, "is a column", "are columns"), (conditions, "is a condition", "are conditions")):
        if names:
            return f"{', '.join([f'`{name}`' for name in names])} {one if len(names) == 1 else many}"
    return "every value is static" if ready.lowered.free else "the expression has no variable"


def _is_condition(value: Any) -> bool:
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
