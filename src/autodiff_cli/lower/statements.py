"""Statements: trees in, the names of the program changed. What depends on data becomes a selection.

`return`, `break` and `continue` on data are conditions kept under names of their own (`@returned`, `@broke`,
`@skipped`), so that the merging of branches and the carries of loops treat them as any other name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Span, error
from ..graph import Expr, Site
from ..ops.arithmetic import not_
from ..ops.array import constants
from ..ops.linear import indexed
from .frames import Function, target_names
from .loops import for_loop, while_loop
from .merging import FLAGS, merge, own

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]


def block(self: Lowering, statements: Sequence[Tree]) -> Task:
    """Statements one after another, as far as control flows; the value of the last one."""
    value = None
    for k, statement in enumerate(statements):
        if statement.kind == "expression" and k + 1 < len(statements):
            self.names.note_unused(self.span(statement))
        value = yield RULES[statement.kind](self, statement)
        stop = stopped(self)
        if stop is None:
            continue
        if stop.text == "True":
            return None
        rest = statements[k + 1 :]
        if rest:
            yield unless(self, stop, block, rest)
        return None
    return value


def unless(self: Lowering, stop: Expr, task: Any, *args: Any) -> Task:
    """A task that runs where `stop` does not hold; elsewhere every name stays as it is."""
    before = self.names.env
    held = {f: v for f, v in before.items() if f in FLAGS}
    self.names.env = {n: v for n, v in before.items() if n not in FLAGS}
    yield where_not(self, stop, task(self, *args))
    alone = {f: self.graph.const("True") for f, v in held.items() if self.frame.local(v).id == stop.id}
    self.names.env = merge(self, stop, {**before, **alone}, self.names.env)
    return None


def where_not(self: Lowering, p: Expr, task: Any) -> Task:
    """What a task or a tree gives where one condition does not hold."""
    self.under += (p,)
    try:
        return (yield task)
    finally:
        self.under = self.under[:-1]


def stopped(self: Lowering) -> Expr | None:
    """The condition under which the statements that follow do not run; None where they always do."""
    found = None
    for flag in FLAGS:
        held = self.names.env.get(flag)
        if held is not None and held.text != "False":
            held = self.frame.local(held)
            found = held if found is None else found | held
    return found


# --- one statement each --------------------------------------------------------------------------------------


def expression(self: Lowering, tree: Tree) -> Task:
    return (yield tree.parts[0])


def assign(self: Lowering, tree: Tree) -> Task:
    target, value_tree = tree.parts
    empty = value_tree.kind == "list" and not value_tree.parts
    value = constants(self.graph.const("0"), (), (0,)) if empty else (yield value_tree)
    return bind(self, target, value, self.span(tree))


def augmented(self: Lowering, tree: Tree) -> Task:
    name, symbol, value_tree = tree.parts
    left = yield name
    right = yield value_tree
    self.at(tree)
    return bind(self, name, self.operator(symbol, left, right, tree), self.span(tree))


def change(self: Lowering, tree: Tree) -> Task:
    """`x[0] = 1`, which is refused: what is to be written instead is told by the shapes."""
    from .changes import change as refuse

    return (yield refuse(self, tree))


def bind(self: Lowering, target: Tree, value: Any, span: Span) -> Any:
    """An assignment, and its value; a tuple is taken apart, an array along its first axis."""
    if target.kind == "name":
        return assign_name(self, target.parts[0], value, self.span(target))
    parts = unpacked(self, value, len(target.parts), span, target)
    return tuple([bind(self, part, item, span) for part, item in zip(target.parts, parts, strict=True)])


def unpacked(self: Lowering, value: Any, count: int, span: Span, target: Tree) -> list[Any]:
    """A tuple or an array as `count` values."""
    if type(value) is tuple:
        found = list(value)
    elif isinstance(value, Expr) and value.type.shape:
        found = entries(value) if value.type.shape[0] == count else [None] * value.type.shape[0]
    else:
        found = [value]
    if len(found) != count:
        names = target_names(target)
        fewer = names[: len(found)] if len(found) < count == len(names) else [*names, "_"][: max(len(found), 1)]
        hint = f"{', '.join(fewer)} = …" if len(fewer) == len(found) else f"{', '.join(names)} = … with {count} values"
        raise error("unpacking", f"{count} names and {len(found)} value{'s' * (len(found) != 1)}", span, hint=hint)
    return found


def entries(x: Expr) -> list[Expr]:
    """The entries of an array along its first axis."""
    return [indexed(x, (k,)) for k in range(x.type.shape[0])]


def assign_name(self: Lowering, name: str, value: Any, span: Span) -> Any:
    """Set a name; one that is differentiated by becomes a node of its own."""
    self.graph.site = Site(span)
    self.names.env[name] = own(self, name, self.frame.local(value))
    return self.names.env[name]


def define(self: Lowering, tree: Tree) -> Task:
    """`def`: a function, or the rule of one where it is decorated."""
    _, params, _, decorators = tree.parts
    defaults: dict[str, Any] = {}
    for param in params:
        if param.parts[1] is not None:
            defaults[param.parts[0]] = yield param.parts[1]
    function = Function(tree, self.source, self.span(tree), self.names.scope, defaults)
    if not decorators:
        self.names.define(function)
        return None
    if len(decorators) > 1:
        raise error("decorator", "one decorator at a time", self.span(decorators[1]))
    kind, of = _rule_of(self, decorators[0])
    if self.under:
        self.names.env[of.name] = of.with_rule((kind, function))
    else:
        of.rule = (kind, function)
    return None


def _rule_of(self: Lowering, decorator: Tree) -> tuple[str, Function]:
    """`@derivative(f)` or `@pullback(f)`: which, and the function it is of."""
    hint = "@derivative(f) or @pullback(f)"
    if decorator.kind != "call" or decorator.parts[0].parts[0] not in ("derivative", "pullback"):
        message = f"`@{self.span(decorator).text}` is not part of the language: a line with `@` says whose rule follows"
        raise error("decorator", message, self.span(decorator), "a function needs no such line", hint=f"take it out, or write {hint}")
    callee, args, keywords = decorator.parts
    name = args[0].parts[0] if len(args) == 1 and not keywords and args[0].kind == "name" else None
    function = self.names.function_of(name) if name else None
    if not isinstance(function, Function):
        raise error(
            "decorator",
            f"there is no function `{name}` of this program yet" if name else "a rule is for one function",
            self.span(decorator),
            hint=f"write `def {name}(…)` above its rule" if name else hint,
        )
    return callee.parts[0], function


def give_back(self: Lowering, tree: Tree) -> Task:
    """`return`."""
    if tree.parts[0] is None:
        raise error("no-value", "a function gives back a value", self.span(tree), hint="return x")
    value = yield tree.parts[0]
    env = self.names.env
    env["@value"] = value
    env["@returned"] = self.graph.const("True")
    return None


def leave(flag: str) -> Any:
    def rule(self: Lowering, tree: Tree) -> Task:
        self.names.env[flag] = self.graph.const("True")
        return None
        yield tree

    return rule


def choose(self: Lowering, tree: Tree) -> Task:
    """`if`: decided at once where its condition is known, else both branches and a selection of every name."""
    condition_tree, body, orelse = tree.parts
    condition = yield condition_tree
    self.at(condition_tree)
    p = one_condition(self, condition, condition_tree, "if")
    decided = self.decide(p, self.span(condition_tree), recursive=self.guards_recursion(body, orelse))
    if decided is not None:
        return (yield block(self, body if decided else orelse))
    before = self.names.env
    self.names.env = dict(before)
    yield where_not(self, not_(p), block(self, body))
    taken = self.names.env
    self.names.env = dict(before)
    yield where_not(self, p, block(self, orelse))
    self.at(tree)
    self.names.env = merge(self, p, taken, self.names.env)
    return None


def one_condition(self: Lowering, value: Any, tree: Tree, word: str) -> Expr:
    """The condition of a statement: one, not an array of them."""
    p = self.truth(value)
    if p.type.shape:
        raise error(
            "array-condition", f"`{word}` wants one condition, and this is an array of shape {p.type.shape}", self.span(tree),
            hint=f"any({self.span(tree).text}) or all({self.span(tree).text})",
        )  # fmt: skip
    return p


def nothing(self: Lowering, tree: Tree) -> Task:
    return None
    yield tree


def repeat(self: Lowering, tree: Tree) -> Task:
    return (yield for_loop(self, tree))


def keep_on(self: Lowering, tree: Tree) -> Task:
    return (yield while_loop(self, tree))


RULES: dict[str, Any] = {
    "assign": assign,
    "augmented": augmented,
    "break": leave("@broke"),
    "change": change,
    "continue": leave("@skipped"),
    "def": define,
    "expression": expression,
    "for": repeat,
    "if": choose,
    "pass": nothing,
    "return": give_back,
    "while": keep_on,
}
