"""`autodiff derive`: the derivative as an expression; no values are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import Diagnostic
from ...formula import derivative
from ..form import form
from ..prepare import prepare, wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The derivatives by the names of `--wrt`, or by every variable."""
    ready = prepare(call, watch)
    names = wrt(call, ready)
    report = derivative(ready.lowered, names, call.options.get("order", 1), ready.values, latex=form(call) == "latex")
    watch.mark("derive")
    return report._replace(notes=(*ready.notes, *_kept(ready, names), *report.notes))


def _kept(ready: Prepared, names: list[str]) -> list[Diagnostic]:
    """A value for a name that is differentiated by changes nothing."""
    kept = [name for name in names if name in ready.values and not hasattr(ready.values[name], "shape")]
    if not kept:
        return []
    others = [name for name in names if name not in kept]
    listed = ", ".join([f"`{name}`" for name in kept])
    hint = f"--wrt {','.join(others)} puts in the value" if others else "autodiff grad gives the numbers"
    return [Diagnostic("value-not-put-in", f"the derivative is by {listed}, which stays a name", hint=hint, severity="note")]
