"""What is asked for: gradients and higher derivatives of a function, as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import NAME, Expr, Fn, Graph
from ..ops.structured import call_
from .conditions import gate
from .names import by_name, variables
from .pull import pull
from .push import push

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .conditions import Gated
    from .pull import Hear


def expand(fn: Fn) -> Fn:
    """The same function with every composite op and every call written out."""
    todo = [fn]
    while todo:
        calls = [node.attr.fn for node in todo[-1].nodes if node.op is call_]
        missing = [callee for callee in calls if "written out" not in callee.cache]
        if missing and "written out" not in todo[-1].cache:
            todo += missing
            continue
        done = todo.pop()
        if "written out" not in done.cache:
            plain = not calls and not any(node.op.expand for node in done.nodes)
            done.cache["written out"] = done if plain else _written_out(done)
    return fn.cache["written out"]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _written_out(fn: Fn) -> Fn:
    """The function with composites and calls written out, whose own functions are by now."""
    from .callee import inlined

    graph = Graph(expanding=True)
    env: list[int] = []
    for (op, ids, attr, type), site in zip(fn.nodes, fn.sites, strict=True):
        graph.site = site
        args = [Expr(graph, env[i]) for i in ids]
        if op is call_:
            env.append(inlined(graph, attr.fn.cache["written out"], args)[0].id)
        else:
            env.append(
                graph.add(op, args, attr).id if op.expand is not None else graph.intern(op, tuple([env[i] for i in ids]), attr, type)
            )
    fn.cache["places"] = env
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in fn.outs], fn.names)


def places(fn: Fn) -> Sequence[int]:
    """Where each node of a function stands in what `expand` makes of it."""
    expand(fn)
    return fn.cache.get("places", range(len(fn.nodes)))  # type: ignore[no-any-return]  # the cache holds any derived thing


def gradient(fn: Fn, wrt: Sequence[str]) -> Fn:
    """Value and partial derivatives of the first result by the names `wrt`, by one reverse sweep."""
    return gradient_in_graph(fn, wrt)[0]


def gradient_in_graph(fn: Fn, wrt: Sequence[str]) -> tuple[Fn, Graph]:
    """The same, and the graph it was cut from, for what is derived from it: partials that the sweep made are made no more."""
    graph, outs, inputs = fn.open()
    slopes = swept(outs[0], graph.const("1"), targets(graph, inputs, wrt))
    return Fn(graph, fn.params, [outs[0], *slopes], ["value", *[f"d_{n}" for n in wrt]]), graph


def swept(value: Expr, seed: Expr, targets: Sequence[Expr | None], hear: Hear | None = None) -> list[Expr]:
    """The cotangents of what names stand for, from that of a result, by one reverse sweep; `hear` is told of every share."""
    graph = value.graph
    meant = [variables(t) if t else [] for t in targets]
    found = pull(graph, [(value.id, (seed, None))], [v.id for names in meant for v, _ in names], hear)
    return [shown(graph, t, by_name(names, found)) for t, names in zip(targets, meant, strict=True)]


def taylor(fn: Fn, name: str, order: int) -> Fn:
    """Value and the derivatives of order 1 to `order` of the first result, by repeated push."""
    graph, outs, inputs = fn.open()
    results, x = [outs[0]], target(graph, inputs, name)
    seeds: dict[int, Gated] = {} if x is None else {v.id: (graph.const("1"), held) for v, held in variables(x)}
    for _ in range(order):
        last = results[-1]
        results.append(_read(graph, last, push(graph, seeds, [last.id])))
    names = [f"d{k or ''}_{name}" for k in (0, *range(2, order + 1))]
    return Fn(graph, fn.params, results, ["value", *names])


def hvp(fn: Fn, wrt: Sequence[str]) -> Fn:
    """Value, gradient and Hessian times a vector, by a forward sweep over the reverse one; the vector comes as inputs `along(name)`."""
    graph, outs, inputs = gradient(fn, wrt).open()
    named = targets(graph, inputs, wrt)
    tangents = {name: graph.param(along(name), t.type) for name, t in zip(wrt, named, strict=True) if t}
    seeds: dict[int, Gated] = {t.id: (tangents[name], None) for name, t in zip(wrt, named, strict=True) if t}
    found = push(graph, seeds, [d.id for d in outs[1:]])
    params = [*fn.params, *[(along(name), t.type) for name, t in tangents.items()]]
    products = [_read(graph, d, found) for d in outs[1:]]
    return Fn(graph, params, [*outs, *products], ["value", *[f"d_{n}" for n in wrt], *[f"h_{n}" for n in wrt]])


def along(name: str) -> str:
    """The input that holds the direction of a variable: no name of a program."""
    return f"{name}'"


def target(graph: Graph, inputs: dict[str, Expr], name: str) -> Expr | None:
    """The node that a name stands for: the last assignment of a name that was asked for, else the input."""
    return targets(graph, inputs, [name])[0]


def targets(graph: Graph, inputs: dict[str, Expr], names: Iterable[str]) -> list[Expr | None]:
    """The nodes that names stand for; None for a name that the function does not have."""
    asked = {node.attr[0]: Expr(graph, i) for i, node in enumerate(graph.nodes) if node.op is NAME and node.attr[2]}
    return [asked.get(name) or inputs.get(name) for name in names]


def _read(graph: Graph, node: Expr | None, found: dict[int, Gated]) -> Expr:
    return shown(graph, node, None if node is None else found.get(node.id))


def shown(graph: Graph, node: Expr | None, value: Gated | None) -> Expr:
    """A derivative by a node as a result; zero where there is none."""
    if value is None:
        return graph.broadcast(graph.const("0"), node.type.shape if node else ())
    return graph.broadcast(gate(value), node.type.shape) if node and graph.shaped else gate(value)
