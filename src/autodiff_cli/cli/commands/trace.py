"""`autodiff trace`: the forward and the backward pass, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import tracing
from ..form import form
from ..prepare import bound
from ..wanted import wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Every operation at the point that is given, then every contribution to a derivative; machines get all of them."""
    ready = bound(call, watch)
    most = call.options.get("max-steps", None if form(call) == "json" else tracing.MOST)
    report = tracing.trace(ready.lowered, ready.values, wrt(call, ready), most, watch.mark)
    return report._replace(notes=(*ready.notes, *report.notes))
