"""A program, a point or none, what to draw and the name of a format in; a report with the text, or the document for machines, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...diagnostics import AutodiffError, Diagnostic
from ...report import Report
from ..drawing import observe
from .picture import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...lower import Lowered
    from ...report import Value
    from ..drawing import Shown
    from .model import Choice, Drawing

ADDED = ("folded", "seed", "backward", "accumulate")  # kinds of nodes that are not of the graph itself


def report(
    lowered: Lowered, values: Mapping[str, Value] | None, choice: Choice, form: str, *, paint: bool, mark: Callable[[str], None]
) -> Report:  # fmt: skip
    """The picture of a program in a format, with notes on what it does not show."""
    shown, notes = _observed(lowered, values)
    mark("run")
    text: str | None
    document: Any = None
    if form == "html":
        from ..html.page import page

        drawing, text = page(lowered, values, shown, choice)
    else:
        drawing = picture(lowered.fn, shown, choice)
        text, document = written(drawing, choice, form, paint=paint)
    if drawing.folded:
        notes += (_note_folded(drawing, choice),)
    mark("draw")
    return Report("graph", text=text, document=document, notes=(*lowered.notes, *notes))


def written(drawing: Drawing, choice: Choice, form: str, *, paint: bool = False) -> tuple[str | None, Any]:
    """The picture as "mermaid", "text" or "json"; as DOT for everything that is drawn from it."""
    if form == "json":
        from .document import document

        return None, document(drawing)
    if form == "text":
        from .tree import tree

        return tree(drawing, choice, paint=paint), None
    if form == "mermaid":
        from .mermaid import mermaid

        return mermaid(drawing, choice), None
    from ..dot import dot

    return dot(drawing, choice), None


def _observed(lowered: Lowered, values: Mapping[str, Value] | None) -> tuple[Shown | None, tuple[Diagnostic, ...]]:
    """What every node was at a point; a note where there are no gradients."""
    if values is None:
        return None, ()
    shape = lowered.fn.nodes[lowered.fn.outs[0]].type.shape
    if shape:
        said = f"no gradients in the graph: the value has shape {shape}, and a gradient is of one number"
        note = Diagnostic("no-gradients", said, hint="sum(…) or mean(…) round it", severity="note")
        return observe(lowered.fn, values, backward=False), (note,)
    try:
        return observe(lowered.fn, values), ()
    except AutodiffError as none:
        return observe(lowered.fn, values, backward=False), (none.diagnostic._replace(severity="note", hint=None),)


def _note_folded(drawing: Drawing, choice: Choice) -> Diagnostic:
    total = sum(node.kind not in ADDED for node in drawing.nodes) + drawing.folded
    way = f"--max-nodes {total} draws all of them" if not choice.max_depth else f"--max-depth {2 * choice.max_depth} draws more"
    return Diagnostic("folded", f"{drawing.folded:,} of {total:,} nodes are folded", hint=way, severity="note")
