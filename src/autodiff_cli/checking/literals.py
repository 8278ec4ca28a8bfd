"""A function in; the same with `pi` and `e` written out as the float64 that they are read as, or without rules of one's own, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive import expand
from ..graph import CONST, Expr, Fn, Graph
from ..ops.structured import Body, loop_
from ..run.floats import NAMED

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Node, Op

FAMOUS = ("pi", "e")


def literal(fn: Fn) -> Fn:
    """The function with another node for a typed `pi` than for the exact one of rules of differentiation."""
    if not any(_famous(fn.nodes[i]) for i in fn.needs()):
        return fn
    return _changed(fn, lambda op, attr: _decimals(attr) if op is CONST and attr in FAMOUS else attr)


def _famous(node: Node) -> bool:
    return node.op is CONST and node.attr in FAMOUS


def _decimals(name: str) -> str:
    """All decimals of the float64."""
    from decimal import Decimal

    return str(Decimal(NAMED[name]))


def without_rules(fn: Fn) -> Fn:
    """The function with the bodies of all that it calls written out, in loops too, so that no rule of one's own is used."""
    plain = expand(fn)
    if not any(plain.nodes[i].op is loop_ for i in plain.needs()):
        return plain
    return _changed(plain, lambda op, attr: _unruled(attr) if op is loop_ else attr)


def _unruled(body: Body) -> Body:
    return Body(without_rules(body.fn), body.nc, body.nk, body.nx, body.ny, body.test, body.rev, body.limit)


def _changed(fn: Fn, attr: Callable[[Op, Any], Any]) -> Fn:
    """The function with other attributes of its nodes."""
    graph, env = Graph(), list[int]()
    for (op, args, old, type), site, path in zip(fn.nodes, fn.sites, fn.calls, strict=True):
        graph.site, graph.path = site, path
        env.append(graph.intern(op, tuple([env[j] for j in args]), attr(op, old), type))
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in fn.outs], fn.names)
