"""`autodiff explain`: how the line was understood; runs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ..prepare import prepare
from ..wanted import wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Brackets, variables and where each comes from, and what is differentiated."""
    ready = prepare(call, watch)
    report = api.explain(ready.source, ready.lowered, ready.values, ready.origins, wrt(call, ready))
    return report._replace(notes=(*ready.notes, *report.notes))
