"""What a node hands back to its arguments, or on from them: the one place that reads the rules of the op table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, error
from ..graph import PARAM, Expr, NoDerivative, Site, When
from ..ops.arithmetic import guard, mul, neg, not_
from ..ops.linear import add_up, concatenate, place, reshaped, stretch_back, sum_
from ..ops.structured import scanned, stacked
from .conditions import both, carry, gate

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Graph, Node
    from .conditions import Gated

MOST = 6  # names that a hint lists


def back(graph: Graph, i: int, k: int, cotangent: Gated) -> Gated | None:
    """The share of argument k in the cotangent of node i; None is a structural zero."""
    node = graph.nodes[i]
    match node.op.rule:
        case "elementwise":
            return _times(cotangent, partial(graph, i, k))
        case "linear":
            return None if _is_place(graph, node, k) else carry(cotangent, _transposed(graph, node, k), node.op.effect[1])
        case "reduce":
            shape, axes = graph.nodes[node.args[0]].type.shape, node.attr[0]
            return _times(carry(cotangent, lambda u: stretch_back(u, shape, axes), ""), _reduced(graph, i))
        case "tensor":
            return _matrix(node.op.d[k][0], graph, i, cotangent)
    return moved(graph, node, cotangent) if node.op in (scanned, stacked) else _selected(graph, node, k, cotangent)


def on(graph: Graph, i: int, k: int, tangent: Gated) -> Gated | None:
    """The share of argument k's tangent in the tangent of node i; None is a structural zero."""
    node = graph.nodes[i]
    match node.op.rule:
        case "elementwise":
            return _times(tangent, partial(graph, i, k))
        case "linear":
            return None if _is_place(graph, node, k) else carry(tangent, _forward(graph, node, k), node.op.effect[0])
        case "reduce":
            share, axes = _times(tangent, _reduced(graph, i)), node.attr[0]
            return share and carry(share, lambda t: add_up(t, axes), "add")
        case "tensor":
            return _matrix(node.op.d[k][1], graph, i, tangent)
    return moved(graph, node, tangent, forward=True) if node.op in (scanned, stacked) else _selected(graph, node, k, tangent, forward=True)


def partial(graph: Graph, i: int, k: int) -> Gated | None:
    """The partial of node i by its argument k, with its condition, or None for a structural zero; made once a graph."""
    if (i, k) not in graph.partials:
        node = graph.nodes[i]
        rule = _rule(graph, i, node, k)
        value = rule(*[Expr(graph, j) for j in node.args], *(() if node.attr is None else (node.attr,)))
        graph.partials[i, k] = _read(graph, i, k, value)
    return graph.partials[i, k]  # type: ignore[no-any-return]  # a gated value, or None


def _read(graph: Graph, i: int, k: int, value: Any) -> Gated | None:
    """What a rule returned, as an expression and a condition."""
    condition = None
    if type(value) is When:
        condition, value = graph.lift(value.condition), value.value
    if isinstance(value, NoDerivative):
        raise _no_derivative(graph, i, k, value)
    value = graph.lift(value)
    if value.whole == 0 or (condition is not None and condition.text == "False"):
        return None
    if graph.nodes[i].op.guard:
        value = guard(value, Expr(graph, i))
    return (value, None if condition is None or condition.text == "True" else condition)


def _reduced(graph: Graph, i: int) -> Gated | None:
    """The elementwise partial of a reduction, of its argument and its stretched result."""
    node, x = graph.nodes[i], Expr(graph, graph.nodes[i].args[0])
    y = stretch_back(Expr(graph, i), x.type.shape, node.attr[0])
    return _read(graph, i, 0, node.op.d[0](x, y, node.attr))


def _times(given: Gated | None, found: Gated | None) -> Gated | None:
    """The product is the same in reverse (given a cotangent) and in forward mode (given a tangent)."""
    if given is None or found is None:
        return None
    (u, p), (value, q) = given, found
    factor = value.whole
    return (u if factor == 1 else neg(u) if factor == -1 else u.graph.add(mul, [u, value]), both(p, q))


def _rule(graph: Graph, i: int, node: Node, k: int) -> Callable[..., Any]:
    d = node.op.d
    rule = d[k] if k < len(d) else d[0]
    if isinstance(rule, NoDerivative):
        raise _no_derivative(graph, i, k, rule)
    if len(d) == 1 and node.op.variadic:
        return lambda *args: rule(k, *args)
    return rule  # type: ignore[no-any-return]  # rules of the table are functions


