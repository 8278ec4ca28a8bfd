"""The partial of a node by one of its arguments, with the condition under which it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, error
from ..graph import Expr, NoDerivative, Site, When
from ..ops.arithmetic import guard, neg, not_
from .conditions import both

if TYPE_CHECKING:
    from ..graph import Graph, Node
    from .conditions import Gated


def passed(graph: Graph, i: int, k: int, given: Gated) -> Gated | None:
    """What argument k of node i and the node hand to each other: `given` times the partial.

    The product is the same in reverse (given a cotangent) and in forward mode (given a tangent).
    None is a structural zero.
    """
    node = graph.nodes[i]
    if node.op.rule == "structured":
        return _selected(graph, node, k, given)
    found = partial(graph, i, k)
    if found is None:
        return None
    (u, p), (value, q) = given, found
    return (neg(u) if value.whole == -1 else u * value, both(p, q))


def partial(graph: Graph, i: int, k: int) -> Gated | None:
    """The partial of node i by its argument k, or None for a structural zero."""
    node = graph.nodes[i]
    rule = _rule(graph, i, node, k)
    value = rule(*[Expr(graph, j) for j in node.args], *(() if node.attr is None else (node.attr,)))
    condition = None
    if type(value) is When:
        condition, value = graph.lift(value.condition), value.value
    if isinstance(value, NoDerivative):
        raise _no_derivative(graph, i, k, value)
    value = graph.lift(value)
    if value.whole == 0 or (condition is not None and condition.text == "False"):
        return None
    if node.op.guard:
        value = guard(value, Expr(graph, i))
    return (value, None if condition is None or condition.text == "True" else condition)


def _rule(graph: Graph, i: int, node: Node, k: int):  # type: ignore[no-untyped-def]  # any rule
    d = node.op.d
    rule = d[k] if k < len(d) and not node.op.variadic else d[0]
    if isinstance(rule, NoDerivative):
        raise _no_derivative(graph, i, k, rule)
    if node.op.variadic:
        return lambda *args: rule(k, *args)
    return rule


def _selected(graph: Graph, node: Node, k: int, given: Gated) -> Gated | None:
    p = Expr(graph, node.args[0])
    if k == 0:
        return None
    return (given[0], both(given[1], p if k == 1 else not_(p)))


def _no_derivative(graph: Graph, i: int, k: int, none: NoDerivative) -> AutodiffError:
    node, site = graph.nodes[i], graph.sites[i]
    names = [p.name for p in node.op.parameters]
    by = names[k] if k < len(names) else f"argument {k + 1}"
    return error("no-derivative", f"`{node.op.name}` has no derivative by its argument `{by}`", site and site.span, none.reason)


def above(site: Site | None) -> Site | None:
    """The site of a node that a rule makes for a node with this site."""
    return site and Site(site.span, site.order + 1)
