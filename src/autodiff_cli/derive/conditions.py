"""Cotangents and tangents that carry the condition under which they count.

A pair (value, condition): the value counts where the condition holds and is a structural zero
elsewhere, so that what a selection switched off stays off through every later rule. A condition
that is None always holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Fn, Graph
from ..ops.arithmetic import add, not_, select
from ..ops.linear import any_, sum_
from ..ops.structured import Body, loop, out
from ..types import Type, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Expr

    Gated = tuple[Expr, Expr | None]

MOST = 16


def gate(value: Gated) -> Expr:
    """The number that a gated value stands for: the value if its condition holds, else 0."""
    u, p = value
    if p is None or u.graph.shaped and _gated_already(u, p):
        return u
    return u.graph.add(select, [p, u, u.graph.const("0")], "gate")


def _gated_already(u: Expr, p: Expr) -> bool:
    """Whether u is made so that it is 0 where p does not hold: a gate, one that was moved, or a sum of gates under any of their conditions."""
    todo = [(u, p)]
    for value, condition in todo:
        (op, args, attr, _), (by, _, how, _) = value.node, condition.node
        if op is select and attr == "gate" and args[0] == condition.id:
            continue
        if op.rule == "linear" and by is (any_ if op is sum_ else op) and attr == how:
            todo += [(a, b) for a, b in zip(value.args, condition.args, strict=True) if a.id != b.id]
        elif op is add and by is select and condition.args[1].text == "True":
            todo += [(value.args[0], condition.args[0]), (value.args[1], condition.args[2])]
        else:
            return False
        if len(todo) > MOST:
            return False
    return True


def carry(given: Gated, move: Callable[[Expr], Expr], effect: str) -> Gated:
    """A gated value through a linear map; the map moves the condition too.

    What adds entries up needs numbers, so the value is gated first; what spreads entries among
    zeros makes those structural zeros. One condition over a whole array stays as it is.
    """
    u, p = given
    if effect == "spread":
        held = u.graph.const("True") if p is None else p
        return (move(gate(given)), move(u.graph.broadcast(held, u.type.shape)))
    if p is None or not p.type.shape:
        return (move(u), p)
    return (move(gate(given) if effect == "add" else u), move(p))


def both(p: Expr | None, q: Expr | None) -> Expr | None:
    """P and q."""
    if p is None or q is None or p.id == q.id:
        return p or q
    return p & q  # type: ignore[no-any-return]  # operators of expressions build expressions


def plus(a: Gated | None, b: Gated) -> Gated:
    """The sum of two gated values."""
    if a is None:
        return b
    (u, p), (v, q) = a, b
    if is_sequence(u.type):
        return _plus_each(a, b)
    if p is None or q is None:
        return (gate(a) + gate(b), None)
    if p.id == q.id:
        return (u + v, p)
    split = _complement(p, q)
    if split is not None:
        chosen, first, common = split
        return (select(chosen, u, v) if first else select(chosen, v, u), common)
    return (gate(a) + gate(b), p | q)


def _plus_each(a: Gated, b: Gated) -> Gated:
    """The sum of two sequences, turn by turn: a loop that carries nothing."""
    graph, parts = Graph(), [e for e in (*a, *b) if e is not None]
    inputs = iter([graph.param(f"x{k}", Type(e.type.kind, e.type.shape[1:])) for k, e in enumerate(parts)])
    u, p = next(inputs), None if a[1] is None else next(inputs)
    v, q = next(inputs), None if b[1] is None else next(inputs)
    total = plus((u, p), (v, q))
    outs = [e for e in total if e is not None]
    params = [(f"x{k}", Type(e.type.kind, e.type.shape[1:])) for k, e in enumerate(parts)]
    node = loop(Body(Fn(graph, params, outs, ["sum", "held"][: len(outs)]), 0, 0, len(parts), len(outs)), None, (), (), parts)
    return (out(node, 0), None if total[1] is None else out(node, 1))


def _complement(p: Expr, q: Expr) -> tuple[Expr, bool, Expr | None] | None:
    """Where p is `c and r` and q is `c and not r`: r, whether p is the positive one, and c."""
    (c, r), (d, s) = _conjunction(p), _conjunction(q)
    if (c and c.id) != (d and d.id):
        return None
    if s.node.op is not_ and s.node.args[0] == r.id:
        return (r, True, c)
    return (s, False, c) if r.node.op is not_ and r.node.args[0] == s.id else None


def _conjunction(p: Expr) -> tuple[Expr | None, Expr]:
    if p.node.op is select:
        c, r, no = p.args
        if no.text == "False":
            return (c, r)
    return (None, p)
