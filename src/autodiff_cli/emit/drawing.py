"""A function and values of its variables in; what every node was when it ran, and which names the program gives its nodes, out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..graph import PARAM, Expr, Fn, Graph
from ..ops import OPS
from ..ops.structured import loop_, out
from ..types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..diagnostics import Source
    from ..report import Value
    from ..syntax import Tree

    Stretch = tuple[int, int]


PLACES = (OPS["argsort"], OPS["place_below"], OPS["class_number"])  # what they find is no number to differentiate


class Shown(NamedTuple):
    """The value and the gradient of every node that ran, by position, and the number of turns of every loop; `point` are the
    variables. What has a value every turn has none here.
    """

    values: dict[int, Value]
    gradients: dict[int, Value]
    turns: Mapping[int, Value]
    point: Mapping[str, Value]


def assigned(fn: Fn, *, every: bool = False) -> dict[int, str]:
    """The names that the program gives nodes: an assignment names the node of the text on its right; with `every`, in each turn of a
    loop that is written out.
    """
    site = fn.sites[fn.outs[0]]
    if site is None or "=" not in site.span.source.text:
        return {}
    source = site.span.source
    named = _named(source)
    found = [(i, s.span) for i, s in enumerate(fn.sites) if s and not s.order and s.span.source == source and fn.nodes[i].args]
    last = {(span.start, span.end): i for i, span in found}
    turns = [(i, (s.start, s.end), fn.nodes[i].op.infix) for i, s in found] if every else []
    whole = [(i, key) for i, key, infix in turns if infix and key in named and infix.symbol == named[key][1]]
    return {i: named[key][0] for i, key in [*whole, *[(i, key) for key, i in last.items()]] if key in named}


@lru_cache(maxsize=4)
def _named(source: Source) -> Mapping[Stretch, tuple[str, str]]:
    """Where the value of each assignment of a program stands: its name, and its operator, "" where it is none."""
    from ..syntax import parse

    return dict(_assignments(parse(source).parts))


def _assignments(statements: Sequence[Tree]) -> Iterator[tuple[Stretch, tuple[str, str]]]:
    todo = list(statements)
    while todo:
        statement = todo.pop()
        if statement.kind in ("assign", "augmented"):
            target, value = statement.parts[0], statement.parts[-1] if statement.kind == "assign" else statement
            pairs = zip(target.parts, value.parts, strict=False) if target.kind == value.kind == "tuple" else [(target, value)]
            yield from [((value.start, value.end), (name.parts[0], _symbol(value))) for name, value in pairs if name.kind == "name"]
        todo += [child for part in statement.parts if isinstance(part, tuple) for child in part if type(child) is type(statement)]


def _symbol(value: Tree) -> str:
    """The operator of a value."""
    return str(value.parts[{"binary": 0, "augmented": 1}[value.kind]]) if value.kind in ("binary", "augmented") else ""


def observe(fn: Fn, values: Mapping[str, Value], *, backward: bool = True) -> Shown:
    """Run value and reverse pass once and keep what every node of `fn` was; without `backward` only the values."""
    from ..derive.conditions import gate
    from ..derive.pull import pull

    graph = Graph(expanding=True)
    env = graph.inline(fn, {name: graph.param(name, type) for name, type in fn.params})
    targets = [env[i] for i in moving(fn)] if backward else []
    found = pull(graph, [(env[fn.outs[0]], (graph.const("1"), None))], targets)
    cotangents = {i: gate(found[i]).id if i in found else -1 for i in targets}
    outs = [Expr(graph, env[fn.outs[0]]), *[Expr(graph, c) for c in cotangents.values() if c >= 0]]
    ran = _traced(graph, fn, outs, values)
    here = [i for i in fn.needs() if env[i] in ran]
    loops = {i: out(Expr(graph, env[i]), fn.nodes[i].attr.trips) for i in here if fn.nodes[i].op is loop_}
    turns = _traced(graph, fn, list(loops.values()), values) if loops else {}
    slopes = {i: cotangents[env[i]] for i in here if env[i] in cotangents}
    shown = {i: ran[env[i]] for i in here if not is_sequence(fn.nodes[i].type)}
    gradients = {i: _zero(fn.nodes[i].type.shape) if c < 0 else ran[c] for i, c in slopes.items()}
    return Shown(shown, gradients, {i: turns[e.id] for i, e in loops.items()}, values)


def _zero(shape: tuple[int, ...]) -> Value:
    """A structural zero of a shape."""
    if not shape:
        return 0.0
    import numpy as np

    return np.zeros(shape)


def _traced(graph: Graph, fn: Fn, outs: Sequence[Expr], values: Mapping[str, Value]) -> dict[int, Value]:
    """The value of every node of a graph that ran for these results."""
    from ..derive import places
    from ..program import compile as compiled
    from ..run.point import trace

    whole = Fn(graph, fn.params, outs, [str(k) for k in range(len(outs))])
    ran = trace(compiled(whole), values)
    return {i: ran[j] for i, j in enumerate(places(whole)) if j in ran}


def moving(fn: Fn) -> list[int]:
    """The numbers that depend on a variable."""
    moving: set[int] = set()
    for i in fn.needs():
        node = fn.nodes[i]
        if node.type.kind != "bool" and node.op not in PLACES and (node.op is PARAM or any(j in moving for j in node.args)):
            moving.add(i)
    return sorted([i for i in moving if fn.nodes[i].type.kind == "real" and not is_sequence(fn.nodes[i].type)])
