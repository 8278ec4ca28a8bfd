"""What `minimize` calls: a program, starting values and columns in; the parameters that were found as a `Report` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .api import ignore, one_number
from .diagnostics import Diagnostic
from .report import Entry, Report, people

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .api import Mark
    from .graph import Fn
    from .lower import Lowered
    from .optimise import Outcome, Record, Settings
    from .optimise.loss import Loss
    from .optimise.shapes import Group
    from .report import Value
    from .run.meter import Meter

WHY = {
    "steps": ("after {steps} the minimum is not reached", "--steps {more} goes on for longer, and --set @params.json goes on from here"),
    "search": ("the search found no lower loss and no minimum after {steps}", "another starting value, or --optimizer adam"),
}


class Rows(NamedTuple):
    """Rows, those of each shape by themselves, how the loss is taken over them, and where each came from."""

    groups: Sequence[Group]
    how: str = "mean"
    batch: int | None = None
    seed: int = 0
    place: Callable[[int], Any] = str


def minimise(  # noqa: PLR0913 (what may be asked for, by name)
    lowered: Lowered, values: Mapping[str, Value], wrt: Sequence[str], settings: Settings, record: Record, *, rows: Rows | None = None,
    meter: Meter | None = None, mark: Mark = ignore,
) -> Report:  # fmt: skip
    """The parameters `wrt` that make the loss small; `record` is told of every step."""
    from .optimise import minimise as search

    one_number(lowered)
    loss = _loss(lowered.fn, wrt, values, rows)
    outcome = search(loss, settings, record)
    mark("minimize")
    if meter:
        meter.peak = loss.bytes
        meter.ran(loss.largest, loss.sweeps)
    found = loss.read(loss.x)
    entries = [
        Entry("converged", ("converged",), None if _untested(outcome, settings) else outcome.why is None),
        Entry("loss", ("loss",), loss.bad.loss if loss.bad and outcome.loss != outcome.loss else outcome.loss),
        Entry("steps", ("steps",), outcome.steps),
    ]
    entries += [Entry(name, ("parameters", name), value) for name, value in found.items()]
    notes = (*lowered.notes, *_why(loss, outcome, settings, rows))
    return Report(
        "minimize",
        tuple(entries),
        {name: values[name] for name in wrt},
        notes=notes,
        passed=outcome.why is None,
        stats=meter.line() if meter else None,
    )


def _untested(outcome: Outcome, settings: Settings) -> bool:
    """Whether all steps were made and nothing was asked of the gradient."""
    from .optimise import FIRST_ORDER

    return outcome.why is None and settings.optimizer in FIRST_ORDER and settings.tol is None


def _loss(fn: Fn, wrt: Sequence[str], values: Mapping[str, Value], rows: Rows | None) -> Loss:
    from .optimise.loss import Loss, RowsLoss

    if rows is None:
        return Loss(fn, wrt, values)
    how: dict[str, Any] = {"how": rows.how, "batch": rows.batch, "seed": rows.seed}
    if len(rows.groups) == 1:
        return RowsLoss(fn, wrt, values, rows.groups[0].columns, **how)
    from .optimise.shapes import ShapesLoss

    return ShapesLoss(rows.groups, wrt, values, **how)


def _why(loss: Loss, outcome: Outcome, settings: Settings, rows: Rows | None) -> list[Diagnostic]:
    if outcome.why == "not-finite":
        return [_not_finite(loss, outcome, settings, rows)]
    if outcome.why is None:
        return []
    message, hint = WHY[outcome.why]
    said = {"steps": _count(outcome.steps), "more": 10 * max(outcome.steps, 1)}
    return [Diagnostic("not-converged", message.format(**said), hint=hint.format(**said), severity="warning")]


def _not_finite(loss: Loss, outcome: Outcome, settings: Settings, rows: Rows | None) -> Diagnostic:
    """Where the loss, or else its gradient, stopped being finite."""
    from . import derive
    from .notes import not_finite
    from .optimise import FIRST_ORDER
    from .run.point import evaluate

    bad, (fn, values) = float(loss.bad.loss) if loss.bad else float("nan"), loss.fault()
    of_loss = bad - bad != 0
    fn = fn if of_loss else derive.gradient(fn, loss.wrt)
    born = not_finite(fn, values, evaluate(fn, values))
    labels, notes = (born[0].labels, born[0].notes) if born else ((), ())
    because = "".join(born[0].message.partition(" because ")[1:]) if born else ""
    if rows and loss.row is not None:
        row = loss.row if len(rows.groups) > 1 else int(rows.groups[0].places[loss.row])
        notes = (f"first in {rows.place(row)}", *notes)
    what, code = (
        (f"the loss is {people(bad, 12).lower()}", "not-finite-loss") if of_loss else ("the gradient is not finite", "not-finite-gradient")
    )
    if outcome.loss != outcome.loss:
        return Diagnostic(code, f"{what} at the starting values{because}", labels, notes, severity="warning")
    kept = f"those after {_count(outcome.steps)}" if outcome.steps else "the starting values"
    hint = "a smaller --lr" if settings.optimizer in FIRST_ORDER else "other starting values, or --optimizer sgd with a small --lr"
    return Diagnostic(code, f"{what} after {_count(outcome.steps + 1)}{because}; the parameters are {kept}", labels, notes, hint, "warning")


def _count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"
