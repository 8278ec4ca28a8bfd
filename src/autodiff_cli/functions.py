"""Calls of the program's own functions: written out where they are called, once for the same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import Label, did_you_mean, error
from .frames import Frame, Function, Unset, names_in
from .graph import Expr, Fn, Site
from .ops.structured import Callee, call

if TYPE_CHECKING:
    from collections.abc import Generator

    from .lower import Lowering
    from .syntax import Tree

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
    key = (id(self.graph), id(function), tuple([key_of(self, v) for v in bound.values()]), _bindings(self, function))
    found = self.made.get(key)
    if found is not None:
        return found
    if len(self.active) >= DEEPEST:
        raise _endless(self, function, tree)
    self.at(tree)
    self.active.append((function, self.span(tree)))
    try:
        found = (yield _by_rule(self, function, bound, tree)) if function.rule else (yield _written_out(self, function, bound, tree))
    finally:
        self.active.pop()
    self.made[key] = found
    return found


def _written_out(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    from .statements import assign_name, block

    span = self.span(tree)
    state = self.names.env, self.names.program, self.source, self.names.function
    if self.names.function is None:
        self.names.program = self.names.env
    self.names.env, self.source, self.names.function = {}, function.source, function
    try:
        for name, value in bound.items():
            assign_name(self, name, value, span)
        yield block(self, function.body)
        return _result(self, function)
    finally:
        self.names.env, self.names.program, self.source, self.names.function = state


def _result(self: Lowering, function: Function) -> Any:
    env = self.names.env
    returned = env.get("@returned")
    if returned is None or (returned.text != "True" and not self.always(returned)):
        raise error("no-return", f"`{function.name}` may end without a value", function.span, hint="return x on every way through")
    return env["@value"]


def _by_rule(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """A call that stays a node until it runs, so that the user's own derivative cannot be lost."""
    kind, rule = function.rule  # type: ignore[misc]  # looked at before
    inputs = {name: self.frame.local(self.real(v)) for name, v in bound.items() if isinstance(v, Expr) and not self.frame.is_fixed(self.frame.local(v))}
    if not inputs:
        return (yield _written_out(self, function, bound, tree))
    captures: dict[int, Expr] = {}
    body = yield _inside(self, function, bound, inputs, captures, tree)
    types = [body[0].type]
    if kind == "derivative":
        given = {p: bound[q] for p, q in zip(rule.params, function.params, strict=False)}
        named = {p: inputs[q] for p, q in zip(rule.params, function.params, strict=False) if q in inputs}
        if len(rule.params) != len(function.params):
            raise _rule_count(self, function, rule, len(rule.params), "parameters")
        partials = yield _inside(self, rule, given, named, captures, tree)
        _check_count(self, function, rule, len(partials), len(bound), "partials")
        outs = [p for p, name in zip(partials, bound, strict=True) if name in inputs]
    else:
        ct, *rest = rule.params
        if len(rest) != len(function.params):
            raise _rule_count(self, function, rule, len(rest), "parameters after the cotangent")
        cotangent = {ct: types[0]}
        given = {p: bound[q] for p, q in zip(rest, function.params, strict=True)}
        named = {p: inputs[q] for p, q in zip(rest, function.params, strict=True) if q in inputs}
        outs = yield _inside(self, rule, given, named, captures, tree, cotangent)
        _check_count(self, function, rule, len(outs), len(bound), "cotangents")
        outs = [p for p, name in zip(outs, bound, strict=True) if name in inputs]
    return _node(self, function, kind, body, outs, inputs, captures, tree)


def _inside(  # noqa: PLR0913, PLR0917 (what a body is lowered with)
    self: Lowering, function: Function, bound: dict[str, Any], inputs: dict[str, Expr], captures: dict[int, Expr], tree: Tree, first: Any = None
) -> Task:
    """The results of a function in a frame of its own, over parameters for its inputs."""
    outer = self.frame
    frame = self.frame = Frame(outer, captures, expanding=outer.graph.expanding)
    try:
        env = {name: frame.graph.param("ct", type) for name, type in (first or {}).items()}
        env |= {name: frame.graph.param(f"a{list(inputs).index(name)}", inputs[name].type) if name in inputs else v for name, v in bound.items()}
        result = yield _written_out(self, function, env, tree)
        parts = result if type(result) is tuple else (result,)
        return [frame.local(self.real(p)) for p in parts]
    finally:
        self.frame = outer


def _node(  # noqa: PLR0913, PLR0917 (the parts of a call)
    self: Lowering, function: Function, kind: str, body: list[Expr], outs: list[Expr], inputs: dict[str, Expr], captures: dict[int, Expr], tree: Tree
) -> Expr:
    if len(body) != 1:
        raise error("rule-results", f"`{function.name}` with a rule of its own gives back one number or array", function.span)
    params = [*[(f"a{k}", e.type) for k, e in enumerate(inputs.values())], *[(f"k{k}", e.type) for k, e in enumerate(captures.values())]]
    fn = Fn(body[0].graph, params, body, ["value"])
    for k, (part, e) in enumerate(zip(outs, inputs.values(), strict=True)):
        wanted = body[0].type.shape if kind == "derivative" else e.type.shape
        if part.type.shape not in ((), wanted):
            raise error("rule-shape", f"result {k + 1} of the rule of `{function.name}` has shape {part.type.shape}, and shape {wanted} is wanted", function.rule[1].span)  # type: ignore[index]
    wholes = [p.graph.broadcast(p, body[0].type.shape if kind == "derivative" else e.type.shape) for p, e in zip(outs, inputs.values(), strict=True)]
    if kind == "derivative":
        partials = [Fn(p.graph, params, [p], ["d"]) for p in wholes]
        callee = Callee(function.name, fn, (*partials, *[None] * len(captures)))
    else:
        graph = wholes[0].graph
        nothing = [graph.broadcast(graph.const("0"), e.type.shape) for e in captures.values()]
        rule = Fn(graph, [("ct", body[0].type), *params], [*wholes, *nothing], [f"d{k}" for k in range(len(params))])
        callee = Callee(function.name, fn, None, rule)
    self.graph.site = Site(self.span(tree))
    return call(callee, [*inputs.values(), *captures.values()])


def _check_count(self: Lowering, function: Function, rule: Function, found: int, wanted: int, what: str) -> None:
    if found != wanted:
        raise _rule_count(self, function, rule, found, what)


def _rule_count(_: Lowering, function: Function, rule: Function, found: int, what: str) -> Exception:
    count = len(function.params)
    return error("rule-count", f"the rule of `{function.name}` has {found} {what}, and the function has {count} parameter{'s' * (count != 1)}", rule.span)


def _bound(self: Lowering, function: Function, tree: Tree) -> dict[str, Tree]:
    """Arguments by parameter, as Python binds them."""
    _, args, keywords = tree.parts
    if len(args) > len(function.params):
        raise _wrong_count(self, function, tree)
    bound = dict(zip(function.params, args, strict=False))
    for name, argument in keywords:
        if name not in function.params:
            near = did_you_mean(name, function.params)
            raise error("unknown-argument", f"`{function.name}` has no parameter `{name}`", self.span(argument), f"did you mean `{near}`" if near else "", hint=_usage(function))
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
    problem = error("argument-count", f"`{function.name}` takes {takes} argument{'s' * (takes != '1')}, and here {'is' if count == 1 else 'are'} {count}", self.span(tree), hint=_usage(function))
    problem.diagnostic = problem.diagnostic._replace(labels=(*problem.diagnostic.labels, Label(function.span._replace(end=function.body[0].start), "defined here")))
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
