"""A program, a point or none, what to draw and the name of a format in; a report with the text, or the document for machines, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...diagnostics import AutodiffError, Diagnostic
from ...graph import PARAM
from ...report import Report
from ..drawing import observe
from .picture import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...graph import Fn
    from ...lower import Lowered
    from ...report import Entry, Value
    from ..drawing import Shown
    from .model import Choice, Drawing

ADDED = ("folded", "seed", "backward", "accumulate")  # kinds of nodes that are not of the graph itself


class Known(NamedTuple):
    """A point, and value and gradient there as `grad` tells them."""

    values: Mapping[str, Value]
    entries: Sequence[Entry]


def report(
    lowered: Lowered, known: Known | None, choice: Choice, form: str, *, paint: bool, mark: Callable[[str], None]
) -> Report:  # fmt: skip
    """The picture of a program in a format, with notes on what it does not show."""
    values = known and known.values
    shown, notes = _observed(lowered, values)
    shown = shown and known and _told(lowered.fn, shown, known.entries)
    mark("run")
    text: str | None
    document: Any = None
    if form == "html":
        from ..html.page import page

        drawing, text = page(lowered, values, shown, choice)
    else:
        drawing, more = _drawn(lowered.fn, shown, choice)
        notes += tuple([note for note in more if note.message not in [said.message for said in notes]])
        text, document = written(drawing, choice, form, paint=paint)
    if drawing.folded:
        notes += (_note_folded(drawing, choice),)
    mark("draw")
    return Report("graph", text=text, document=document, notes=notes)


def _told(fn: Fn, shown: Shown, known: Sequence[Entry]) -> Shown:
    """With the value and the gradient that are known, which may have been rescued."""
    found = {entry.path[-1]: entry.value for entry in known}
    params = {node.attr: i for i, node in enumerate(fn.nodes) if node.op is PARAM and i in shown.gradients}
    gradients = {params[name]: value for name, value in found.items() if name in params}
    end = fn.outs[0]
    values = shown.values | {end: found["value"]} if end in shown.values and isinstance(shown.values[end], float) else shown.values
    return shown._replace(values=values, gradients=shown.gradients | gradients)


def _drawn(fn: Fn, shown: Shown | None, choice: Choice) -> tuple[Drawing, tuple[Diagnostic, ...]]:
    """The picture; without the backward pass, and with a note, where there is no derivative."""
    try:
        return picture(fn, shown, choice), ()
    except AutodiffError as none:
        if not choice.backward:
            raise
        return picture(fn, shown, choice._replace(backward=False)), (none.diagnostic._replace(severity="note", hint=None),)


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
    way = (
        f"--max-nodes {total * (2 if choice.backward else 1)} draws all of them"
        if not choice.max_depth
        else f"--max-depth {2 * choice.max_depth} draws more"
    )
    return Diagnostic("folded", f"{drawing.folded:,} of {total:,} nodes are folded", hint=way, severity="note")
