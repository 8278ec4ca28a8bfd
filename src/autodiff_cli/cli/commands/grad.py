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
        report = api.answer(api.gradient(ready.lowered, names, elasticity="elasticity" in call.options), ready.values, watch.mark, meter)
    else:
        if "elasticity" in call.options:
            raise usage(call, call.places["elasticity"], "unlike-options", "`--elasticity` and `--order` do not go together")
        report = api.answer(api.derivatives(ready.lowered, api.one_variable(names), order), ready.values, watch.mark)
    return report._replace(notes=(*ready.notes, *report.notes))
