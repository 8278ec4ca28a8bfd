"""A tree and what is known of its variables in, a function out: names, types, static values, spans."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Diagnostic, Exit, Span, did_you_mean, error
from ..graph import Expr, Fn, Graph, Shapes, Site
from ..ops.arithmetic import ne, real, select
from ..ops.matrix import product
from ..ops.structured import TURNS
from ..syntax.tree import walk
from . import functions, statements
from .calls import Calls
from .expressions import LEAVES, RULES, later
from .frames import Again, Frame, Function, Unroll, assigned_in, names_in
from .inner import WORDS
from .names import OPERATORS, Names
from .shapes import crossed, underlined, unlike
from .total import total
from .truth import certain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping

    from ..diagnostics import Source
    from ..syntax import Tree


class Lowered(NamedTuple):
    """What a program means: `free` are its variables in the order of first appearance.

    `statics` tells where each static variable is used as a count, an order or the like;
    `assigned` are the names that the program gives a value itself, `calls` how often each of its functions was written out.
    """

    fn: Fn
    free: tuple[str, ...]
    statics: dict[str, Span]
    assigned: tuple[str, ...]
    notes: tuple[Diagnostic, ...]
    calls: dict[str, int]


def lower(  # noqa: PLR0913, PLR0917 (what a program may be read with)
    tree: Tree,
    source: Source,
    values: Mapping[str, Any] | None = None,
    named: Collection[str] = (),
    evaluate: Callable[[Expr, Mapping[str, Any]], float | bool] | None = None,
    call: str | None = None,
    turns: int | None = None,
) -> Lowered:
    """The function that a program means.

    `values` are the values of variables, or their `Type` where the value is not known yet; `named`
    are the names that are differentiated by; `evaluate` gives a node's value from values of the
    names it reads, for static arguments; `call` makes a function of the program its value; a loop on
    data ends with an error after `turns`. Raises `AutodiffError` with the text underlined.
    """
    unrolled: set[Span] = set()
    while True:
        lowering = Lowering(source, values or {}, named, evaluate)
        lowering.turns, lowering.unrolled = turns or TURNS, frozenset(unrolled)
        try:
            return lowering.program(tree, call)
        except Again as again:
            unrolled.add(again.loop)


class Lowering:
    """One pass over one program; the state is the frame, and what names stand for in it."""

    def __init__(self, source: Source, values: Mapping[str, Any], named: Collection[str], evaluate: Any) -> None:
        self.source, self.frame = source, Frame()
        self.root = self.frame
        self.names = Names(self, source, values)
        self.calls = Calls(self, evaluate)
        self.asked = self.named = frozenset(named)
        self.here: Any = None
        self.turns = TURNS
        self.unrolled: frozenset[Span] = frozenset()
        self.loops: dict[tuple[Graph, int], Span] = {}
        self.made: dict[Any, Any] = {}
        self.written: Counter[str] = Counter()
        self.active: list[tuple[Function, Span]] = []
        self.ruling: list[Any] = []
        self.never: list[Expr] = []
        self._mentions: Counter[str] = Counter()

    @property
    def graph(self) -> Graph:
        return self.frame.graph

    def span(self, tree: Tree) -> Span:
        return Span(self.source, tree.start, tree.end)

    def program(self, tree: Tree, call: str | None = None) -> Lowered:
        """Statement by statement; the value is that of the last one, or of the function `call`."""
        self.look_over(tree)
        value = self.drive(statements.block(self, tree.parts))
        names = self.names
        if call is not None:
            value = self.drive(self.call_named(call, tree))
        elif not tree.parts or tree.parts[-1].kind not in ("expression", "assign", "augmented"):
            raise self.no_value(tree)
        value = self.expr(value, tree.parts[-1] if tree.parts else tree)
        for name in self.asked & set(names.env):
            if isinstance(names.env[name], Expr):
                total(self, value, names.env[name], name, self.span(tree))
        params = [(name, self.root.graph.nodes[i].type) for name, i in names.free.items()]
        fn = Fn(self.root.graph, params, [value], ["value"])
        assigned = tuple([n for n, v in names.env.items() if isinstance(v, Expr) and not n.startswith("@")])
        return Lowered(fn, tuple(names.free), self.calls.statics, assigned, tuple(names.notes), dict(self.written))

    def look_over(self, tree: Tree) -> None:
        """One scan before lowering: constants that are assigned, names that are differentiated by, mentions."""
        self.names.scan(tree.parts)
        inner: set[str] = set()
        for item in walk(tree):
            if item.kind == "name":
                self._mentions[item.parts[0]] += 1
            elif item.kind == "call" and item.parts[0].kind == "name" and item.parts[0].parts[0] in WORDS and len(item.parts[1]) > 1:
                self.root.graph.expanding = True
                by = item.parts[1][1]
                inner.update(n.parts[0] for n in (by.parts if by.kind in ("list", "tuple") else (by,)) if n.kind == "name")
        self.named |= inner

    def mentions(self, name: str) -> int:
        """How often a name stands in the program."""
        return self._mentions[name]

    def no_value(self, tree: Tree) -> AutodiffError:
        """A program that ends in a block or a definition: the name to add."""
        if not tree.parts:
            return error("no-value", "the program has no value", self.span(tree), hint="end with an expression")
        last = tree.parts[-1]
        names = sorted(assigned_in((last,))) if last.kind != "def" else [last.parts[0] + "(…)"]
        word = {"def": "a function", "for": "a loop", "while": "a loop", "if": "an `if`"}.get(last.kind, f"`{last.kind}`")
        return error(
            "no-value",
            f"the program ends in {word}, which has no value",
            self.span(last),
            hint=f"add a last line: {names[-1] if names else 'the name of the result'}",
        )

    def call_named(self, name: str, tree: Tree) -> Generator[Any, Any, Any]:
        """The function `name` over variables called like its parameters."""
        function = self.names.functions.get(name)
        if function is None:
            near = did_you_mean(name, self.names.functions)
            raise error("unknown-name", f"the program has no function `{name}`", hint=f"--call {near}" if near else None, exit=Exit.USAGE)
        bound: dict[str, Any] = {}
        for param in function.params:
            default = function.defaults.get(param)
            bound[param] = (
                (yield default) if default is not None and param not in self.names.values else self.names.variable(param, function.span)
            )
        return (yield functions.apply(self, function, bound, tree))

    def drive(self, first: Generator[Any, Any, Any]) -> Any:
        """Run a task of any depth: tasks are generators that yield the trees and tasks they need."""
        stack, result = [first], None
        failure: AutodiffError | Unroll | None = None
        while stack:
            try:
                todo = stack[-1].send(result) if failure is None else stack[-1].throw(failure)
            except StopIteration as done:
                stack.pop()
                result, failure = done.value, None
                continue
            except Shapes as shapes:
                stack.pop()
                result, failure = None, unlike(shapes, self.here, self)
                continue
            except (AutodiffError, Unroll) as problem:
                stack.pop()
                result, failure = None, problem
                continue
            failure = None
            kind = getattr(todo, "kind", None)
            leaf = LEAVES.get(kind)  # type: ignore[arg-type]  # a task has no kind
            if leaf is not None:
                result = leaf(self, todo)
            else:
                stack.append(todo if kind is None else RULES.get(kind, later)(self, todo))
                result = None
        if failure is not None:
            raise failure if isinstance(failure, AutodiffError) else self.not_unrolled(failure)
        return result

    def not_unrolled(self, why: Unroll) -> AutodiffError:
        """A static use that no loop around could be written out for."""
        return error("static-value", why.why, why.span, hint="give a number, or the variable a value")

    def expr(self, value: Any, tree: Tree) -> Expr:
        """A value that has to be a number or an array."""
        if isinstance(value, Expr):
            return self.frame.local(value)  # type: ignore[no-any-return]  # an expression stays one
        if type(value) is tuple:
            listed = ", ".join(self.span(t).text for t in tree.parts) if tree.kind == "tuple" else "a, b"
            raise error("tuple-value", "several values are no number", self.span(tree), hint=f"[{listed}]")
        if isinstance(value, Function):
            raise error(
                "function-value",
                f"`{value.name}` is a function, not a number",
                self.span(tree),
                hint=f"{value.name}({', '.join(value.params)})",
            )
        raise error("no-value", f"`{self.span(tree).text}` is no number", self.span(tree), hint="nan" if value is None else None)

    def is_function(self, tree: Tree) -> bool:
        """Whether a tree is the bare name of a function of the program."""
        return tree.kind == "name" and tree.parts[0] in self.names.functions and tree.parts[0] not in self.names.env

    def decide(self, p: Expr, span: Span, *, recursive: bool) -> bool | None:
        """A condition that is known beforehand; None for one on data."""
        p = self.frame.local(p)
        if p.type.shape:
            return None
        if p.text is not None:
            return p.text == "True"
        if self.frame.is_fixed(p):
            return bool(self.calls.evaluate_node(p)) if self.calls.evaluate else None
        if recursive and self.names.function is not None:
            return bool(self.calls.static(p, span, "the condition of a recursion"))
        return None

    def guards_recursion(self, *parts: Any) -> bool:
        """Whether trees call a function that is being called, or give back a value in one that calls itself."""
        if not self.active:
            return False
        inside = names_in(parts)
        if any(function.name in inside for function, _ in self.active):
            return True
        function = self.active[-1][0]
        recursive = function.name in names_in(function.body)
        return recursive and any(statements_return(part) for part in parts)

    def always(self, p: Expr) -> bool:
        """Whether a condition is one of those that hold either way: `p or not p`."""
        return certain(self.frame.local(p), True)

    def at(self, tree: Tree) -> None:
        self.graph.site = Site(Span(self.source, tree.start, tree.end))
        self.here = tree

    def note(self, found: Diagnostic | None) -> None:
        """Keep what is worth saying; once."""
        if found is not None and found not in self.names.notes:
            self.names.notes.append(found)

    def operator(self, symbol: str, left: Any, right: Any, tree: Tree) -> Expr:
        """A binary operator over two lowered operands."""
        if type(left) is not Expr or type(right) is not Expr:
            left, right = (self.expr(v, t) for v, t in zip((left, right), tree.parts[-2:], strict=True))
        if symbol == "@":
            return self.product(left, right, tree)
        if symbol == "-" and left.type.shape and right.type.shape:
            self.note(crossed(tuple(zip(tree.parts[-2:], (left, right), strict=True)), self.span(tree)))
        if symbol in ("&", "|"):
            for side in (left, right):
                if side.type.kind != "bool":
                    raise error(
                        "needs-condition",
                        f"`{symbol}` joins conditions, and this is a number",
                        self.span(tree),
                        hint=f"(x > 0) {symbol} (x < 1)",
                    )
            return left & right if symbol == "&" else left | right  # type: ignore[no-any-return]  # expressions build expressions
        return self.graph.add(OPERATORS[symbol], [self.real(left), self.real(right)])

    def product(self, left: Expr, right: Expr, tree: Tree) -> Expr:
        """`a @ b`, both underlined where they have no product."""
        try:
            return product(self.real(left), self.real(right))  # type: ignore[no-any-return]  # an expression
        except AutodiffError as failure:
            raise underlined(failure, tuple(zip(tree.parts[-2:], (left, right), strict=True)), self) from None

    def real_or_condition(self, value: Any, tree: Tree) -> Expr:
        """An entry of a list."""
        return self.expr(value, tree)

    def real(self, value: Expr) -> Expr:
        """A condition in arithmetic is 1.0 or 0.0."""
        return real(value) if value.type.kind == "bool" else value

    def truth(self, value: Expr) -> Expr:
        """A number counts as true when it is not 0."""
        return value if value.type.kind == "bool" else ne(value, 0)

    def choose(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        """`a if condition else b`; where one arm is a number and the other a condition, both are numbers."""
        if a.type.kind != b.type.kind:
            a, b = self.real(a), self.real(b)
        return select(self.truth(condition), a, b)  # type: ignore[no-any-return]  # expressions build expressions


def statements_return(trees: Any) -> bool:
    """Whether a `return` stands in statements."""
    todo = list(trees)
    while todo:
        tree = todo.pop()
        if tree.kind == "return":
            return True
        if tree.kind in ("if", "for", "while"):
            todo += [child for part in tree.parts if type(part) is tuple for child in part]
    return False
