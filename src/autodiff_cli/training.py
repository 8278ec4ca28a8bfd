"""What `minimize` calls: a program, starting values and columns in; the parameters that were found as a `Report` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .api import ignore, one_number
from .diagnostics import Diagnostic
from .report import Entry, Report, people

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .api import Mark
    from .lower import Lowered
    from .optimise import Outcome, Record, Settings
    from .optimise.loss import Loss
    from .report import Value
    from .run.meter import Meter

WHY = {
    "steps": ("after {steps} the minimum is not reached", "--steps {more} goes on for longer, and --set @params.json goes on from here"),
    "search": ("the search found no lower loss and no minimum after {steps}", "another starting value, or --optimizer adam"),
}


class Rows(NamedTuple):
    """Columns by name, and how the loss is taken over them."""

    columns: Mapping[str, Any]
    how: str = "mean"
    batch: int | None = None
    seed: int = 0


def minimise(  # noqa: PLR0913 (what may be asked for, by name)
    lowered: Lowered, values: Mapping[str, Value], wrt: Sequence[str], settings: Settings, record: Record, *, rows: Rows | None = None,
    meter: Meter | None = None, mark: Mark = ignore,
) -> Report:  # fmt: skip
    """The parameters `wrt` that make the loss small; `record` is told of every step."""
    from .optimise import minimise as search
    from .optimise.loss import Loss, RowsLoss

    one_number(lowered)
    if rows is None:
        loss = Loss(lowered.fn, wrt, values)
    else:
        loss = RowsLoss(lowered.fn, wrt, values, rows.columns, how=rows.how, batch=rows.batch, seed=rows.seed)
    outcome = search(loss, settings, record)
    mark("minimize")
    if meter:
        meter.peak = loss.bytes
        meter.ran(loss.largest, loss.sweeps)
    found = loss.read(loss.x)
    entries = [
        Entry("converged", ("converged",), outcome.why is None),
        Entry("loss", ("loss",), outcome.loss),
        Entry("steps", ("steps",), outcome.steps),
    ]
    entries += [Entry(name, ("parameters", name), value) for name, value in found.items()]
    notes = (*lowered.notes, *_why(lowered, loss, outcome, settings))
    return Report(
        "minimize",
        tuple(entries),
        {name: values[name] for name in wrt},
        notes=notes,
        passed=outcome.why is None,
        stats=meter.line() if meter else None,
    )


def _why(lowered: Lowered, loss: Loss, outcome: Outcome, settings: Settings) -> list[Diagnostic]:
    if outcome.why == "not-finite":
        return [_not_finite(lowered, loss, outcome, settings)]
    if outcome.why is None:
        return []
    message, hint = WHY[outcome.why]
    said = {"steps": _count(outcome.steps), "more": 10 * max(outcome.steps, 1)}
    return [Diagnostic("not-converged", message.format(**said), hint=hint.format(**said), severity="warning")]


def _not_finite(lowered: Lowered, loss: Loss, outcome: Outcome, settings: Settings) -> Diagnostic:
    """Where the loss, or else its gradient, stopped being finite."""
    from . import derive
    from .notes import not_finite
    from .optimise import FIRST_ORDER
    from .run.point import evaluate

    bad, values = float(loss.bad.loss) if loss.bad else float("nan"), loss.point()
    of_loss = bad - bad != 0
    fn = lowered.fn if of_loss else derive.gradient(lowered.fn, loss.wrt)
    born = not_finite(fn, values, evaluate(fn, values))
    labels, notes = (born[0].labels, born[0].notes) if born else ((), ())
    what, code = (
        (f"the loss is {people(bad, 12).lower()}", "not-finite-loss") if of_loss else ("the gradient is not finite", "not-finite-gradient")
    )
    if outcome.loss != outcome.loss:
        return Diagnostic(code, f"{what} at the starting values", labels, notes, severity="warning")
    kept = f"those after {_count(outcome.steps)}" if outcome.steps else "the starting values"
    hint = "a smaller --lr" if settings.optimizer in FIRST_ORDER else "other starting values, or --optimizer sgd with a small --lr"
    return Diagnostic(code, f"{what} after {_count(outcome.steps + 1)}; the parameters are {kept}", labels, notes, hint, "warning")


def _count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"
