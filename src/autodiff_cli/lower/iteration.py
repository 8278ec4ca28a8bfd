"""What a loop or a comprehension runs over: a tree in, the items and how many of them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..constants import WHOLE
from ..diagnostics import error
from ..graph import Expr
from ..ops.array import constants, counting, stacked
from ..ops.linear import indexed
from ..types import REAL
from .scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

MOST = 1_000_000_000


class Items(NamedTuple):
    """`number` items: `at(k)` is one of them; `xs` are arrays that a loop node scans, and `make` an item of their entries."""

    number: int
    at: Callable[[int], Any]
    xs: Sequence[Expr] | None
    make: Callable[[list[Expr]], Any]


def iteration(self: Lowering, tree: Tree) -> Task:
    """The items of `range`, `zip`, `enumerate`, a tuple, or the first axis of an array."""
    if tree.kind == "call" and tree.parts[0].kind == "name":
        rule = CALLS.get(tree.parts[0].parts[0])
        if rule is not None and self.names.called(tree.parts[0].parts[0], self.span(tree)) is None:
            return (yield rule(self, tree))
    value = yield tree
    return _of_value(self, value, tree)


def _of_value(self: Lowering, value: Any, tree: Tree) -> Items:
    if type(value) is tuple:
        return Items(len(value), value.__getitem__, None, lambda e: e[0])
    if not isinstance(value, Expr) or not value.type.shape:
        raise error("not-iterable", "one number has no items to run over", self.span(tree), hint=f"range({self.span(tree).text}) counts")
    return Items(value.type.shape[0], lambda k: _entry(self, value, k), [value], lambda e: e[0])


def _entry(self: Lowering, value: Expr, k: int) -> Expr:
    """An entry along the first axis; a whole number that is known beforehand is that number, so that equal calls are the same."""
    entry = indexed(value, (k,))
    if entry.text is None and entry.type == REAL and self.frame.is_fixed(entry):
        found = self.calls.evaluate_node(entry)
        if abs(found) < WHOLE and str(found).endswith(".0") and str(found) != "-0.0":
            return entry.graph.const(str(int(found)))
    return entry


def _range(self: Lowering, tree: Tree) -> Task:
    _, args, keywords = tree.parts
    if keywords or not 1 <= len(args) <= 3:
        raise error("argument-count", f"`range` takes 1 to 3 numbers, and here are {len(args)}", self.span(tree), hint="range(n)")
    bounds = []
    for arg in args:
        value = yield arg
        bounds.append(int(self.calls.whole(self.expr(value, arg), self.span(arg), "a bound of `range`")))
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if step == 0:
        raise error("step", "the step of `range` is 0", self.span(args[-1]))
    if abs(start - stop) > MOST * abs(step):
        raise error(
            "too-many-turns", f"`range` counts at most {MOST:,} numbers, and here are {abs(start - stop) / abs(step):.3g}", self.span(tree),
            hint="while condition: goes on as long as it holds",
        )  # fmt: skip
    numbers = range(start, stop, step)
    xs = [counting(self.graph, len(numbers))] if numbers else None
    return Items(len(numbers), lambda k: self.graph.const(str(numbers[k])), xs, lambda e: _counter(e[0], start, step))


def _counter(turn: Expr, start: int, step: int) -> Any:
    scaled = turn * step
    return scaled + start if start else scaled


def _zip(self: Lowering, tree: Tree) -> Task:
    parts = []
    for arg in tree.parts[1]:
        parts.append((yield iteration(self, arg)))
    if not parts:
        raise error("argument-count", "`zip` takes what to run over", self.span(tree))
    return _together(parts)


def _together(parts: list[Items]) -> Items:
    count = min(p.number for p in parts)
    scanned = all(p.xs is not None for p in parts)
    xs = [_first(x, count) for p in parts for x in p.xs or ()] if scanned and count else None

    def make(entries: list[Expr]) -> Any:
        found, k = [], 0
        for p in parts:
            size = len(p.xs or ())
            found.append(p.make(entries[k : k + size]))
            k += size
        return tuple(found)

    return Items(count, lambda k: tuple([p.at(k) for p in parts]), xs, make)


def _first(x: Expr, count: int) -> Expr:
    return x if x.type.shape[0] == count else indexed(x, ((0, count, 1),))


def _enumerate(self: Lowering, tree: Tree) -> Task:
    _, args, keywords = tree.parts
    starts = [*args[1:], *[value for name, value in keywords if name == "start"]]
    if not args or len(starts) > 1 or len(args) - 1 + len(keywords) > len(starts):
        message = "`enumerate` takes what to run over, and the number of its first item"
        raise error("argument-count", message, self.span(tree), hint="for k, a in enumerate(v, 1): y += k*a")
    items = yield iteration(self, args[0])
    start = 0
    for tree_of_start in starts:
        value = yield tree_of_start
        start = int(self.calls.whole(self.expr(value, tree_of_start), self.span(tree_of_start), "the number of the first item"))
    return _together([_numbers(self, items.number, start), items])


def _numbers(self: Lowering, count: int, start: int) -> Items:
    """The numbers from `start` on."""
    xs = [counting(self.graph, count)] if count else None
    return Items(count, lambda k: self.graph.const(str(start + k)), xs, lambda e: _counter(e[0], start, 1))


def comprehension(self: Lowering, tree: Tree) -> Task:
    """`[… for … in … if …]`: the entries one after another, as an array."""
    item, clauses = tree.parts
    outer = self.names.scope
    scope = self.names.scope = Scope(outer, outer.function)
    found: list[Any] = []
    try:
        yield _clause(self, item, clauses, 0, found)
    finally:
        scope.over = True
        self.names.scope = outer
    self.at(tree)
    if not found:
        return constants(self.graph.const("0"), (), (0,))
    parts = [self.real_or_condition(v, item) for v in found]
    return stacked(parts)


def _clause(self: Lowering, item: Tree, clauses: Any, k: int, found: list[Any]) -> Task:
    from .statements import bind

    if k == len(clauses):
        found.append((yield item))
        return None
    if clauses[k][0] == "if":
        value = yield clauses[k][1]
        decided = self.decide(self.truth(value), self.span(clauses[k][1]), recursive=True)
        if decided is None:
            raise error(
                "static-value",
                "which entries a condition on data keeps is not known beforehand",
                self.span(clauses[k][1]),
                hint="where(condition, x, 0) keeps them all",
            )
        if decided:
            yield _clause(self, item, clauses, k + 1, found)
        return None
    _, target, iterable = clauses[k]
    items = yield iteration(self, iterable)
    for n in range(items.number):
        bind(self, target, items.at(n), self.span(iterable))
        yield _clause(self, item, clauses, k + 1, found)
    return None


CALLS: dict[str, Any] = {"enumerate": _enumerate, "range": _range, "zip": _zip}