def _is_place(graph: Graph, node: Node, k: int) -> bool:
    """The places of `take` and its kin are whole numbers: nothing flows into them."""
    return k > 0 and node.op is not concatenate


def _transposed(graph: Graph, node: Node, k: int) -> Callable[[Expr], Expr]:
    types = [graph.nodes[j].type for j in node.args]

    def move(u: Expr) -> Expr:
        found = node.op.transpose(u, types, node.attr, k)  # type: ignore[misc]  # every linear op has one
        if isinstance(found, tuple):
            op, attr = found
            return graph.add(op, [u, *[Expr(graph, j) for j in node.args[1:]]], attr)
        return found  # type: ignore[no-any-return]  # an expression

    return move


def _forward(graph: Graph, node: Node, k: int) -> Callable[[Expr], Expr]:
    if node.op is concatenate:
        start = sum(graph.nodes[j].type.shape[node.attr] for j in node.args[:k])
        size = graph.nodes[node.args[k]].type.shape[node.attr]
        items = (*[(0, n, 1) for n in node.type.shape[: node.attr]], (start, start + size, 1))
        return lambda t: graph.add(place, [t], (node.type.shape, items))
    if node.op is sum_:
        return lambda t: add_up(t, node.attr)
    return lambda t: graph.add(node.op, [t, *[Expr(graph, j) for j in node.args[1:]]], node.attr)


def _matrix(rule: Any, graph: Graph, i: int, given: Gated) -> Gated | None:
    """Contractions: a structural zero becomes the number 0."""
    node = graph.nodes[i]
    value = rule(gate(given), [Expr(graph, j) for j in node.args], Expr(graph, i), node.attr)
    return None if value is None else (graph.lift(value), None)


def _selected(graph: Graph, node: Node, k: int, given: Gated, *, forward: bool = False) -> Gated | None:
    """What a selection hands on: a cotangent comes with its condition from outside, a tangent from inside the arm."""
    if k == 0:
        return None
    p = Expr(graph, node.args[0]) if k == 1 else not_(Expr(graph, node.args[0]))
    return (given[0], both(p, given[1]) if forward else both(given[1], p))


def moved(graph: Graph, node: Node, given: Gated, *, forward: bool = False) -> Gated:
    """An array as a sequence or a sequence as an array, the condition with it."""
    (u, p), scan = given, (node.op is scanned) is forward
    if scan:
        held = None if p is None else graph.broadcast(p, u.type.shape[:1]) if not p.type.shape else p
        return (graph.add(scanned, [u]), held and graph.add(scanned, [held]))
    n = node.attr if forward else graph.nodes[node.args[0]].type.shape[0]
    value = graph.add(stacked, [u], n)
    if p is None:
        return (value, None)
    held = graph.add(stacked, [p], n)
    shape = value.type.shape
    return (value, graph.broadcast(reshaped(held, (*held.type.shape, *[1] * (len(shape) - len(held.type.shape)))), shape))


def _no_derivative(graph: Graph, i: int, k: int, none: NoDerivative) -> AutodiffError:
    node, site = graph.nodes[i], graph.sites[i]
    names = [p.name for p in node.op.parameters]
    by = names[k] if k < len(names) else f"argument {k + 1}"
    what = site.span.text if site and node.op.hidden else node.op.name
    return error(
        "no-derivative",
        f"`{what}` has no derivative by its argument `{by}`",
        site and site.span,
        none.reason,
        hint=_instead(graph, node.args[k]),
    )


def _instead(graph: Graph, argument: int) -> str | None:
    """How to leave an argument out of what is differentiated by."""
    below, todo = {argument}, [argument]
    while todo:
        fresh = set(graph.nodes[todo.pop()].args) - below
        below |= fresh
        todo += fresh
    site = graph.sites[argument]
    others = [node.attr for i, node in enumerate(graph.nodes) if node.op is PARAM and i not in below]
    ways = [f"detach({site.span.text}) holds it fixed"] if site else []
    ways += [f"--wrt {','.join(others)} leaves it out"] if 0 < len(others) < MOST else []
    return "; ".join(ways) or None


def above(site: Site | None) -> Site | None:
    """The site of a node that a rule makes for a node with this site."""
    return site and Site(site.span, site.order + 1)
