"""`autodiff graph`: the computation graph, with values and gradients where every variable has a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ...diagnostics import Diagnostic
from ..prepare import prepare

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The drawing of what was typed."""
    ready = prepare(call, watch)
    whole = not ready.missing and bool(ready.values or not ready.lowered.free)
    notes = ready.notes
    if ready.missing and ready.values:
        listed = ", ".join([f"`{name}`" for name in ready.missing])
        notes += (Diagnostic("structure-only", f"no values in the graph, since {listed} has none", severity="note"),)
    report = api.graph(ready.lowered, ready.values if whole else None, watch.mark, call.options.get("digits", 12))
    return report._replace(notes=(*notes, *report.notes))
