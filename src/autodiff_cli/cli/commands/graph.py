"""`autodiff graph`: the computation graph, with values and gradients where every variable has a value."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ... import api
from ...diagnostics import Diagnostic
from .. import color
from ..form import form
from ..prepare import prepare

if TYPE_CHECKING:
    from ...emit.graph.model import Choice
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch

MACHINE = "json"  # is folded only when asked to


def run(call: Call, watch: Watch) -> Report:
    """The drawing of what was typed."""
    ready = prepare(call, watch)
    whole = not ready.missing and bool(ready.values or not ready.lowered.free)
    notes = ready.notes
    if ready.missing and ready.values:
        listed = ", ".join([f"`{name}`" for name in ready.missing])
        notes += (Diagnostic("structure-only", f"no values in the graph, since {listed} has none", severity="note"),)
    name = form(call)
    paint = call.options.get("o") in (None, "-") and color.wanted(call.options.get("color", "auto"), sys.stdout)
    report = api.graph(ready.lowered, ready.values if whole else None, _choice(call, name), name, paint=paint, mark=watch.mark)
    return report._replace(notes=(*notes, *report.notes))


def _choice(call: Call, name: str) -> Choice:
    """The options as what of the graph is drawn."""
    from ...emit.graph.model import FOLDED_TO, MOST_NODES, Choice

    options = call.options
    return Choice(
        static="static" in options, inline="inline" in options, partials="partials" in options, backward="backward" in options,
        hide_constants="hide-constants" in options, max_nodes=options.get("max-nodes", 0 if name == MACHINE else MOST_NODES),
        fold_to=0 if "max-nodes" in options else FOLDED_TO, max_depth=options.get("max-depth", 0), rankdir=options.get("rankdir", "TB"), theme=options.get("theme", "light"),
        digits=options.get("digits", 12),
    )  # fmt: skip
