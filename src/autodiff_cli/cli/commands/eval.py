"""`autodiff eval`: the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ..answer import answer
from ..prepare import naming

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The value at the point that is given, or of every row."""
    return answer(call, watch, lambda ready: api.value(ready.lowered, naming(call)))
