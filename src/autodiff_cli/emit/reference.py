"""The op table in; what people and machines read of a function out: meaning, derivative, domain, example and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Source
from ..graph import Expr, Fn, Graph
from ..ops import OPS
from ..ops.usage import usage
from ..report import Listing
from ..report import shown as shown_value
from ..types import BOOL, REAL
from .text import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..graph import Node, Op

DIGITS = 12
LONGEST = 160
COLUMNS = ("name", "aliases", "doc", "derivative", "domain", "example", "result")
GUARD = OPS["guard"]
ALWAYS = "all real numbers"
BY_PARTIALS = ("elementwise", "composite", "structured")


class Function(NamedTuple):
    """One function as the reference shows it; `derivative` has the text by each argument."""

    name: str
    usage: str
    aliases: tuple[str, ...]
    doc: str
    derivative: dict[str, str]
    domain: str
    example: str

    @property
    def result(self) -> str:
        """The value of the example, for people; nothing where it cannot be computed."""
        try:
            return result(self.example)
        except Exception:  # noqa: BLE001 (one broken entry must not hide the others)
            return ""

    def document(self) -> dict[str, Any]:
        """The object that JSON shows."""
        return {**dict(zip(COLUMNS, (self.name, list(self.aliases), *self[3:], self.result), strict=True))}


def shown() -> list[Op]:
    """The ops that people can write, by name."""
    return sorted((op for op in OPS.values() if not op.hidden and op.doc), key=lambda op: (op.infix is not None, op.name))


def names() -> list[str]:
    """Every name, alias and operator."""
    return [name for op in shown() for name in spelled(op)]


def spelled(op: Op) -> list[str]:
    """What the language calls an op: its name and aliases, and its operator; the first is the one to show."""
    callable_ = op.infix is None or op.call is not None
    return ([op.name, *op.aliases] if callable_ else []) + ([op.infix.symbol] if op.infix else [])


def entries(names: Sequence[str] | None = None) -> Iterator[Function]:
    """All functions, or those called so, in that order."""
    for op in shown():
        words = spelled(op)
        if not names or not set(names).isdisjoint(words):
            yield Function(
                words[0],
                usage(op),
                tuple(words[1:]),
                op.doc,
                _rules(op),
                op.domain or (ALWAYS if op.rule in BY_PARTIALS else ""),
                op.example,
            )


def _rules(op: Op) -> dict[str, str]:
    try:
        return dict(derivative(op))
    except Exception:  # noqa: BLE001 (one broken entry must not hide the others)
        return {}


def listing(names: Sequence[str] | None = None, *, people: bool = False) -> Listing:
    """The table of functions: for people how each is called and what it means, for machines everything."""
    titles = ("function", "meaning", "aliases")
    if people:
        found = [op for op in shown() if not names or not set(names).isdisjoint(spelled(op))]
        return Listing(COLUMNS, [], titles, [(usage(op), op.doc, " ".join(spelled(op)[1:])) for op in found])
    rows = [(f.name, " ".join(f.aliases), f.doc, _joined(f.derivative), f.domain, f.example, f.result) for f in entries(names)]
    return Listing(COLUMNS, rows, titles, [])


def detail(names: Sequence[str]) -> str:
    """These functions, for people."""
    return "\n".join([_detail(found) for found in entries(names)])


def _detail(found: Function) -> str:
    lines = [("", found.usage), ("meaning", found.doc)]
    lines += [("aliases", ", ".join(found.aliases))] if found.aliases else []
    lines += [(f"by {argument}", rule) for argument, rule in found.derivative.items()]
    lines += [("domain", found.domain)] if found.domain else []
    width = max(9, max(len(title) for title, _ in lines) + 2)
    lines += [("example", f"{found.example} = {found.result}")]
    return "".join([f"{title:<{width}}{line}\n" if title else f"{line}\n" for title, line in lines])


def _joined(rules: dict[str, str]) -> str:
    return "; ".join([f"by {name}: {rule}" for name, rule in rules.items()])


def derivative(op: Op) -> Iterator[tuple[str, str]]:
    """The partial by each argument as text of the language; functions of arrays have no such text."""
    if op.rule not in BY_PARTIALS:
        return
    fn, value = _call(op)
    names = [name for name, kind in fn.params if kind.kind == "real" and value.type.kind == "real"]
    for name in [*names, *[name for name in op.written if name not in names]]:
        yield name, op.written[name] if name in op.written else _partial(fn, name)


def _call(op: Op) -> tuple[Fn, Expr]:
    """The op over variables named as its parameters, with the static arguments of its example."""
    node, nodes = _example(op)
    graph = Graph()
    if node is None:
        count = len(op.d) or sum(not p.static and not p.variadic for p in op.parameters)
        attr, types = None, [BOOL if op.name == "not" or name == "condition" else REAL for name in _argument_names(op, count)]
    else:
        attr, types = node.attr, [nodes[i].type for i in node.args]
    inputs = [graph.param(name, type) for name, type in zip(_argument_names(op, len(types)), types, strict=True)]
    value = Expr(graph, graph.intern(op, tuple([x.id for x in inputs]), attr))
    return Fn(graph, [(x.node.attr, x.type) for x in inputs], [value], ["value"]), value


def _partial(fn: Fn, name: str) -> str:
    from ..derive import gradient

    try:
        found = gradient(fn, [name])
    except AutodiffError:
        return "none"
    return text(_unguarded(found), found.outs[1], LONGEST)


def _unguarded(fn: Fn) -> list[Node]:
    """The nodes with guards read over: that a derivative is NaN where the value is goes without saying."""
    nodes: list[Node] = []
    for node in fn.nodes:
        nodes.append(nodes[node.args[0]] if node.op is GUARD else node)
    return nodes


def _argument_names(op: Op, count: int) -> list[str]:
    names_ = [p.name for p in op.parameters if not p.static and not p.variadic]
    if len(names_) < min(count, 2):
        names_ = ["x", "y"]
    return names_[:count] + [f"x{k + 1}" for k in range(len(names_), count)]


def _example(op: Op) -> tuple[Any, list[Any]]:
    """The node of the op in its own example: it has the static arguments that the rule is shown for."""
    lowered = _lowered(op.example) if op.example else None
    if lowered is None:
        return None, []
    found = [node for node in lowered.fn.nodes if node.op is op]
    return (found[-1] if found else None), lowered.fn.nodes


def _lowered(example: str) -> Any:
    from ..lower import lower
    from ..run.floats import constant
    from ..syntax import parse

    source = Source("example", example)
    return lower(parse(source), source, {}, (), constant)


def result(example: str) -> str:
    """The value of an example, for people."""
    from ..run.point import evaluate

    (value,) = evaluate(_lowered(example).fn, {})
    return str(value) if isinstance(value, bool) else " ".join(shown_value(value, DIGITS).split()).replace("[ ", "[")
