"""What is known before the graph is made: a node of a graph under construction and values of names in, its value out.

Each number is worked out once a graph, however often it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import CONST, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import select

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Node, Op


class Numbers(NamedTuple):
    """How numbers are worked out: the values of names, what the text of a constant says, the function of an op, the results of a function."""

    given: Callable[[str], Any]
    constant: Callable[[str], Any]
    kernel: Callable[[Op, Any], Callable[..., Any]]
    run: Callable[[Fn, Mapping[str, Any]], list[Any]]


def value(expr: Expr, numbers: Numbers, known: dict[int, Any]) -> Any:
    """The value of a node; `known` are those that its graph has so far."""
    nodes, todo = expr.graph.nodes, [expr.id]
    while todo:
        i = todo[-1]
        node = nodes[i]
        if i in known:
            todo.pop()
        elif node.op is CONST:
            known[i] = numbers.constant(node.attr)
        elif node.op is PARAM:
            known[i] = numbers.given(node.attr)
        elif node.op is select and _plain(node, nodes):
            p, a, b = node.args
            todo += _missing(known, [p]) or _missing(known, [a if known[p] else b])
            if todo[-1] == i:
                known[i] = known[a if known[p] else b]
        elif _plain(node, nodes):
            todo += _missing(known, node.args)
            if todo[-1] == i:
                known[i] = numbers.kernel(node.op, node.attr)(*[known[j] for j in node.args])
        else:
            known[i] = _run(Expr(expr.graph, i), numbers, known)
    return known[expr.id]


def _missing(known: Mapping[int, Any], args: Any) -> list[int]:
    return [j for j in args if j not in known]


def _plain(node: Node, nodes: list[Node]) -> bool:
    """Whether a node is an operation on numbers alone."""
    return (node.op is select or node.op.rule == "elementwise") and not any(nodes[j].type.shape for j in node.args)


def _run(expr: Expr, numbers: Numbers, known: Mapping[int, Any]) -> Any:
    """The value of a node of arrays or loops, by a program of what is not known yet."""
    graph = expr.graph
    todo, new = [expr.id], set()
    while todo:
        i = todo.pop()
        if i not in new:
            new.add(i)
            todo += graph.nodes[i].args if i not in known else ()
    part = Graph(expanding=True)
    env: dict[int, Expr] = {}
    given: dict[str, Any] = {}
    for i in sorted(new):
        op, args, attr, type = graph.nodes[i]
        part.site = graph.sites[i]
        if i in known and op is not PARAM:
            given[f"%{i}"] = known[i]
            env[i] = part.param(f"%{i}", type)
        else:
            given |= {attr: numbers.given(attr)} if op is PARAM else {}
            env[i] = (
                part.add(op, [env[j] for j in args], attr)
                if op.expand is not None
                else Expr(part, part.intern(op, tuple([env[j].id for j in args]), attr, type))
            )
    return numbers.run(Fn(part, (), [env[expr.id]], ["value"]), given)[0]
