"""A function, and values of its variables or none, in; what a drawing of its graph shows out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import BROADCAST, CONST, PARAM, Expr, Fn, Graph
from ..ops import OPS
from ..report import shown as written
from ..types import is_sequence
from .dot import Drawn
from .text import caption

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..report import Value
    from ..syntax import Tree

DIGITS = 12
LONGEST = 40
ROLES = ("condition", "then", "else")
SELECT = OPS["select"]


class Shown(NamedTuple):
    """The value and the gradient of every node that ran, by position."""

    values: dict[int, Value]
    gradients: dict[int, Value]


class Words(NamedTuple):
    """What the lines of a node are made of: its function, the values of a run, the names of the program, and digits."""

    fn: Fn
    shown: Shown | None
    names: Mapping[int, str]
    digits: int


def drawing(fn: Fn, shown: Shown | None = None, digits: int = DIGITS) -> list[Drawn]:
    """The nodes that the result needs, in order; with values, those that ran."""
    words = Words(fn, shown, assigned(fn), digits)
    order = [i for i in reached(fn) if (shown is None or i in shown.values) and not _stretched(fn, i)]
    place = {i: k for k, i in enumerate(order)}
    drawn = []
    for i in order:
        inputs = [(place[j], role) for j, role in zip(_inputs(fn, i), _roles(fn, i), strict=True) if j in place]
        drawn.append(Drawn(_kind(fn, i), tuple(_lines(words, i)), tuple([j for j, _ in inputs]), tuple([role for _, role in inputs])))
    return drawn


def _roles(fn: Fn, i: int) -> Sequence[str]:
    """What each argument is to a node, where their order alone does not tell."""
    node = fn.nodes[i]
    return ROLES if node.op is SELECT else [""] * len(node.args)


def assigned(fn: Fn) -> dict[int, str]:
    """The names that the program gives nodes: an assignment names the node of the text on its right."""
    site = fn.sites[fn.outs[0]]
    if site is None or "=" not in site.span.source.text:
        return {}
    from ..syntax import parse

    source = site.span.source
    named = dict(_assignments(parse(source).parts))
    found = [(i, s.span) for i, s in enumerate(fn.sites) if s and not s.order and s.span.source == source and fn.nodes[i].args]
    last = {(span.start, span.end): i for i, span in found}
    return {i: named[key] for key, i in last.items() if key in named}


def _assignments(statements: Sequence[Tree]) -> Iterator[tuple[tuple[int, int], str]]:
    """Where the value of each assignment stands, and its name."""
    todo = list(statements)
    while todo:
        statement = todo.pop()
        if statement.kind in ("assign", "augmented"):
            target, value = statement.parts[0], statement.parts[-1] if statement.kind == "assign" else statement
            pairs = zip(target.parts, value.parts, strict=False) if target.kind == value.kind == "tuple" else [(target, value)]
            yield from [((value.start, value.end), name.parts[0]) for name, value in pairs if name.kind == "name"]
        todo += [child for part in statement.parts if isinstance(part, tuple) for child in part if type(child) is type(statement)]


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


def _lines(words: Words, i: int) -> Iterable[str]:
    fn, shown, digits = words.fn, words.shown, words.digits
    name = caption(fn.nodes[i], fn.nodes)
    shape = fn.nodes[i].type.shape
    name = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    yield f"{words.names[i]}: {name}" if i in words.names else name
    if shape:
        yield f"shape {shape}"
    if shown is not None and fn.nodes[i].op is not CONST and not isinstance(shown.values[i], list):
        yield f"value {written(shown.values[i], digits)}"
        if i in shown.gradients:
            yield f"gradient {written(shown.gradients[i], digits)}"


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
