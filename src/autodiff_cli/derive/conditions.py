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
from ..ops.structured import Body, loop, nothing, nothing_, out
from ..types import Type, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..graph import Expr

    Gated = tuple[Expr, Expr | None]

MOST = 16


def gate(value: Gated) -> Expr:
    """The number that a gated value stands for: the value if its condition holds, else 0."""
    u, p = value
    if p is None or u.graph.shaped and _gated_already(u, p):
        return u
    if is_sequence(p.type):
        return each_turn(lambda u, p: [gate((u, p))], [u, p])[0]
    return u.graph.add(select, [p, u, nothing(u.graph, u.type) if is_sequence(u.type) else u.graph.const("0")], "gate")


def _gated_already(u: Expr, p: Expr) -> bool:
    """Whether u is made so that it is 0 where p does not hold: a gate, one that was moved, or a sum of gates under any of their conditions."""
    todo = [(u, p)]
    for value, condition in todo:
        (op, args, attr, _), (by, _, how, _) = value.node, condition.node
        if (op is select and attr == "gate" and args[0] == condition.id) or condition.text == "True":
            continue
        if op.rule == "linear" and by is (any_ if op is sum_ else op) and attr == how:
            todo += [(a, b) for a, b in zip(value.args, condition.args, strict=True) if a.id != b.id]
        elif op.rule == "linear" and len(args) == 1 and not condition.type.shape:
            todo.append((value.args[0], condition))
        elif op is add and by is select and condition.args[1].text == "True":
            todo += [(value.args[0], condition.args[0]), (value.args[1], condition.args[2])]
        elif op.rule == "linear" and by is select and condition.args[2].text == "False":
            todo += [(value, condition.args[0]), (value, condition.args[1])]
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
    one = p is None or not p.type.shape
    if effect == "spread":
        held = u.graph.const("True") if one else p
        return (move(gate(given)), both(p if one else None, move(u.graph.broadcast(held, u.type.shape))))  # type: ignore[arg-type]  # p is no None then
    if p is None or one:
        return (move(u), p)
    return (move(gate(given) if effect == "add" else u), move(p))


def both(p: Expr | None, q: Expr | None) -> Expr | None:
    """Whether p and q hold; q is asked only where p does."""
    if p is None or q is None or p.id == q.id:
        return p or q
    if is_sequence(q.type) and not is_sequence(p.type):
        return p.graph.add(select, [p, q, nothing(q.graph, q.type)])
    return p & q  # type: ignore[no-any-return]  # operators of expressions build expressions


def whole(conditions: Iterable[Expr | None]) -> Expr | None:
    """One condition that holds wherever any of these does, None where that is always."""
    found: dict[int, Expr] = {}
    for p in conditions:
        one = None if p is None else _outer(p)
        if one is None:
            return None
        found[one.id] = one
    total, *more = found.values()
    for p in more:
        total |= p
    return total


def _outer(p: Expr) -> Expr | None:
    """The one condition that entries or turns are asked under."""
    if not p.type.shape:
        return p
    if p.node.op is not select:
        return None
    q, _, no = p.args
    return None if q.type.shape or not (no.text == "False" or no.node.op is nothing_) else q


def plus(a: Gated | None, b: Gated) -> Gated:
    """The sum of two gated values."""
    if a is None:
        return b
    (u, p), (v, q) = a, b
    if is_sequence(u.type):
        return _plus_each(a, b)
    if p is None or q is None:
        return (u.graph.add(add, [gate(a), gate(b)]), None)
    if p.id == q.id:
        return (u.graph.add(add, [u, v]), p)
    split = _complement(p, q)
    if split is not None:
        chosen, first, common = split
        return (select(chosen, u, v) if first else select(chosen, v, u), common)
    return (gate(a) + gate(b), p | q)


def _plus_each(a: Gated, b: Gated) -> Gated:
    """The sum of two sequences, turn by turn; one condition over all turns stays outside."""
    (u, p), (v, q) = a, b
    if (p and p.id) == (q and q.id):
        return (each_turn(lambda u, v: [u + v], [u, v])[0], p)
    if all(e is None or not is_sequence(e.type) for e in (p, q)):
        return (each_turn(lambda u, v: [u + v], [gate(a), gate(b)])[0], None if p is None or q is None else p | q)
    given = [e for e in (*a, *b) if e is not None]

    def added(*parts: Expr) -> list[Expr]:
        left = iter(parts)
        one, other = [(next(left), None if e is None else next(left)) for e in (p, q)]
        return [e for e in plus(one, other) if e is not None]

    total = each_turn(added, given)
    return (total[0], both(whole([p, q]), total[1]) if len(total) > 1 else None)


def each_turn(build: Callable[..., list[Expr]], given: list[Expr]) -> list[Expr]:
    """What `build` makes of every turn of sequences, and of conditions over all turns: a loop that carries nothing."""
    graph = Graph()
    late = [k for k, e in enumerate(given) if is_sequence(e.type)]
    order = [*[k for k in range(len(given)) if k not in late], *late]
    params = {k: (f"p{k}", Type(given[k].type.kind, given[k].type.shape[1:]) if k in late else given[k].type) for k in order}
    made = build(*[graph.param(*params[k]) for k in range(len(given))])
    fn = Fn(graph, params.values(), made, [f"o{k}" for k in range(len(made))])
    constants = order[: len(order) - len(late)]
    node = loop(Body(fn, 0, len(constants), len(late), len(made)), None, (), [given[k] for k in constants], [given[k] for k in late])
    return [out(node, k) for k in range(len(made))]


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
