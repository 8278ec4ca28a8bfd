"""`autodiff eval`: the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ..prepare import bound

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The value at the point that is given."""
    ready = bound(call, watch)
    report = api.answer(api.value(ready.lowered), ready.values, watch.mark)
    return report._replace(notes=(*ready.notes, *report.notes))
