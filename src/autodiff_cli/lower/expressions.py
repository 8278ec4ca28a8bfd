"""Expressions: one rule a kind of tree, a generator that yields the subtrees it needs and returns their node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Label, error
from ..graph import Expr
from ..ops.arithmetic import eq, neg, not_
from ..ops.linear import indexed
from ..types import broadcast
from .functions import call_function
from .indexing import lower_attribute, lower_index, lower_list
from .inner import WORDS as DERIVATIVES
from .inner import lower_inner
from .iteration import comprehension
from .names import OPERATORS
from .shapes import as_operand, joined, repeated, two_numbers, without_quotes
from .statements import entries, where_not

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ..op import Op
    from ..syntax import Tree
    from .lowering import Lowering

    Rule = Generator[Any, Any, Any]

CONSTANT_WORDS: dict[str, Any] = {"None": None, "True": True, "False": False}


def number(self: Lowering, tree: Tree) -> Expr:
    self.at(tree)
    text = tree.parts[0]
    if float(text) == float("inf"):
        message = f"`{text}` is above the largest float64 and counts as inf"
        self.names.notes.append(Diagnostic("infinite-literal", message, (Label(self.span(tree)),), severity="warning"))
    return self.graph.const(text)


def name(self: Lowering, tree: Tree) -> Any:
    self.at(tree)
    return self.names.read(tree.parts[0], self.span(tree))


def binary(self: Lowering, tree: Tree) -> Rule:
    symbol, left, right = tree.parts
    lists = left.kind == "list" or right.kind == "list"
    if lists:
        joined(self, tree)
    a = yield left
    b = yield right
    if lists:
        repeated(self, tree, a, b)
    self.at(tree)
    return self.operator(symbol, a, b, tree)


def unary(self: Lowering, tree: Tree) -> Rule:
    symbol, operand = tree.parts
    value = self.expr((yield operand), operand)
    self.at(tree)
    if symbol == "not" or (symbol == "~" and value.type.kind == "bool"):
        return not_(self.truth(value))
    if symbol == "~":
        raise error("needs-condition", "`~` negates a condition, and this is a number", self.span(tree), hint="~(x > 0)")
    return self.real(value) if symbol == "+" else neg(self.real(value))


def compare(self: Lowering, tree: Tree) -> Rule:
    left = self.expr((yield tree.parts[0]), tree.parts[0])
    result = None
    for symbol, part in zip(tree.parts[1::2], tree.parts[2::2], strict=True):
        right = yield part
        self.at(tree)
        if symbol in ("in", "not in"):
            link = contained(self, left, right, tree, negated=symbol == "not in")
        else:
            right = self.expr(right, part)
            link = self.graph.add(OPERATORS[symbol], [self.real(left), self.real(right)])
        result = link if result is None else result & link
        left = right
    return result


def contained(self: Lowering, item: Expr, items: Any, tree: Tree, *, negated: bool) -> Expr:
    """`in` on a static list."""
    parts = list(items) if type(items) is tuple else None
    if isinstance(items, Expr) and len(items.type.shape) == 1:
        parts = entries(items)
    values = [item, *parts] if parts is not None else None
    if values is None or not all(isinstance(v, Expr) and not v.type.shape and self.frame.is_fixed(v) for v in values):
        raise error(
            "static-value",
            "`in` looks into a list that is known beforehand",
            self.span(tree),
            hint=_looked(self, tree, negated=negated),
        )
    held = any(v.id == item.id or self.calls.evaluate_node(eq(self.real(item), self.real(v))) for v in map(self.frame.local, values[1:]))
    return self.graph.const(str(held != negated))


def _looked(self: Lowering, tree: Tree, *, negated: bool) -> str:
    """The same question to an array of data."""
    texts = [self.span(part).text for part in tree.parts if not isinstance(part, str)]
    if len(texts) != 2:
        return "any(v == x) looks into an array of data"
    return f"{'not ' if negated else ''}any({texts[1]} == {as_operand(texts[0])}) looks into an array of data"


def conjunction(self: Lowering, tree: Tree) -> Rule:
    a = self.expr((yield tree.parts[0]), tree.parts[0])
    if self.decide(self.truth(a), self.span(tree.parts[0]), recursive=False) is False and a.type.kind == "bool":
        return a
    b = self.expr((yield arm(self, self.truth(a), tree.parts[1], taken=True)), tree.parts[1])
    self.at(tree)
    return self.choose(a, b, a) if a.type.kind == "real" or b.type.kind == "real" else a & b


def disjunction(self: Lowering, tree: Tree) -> Rule:
    a = self.expr((yield tree.parts[0]), tree.parts[0])
    if self.decide(self.truth(a), self.span(tree.parts[0]), recursive=False) and a.type.kind == "bool":
        return a
    b = self.expr((yield arm(self, self.truth(a), tree.parts[1], taken=False)), tree.parts[1])
    self.at(tree)
    return self.choose(a, a, b) if a.type.kind == "real" or b.type.kind == "real" else a | b


def ifelse(self: Lowering, tree: Tree) -> Rule:
    condition_tree, then, otherwise = tree.parts
    condition = self.expr((yield condition_tree), condition_tree)
    if not condition.type.shape:
        decided = self.decide(self.truth(condition), self.span(condition_tree), recursive=self.guards_recursion(then, otherwise))
        if decided is not None and (self.active or condition.text is None):
            return (yield then if decided else otherwise)
    p = self.truth(condition)
    a = self.expr((yield arm(self, p, then, taken=True)), then)
    b = self.expr((yield arm(self, p, otherwise, taken=False)), otherwise)
    self.at(tree)
    return self.choose(condition, a, b)


def arm(self: Lowering, p: Expr, tree: Tree, *, taken: bool) -> Rule:
    """What is lowered where one condition holds (`taken`), or does not; an array of conditions switches off no more than entries."""
    if p.type.shape:
        return (yield tree)
    return (yield where_not(self, not_(p) if taken else p, tree))


def pair(self: Lowering, tree: Tree) -> Rule:
    found = []
    for part in tree.parts:
        found.append((yield part))
    return tuple(found)


def call(self: Lowering, tree: Tree) -> Rule:
    callee = tree.parts[0]
    if callee.kind != "name":
        return (yield lower_inner(self, tree)) if callee.kind == "call" else self.calls.function(callee, tree)
    word = callee.parts[0]
    if word == "col":
        return self.names.column(tree, self.span(tree))
    function = self.names.called(word, self.span(callee))
    if function is not None:
        return (yield call_function(self, function, tree))
    if word in DERIVATIVES:
        return (yield lower_inner(self, tree))
    return (yield builtin(self, tree))


def builtin(self: Lowering, tree: Tree) -> Rule:
    """A call of a function of the language."""
    op = self.calls.function(tree.parts[0], tree)
    lowered: dict[str, list[Any]] = {}
    for parameter, argument in self.calls.bind(op, tree):
        if parameter.static:
            two_numbers(op, parameter, tree, lowered, self)
            without_quotes(op, parameter, argument, self)
            value = yield static(self, argument, f"`{parameter.name}` of `{op.name}`")
        elif parameter.name == "parts" and argument.kind == "list":
            value = list((yield pair(self, argument)))
        elif argument.kind == "string":
            value = argument.parts[0]
        else:
            value = self.expr((yield _argument(self, op, parameter.name, argument, lowered)), argument)
        lowered.setdefault(parameter.name, []).append(value)
    self.at(tree)
    return chosen(self, lowered, tree) or self.calls.make(op, lowered, tree)


def _argument(self: Lowering, op: Op, name: str, argument: Tree, lowered: dict[str, list[Any]]) -> Rule:
    """An argument; those of `where` are wanted as its condition says."""
    if op.name != "where" or name not in ("a", "b") or not isinstance(lowered.get("condition", [None])[0], Expr):
        return (yield argument)
    return (yield arm(self, self.truth(lowered["condition"][0]), argument, taken=name == "a"))


def chosen(self: Lowering, lowered: dict[str, list[Any]], tree: Tree) -> Expr | None:
    """`where` with a condition that is known beforehand, as `a if c else b` has it; None for any other call."""
    if list(lowered) != ["condition", "a", "b"]:
        return None
    condition, a, b = (values[0] for values in lowered.values())
    if not all(isinstance(value, Expr) for value in (condition, a, b)):
        return None
    decided = self.decide(self.truth(condition), self.span(tree), recursive=False)
    shape = broadcast(a.type.shape, b.type.shape)
    if decided is None or shape is None or a.type.kind != b.type.kind:
        return None
    return self.graph.broadcast(a if decided else b, shape)


def static(self: Lowering, argument: Tree, what: str) -> Rule:
    """An argument that must be known before the graph is made: a number, a text, None or several of these."""
    if argument.kind == "string":
        return argument.parts[0]
    if argument.kind == "name" and argument.parts[0] in CONSTANT_WORDS:
        return CONSTANT_WORDS[argument.parts[0]]
    if argument.kind in ("tuple", "list"):
        found = []
        for part in argument.parts:
            found.append((yield static(self, part, what)))
        return tuple(found)
    value = self.expr((yield argument), argument)
    if len(value.type.shape) == 1:
        return tuple([self.calls.static(indexed(value, (k,)), self.span(argument), what) for k in range(value.type.shape[0])])
    return self.calls.static(value, self.span(argument), what)


def later(self: Lowering, tree: Tree) -> Rule:
    what = {"string": "a text", "slice": "a slice", "ellipsis": "`...`"}.get(tree.kind, "this")
    raise error("no-value", f"{what} is no number", self.span(tree))
    yield tree


LEAVES: dict[str, Callable[[Lowering, Tree], Any]] = {"number": number, "name": name}
RULES: dict[str, Callable[[Lowering, Tree], Rule]] = {
    "and": conjunction,
    "attribute": lower_attribute,
    "binary": binary,
    "call": call,
    "compare": compare,
    "comprehension": comprehension,
    "ifelse": ifelse,
    "index": lower_index,
    "list": lower_list,
    "or": disjunction,
    "tuple": pair,
    "unary": unary,
}
