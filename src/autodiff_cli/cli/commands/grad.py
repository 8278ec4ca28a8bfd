"""`autodiff grad`: value and gradient by one reverse sweep, or derivatives of higher order by one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ..answer import answer
from ..arguments import placed, usage
from ..prepare import naming, wrt

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
    names = _by_given(call, ready) if "reduce" in call.options else wrt(call, ready)
    order, elasticity = call.options.get("order"), "elasticity" in call.options
    if order is None:
        return api.gradient(ready.lowered, names, elasticity=elasticity, naming=naming(call), unused=ready.unused)
    if elasticity:
        raise usage(call, call.places["elasticity"], "unlike-options", "`--elasticity` and `--order` do not go together")
    with placed(call, call.places["order"]):
        name = api.one_variable(names)
    return api.derivatives(ready.lowered, name, order, naming(call))


def _by_given(call: Call, ready: Prepared) -> list[str]:
    """Over all rows at once, derivatives are by what all rows have: the values that are given."""
    names = wrt(call, ready)
    if "wrt" not in call.options:
        return [name for name in names if name not in ready.missing]
    for name in names:
        if name in ready.missing:
            raise usage(
                call, call.places["wrt"], "column-wrt", f"`{name}` is a column, and over all rows at once there is no one derivative by it",
                hint="without `--reduce` there is one for every row",
            )  # fmt: skip
    return names
