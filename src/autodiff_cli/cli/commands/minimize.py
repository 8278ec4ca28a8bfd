"""`autodiff minimize`: parameters that make a loss small, at a point or over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import api
from ...diagnostics import Exit, error
from ...report import machine
from ...rowwise.blocks import bad_rows
from ...run.meter import Meter
from ...training import Rows, minimise
from ...types import BOOL
from ..arguments import usage
from ..form import form
from ..inputs import about_columns, inputs, opened
from ..options import spellings
from ..output import write
from ..prepare import prepare, reading, wrt
from ..progress import Progress
from ..rows import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...optimise import Settings
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
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


def _settings(call: Call, rows: Rows | None) -> Settings:
    from ...optimise import STEPS, Settings

    options: Mapping[str, Any] = call.options
    steps = options.get("steps", STEPS)
    if rows and "epochs" in options:
        count = len(next(iter(rows.columns.values())))
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
    rows = opened(call, ready, found)
    try:
        notes = about_columns(ready, rows)
        whole = columns(rows, ready.missing, options.get("on-error", "fail"))
    finally:
        rows.close()
    kinds = {name: BOOL for name, column in whole.values.items() if column.dtype == bool}
    if kinds:
        ready = ready._replace(
            lowered=api.understand(ready.source, {**ready.values, **kinds}, options.get("wrt", ()), watch.mark, *reading(call))
        )
    left_out = bad_rows(rows.bad + whole.left_out, rows.first or whole.first, options.get("on-error", "fail"), reduced=True)
    watch.mark("rows")
    ready = ready._replace(notes=(*ready.notes, *notes, *rows.notes, *left_out))
    return ready, Rows(whole.values, options.get("reduce", "mean"), options.get("batch"), options.get("seed", 0))


def _parameters(call: Call, ready: Prepared) -> list[str]:
    """What is changed: the names of `--wrt`, else every given value that has a derivative."""
    names = wrt(call, ready)
    if "wrt" not in call.options:
        names = [name for name in names if name in ready.values]
    for name in names:
        if name not in ready.values:
            what = "is a column" if name in ready.missing else "has no starting value"
            message, hint = f"`{name}` {what}, so it is no parameter", f"--{name} 0 gives a starting value"
            raise usage(call, call.places["wrt"], "no-parameter", message, hint=hint)
    if not names:
        listed, verb = ", ".join([f"`{name}`" for name in ready.missing]), "is a column" if len(ready.missing) == 1 else "are columns"
        why = f"{listed} {verb}" if listed else "the expression has no variable"
        raise error("no-parameter", f"there is nothing to change: {why}", hint="w*x - y with --w 0 changes w", exit=Exit.USAGE)
    return names
