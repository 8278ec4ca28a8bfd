"""A function and one of its parameters in; whether its results are linear in that parameter, as far as its ops tell, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph import CONST, NAME, PARAM
from ..ops.arithmetic import OPS_guard, add, div, mul, neg, select, sub
from ..ops.elementary import deg2rad, div0, rad2deg
from ..ops.linear import scatter, scatter_along, take, take_along
from ..ops.stable import ratio0, times0
from ..ops.structured import loop_, out_, scanned, stacked
from ..ops.tensor import matmul, solve

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..graph import Fn, Node
    from ..ops.structured import Body

TOGETHER = (add, sub, neg, NAME, deg2rad, rad2deg, scanned, stacked)  # linear in all arguments at once
EACH = {  # linear in each of these arguments
    mul: (0, 1), times0: (0, 1), matmul: (0, 1), div: (0,), div0: (0,), ratio0: (0,), OPS_guard: (0,), solve: (1,),
    take: (0,), scatter: (0,), take_along: (0,), scatter_along: (0,),
}  # fmt: skip


class Kinds(NamedTuple):
    """The nodes that change with the parameter, and those that are linear in it; a 0 is both linear and without change."""

    moved: set[int]
    linear: set[int]


def culprit(fn: Fn, name: str, outs: Collection[int]) -> int | None:
    """The node by which one of `outs` is not linear in a parameter; None where all are."""
    kinds = _kinds(fn, {name}, {name})
    bad = [o for o in outs if o not in kinds.linear]
    if not bad:
        return None
    todo, seen = list(bad), set(bad)
    first = min(bad)
    while todo:
        i = todo.pop()
        fresh = [j for j in fn.nodes[i].args if j in kinds.moved and j not in kinds.linear and j not in seen]
        seen.update(fresh)
        todo += fresh
        first = min([first, *fresh])
    return first


def _kinds(fn: Fn, moved: Collection[str], linear: Collection[str]) -> Kinds:
    """What of a function changes, and is linear, where these parameters are."""
    kinds = Kinds(set(), set())
    loops: dict[int, Kinds] = {}
    for i in fn.needs():
        op, args, attr, _ = node = fn.nodes[i]
        if op is loop_:
            loops[i] = _of_loop(node, kinds)
        if op is out_:
            found = loops[args[0]]
            moves, fits = attr in found.moved, attr in found.linear
        else:
            moves = attr in moved if op is PARAM else not kinds.moved.isdisjoint(args)
            fits = attr in linear if op is PARAM else _fits(node, kinds)
        kinds.moved.update([i] if moves else [])
        kinds.linear.update([i] if fits else [])
    return kinds


def _fits(node: Node, kinds: Kinds) -> bool:
    """Whether a node is linear, by what its arguments are."""
    op, args, attr, _ = node
    if op is CONST:
        return attr in ("0", "-0")
    if op is select:
        return args[0] not in kinds.moved and kinds.linear.issuperset(args[1:])
    if op in EACH:
        return any(args[k] in kinds.linear and kinds.moved.isdisjoint([*args[:k], *args[k + 1 :]]) for k in EACH[op])
    return (op in TOGETHER or op.rule == "linear") and kinds.linear.issuperset(args)


def _of_loop(node: Node, kinds: Kinds) -> Kinds:
    """The results of a loop that change and that are linear; none is linear where the number of turns changes."""
    body: Body = node.attr
    names = [name for name, _ in body.fn.params]
    moved = {name for name, j in zip(names, node.args[1:], strict=True) if j in kinds.moved}
    linear = {name for name, j in zip(names, node.args[1:], strict=True) if j in kinds.linear}
    while True:
        inner = _kinds(body.fn, moved, linear)
        carries = list(zip(names, body.fn.outs[: body.nc], strict=False))
        more = {name for name, o in carries if o in inner.moved} - moved
        less = {name for name, o in carries if o not in inner.linear} & linear
        if not more and not less:
            break
        moved |= more
        linear -= less
    every = set(range(body.trips + 1))
    if node.args[0] in kinds.moved or body.test is not None and _tells(body, moved):
        return Kinds(every, set())
    at = [*names[: body.nc], *[None] * body.ny, *names[: body.nc]]
    kept = {body.nc + k: o for k, o in enumerate(body.fn.outs[body.nc :])}
    return Kinds(
        {k for k, name in enumerate(at) if (kept[k] in inner.moved if name is None else name in moved)},
        {k for k, name in enumerate(at) if (kept[k] in inner.linear if name is None else name in linear)},
    )


def _tells(body: Body, moved: Collection[str]) -> bool:
    """Whether the test of a loop reads a carry or constant that changes."""
    test = body.test
    assert test is not None  # noqa: S101 (for the type checker; it was asked)
    changing = {own for (own, _), (name, _) in zip(test.params, body.fn.params, strict=False) if name in moved}
    return not changing.isdisjoint(test.nodes[i].attr for i in test.needs() if test.nodes[i].op is PARAM)
