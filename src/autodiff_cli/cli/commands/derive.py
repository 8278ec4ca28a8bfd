"""`autodiff derive`: the derivative as an expression; no values are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import Diagnostic
from ...formula import derivative
from ..form import form
from ..prepare import prepare
from ..wanted import wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch

BINDING = ("assign", "augmented", "def", "for", "comprehension")  # a name may then be something else than a variable


def run(call: Call, watch: Watch) -> Report:
    """The derivatives by the names of `--wrt`, or by every variable."""
    ready = _whole(prepare(call, watch))
    names = wrt(call, ready)
    report = derivative(ready.lowered, names, call.options.get("order", 1), ready.values, latex=form(call) == "latex")
    watch.mark("derive")
    return report._replace(notes=(*ready.notes, *_kept(ready, names), *report.notes))


def _whole(ready: Prepared) -> Prepared:
    """With the names of an expression that stand only in a branch that is never taken: the derivative by them is 0."""
    if ready.lowered.free or ready.unused:
        return ready
    from ...lower.frames import called_in, names_in
    from ...lower.names import CONSTANTS
    from ...syntax import parse
    from ...syntax.tree import walk

    tree = parse(ready.source)
    if any(part.kind in BINDING for part in walk(tree)):
        return ready
    names = names_in([tree]) - called_in([tree]) - CONSTANTS.keys()
    return ready._replace(unused=dict.fromkeys(sorted(names), 0.0))


def _kept(ready: Prepared, names: list[str]) -> list[Diagnostic]:
    """A value for a name that is differentiated by changes nothing."""
    kept = [name for name in names if name in ready.values and not hasattr(ready.values[name], "shape")]
    if not kept:
        return []
    others = [name for name in names if name not in kept]
    listed = ", ".join([f"`{name}`" for name in kept])
    hint = f"--wrt {','.join(others)} puts in the value" if others else "autodiff grad gives the numbers"
    return [Diagnostic("value-not-put-in", f"the derivative is by {listed}, which stays a name", hint=hint, severity="note")]
