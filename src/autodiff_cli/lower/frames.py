"""Where lowering stands: the graph of the program or of a loop's body, and what it takes from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import PARAM, Expr, Graph
from ..syntax.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..diagnostics import Span
    from ..syntax import Tree
    from .scopes import Scope
    from .tangents import Wanted

OPAQUE = ("loop", "out", "call", "random")


class Unroll(Exception):
    """A loop cannot be one node: what forced it, where, and what to write for a loop on data."""

    def __init__(self, why: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(why)
        self.why, self.span, self.hint = why, span, hint


class Again(Exception):
    """The last turn of the loop at this place that set a name has to be written out."""

    def __init__(self, loop: Span, name: str) -> None:
        super().__init__(loop, name)
        self.loop, self.name = loop, name


class Endless(Exception):
    """A recursion does not end by the conditions that are known beforehand: those on data end it."""


class Unset(NamedTuple):
    """A name that is set on one way through the program and not on another: not where `off` holds, elsewhere it is `value`."""

    name: str
    span: Span | None
    value: Any = None
    off: Expr | None = None


class Function:
    """A function of the program: its parameters, the values of their defaults, its statements, where it was made, the user's own rule."""

    __slots__ = ("body", "defaults", "locals", "name", "params", "rule", "scope", "source", "span", "tree")

    def __init__(self, tree: Tree, source: Any, span: Span, scope: Scope, defaults: dict[str, Any]) -> None:
        name, params, body, _ = tree.parts
        self.tree, self.source, self.span, self.name, self.body = tree, source, span, name, body
        self.params = tuple([p.parts[0] for p in params])
        self.scope, self.defaults = scope, defaults
        self.locals = frozenset(self.params) | assigned_in(body)
        self.rule: tuple[str, Function] | None = None

    def held(self, _: str) -> Any:
        """Its rule, as something that a call reads."""
        return self.rule

    def with_rule(self, rule: tuple[str, Function]) -> Function:
        """The same function, with a rule, as another one."""
        copy = Function(self.tree, self.source, self.span, self.scope, self.defaults)
        copy.rule = rule
        return copy


class Choice:
    """The function `a` where a condition holds, else `b`."""

    __slots__ = ("a", "b", "condition", "name", "params")

    def __init__(self, condition: Expr, a: Any, b: Any) -> None:
        self.condition, self.a, self.b = condition, a, b
        self.name, self.params = a.name, a.params


class Builtin:
    """A function of the language as a value."""

    __slots__ = ("name", "params")

    def __init__(self, name: str) -> None:
        self.name, self.params = name, ("x",)


CALLABLE = (Function, Choice, Builtin)


def functions_of(value: Any) -> Iterator[Function]:
    """The functions of the program that a value may be."""
    todo = [value]
    while todo:
        found = todo.pop()
        if isinstance(found, Choice):
            todo += [found.a, found.b]
        elif isinstance(found, Function):
            yield found


class Frame:
    """A graph under construction; `captures` are the nodes of the frame outside that a body reads.

    Of a loop: `names` of its carries, what they start from (`carried`), its items (`scanned`), and the tangents of its carries at the
    start of a turn, by variable; `first` says whether a name still is the variable from before the loop.
    """

    def __init__(self, parent: Frame | None = None, captures: dict[int, Expr] | None = None, *, expanding: bool = False) -> None:
        self.graph, self.parent = Graph(expanding=expanding), parent
        self.graph.path = parent.graph.path if parent else ()
        self.captures: dict[int, Expr] = {} if captures is None else captures
        self.fixed: list[bool] = []
        self.carried: list[Expr] = []
        self.scanned: list[Expr] = []
        self.names: list[str] = []
        self.wanted: Wanted | None = None
        self.tangents: dict[Any, dict[str, Any]] = {}
        self.first: dict[Any, Expr] = {}

    def local(self, value: Any) -> Any:
        """A value as it is read in this frame: nodes of frames outside become constants of the body."""
        if isinstance(value, Expr):
            return value if value.graph is self.graph else self._capture(value)
        return tuple([self.local(v) for v in value]) if type(value) is tuple else value

    def _capture(self, value: Expr) -> Expr:
        chain: list[Frame] = []
        frame: Frame = self
        while frame.graph is not value.graph:
            chain.append(frame)
            if frame.parent is None:
                raise RuntimeError("a node of no frame in sight")
            frame = frame.parent
        for inner in reversed(chain):
            value = inner.take(value)
        return value

    def take(self, outside: Expr) -> Expr:
        """A node of the frame outside as a node here: written again if it is a constant, else a parameter of the body."""
        if outside.text is not None:
            return self.graph.broadcast(self.graph.const(outside.text), outside.type.shape)
        node = outside.node
        if node.op.rule == "leaf" and node.op is not PARAM:
            return Expr(self.graph, self.graph.intern(node.op, (), node.attr, node.type))
        place = list(self.captures).index(outside.id) if outside.id in self.captures else len(self.captures)
        self.captures[outside.id] = outside
        return self.graph.param(f"k{place}", outside.type)

    def outside(self, letter: str, k: int) -> Expr:
        """What constant or item k of a body is in the frame outside."""
        return list(self.captures.values())[k] if letter == "k" else self.scanned[k]

    def is_fixed(self, value: Expr) -> bool:
        """Whether a node depends on no parameter at all."""
        nodes, fixed = self.graph.nodes, self.fixed
        for i in range(len(fixed), len(nodes)):
            op, args, _, _ = nodes[i]
            fixed.append(op is not PARAM and op.name not in OPAQUE and all([fixed[j] for j in args]))
        return fixed[value.id]

    def below(self, value: Expr, *, numbers: bool = False) -> set[int]:
        """The nodes that a node is made of, and itself; with `numbers` those alone that are reached by way of numbers."""
        nodes, seen, todo = self.graph.nodes, {value.id}, [value.id]
        while todo:
            for j in nodes[todo.pop()].args:
                if j not in seen and not (numbers and nodes[j].type.kind == "bool"):
                    seen.add(j)
                    todo.append(j)
        return seen

    def inputs(self, value: Expr) -> list[str]:
        """The parameters that a node reads."""
        nodes = self.graph.nodes
        return [nodes[i].attr for i in sorted(self.below(value)) if nodes[i].op is PARAM]


def assigned_in(body: tuple[Tree, ...]) -> frozenset[str]:
    """The names that statements assign, in blocks of them too."""
    found: set[str] = set()
    todo = list(body)
    while todo:
        tree = todo.pop()
        match tree.kind:
            case "assign" | "augmented" | "for":
                found.update(target_names(tree.parts[0]))
            case "def":
                found.add(tree.parts[0])
        if tree.kind in ("if", "while", "for"):
            todo += [child for part in tree.parts if type(part) is tuple for child in part]
    return frozenset(found)


def target_names(target: Tree) -> list[str]:
    """The names of a target, also of a nested tuple."""
    found, todo = [], [target]
    while todo:
        tree = todo.pop()
        if tree.kind == "tuple":
            todo += reversed(tree.parts)
        else:
            found.append(tree.parts[0])
    return found


def names_in(trees: Any) -> set[str]:
    """Every name that stands in trees."""
    return {tree.parts[0] for tree in walk(*trees) if tree.kind == "name"}


def called_in(trees: Any) -> set[str]:
    """Every name that is called in trees."""
    return {tree.parts[0].parts[0] for tree in walk(*trees) if tree.kind == "call" and tree.parts[0].kind == "name"}
