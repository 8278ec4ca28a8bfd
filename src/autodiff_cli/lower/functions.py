"""Calls of the program's own functions: written out where they are called, once for the same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Label, did_you_mean, error
from ..graph import Called, Expr
from .frames import Function, Unset, names_in
from .rules import by_rule

if TYPE_CHECKING:
    from collections.abc import Generator

    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

DEEPEST = 1_000


def call_function(self: Lowering, function: Function, tree: Tree) -> Task:
    """The value of a call of a function of the program."""
    bound: dict[str, Any] = {}
    for name, argument in _bound(self, function, tree).items():
        bound[name] = yield argument
    for name, default in function.defaults.items():
        if name not in bound:
            bound[name] = yield default
    return (yield apply(self, function, {name: bound[name] for name in function.params}, tree))


def apply(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """The value of a function for bound parameters."""
    key = (self.graph, id(function), tuple([key_of(self, v) for v in bound.values()]), _bindings(self, function))
    found = self.made.get(key)
    if found is not None:
        return found
    if len(self.active) >= DEEPEST:
        raise _endless(self, function, tree)
    self.at(tree)
    graph, path = self.graph, self.graph.path
    self.active.append((function, self.span(tree)))
    self.written[function.name] += 1
    graph.path = (*path, Called(function.name, self.span(tree), self.written.total()))
    try:
        found = (yield by_rule(self, function, bound, tree)) if function.rule else (yield written_out(self, function, bound, tree))
    finally:
        self.active.pop()
        graph.path = path
    self.made[key] = found
    return found


def written_out(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """The value of a function whose statements are lowered where it is called."""
    from .statements import assign_name, block

    span = self.span(tree)
    state = self.names.env, self.names.program, self.source, self.names.function
    if self.names.function is None:
        self.names.program = self.names.env
    self.names.env, self.source, self.names.function = {}, function.source, function
    never, self.never = self.never, []
    try:
        for name, value in bound.items():
            assign_name(self, name, value, span)
        yield block(self, function.body)
        return _result(self, function)
    finally:
        self.names.env, self.names.program, self.source, self.names.function = state
        self.never = never


def _result(self: Lowering, function: Function) -> Any:
    env = self.names.env
    returned = env.get("@returned")
    if returned is None or (returned.text != "True" and not self.always(returned)):
        raise error("no-return", f"`{function.name}` may end without a value", function.span, hint="return x on every way through")
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
    return error(
        "endless-recursion", f"`{function.name}` calls itself more than {DEEPEST} deep", self.span(tree),
        hint="a condition on values that are known beforehand ends a recursion; a loop has no limit",
    )  # fmt: skip


def key_of(self: Lowering, value: Any) -> Any:
    """What makes two arguments the same."""
    if isinstance(value, Expr):
        return self.frame.local(value).id
    if type(value) is tuple:
        return tuple([key_of(self, v) for v in value])
    return id(value) if isinstance(value, Function) else value


def _bindings(self: Lowering, function: Function) -> Any:
    """What the names stand for that a function reads from the program."""
    env = self.names.env if self.names.function is None else self.names.program
    return tuple([(name, key_of(self, env[name])) for name in reads(self, function) if name in env and not isinstance(env[name], Unset)])


def reads(self: Lowering, function: Function) -> tuple[str, ...]:
    """The names of the program that a function and those that it calls may read."""
    if function.reads is None:
        found: set[str] = set()
        todo, seen = [function], {function.name}
        while todo:
            one = todo.pop()
            inner = names_in(one.body)
            found |= inner - one.locals
            for name in inner - seen:
                if name in self.names.functions:
                    seen.add(name)
                    todo.append(self.names.functions[name])
        function.reads = tuple(sorted(found))
    return function.reads
