"""A tree and what is known of its variables in, a function out: names, types, static values, spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .calls import Calls
from .diagnostics import Diagnostic, Label, Span, error
from .graph import NAME, Expr, Fn, Graph, Shapes, Site
from .indexing import lower_attribute, lower_index, lower_list, lower_matmul
from .names import LATER_STATEMENTS, OPERATORS, Names
from .ops.arithmetic import eq, ne, neg, not_, real, select
from .shapes import crossed, two_numbers, unlike
from .types import REAL, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping

    from .diagnostics import Source
    from .syntax import Tree

    Rule = Callable[["Lowering", Tree], Generator[Tree, Expr, Expr]]


class Lowered(NamedTuple):
    """What a program means: `free` are its variables in the order of first appearance.

    `statics` tells where each static variable is used as a count, an order or the like;
    `assigned` are the names that the program gives a value itself.
    """

    fn: Fn
    free: tuple[str, ...]
    statics: dict[str, Span]
    assigned: tuple[str, ...]
    notes: tuple[Diagnostic, ...]


def lower(
    tree: Tree,
    source: Source,
    values: Mapping[str, Any] | None = None,
    named: Collection[str] = (),
    evaluate: Callable[[Expr, Mapping[str, Any]], float | bool] | None = None,
) -> Lowered:
    """The function that a program means.

    `values` are the values of variables, or their `Type` where the value is not known yet; `named`
    are the names that are differentiated by; `evaluate` gives a node's value from values of the
    names it reads, for static arguments. Raises `AutodiffError` with the text underlined.
    """
    lowering = Lowering(source, values or {}, named, evaluate)
    return lowering.program(tree)


class Lowering:
    """One pass over one program; the state is the graph and what its names stand for."""

    def __init__(self, source: Source, values: Mapping[str, Any], named: Collection[str], evaluate: Any) -> None:
        self.source, self.graph = source, Graph()
        self.names = Names(self.graph, source, values)
        self.calls = Calls(self.graph, self.names, evaluate)
        self.named = frozenset(named)

    def span(self, tree: Tree) -> Span:
        return Span(self.source, tree.start, tree.end)

    def program(self, tree: Tree) -> Lowered:
        """Statement by statement; the value is that of the last one."""
        statements = tree.parts
        self.names.scan(statements)
        value = None
        for statement in statements:
            value = self.statement(statement)
        if value is None:
            raise error("no-value", "the program has no value", self.span(tree), hint="end with an expression")
        names = self.names
        params = [(name, self.graph.nodes[i].type) for name, i in names.free.items()]
        fn = Fn(self.graph, params, [value], ["value"])
        return Lowered(fn, tuple(names.free), self.calls.statics, tuple(names.assigned), tuple(names.notes))

    def statement(self, tree: Tree) -> Expr | None:
        match tree.kind:
            case "expression":
                return self.expression(tree.parts[0])
            case "assign":
                return self.assign(*tree.parts)
            case "augmented":
                name, symbol, value = tree.parts
                left, right = self.expression(name), self.expression(value)
                self.graph.site = Site(self.span(tree))
                return self.bind(name, self.operator(symbol, left, right, tree))
            case "pass":
                return None
        raise error("not-yet", f"{LATER_STATEMENTS.get(tree.kind, tree.kind)} are not in this version yet", self.span(tree))

    def assign(self, target: Tree, value: Tree) -> Expr | None:
        if target.kind == "name":
            return self.bind(target, self.expression(value))
        if value.kind != "tuple" or len(value.parts) != len(target.parts):
            found = len(value.parts) if value.kind == "tuple" else 1
            raise error(
                "unpacking", f"{len(target.parts)} names and {found} value{'s' * (found != 1)}", self.span(target).to(self.span(value)),
                hint=f"write as many values as names: {', '.join(t.parts[0] for t in target.parts)} = {', '.join('…' for _ in target.parts)}",
            )  # fmt: skip
        results = [self.expression(v) for v in value.parts]
        for name, result in zip(target.parts, results, strict=True):
            last = self.bind(name, result)
        return last

    def bind(self, target: Tree, value: Expr) -> Expr:
        """An assignment; a name that is differentiated by becomes a node of its own."""
        name = target.parts[0]
        self.graph.site = Site(self.span(target))
        if name in self.named:
            value = self.graph.add(NAME, [value], (name, len(self.graph.nodes)))
        self.names.assigned[name] = value
        return value

    def expression(self, tree: Tree) -> Expr:
        """Lower a tree of any depth: rules are generators that yield the subtrees they need."""
        stack: list[Generator[Tree, Expr, Expr]] = []
        result: Any = None
        todo: Tree | None = tree
        while True:
            if todo is not None:
                leaf = LEAVES.get(todo.kind)
                if leaf is None:
                    stack.append(RULES.get(todo.kind, _later)(self, todo))
                    todo, result = None, None
                else:
                    todo, result = None, leaf(self, todo)
            if not stack:
                return result  # type: ignore[no-any-return]  # an Expr by now
            try:
                todo = stack[-1].send(result)
            except StopIteration as done:
                stack.pop()
                result = done.value
            except Shapes as failure:
                raise unlike(failure, self.here, self) from None

    def at(self, tree: Tree) -> None:
        self.graph.site = Site(Span(self.source, tree.start, tree.end))
        self.here = tree

    def note(self, found: Diagnostic | None) -> None:
        """Keep what is worth saying; once."""
        if found is not None and found not in self.names.notes:
            self.names.notes.append(found)

    def number(self, tree: Tree) -> Expr:
        self.at(tree)
        text = tree.parts[0]
        if float(text) == float("inf"):
            self.names.notes.append(
                Diagnostic("infinite-literal", f"`{text}` is above the largest float64 and counts as inf", (Label(self.span(tree)),), severity="warning")
            )
        return self.graph.const(text)

    def name(self, tree: Tree) -> Expr:
        self.at(tree)
        return self.names.read(tree.parts[0], self.span(tree))

    def operator(self, symbol: str, left: Expr, right: Expr, tree: Tree) -> Expr:
        """A binary operator over two lowered operands."""
        if symbol in ("&", "|"):
            for side in (left, right):
                if side.type.kind != "bool":
                    raise error("needs-condition", f"`{symbol}` joins conditions, and this is a number", self.span(tree), hint=f"(x > 0) {symbol} (x < 1)")
            return left & right if symbol == "&" else left | right  # type: ignore[no-any-return]  # expressions build expressions
        op = OPERATORS.get(symbol)
        if op is None:
            raise error("not-yet", f"arrays, and so `{symbol}`, are not in this version yet", self.span(tree))
        return self.graph.add(op, [self.real(left), self.real(right)])

    def real(self, value: Expr) -> Expr:
        """A condition in arithmetic is 1.0 or 0.0."""
        return real(value) if value.type.kind == "bool" else value  # type: ignore[no-any-return]  # expressions build expressions

    def truth(self, value: Expr) -> Expr:
        """A number counts as true when it is not 0."""
        return value if value.type.kind == "bool" else ne(value, 0)  # type: ignore[no-any-return]  # expressions build expressions

    def choose(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        """`a if condition else b`; where one arm is a number and the other a condition, both are numbers."""
        if a.type.kind != b.type.kind:
            a, b = self.real(a), self.real(b)
        return select(self.truth(condition), a, b)  # type: ignore[no-any-return]  # expressions build expressions


def _binary(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    symbol, left, right = tree.parts
    if symbol == "@":
        return (yield from lower_matmul(self, tree))
    a = yield left
    b = yield right
    self.at(tree)
    if symbol == "-" and a.type.shape and b.type.shape:
        self.note(crossed(((left, a), (right, b)), self.span(tree)))
    return self.operator(symbol, a, b, tree)


def _unary(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    symbol, operand = tree.parts
    value = yield operand
    self.at(tree)
    if symbol == "not" or (symbol == "~" and value.type.kind == "bool"):
        return not_(self.truth(value))  # type: ignore[no-any-return]  # expressions build expressions
    if symbol == "~":
        raise error("needs-condition", "`~` negates a condition, and this is a number", self.span(tree), hint="~(x > 0)")
    return self.real(value) if symbol == "+" else neg(self.real(value))


def _compare(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    left = yield tree.parts[0]
    result = None
    for symbol, part in zip(tree.parts[1::2], tree.parts[2::2], strict=True):
        right = yield part
        self.at(tree)
        if symbol not in OPERATORS:
            raise error("not-yet", f"lists, and so `{symbol}`, are not in this version yet", self.span(tree))
        link = self.graph.add(OPERATORS[symbol], [self.real(left), self.real(right)])
        result = link if result is None else result & link
        left = right
    return result  # type: ignore[return-value]  # a comparison has two sides


def _and(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    a = yield tree.parts[0]
    b = yield tree.parts[1]
    self.at(tree)
    return self.choose(a, b, a) if a.type.kind == "real" or b.type.kind == "real" else a & b


def _or(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    a = yield tree.parts[0]
    b = yield tree.parts[1]
    self.at(tree)
    return self.choose(a, a, b) if a.type.kind == "real" or b.type.kind == "real" else a | b


def _ifelse(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    condition = yield tree.parts[0]
    a = yield tree.parts[1]
    b = yield tree.parts[2]
    self.at(tree)
    return self.choose(condition, a, b)


def _call(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    callee, args, keywords = tree.parts
    if callee.kind == "name" and callee.parts[0] == "col":
        return self.names.column(tree, self.span(tree))
    function = self.calls.function(callee, tree, self)
    bound = self.calls.bind(function, tree, self)
    lowered: dict[str, list[Any]] = {}
    for parameter, argument in bound:
        if parameter.static:
            two_numbers(function, parameter, tree, lowered, self)
            lower_argument = _static(self, argument, f"`{parameter.name}` of `{function.name}`")
        else:
            lower_argument = _parts(argument) if parameter.name == "parts" and argument.kind == "list" else _value(argument)
        lowered.setdefault(parameter.name, []).append((yield from lower_argument))
    self.at(tree)
    return self.calls.make(function, lowered, tree, self)


def _value(argument: Tree) -> Generator[Tree, Expr, Any]:
    """An argument that is an array or a number."""
    return argument.parts[0] if argument.kind == "string" else (yield argument)


def _parts(argument: Tree) -> Generator[Tree, Expr, Any]:
    """A list of arrays whose shapes may differ."""
    found = []
    for part in argument.parts:
        found.append((yield part))
    return found


WORDS: dict[str, Any] = {"None": None, "True": True, "False": False}


def _static(self: Lowering, argument: Tree, what: str) -> Generator[Tree, Expr, Any]:
    """An argument that must be known before the graph is made: a number, a text, None or several of these."""
    if argument.kind == "string":
        return argument.parts[0]
    if argument.kind == "name" and argument.parts[0] in WORDS:
        return WORDS[argument.parts[0]]
    if argument.kind in ("tuple", "list"):
        found = []
        for part in argument.parts:
            found.append((yield from _static(self, part, what)))
        return tuple(found)
    return self.calls.static((yield argument), self.span(argument), what)


def _later(self: Lowering, tree: Tree) -> Generator[Tree, Expr, Expr]:
    what = {"string": "a string", "attribute": "this"}.get(tree.kind)
    if what is None:
        raise error("not-yet", "arrays are not in this version yet", self.span(tree))
    raise error("no-value", f"{what} is no number", self.span(tree))
    yield tree


LEAVES: dict[str, Callable[[Lowering, Tree], Expr]] = {"number": Lowering.number, "name": Lowering.name}
RULES: dict[str, Rule] = {
    "and": _and,
    "attribute": lower_attribute,
    "binary": _binary,
    "call": _call,
    "compare": _compare,
    "ifelse": _ifelse,
    "index": lower_index,
    "list": lower_list,
    "or": _or,
    "unary": _unary,
}
__all__ = ["REAL", "Lowered", "Type", "eq", "lower"]
