"""Calls of the program's own functions: written out where they are called, once for the same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Label, did_you_mean, error
from ..graph import Called
from ..ops import FUNCTIONS
from ..ops.arithmetic import not_
from .frames import Builtin, Choice, Endless, Unset, called_in
from .merging import either
from .rules import by_rule
from .scopes import MISSING, Scope, key_of, unchanged

if TYPE_CHECKING:
    from collections.abc import Generator

    from ..syntax import Tree
    from .frames import Function
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

DEEPEST = 1_000


def call_function(self: Lowering, function: Any, tree: Tree) -> Task:
    """The value of a call of a function of the program, or of one of two, as a condition says."""
    if isinstance(function, Choice):
        return (yield _one_of_two(self, function, tree))
    if isinstance(function, Builtin):
        from .expressions import builtin

        callee = type(tree)("name", (function.name, ""), tree.parts[0].start, tree.parts[0].end)
        return (yield builtin(self, type(tree)("call", (callee, *tree.parts[1:]), tree.start, tree.end)))
    bound: dict[str, Any] = {}
    for name, argument in _bound(self, function, tree).items():
        bound[name] = _builtin(self, function, name, argument) or (yield argument)
    bound = {**function.defaults, **bound}
    return (yield apply(self, function, {name: bound[name] for name in function.params}, tree))


def _one_of_two(self: Lowering, choice: Choice, tree: Tree) -> Task:
    from .statements import where_not

    p = self.frame.local(choice.condition)
    a = yield where_not(self, not_(p), call_function(self, choice.a, tree))
    b = yield where_not(self, p, call_function(self, choice.b, tree))
    self.at(tree)
    return either(self, choice.name, p, a, b)


def _builtin(self: Lowering, function: Function, name: str, argument: Tree) -> Builtin | None:
    """A function of the language as an argument: a bare name without a value, for a parameter that is called."""
    word = argument.parts[0] if argument.kind == "name" else None
    if word not in FUNCTIONS or word in self.names.values or self.names.scope.holder(word).held(word) is not MISSING:
        return None
    return Builtin(word) if name in called_in(function.body) else None


def apply(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """The value of a function for bound parameters; the same call is made once, as long as nothing that it reads has changed."""
    key = (self.graph, function, tuple([key_of(self.frame.local(v)) for v in bound.values()]))
    readings = self.names.readings
    readings.saw(function, "rule", function.rule)
    for reads, found in self.made.get(key, ()):
        if unchanged(reads):
            readings.again(reads)
            return found
    if len(self.active) >= DEEPEST:
        raise _endless(self, function, tree)
    self.at(tree)
    graph, path = self.graph, self.graph.path
    self.active.append((function, self.span(tree)))
    self.written[function.name] += 1
    graph.path = entered(self, function.name, tree)
    readings.books.append({(function, "rule"): function.rule})
    reads = {}
    try:
        found = (yield by_rule(self, function, bound, tree)) if function.rule else (yield written_out(self, function, bound, tree))
    finally:
        self.active.pop()
        graph.path = path
        reads = readings.close()
    self.made.setdefault(key, []).append((reads, found))
    return found


def entered(self: Lowering, name: str, tree: Tree) -> tuple[Called, ...]:
    """The calls that nodes are made in from here on: those under way, and one more."""
    self.entries += 1
    return (*self.graph.path, Called(name, self.span(tree), self.entries))


def written_out(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """The value of a function whose statements are lowered where it is called."""
    from .statements import assign_name, block

    span, outer, source = self.span(tree), self.names.scope, self.source
    scope = self.names.scope = Scope(function.scope, function, function.locals)
    self.source = function.source
    try:
        for name, value in bound.items():
            assign_name(self, name, value, span)
        yield block(self, function.body)
        return _result(self, function)
    finally:
        scope.over = True
        self.names.scope, self.source = outer, source


def _result(self: Lowering, function: Function) -> Any:
    env = self.names.env
    returned = env.get("@returned")
    if returned is None or (returned.text != "True" and not self.always(returned)):
        raise error("no-return", f"`{function.name}` may end without a value", function.span, hint="return x on every way through")
    if isinstance(env["@value"], Unset):
        message = f"`{function.name}` gives back another number of values on one way through it than on another"
        raise error("return-values", message, function.span, hint="every `return` gives one value, or every one as many: return x, y")
    return env["@value"]


def _bound(self: Lowering, function: Function, tree: Tree) -> dict[str, Tree]:
    """Arguments by parameter, as Python binds them."""
    _, args, keywords = tree.parts
    if len(args) > len(function.params):
        raise _wrong_count(self, function, tree)
    bound = dict(zip(function.params, args, strict=False))
    for name, argument in keywords:
        if name not in function.params:
            near = did_you_mean(name, function.params)
            raise error(
                "unknown-argument",
                f"`{function.name}` has no parameter `{name}`",
                self.span(argument),
                f"did you mean `{near}`?" if near else "",
                hint=_usage(function),
            )
        if name in bound:
            raise error("argument-twice", f"`{name}` is given twice", self.span(argument), hint=_usage(function))
        bound[name] = argument
    if any(p not in bound and p not in function.defaults for p in function.params):
        raise _wrong_count(self, function, tree)
    return bound


def _usage(function: Function) -> str:
    return f"{function.name}({', '.join(function.params)})"


def _wrong_count(self: Lowering, function: Function, tree: Tree) -> Exception:
    count, most, least = len(tree.parts[1]) + len(tree.parts[2]), len(function.params), len(function.params) - len(function.defaults)
    takes = f"{most}" if most == least else f"{least} to {most}"
    problem = error(
        "argument-count",
        f"`{function.name}` takes {takes} argument{'s' * (takes != '1')}, and here {'is' if count == 1 else 'are'} {count}",
        self.span(tree),
        hint=_usage(function),
    )
    problem.diagnostic = problem.diagnostic._replace(
        labels=(*problem.diagnostic.labels, Label(function.span._replace(end=function.body[0].start), "defined here"))
    )
    return problem


def _endless(self: Lowering, function: Function, tree: Tree) -> Exception:
    if self.supposed and not self.known:
        return Endless()
    if all(function is not other for other, _ in self.active):
        deep = f"calls of functions are more than {DEEPEST} deep here"
        return error("endless-recursion", deep, self.span(tree), hint="a loop over the steps has no limit")
    return error(
        "endless-recursion", f"`{function.name}` calls itself more than {DEEPEST} deep", self.span(tree),
        hint="a condition on values that are known beforehand ends a recursion; a loop has no limit",
    )  # fmt: skip
