"""A function in; its gradient out, in which calls that are computed by a way around overflow stand as themselves.

`softmax(v)` subtracts the largest entry first; people write its derivative with `softmax(v)`, as the table of textbook rules does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .derive import expand, gradient
from .emit.wholes import textbook, wholes
from .graph import PARAM, Expr, Fn, Graph
from .op import Op
from .ops import OPS
from .ops.arithmetic import detach
from .ops.linear import add_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .emit.wholes import Whole


def worded_gradient(fn: Fn, names: Sequence[str]) -> Fn:
    """Value and derivatives by these names."""
    plain = expand(fn)
    found = {i: whole for i, whole in wholes(plain, plain.needs(), _moving(plain, names)).items() if _roundabout(plain, whole)}
    if not found:
        return gradient(fn, names)
    steps = {i: _step(plain, whole) for i, whole in found.items()}

    def called(graph: Graph, env: Mapping[int, int], i: int) -> Expr | None:
        return _called(graph, env, plain, i, steps[i], found[i]) if i in steps else None

    slopes = gradient(_changed(plain, called), names)
    words = {op: OPS[whole.name] for op, whole in ((steps[i], found[i]) for i in steps)}

    def worded(graph: Graph, env: Mapping[int, int], i: int) -> Expr | None:
        op, args, attr, type = slopes.nodes[i]
        return Expr(graph, graph.intern(words[op], tuple([env[j] for j in args]), attr, type)) if op in words else None

    return _changed(slopes, worded)


def _moving(fn: Fn, names: Sequence[str]) -> frozenset[int]:
    """The nodes that hang on one of the names."""
    found: set[int] = set()
    for i in fn.needs():
        op, args, attr, _ = fn.nodes[i]
        if op is PARAM and attr in names or not found.isdisjoint(args):
            found.add(i)
    return frozenset(found)


def _roundabout(fn: Fn, whole: Whole) -> bool:
    """Whether the derivative of a call has a part that is only there for large numbers; its textbook rule has not."""
    graph = Graph()
    inputs = {name: graph.param(name, fn.nodes[i].type) if isinstance(i, int) else graph.const(i) for name, i in whole.args.items()}
    call = whole.op.call or whole.op
    made = call(**inputs, **whole.statics)
    params = [(name, fn.nodes[i].type) for name, i in whole.args.items() if isinstance(i, int)]
    one = Fn(graph, params, [add_up(made, tuple(range(len(made.type.shape))))], ["value"])
    by = [name for name, type in params if type.kind == "real" and name in whole.op.back]
    return any(node.op is detach for node in gradient(one, by).nodes)


def _step(fn: Fn, whole: Whole) -> Op:
    """An op of its own for a call, with its textbook rule."""

    def rule(place: str) -> tuple[Callable[..., Any], None]:
        def pull(bar: Expr, args: Sequence[Expr], value: Expr, _: Any) -> Any:
            return textbook(whole, place, dict(zip(whole.args, args, strict=True)), value, bar)

        return pull, None

    return Op(whole.name, "tensor", d=tuple([rule(name) for name in whole.args]))


def _called(graph: Graph, env: Mapping[int, int], fn: Fn, i: int, op: Op, whole: Whole) -> Expr:
    args = [env[j] if isinstance(j, int) else graph.const(j).id for j in whole.args.values()]
    return Expr(graph, graph.intern(op, tuple(args), whole.named or None, fn.nodes[i].type))


def _changed(fn: Fn, change: Callable[[Graph, Mapping[int, int], int], Expr | None]) -> Fn:
    """The function with other nodes where `change` gives one."""
    graph = Graph()
    env: dict[int, int] = {}
    for i in fn.needs():
        graph.site = fn.sites[i]
        op, args, attr, type = fn.nodes[i]
        found = change(graph, env, i)
        env[i] = graph.intern(op, tuple([env[j] for j in args]), attr, type) if found is None else found.id
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in fn.outs], fn.names)
