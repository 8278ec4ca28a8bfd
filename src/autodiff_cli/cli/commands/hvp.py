"""`autodiff hvp`: value, gradient, and the Hessian times a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import directional
from ..answer import answer
from ..prepare import naming
from ..seeds import fitting, tangent
from ..wanted import wrt

if TYPE_CHECKING:
    from ...api import Task
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The product at the point that is given, or of every row."""
    return answer(call, watch, lambda ready: _task(call, ready))


def _task(call: Call, ready: Prepared) -> Task:
    names = wrt(call, ready)
    direction = tangent(call, ready, names)
    with fitting(call, "tangent"):
        return directional.hvp(ready.lowered, names, direction, naming(call), ready.unused)
