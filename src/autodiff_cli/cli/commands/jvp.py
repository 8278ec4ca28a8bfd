"""`autodiff jvp`: value and its derivative along a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import directional
from ..answer import answer
from ..prepare import naming
from ..seeds import fitting, moving, tangent

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
    direction = tangent(call, ready, moving(ready))
    with fitting(call, "tangent"):
        return directional.jvp(ready.lowered, direction, naming(call), ready.unused)
