"""A function, values of its nodes or none, and what is asked for in; the picture to draw out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...derive.recorded import recorded
from .backward import backward
from .build import Picture, build
from .fold import close_derivatives, fold, hide_constants
from .sweep import Seen

if TYPE_CHECKING:
    from ...graph import Fn
    from ..drawing import Shown
    from .model import Choice, Drawing


def picture(fn: Fn, shown: Shown | None, choice: Choice, parts: Picture | None = None) -> Drawing:
    """The graph as `choice` wants it: without constants, folded, with the backward pass, with local partials; `parts` keeps what it was made of."""
    parts = parts or Picture(choice)
    whole = close_derivatives(build(fn, shown, parts))
    drawing = hide_constants(whole) if choice.hide_constants else whole
    passes = 2 if choice.backward else 1
    many = choice.max_nodes and len(drawing.nodes) * passes > choice.max_nodes
    drawing = fold(drawing, max((choice.fold_to or choice.max_nodes) // passes, 1) if many else 0, choice.max_depth)
    if not choice.backward:
        return drawing
    made = recorded(fn, [name for name, kind in fn.params if kind.kind == "real"])
    return backward(drawing, Seen(made, parts, drawing), shown)
