"""`autodiff grad`: value and gradient by one reverse sweep, or derivatives of higher order by one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ..answer import answer
from ..arguments import placed, usage
from ..prepare import naming
from ..wanted import wrt

if TYPE_CHECKING:
    from ...api import Task
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Derivatives at the point that is given, or of every row."""
    return answer(call, watch, lambda ready: _task(call, ready))


def _task(call: Call, ready: Prepared) -> Task:
    names = wrt(call, ready)
    order, elasticity = call.options.get("order"), "elasticity" in call.options
    if order is None:
        return api.gradient(ready.lowered, names, elasticity=elasticity, naming=naming(call), unused=ready.unused, together=ready.together)
    if elasticity:
        raise usage(call, call.places["elasticity"], "unlike-options", "`--elasticity` and `--order` do not go together")
    with placed(call, call.places["order"]):
        name = api.one_variable(names)
    return api.derivatives(ready.lowered, name, order, naming(call))
