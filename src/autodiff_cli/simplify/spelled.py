"""A function in, the same with words of the language only; what those words say less or more comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph import NAME, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import OPS_guard

if TYPE_CHECKING:
    from ..graph import Node, Op

ROUNDS = 8  # a spelling may itself be in terms of hidden ops


class Caveat(NamedTuple):
    """A condition under which the words have no value although the function has one; or, with an `op`, its arguments: where
    it has no value, the function has none, whatever the words say. `places` are those of the results after the function's own.
    """

    op: Op | None
    places: tuple[int, ...]


def spelled(fn: Fn, *, names: bool = False) -> tuple[Fn, list[Caveat]]:
    """The function, its caveats behind its results; hidden ops without words stay, and `names` if they are wanted."""
    caveats: list[Caveat] = []
    for _ in range(ROUNDS):
        if not any(_spellable(fn.nodes[i], names=names) for i in fn.needs()):
            break
        fn = _once(fn, caveats, names=names)
    return fn, caveats


def _spellable(node: Node, *, names: bool) -> bool:
    return node.op is NAME and not names or node.op.plain is not None


def _once(fn: Fn, caveats: list[Caveat], *, names: bool) -> Fn:
    graph = Graph(expanding=True)
    env: dict[int, Expr] = {}
    more: list[Expr] = []
    for i in fn.needs():
        op, args, attr, type = fn.nodes[i]
        graph.site = fn.sites[i]
        inputs = [env[j] for j in args]
        found = None
        if op is NAME and not names:
            found = inputs[0]
        elif op.plain is not None:
            found = op.plain(*inputs, *(() if attr is None else (attr,)))
        env[i] = graph.lift(found) if found is not None else _same(graph, op, inputs, attr, type)
        if found is not None and op is not NAME:
            _note(graph, fn.nodes[i], inputs, caveats, (len(fn.outs), more))
    outs = [*[env[o] for o in fn.outs], *more]
    return Fn(graph, fn.params, outs, [*fn.names, *["caveat"] * len(more)])


def _same(graph: Graph, op: Op, inputs: list[Expr], attr: object, type: object) -> Expr:
    if op is PARAM or op.expand is None:
        return Expr(graph, graph.intern(op, tuple([x.id for x in inputs]), attr, type))  # type: ignore[arg-type]  # a type
    return graph.add(op, inputs, attr)


def _note(graph: Graph, node: Node, inputs: list[Expr], caveats: list[Caveat], results: tuple[int, list[Expr]]) -> None:
    count, more = results
    if node.op is OPS_guard:
        guarded = inputs[1]
        if guarded.node.op.domain:
            caveats.append(Caveat(guarded.node.op, tuple(range(count + len(more), count + len(more) + 1 + len(guarded.args)))))
            more += [guarded, *guarded.args]
    elif node.op.hole is not None:
        hole = node.op.hole(*inputs, *(() if node.attr is None else (node.attr,)))
        if hole is not None:
            caveats.append(Caveat(None, (count + len(more),)))
            more.append(graph.lift(hole))
