"""`autodiff grad`: value and gradient by one reverse sweep, or derivatives of higher order by one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ...run.meter import Meter
from ..arguments import usage
from ..prepare import bound, wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Derivatives at the point that is given."""
    ready = bound(call, watch)
    names = wrt(call, ready)
    order = call.options.get("order")
    if order is None:
        meter = Meter() if "stats" in call.options else None
        report = api.gradient(ready.lowered, ready.values, names, elasticity="elasticity" in call.options, meter=meter, mark=watch.mark)
    else:
        if "elasticity" in call.options:
            raise usage(call, call.places["elasticity"], "unlike-options", "`--elasticity` and `--order` do not go together")
        report = api.derivatives(ready.lowered, ready.values, api.one_variable(names), order, watch.mark)
    return report._replace(notes=(*ready.notes, *report.notes))
