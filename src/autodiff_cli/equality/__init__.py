"""Two programs in; whether they are one function out, or a point where they differ."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError
from ..graph import Expr, Fn, Graph
from .places import places
from .points import points
from .search import Difference, Search

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..lower import Lowered

    Shape = tuple[int, ...]

ENOUGH = 48  # random points of the common domain, beside those of the text
MOST = 1500  # points that are tried

__all__ = ["Difference", "Verdict", "compare"]


class Verdict(NamedTuple):
    """Both have a value at `points` points of the `tried` ones; `wrt` are the names of the slopes with their shapes, `shapes` those of
    the values, `at_kink` a marked point where only the slopes differ, `without` says why there are no slopes.
    """

    difference: Difference | None
    points: int
    tried: int
    wrt: Mapping[str, Shape]
    shapes: tuple[Shape, ...]
    at_kink: Difference | None = None
    without: str | None = None


def compare(a: Lowered, b: Lowered, values: Mapping[str, Any], seed: int = 0) -> Verdict:
    """Whether two programs have the same values and derivatives wherever both have a value, as far as points tell.

    Variables that are not among `values` are chosen.
    """
    params = {name: kind for lowered in (a, b) for name, kind in lowered.fn.params}
    free = [name for name in params if name not in values]
    statics = {*a.statics, *b.statics}
    wrt = [name for name in params if params[name].kind == "real" and name not in statics and (name in free or not free)]
    gradients, without = _gradients((a.fn, b.fn), wrt)
    shapes = tuple([fn.nodes[fn.outs[0]].type.shape for fn in (a.fn, b.fn)])
    search = Search((a.fn, b.fn), gradients, {name: value for name, value in values.items() if name in params})
    special = list(places((a.fn, b.fn), [name for name in free if not params[name].shape], search.fixed, seed))
    enough = ENOUGH + sum(not point.marked for point in special)
    for point in points(free, seed, MOST, special):
        search.look(point)
        if search.by_value is not None or search.random >= enough or search.tired:
            break
    return Verdict(
        search.difference, search.common, search.tried, {name: params[name].shape for name in wrt}, shapes, search.at_kink, without
    )


def _gradients(functions: Sequence[Fn], wrt: Sequence[str]) -> tuple[list[Fn] | None, str | None]:
    """The functions with their derivatives; None, and why, where they have none."""
    from ..derive import gradient

    if any(fn.nodes[fn.outs[0]].type.kind == "bool" for fn in functions):
        return None, "a condition has no derivatives"
    try:
        return [gradient(_one_number(fn), wrt) for fn in functions], None
    except AutodiffError as problem:
        return None, problem.diagnostic.message


def _one_number(fn: Fn) -> Fn:
    """An array as the sum of its entries, each with another weight."""
    shape = fn.nodes[fn.outs[0]].type.shape
    if not shape:
        return fn
    from ..ops.array import iota
    from ..ops.linear import add_up, reshaped

    graph = Graph()
    env = graph.inline(fn, {})
    size = prod(shape)
    weights = 1 + Expr(graph, graph.intern(iota, (), size)) / 7
    total = add_up(reshaped(Expr(graph, env[fn.outs[0]]), (size,)) * weights, (0,))
    return Fn(graph, fn.params, [total], fn.names)
