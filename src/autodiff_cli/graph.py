"""The graph: a flat, append-only, interned arena of nodes, and the frozen functions cut from it.

A node is its position in a list; its arguments have smaller positions, so every walk is a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .constants import canonical, whole
from .op import OPS, Formula, Infix, NoDerivative, Op, Operators, Parameter, When
from .types import BOOL, EACH, REAL, Type, broadcast

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from .diagnostics import Span


class Site(NamedTuple):
    """The text a node came from; `order` counts the derivatives between that text and the node."""

    span: Span
    order: int = 0


class Called(NamedTuple):
    """A call of a function of the program: its name, the text of the call, and its number among all calls."""

    name: str
    span: Span
    number: int


class Shapes(Exception):
    """Operands whose shapes have no common one."""

    def __init__(self, shapes: list[tuple[int, ...]]) -> None:
        super().__init__(shapes)
        self.shapes = shapes


class Expr(Operators):
    """A handle on a node of a graph."""

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, id: int) -> None:
        self.graph, self.id = graph, id

    @property
    def node(self) -> Node:
        return self.graph.nodes[self.id]

    @property
    def type(self) -> Type:
        return self.graph.nodes[self.id].type

    @property
    def args(self) -> list[Expr]:
        return [Expr(self.graph, i) for i in self.node.args]

    @property
    def text(self) -> str | None:
        """The decimal text of a constant, also of a stretched one (or `pi`, `True` …); None for any other node."""
        op, args, attr, _ = self.graph.nodes[self.id]
        return attr if op is CONST else Expr(self.graph, args[0]).text if op is BROADCAST else None

    @property
    def whole(self) -> int | None:
        """The value of a whole constant."""
        op = self.graph.nodes[self.id].op
        if op is not CONST and op is not BROADCAST:
            return None
        text = self.text
        return None if text is None else whole(text)

    def __repr__(self) -> str:
        return f"%{self.id}"


class Node(NamedTuple):
    """An operation, the positions of its arguments, its static attribute and its type."""

    op: Op
    args: tuple[int, ...]
    attr: Any
    type: Type


class Graph:
    """An append-only builder. The same op over the same arguments is the same node."""

    __slots__ = ("calls", "expanding", "ids", "known", "nodes", "numbers", "partials", "path", "shaped", "site", "sites")

    def __init__(self, *, expanding: bool = False) -> None:
        self.nodes: list[Node] = []
        self.sites: list[Site | None] = []
        self.calls: list[tuple[Called, ...]] = []
        self.path: tuple[Called, ...] = ()
        self.ids: dict[tuple[Any, ...], int] = {}
        self.site: Site | None = None
        self.expanding = expanding
        self.shaped = False
        self.known: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.partials: dict[tuple[int, int], Any] = {}

    def intern(self, op: Op, args: tuple[int, ...], attr: Any = None, type: Type | None = None) -> int:
        """The position of the node, made now if it is new; the first writing wins the site."""
        key = (op, args, attr)
        found = self.ids.get(key)
        if found is None:
            node = Node(op, args, attr, type or self._type(op, args, attr))
            found = self.ids[key] = len(self.nodes)
            self.nodes.append(node)
            self.sites.append(self.site)
            self.calls.append(self.path)
            if node.type.shape and node.type.shape[0] != EACH:
                self.shaped = True
        return found

    def _type(self, op: Op, args: tuple[int, ...], attr: Any) -> Type:
        types = [self.nodes[i].type for i in args]
        if op.typed is not None:
            return op.typed(attr, *types)
        shape = types[0].shape
        if not shape:
            return BOOL if op.kind == "bool" else REAL
        return Type(op.kind, shape)  # type: ignore[arg-type]  # ops are "real" or "bool"

    def add(self, op: Op, args: Sequence[Expr], attr: Hashable = None) -> Expr:
        """The node `op(*args)`, folded where a reader would not tell; in an expanding graph a
        composite is its expression. Operands of elementwise ops are stretched to one shape.
        """
        if self.shaped and op.aligned:
            args = self.align(args)
        if self.expanding and op.expand is not None:
            return self.lift(op.expand(*args) if attr is None else op.expand(*args, attr))
        if op.fold is not None:
            folded = op.fold(*args) if attr is None else op.fold(*args, attr)
            if folded is not None:
                return self.broadcast(folded, args[-1].type.shape) if self.shaped and op.aligned else folded
        return Expr(self, self.intern(op, tuple([a.id for a in args]), attr))

    def align(self, args: Sequence[Expr]) -> Sequence[Expr]:
        """The operands stretched to their common shape; one condition over arrays stays one condition."""
        if len(args) == 3 and not args[0].type.shape and args[0].type.kind == "bool" and args[1].type.shape:
            return [args[0], *self.align(args[1:])]
        shapes = [a.type.shape for a in args]
        if all(shape == shapes[0] for shape in shapes):
            return args
        common = broadcast(*shapes)
        if common is None:
            raise Shapes(shapes)
        return [self.broadcast(a, common) for a in args]

    def broadcast(self, x: Expr, shape: tuple[int, ...]) -> Expr:
        """The node stretched to a shape, as NumPy stretches."""
        if x.type.shape == shape:
            return x
        if x.node.op is BROADCAST:
            x = x.args[0]
        return Expr(self, self.intern(BROADCAST, (x.id,), shape))

    def const(self, text: str) -> Expr:
        """A constant, by its decimal text, `pi`, `e`, `inf`, `nan`, `True` or `False`."""
        kind = BOOL if text in ("True", "False") else REAL
        return Expr(self, self.intern(CONST, (), canonical(text), kind))

    def param(self, name: str, type: Type = REAL) -> Expr:
        """The input called `name`."""
        return Expr(self, self.intern(PARAM, (), name, type))

    def lift(self, value: Any) -> Expr:
        """A node for what a rule wrote: an expression, a formula, a number or a truth value."""
        kind = type(value)
        if kind is Expr:
            return value  # type: ignore[no-any-return]
        if kind is Formula:
            return self._lift_formula(value)
        if kind is int:
            if value not in self.numbers:
                self.numbers[value] = self.const(str(value)).id
            return Expr(self, self.numbers[value])
        return self.const(str(value) if kind is bool else repr(value) if isinstance(value, float) else value)

    def _lift_formula(self, value: Formula) -> Expr:
        if value.op is CONST:
            return self.const(value.attr)  # type: ignore[arg-type]
        return self.add(value.op, [self.lift(a) for a in value.args], value.attr)

    def inline(self, fn: Fn, args: dict[str, Expr]) -> list[int]:
        """Write the nodes of `fn` here with `args` for its parameters; their positions, in order."""
        env: list[int] = []
        outer = self.site
        for (op, ids, attr, type), site in zip(fn.nodes, fn.sites, strict=True):
            self.site = site
            if op is PARAM:
                env.append(args[attr].id if attr in args else self.intern(PARAM, (), attr, type))
            elif op.expand is not None and self.expanding:
                env.append(self.add(op, [Expr(self, env[i]) for i in ids], attr).id)
            else:
                env.append(self.intern(op, tuple([env[i] for i in ids]), attr, type))
        self.site = outer
        return env


class Fn:
    """A frozen function: named inputs, a flat body, named outputs.

    `params` are (name, type) in order, `outs` the positions of the results, `names` what they are
    called; `sites` and `calls` tell of each node where it was written and in which calls. `cache` holds what was derived or compiled from it.
    """

    __slots__ = ("cache", "calls", "names", "nodes", "outs", "params", "sites")

    def __init__(self, graph: Graph, params: Iterable[tuple[str, Type]], outs: Sequence[Expr], names: Sequence[str]) -> None:
        self.nodes, self.sites, self.calls = graph.nodes, graph.sites, graph.calls
        self.params = tuple(params)
        self.outs = tuple([o.id for o in outs])
        self.names = tuple(names)
        self.cache: dict[Any, Any] = {}

    def only(self, k: int) -> Fn:
        """The function with just its result k; made once."""
        key = ("only", k)
        if key not in self.cache:
            self.cache[key] = Fn(self, self.params, [Expr(self, self.outs[k])], [self.names[k]])  # type: ignore[arg-type]  # a frozen graph
        return self.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing

    def __getstate__(self) -> tuple[Any, ...]:
        return (self.nodes, self.sites, self.calls, self.params, self.outs, self.names)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.nodes, self.sites, self.calls, self.params, self.outs, self.names = state
        self.cache = {}

    def needs(self) -> list[int]:
        """The nodes that the results need, in order."""
        return needed(self.nodes, self.outs)

    def content(self) -> tuple[Any, ...]:
        """What the function does, whatever else stands in its graph: equal functions have equal contents."""
        if "content" not in self.cache:
            place = {i: k for k, i in enumerate(self.needs())}
            nodes = [self.nodes[i] for i in place]
            body = tuple([(op, tuple([place[j] for j in args]), attr, type) for op, args, attr, type in nodes])
            self.cache["content"] = (self.params, body, tuple([place[o] for o in self.outs]))
        return self.cache["content"]  # type: ignore[no-any-return]  # the cache holds any derived thing

    def called(self, names: Sequence[str]) -> Fn:
        """The same function with these names for its results."""
        if tuple(names) == self.names:
            return self
        return Fn(self, self.params, [Expr(self, o) for o in self.outs], names)  # type: ignore[arg-type]  # a frozen graph

    def open(self) -> tuple[Graph, list[Expr], dict[str, Expr]]:
        """A new graph with this function in it, composites expanded: the graph, the results, the inputs."""
        graph = Graph(expanding=True)
        env = graph.inline(self, {})
        inputs = {name: graph.param(name, type) for name, type in self.params}
        return graph, [Expr(graph, env[o]) for o in self.outs], inputs

    def within(self, graph: Graph) -> tuple[Graph, list[Expr], dict[str, Expr]]:
        """The same in the graph that this function was cut from, which may go on growing."""
        return graph, [Expr(graph, o) for o in self.outs], {name: graph.param(name, type) for name, type in self.params}


def needed(nodes: Sequence[Node], outs: Sequence[int]) -> list[int]:
    """The nodes that `outs` need, in order."""
    found = bytearray(len(nodes))
    for i in outs:
        found[i] = 1
    for i in range(max(outs, default=-1), -1, -1):
        if found[i]:
            for j in nodes[i].args:
                found[j] = 1
    return [i for i, wanted in enumerate(found) if wanted]


CONST = Op("const", "leaf")
PARAM = Op("param", "leaf")
NAME = OPS["name"] = Op(
    "name", "elementwise", d=(lambda _x, _attr: 1,), hidden=True, doc="a name that is differentiated by: its own node, not its value",
)  # fmt: skip
BROADCAST = OPS["broadcast"] = Op(
    "broadcast", "linear", hidden=True, doc="stretched to a shape, as NumPy stretches", typed=lambda shape, x: Type(x.kind, shape),
)  # fmt: skip
PI = Formula(CONST, (), "pi")
E = Formula(CONST, (), "e")
INF = Formula(CONST, (), "inf")
NAN = Formula(CONST, (), "nan")
__all__ = ["OPS", "Formula", "Infix", "NoDerivative", "Op", "Operators", "Parameter", "When"]
