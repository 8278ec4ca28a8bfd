"""A function, and values of its variables or none, in; what a drawing of its graph shows out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import BROADCAST, CONST, PARAM, Expr, Fn, Graph
from ..report import shown as written
from ..types import is_sequence
from .dot import Drawn
from .text import caption

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..report import Value

DIGITS = 6
LONGEST = 40


class Shown(NamedTuple):
    """The value and the gradient of every node that ran, by position."""

    values: dict[int, Value]
    gradients: dict[int, Value]


def drawing(fn: Fn, shown: Shown | None = None) -> list[Drawn]:
    """The nodes that the result needs, in order; with values, those that ran."""
    order = [i for i in reached(fn) if (shown is None or i in shown.values) and not _stretched(fn, i)]
    place = {i: k for k, i in enumerate(order)}
    return [
        Drawn(_kind(fn, i), tuple(_lines(fn, i, shown)), tuple([place[j] for j in _inputs(fn, i) if j in place]))
        for i in order
    ]  # fmt: skip


def _stretched(fn: Fn, i: int) -> bool:
    """What is stretched to a shape on its way into an operation is drawn as it was before."""
    return fn.nodes[i].op is BROADCAST and i not in fn.outs


def _inputs(fn: Fn, i: int) -> list[int]:
    return [fn.nodes[j].args[0] if _stretched(fn, j) else j for j in fn.nodes[i].args]


def reached(fn: Fn) -> list[int]:
    """The nodes that the results need, in order."""
    needed = set(fn.outs)
    for i in range(max(fn.outs), -1, -1):
        if i in needed:
            needed.update(fn.nodes[i].args)
    return sorted(needed)


def _kind(fn: Fn, i: int) -> str:
    op = fn.nodes[i].op
    return "output" if i in fn.outs else "variable" if op is PARAM else "constant" if op.rule == "leaf" else "operation"


def _lines(fn: Fn, i: int, shown: Shown | None) -> Iterable[str]:
    name = caption(fn.nodes[i], fn.nodes)
    shape = fn.nodes[i].type.shape
    yield name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    if shape:
        yield f"shape {shape}"
    if shown is not None and fn.nodes[i].op is not CONST and not isinstance(shown.values[i], list):
        yield f"value {written(shown.values[i], DIGITS)}"
        if i in shown.gradients:
            yield f"gradient {written(shown.gradients[i], DIGITS)}"


def observe(fn: Fn, values: Mapping[str, Value], *, backward: bool = True) -> Shown:
    """Run value and reverse pass once and keep what every node of `fn` was; without `backward` only the values."""
    from ..derive.conditions import gate
    from ..derive.pull import pull
    from ..program import compile as compiled
    from ..run.point import trace

    graph = Graph(expanding=True)
    env = graph.inline(fn, {name: graph.param(name, type) for name, type in fn.params})
    targets = [env[i] for i in _moving(fn)] if backward else []
    found = pull(graph, [(env[fn.outs[0]], (graph.const("1"), None))], targets)
    cotangents = {i: gate(found[i]).id if i in found else -1 for i in targets}
    outs = [Expr(graph, env[fn.outs[0]]), *[Expr(graph, c) for c in cotangents.values() if c >= 0]]
    ran = trace(compiled(Fn(graph, fn.params, outs, [str(k) for k in range(len(outs))])), values)
    return _shown(fn, env, cotangents, ran)


def _shown(fn: Fn, env: Sequence[int], cotangents: Mapping[int, int], ran: Mapping[int, Any]) -> Shown:
    here = [i for i in reached(fn) if env[i] in ran]
    gradients = {i: 0.0 if (c := cotangents[env[i]]) < 0 else ran[c] for i in here if env[i] in cotangents}
    return Shown({i: ran[env[i]] for i in here}, gradients)


def _moving(fn: Fn) -> list[int]:
    """The numbers that depend on a variable."""
    moving: set[int] = set()
    for i in reached(fn):
        node = fn.nodes[i]
        if node.type.kind != "bool" and (node.op is PARAM or any(j in moving for j in node.args)):
            moving.add(i)
    return sorted([i for i in moving if fn.nodes[i].type.kind == "real" and not is_sequence(fn.nodes[i].type)])
