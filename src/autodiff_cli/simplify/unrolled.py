"""A function in, the same with its short loops written out turn by turn, so that there are words for their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Expr, Fn, Graph
from ..ops import OPS
from ..ops.structured import loop_, out_, scanned

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..graph import Node
    from ..ops.structured import Body

MOST = 5_000  # steps of the loops that are written out
NESTED = 8  # loops in loops


def unrolled(fn: Fn) -> Fn:
    """The function without loops of a known and small number of turns; other loops stay."""
    for _ in range(NESTED):
        short = _short(fn)
        if not short:
            break
        fn = _written_out(fn, short)
    return fn


def _short(fn: Fn) -> set[int]:
    """The loops of which only the last values are used, and whose turns take few steps in all."""
    needed = fn.needs()
    found = {i: _turns(fn, fn.nodes[i]) for i in needed if fn.nodes[i].op is loop_}
    for i in needed:
        op, args, attr, _ = fn.nodes[i]
        for j in args:
            if j in found and (op is not out_ or attr >= fn.nodes[j].attr.nc):
                del found[j]
    steps = sum((turns or 0) * len(fn.nodes[i].attr.fn.needs()) for i, turns in found.items())
    return {i for i, turns in found.items() if turns is not None} if steps <= MOST else set()


def _turns(fn: Fn, node: Node) -> int | None:
    """How many turns a loop takes, where that is known and nothing but data is scanned."""
    body: Body = node.attr
    arrays = [fn.nodes[j] for j in node.args[1 + body.nc + body.nk :]]
    if body.test is not None or body.ny or any(x.op is not scanned for x in arrays):
        return None
    sizes = [fn.nodes[x.args[0]].type.shape[0] for x in arrays]
    whole = Expr(fn, node.args[0]).whole  # type: ignore[arg-type]  # a frozen graph
    return min([*sizes, *([] if whole is None else [whole])], default=None)


def _written_out(fn: Fn, short: Collection[int]) -> Fn:
    graph = Graph()
    env: dict[int, Expr] = {}
    ends: dict[int, list[Expr]] = {}
    for i in fn.needs():
        op, args, attr, type = fn.nodes[i]
        graph.site = fn.sites[i]
        if i in short:
            ends[i] = _run(graph, fn, i, env)
        elif op is out_ and args[0] in short:
            env[i] = ends[args[0]][attr]
        else:
            env[i] = Expr(graph, graph.intern(op, tuple([env[j].id for j in args]), attr, type))
    return Fn(graph, fn.params, [env[o] for o in fn.outs], fn.names)


def _run(graph: Graph, fn: Fn, i: int, env: dict[int, Expr]) -> list[Expr]:
    """The last values of the carries of loop i."""
    node = fn.nodes[i]
    body: Body = node.attr
    carries, constants = [env[j] for j in node.args[1 : 1 + body.nc]], [env[j] for j in node.args[1 + body.nc : 1 + body.nc + body.nk]]
    arrays = [env[fn.nodes[j].args[0]] for j in node.args[1 + body.nc + body.nk :]]
    turns = _turns(fn, node) or 0
    for turn in reversed(range(turns)) if body.rev else range(turns):
        inputs = [*carries, *constants, *[_entry(x, turn) for x in arrays]]
        made = graph.inline(body.fn, {name: x for (name, _), x in zip(body.fn.params, inputs, strict=True)})
        carries = [Expr(graph, made[o]) for o in body.fn.outs[: body.nc]]
    return carries


def _entry(x: Expr, turn: int) -> Expr:
    """What is scanned in one turn."""
    return x.graph.const(str(turn)) if x.node.op is OPS["iota"] else x.graph.add(OPS["index"], [x], (turn,))
