"""A tree and what is known of its variables in, a function out: names, types, static values, spans."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Diagnostic, Span, error
from ..graph import NAME, Expr, Fn, Graph, Shapes, Site
from ..ops.arithmetic import ne, not_, real, select
from ..ops.matrix import product
from ..ops.structured import TURNS
from ..syntax.tree import walk
from .calls import RECURSION, Calls
from .expressions import LEAVES, RULES, later
from .frames import CALLABLE, Again, Endless, Frame, Function, Unroll, Unset, functions_of, names_in
from .inner import WORDS
from .names import OPERATORS, Names
from .shapes import crossed, underlined, unlike
from .tangents import tangents_of
from .truth import certain
from .whole import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping

    from ..diagnostics import Source
    from ..syntax import Tree
    from .tangents import End


class Lowered(NamedTuple):
    """What a program means: `free` are its variables in the order of first appearance.

    `statics` tells where each static variable is used as a count, an order or the like;
    `assigned` are the names that the program gives a value itself, `conditions` those of them that hold a condition;
    `calls` tells how often each of its functions was written out.
    """

    fn: Fn
    free: tuple[str, ...]
    statics: dict[str, Span]
    assigned: tuple[str, ...]
    notes: tuple[Diagnostic, ...]
    calls: dict[str, int]
    conditions: tuple[str, ...] = ()


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
    written: dict[Span, frozenset[str]] = {}
    known = False
    while True:
        lowering = Lowering(source, values or {}, named, evaluate)
        lowering.turns, lowering.written_out, lowering.known = turns or TURNS, written, known
        try:
            return lowering.program(tree, call)
        except Again as again:
            written = {**written, again.loop: written.get(again.loop, frozenset()) | {again.name}}
        except Endless:
            known = True


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
        self.written_out: dict[Span, frozenset[str]] = {}
        self.ends: dict[tuple[Graph, int], End] = {}
        self.made: dict[Any, Any] = {}
        self.written: Counter[str] = Counter()
        self.entries = 0
        self.active: list[tuple[Function, Span]] = []
        self.ruling: list[Any] = []
        self.under: tuple[Expr, ...] = ()
        self.known = self.supposed = False
        self._mentions: Counter[str] = Counter()

    @property
    def graph(self) -> Graph:
        return self.frame.graph

    def span(self, tree: Tree) -> Span:
        return Span(self.source, tree.start, tree.end)

    def program(self, tree: Tree, call: str | None = None) -> Lowered:
        """Statement by statement; the value is that of the last one, or of the function `call`."""
        self.look_over(tree)
        value = self.expr(self.drive(whole(self, tree, call)), tree.parts[-1] if tree.parts else tree)
        names = self.names
        for name in self.asked & set(names.env):
            if isinstance(names.env[name], Expr):
                tangents_of(self, self.frame, [value], names.env[name])
        self.calls.check_names({name: names.env.get(name) for name in self.asked})
        params = [(name, self.root.graph.nodes[i].type) for name, i in names.free.items()]
        fn = Fn(self.root.graph, params, [value], ["value"])
        assigned = tuple([n for n, v in names.env.items() if isinstance(v, Expr) and not n.startswith("@")])
        conditions = tuple([n for n in assigned if unnamed(names.env[n]).type.kind == "bool"])
        return Lowered(fn, tuple(names.free), self.calls.statics, assigned, tuple(names.notes), dict(self.written), conditions)

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
            from .several import several

            raise several(self, value, tree)
        if isinstance(value, CALLABLE):
            raise error(
                "function-value",
                f"`{value.name}` is a function, not a number",
                self.span(tree),
                hint=f"{value.name}({', '.join(value.params)})",
            )
        raise error("no-value", f"`{self.span(tree).text}` is no number", self.span(tree), hint="nan" if value is None else None)

    def is_function(self, tree: Tree) -> bool:
        """Whether a tree is the bare name of a function of the program."""
        return tree.kind == "name" and self.names.function_of(tree.parts[0]) is not None

    def decide(self, p: Expr, span: Span, *, recursive: bool) -> bool | None:
        """A condition that is known beforehand; None for one on data."""
        p = self.frame.local(p)
        if p.type.shape:
            return None
        scope = self.names.scope
        if p.text is not None or self.frame.is_fixed(p):
            scope.bounded |= recursive
            return p.text == "True" if p.text is not None else bool(self.calls.evaluate_node(p)) if self.calls.evaluate else None
        if not recursive or scope.function is None:
            return None
        if scope.bounded and not self.known:
            self.supposed = True
            return None
        scope.bounded = True
        return bool(self.calls.static(p, span, RECURSION))

    def guards_recursion(self, *parts: Any) -> bool:
        """Whether trees call a function that is being called, or give back a value in one that calls itself."""
        if not self.active:
            return False
        ruled = [made.function for made in self.ruling]
        under_way = {function for function, _ in self.active if function not in ruled}
        if any(self._means(name) & under_way for name in names_in(parts)):
            return True
        function = self.active[-1][0]
        recursive = function in under_way and any(function in self._means(name) for name in names_in(function.body))
        return recursive and any(type(part) is tuple and statements_return(part) for part in parts)

    def _means(self, name: str) -> set[Any]:
        """The functions of the program that a name may stand for here."""
        held = self.names.scope.holder(name).held(name)
        return set(functions_of(held.value if isinstance(held, Unset) else held))

    def always(self, p: Expr) -> bool:
        """Whether a condition is one of those that hold either way: `p or not p`."""
        return certain(self.frame.local(p), True)

    def held(self, _: str) -> tuple[Expr, ...]:
        """The conditions that do not hold where lowering stands, as something that a call reads."""
        return self.under

    def runs(self) -> Expr | None:
        """The condition under which what is lowered here is wanted; None where that is always."""
        self.names.readings.saw(self, "under", self.under)
        found = None
        for p in map(self.frame.local, self.under):
            found = not_(p) if found is None else found & not_(p)
        return found

    def at(self, tree: Tree) -> None:
        self.graph.site = Site(Span(self.source, tree.start, tree.end))
        self.here = tree

    def note(self, found: Diagnostic | None) -> None:
        """Keep what is worth saying; once."""
        if found is not None and found not in self.names.notes:
            self.names.notes.append(found)

    def operator(self, symbol: str, left: Any, right: Any, tree: Tree) -> Expr:
        """A binary operator over two lowered operands."""
        trees = tuple([part for part in tree.parts if not isinstance(part, str)])
        if type(left) is not Expr or type(right) is not Expr:
            left, right = (self.expr(v, t) for v, t in zip((left, right), trees, strict=True))
        if symbol == "@":
            return self.product(left, right, trees)
        if symbol == "-" and left.type.shape and right.type.shape:
            self.note(crossed(tuple(zip(trees, (left, right), strict=True)), self.span(tree)))
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

    def product(self, left: Expr, right: Expr, trees: tuple[Tree, ...]) -> Expr:
        """`a @ b`, both underlined where they have no product."""
        try:
            return product(self.real(left), self.real(right))  # type: ignore[no-any-return]  # an expression
        except AutodiffError as failure:
            raise underlined(failure, tuple(zip(trees, (left, right), strict=True)), self) from None

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


def unnamed(value: Expr) -> Expr:
    """What was given to a name that is differentiated by."""
    return Expr(value.graph, value.node.args[0]) if value.node.op is NAME else value


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
