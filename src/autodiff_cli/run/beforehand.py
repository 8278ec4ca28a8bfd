"""What is known before the graph is made: a node of a graph under construction and values of names in, its value out.

Each number is worked out once a graph, however often it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import select
from .floats import named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Node


def value(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value of a node, from values of the names it reads."""
    nodes, known, todo = expr.graph.nodes, expr.graph.known, [expr.id]
    while todo:
        i = todo[-1]
        node = nodes[i]
        if i in known:
            todo.pop()
        elif node.op is CONST:
            known[i] = named(node.attr)
        elif node.op is PARAM:
            known[i] = values[node.attr]
        elif node.op is select and _plain(node, nodes):
            todo += (
                _missing(known, node.args[:1]) or _missing(known, [node.args[1 if known[node.args[0]] else 2]]) or _settled(known, i, node)
            )
        elif _plain(node, nodes):
            todo += _missing(known, node.args) or _settled(known, i, node)
        else:
            known[i] = _run(Expr(expr.graph, i), values)
    return known[expr.id]


def _missing(known: Mapping[int, Any], args: Any) -> list[int]:
    return [j for j in args if j not in known]


def _settled(known: dict[int, Any], i: int, node: Node) -> list[int]:
    """Work a number out whose arguments are known."""
    from .kernels_float import kernel

    if node.op is select:
        p, a, b = node.args
        known[i] = known[a if known[p] else b]
    else:
        known[i] = kernel(node.op, node.attr)[1](*[known[j] for j in node.args])
    return []


def _plain(node: Node, nodes: list[Node]) -> bool:
    """Whether a node is an operation on numbers alone."""
    return (node.op is select or node.op.rule == "elementwise") and not any(nodes[j].type.shape for j in node.args)


def _run(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value of a node of arrays or loops, by a program of what is not known yet."""
    from .point import evaluate

    graph, known = expr.graph, expr.graph.known
    todo, new = [expr.id], set()
    while todo:
        i = todo.pop()
        if i not in new:
            new.add(i)
            todo += graph.nodes[i].args if i not in known else ()
    part = Graph(expanding=True)
    env: dict[int, Expr] = {}
    given = dict(values)
    for i in sorted(new):
        op, args, attr, type = graph.nodes[i]
        part.site = graph.sites[i]
        if i in known and op is not PARAM:
            given[f"%{i}"] = known[i]
            env[i] = part.param(f"%{i}", type)
        else:
            env[i] = (
                part.add(op, [env[j] for j in args], attr)
                if op.expand is not None
                else Expr(part, part.intern(op, tuple([env[j].id for j in args]), attr, type))
            )
    return evaluate(Fn(part, (), [env[expr.id]], ["value"]), given)[0]
