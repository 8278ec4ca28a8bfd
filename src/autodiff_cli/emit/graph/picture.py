"""A function, values of its nodes or none, and what is asked for in; the picture to draw out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import backward, shares
from .build import build
from .fold import close_derivatives, fold, hide_constants

if TYPE_CHECKING:
    from ...graph import Fn
    from ..drawing import Shown
    from .build import Picture
    from .model import Choice, Drawing


def picture(fn: Fn, shown: Shown | None, choice: Choice, parts: Picture | None = None) -> Drawing:
    """The graph as `choice` wants it: without constants, folded, with the backward pass, with local partials; `parts` keeps what it was made of."""
    whole = build(fn, shown, choice._replace(partials=choice.partials or choice.backward), parts)
    whole = close_derivatives(whole)
    drawing = hide_constants(whole) if choice.hide_constants else whole
    many = choice.max_nodes and len(drawing.nodes) > choice.max_nodes
    drawing = fold(drawing, choice.fold_to or choice.max_nodes if many else 0, choice.max_depth)
    if not choice.backward:
        return drawing
    plain = drawing if choice.partials else drawing._replace(edges=tuple([e._replace(rule="", partial=None) for e in drawing.edges]))
    both = backward(shares(drawing))
    count = len(drawing.edges)
    return both._replace(edges=(*plain.edges, *both.edges[count:]))
