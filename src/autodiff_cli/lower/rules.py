"""Functions with a derivative of the user's own: a call and its rule in, a node that keeps the rule out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from ..graph import Expr, Fn, Site
from ..ops.arithmetic import detach
from ..ops.structured import Callee, call
from ..types import broadcast
from .frames import Frame

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..syntax import Tree
    from ..types import Type
    from .frames import Function
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

WORDS = {"derivative": "partial", "pullback": "cotangent"}


class Call:
    """One call that keeps its rule: `inputs` are the arguments that have a derivative, `captures` what is read besides.

    While its rule is lowered `frame` is that of the rule, and a call of the same function there is `asked` for: the
    rule then holds `callee`, and the derivative of such a call is the rule's again.
    """

    __slots__ = ("asked", "bound", "callee", "captures", "frame", "function", "inputs", "tree")

    def __init__(self, function: Function, bound: dict[str, Any], inputs: dict[str, Expr], tree: Tree) -> None:
        self.function, self.bound, self.inputs, self.tree = function, bound, inputs, tree
        self.captures: dict[int, Expr] = {}
        self.callee: Callee | None = None
        self.frame: Frame | None = None
        self.asked = False

    @property
    def params(self) -> list[tuple[str, Type]]:
        given = [(f"a{k}", e.type) for k, e in enumerate(self.inputs.values())]
        return given + [(f"k{k}", e.type) for k, e in enumerate(self.captures.values())]


def by_rule(self: Lowering, function: Function, bound: dict[str, Any], tree: Tree) -> Task:
    """A call that stays a node until it runs, so that the rule cannot be lost."""
    from .functions import written_out

    again = _itself(self, function, bound)
    if again is not None:
        return (yield _again(self, again, bound, tree))
    inputs = {
        name: self.frame.local(self.real(v))
        for name, v in bound.items()
        if isinstance(v, Expr) and not self.frame.is_fixed(self.frame.local(v))
    }
    if not inputs:
        value = yield written_out(self, function, bound, tree)
        return detach(value) if isinstance(value, Expr) and not self.frame.is_fixed(self.frame.local(value)) else value
    made = Call(function, bound, inputs, tree)
    body = yield _inside(self, made, function, bound)
    if len(body) != 1:
        raise error("rule-results", f"`{function.name}` with a rule of its own gives back one number or array", function.span)
    results = yield _results(self, made, body[0])
    value = Fn(body[0].graph, made.params, body, ["value"])
    if made.asked:
        made.callee = Callee(function.name, value, itself=object())
        results = yield _results(self, made, body[0])
    callee = _callee(made, value, results)
    self.graph.site = Site(self.span(tree))
    return call(callee, [*inputs.values(), *made.captures.values()])


def _itself(self: Lowering, function: Function, bound: dict[str, Any]) -> Call | None:
    """The call whose rule is being lowered, where its own function is called in it with the same static arguments."""
    for made in reversed(self.ruling):
        if made.function is function and _statics(self, made, made.bound) == _statics(self, made, bound):
            types = [self.real(bound[name]).type if isinstance(bound[name], Expr) else None for name in made.inputs]
            if types == [e.type for e in made.inputs.values()]:
                return made  # type: ignore[no-any-return]  # a call under way
    return None


def _statics(self: Lowering, made: Call, bound: dict[str, Any]) -> list[Any]:
    return [_known(self, v) for name, v in bound.items() if name not in made.inputs]


def _known(self: Lowering, value: Any) -> Any:
    """What makes two static arguments the same in any graph."""
    if type(value) is tuple:
        return tuple([_known(self, v) for v in value])
    if not isinstance(value, Expr):
        return value
    if value.text is not None:
        return (value.text, value.type)
    local = self.frame.local(value)
    if not self.frame.is_fixed(local):
        return (value.graph, value.id)
    found = self.calls.evaluate_node(local)
    return (repr(found.tolist()) if hasattr(found, "tolist") else found, value.type)


def _again(self: Lowering, made: Call, bound: dict[str, Any], tree: Tree) -> Task:
    """The function in its own rule: written out to see what it reads, then a call of what the rule is of."""
    from .functions import written_out

    made.asked = True
    if made.callee is None or made.frame is None:
        return (yield written_out(self, made.function, bound, tree))
    read = [made.frame.graph.param(f"k{k}", e.type) for k, e in enumerate(made.captures.values())]
    self.at(tree)
    return call(made.callee, [self.frame.local(self.real(v)) for v in (*[bound[name] for name in made.inputs], *read)])


def _inside(self: Lowering, made: Call, function: Function, bound: dict[str, Any], cotangent: dict[str, Type] | None = None) -> Task:
    """The results of a function in a frame of its own, over parameters for the inputs of the call."""
    from .functions import written_out

    outer, places = self.frame, list(made.inputs)
    frame = self.frame = Frame(outer, made.captures, expanding=outer.graph.expanding)
    if function is not made.function:
        made.frame = frame
    try:
        env: dict[str, Any] = {name: frame.graph.param("ct", type) for name, type in (cotangent or {}).items()}
        of = dict(zip([p for p in function.params if p not in env], made.function.params, strict=True))
        for name, original in of.items():
            place = places.index(original) if original in made.inputs else -1
            env[name] = bound[original] if place < 0 else frame.graph.param(f"a{place}", made.inputs[original].type)
        result = yield written_out(self, function, env, made.tree)
        parts = result if type(result) is tuple else (result,)
        return [frame.local(self.real(self.expr(p, made.tree))) for p in parts]
    finally:
        self.frame = outer


def _results(self: Lowering, made: Call, value: Expr) -> Task:
    """What the rule gives back for the inputs, in their order."""
    kind, rule = made.function.rule  # type: ignore[misc]  # looked at before
    count, wanted = len(made.function.params), len(rule.params) - (kind == "pullback")
    if wanted != count:
        what = "parameter" if kind == "derivative" else "parameter after the cotangent"
        raise _wrong_count(made, rule, max(wanted, 0), what, _signature(made, kind))
    self.ruling.append(made)
    try:
        found = yield _inside(self, made, rule, made.bound, {rule.params[0]: value.type} if kind == "pullback" else None)
    finally:
        self.ruling.pop()
    if len(found) == count:
        found = [e for e, name in zip(found, made.function.params, strict=True) if name in made.inputs]
    elif len(found) != len(made.inputs):
        raise _wrong_count(made, rule, len(found), WORDS[kind], f"return {', '.join('d_' + p for p in made.function.params)}")
    for k, (part, name) in enumerate(zip(found, made.inputs, strict=True)):
        _check_shape(made, rule, part, value.type.shape, name)
        found[k] = part.graph.broadcast(part, value.type.shape if kind == "derivative" else made.inputs[name].type.shape)
    return found


def _check_shape(made: Call, rule: Function, part: Expr, value: tuple[int, ...], name: str) -> None:
    """A partial can be stretched to the shape of the value, a cotangent has that of its argument; 0 is a cotangent of any shape."""
    kind, shape, own = made.function.rule[0], part.type.shape, made.inputs[name].type.shape  # type: ignore[index]  # looked at before
    if kind == "derivative" and broadcast(own, value) != value:
        raise error(
            "rule-shape", f"`{made.function.name}` makes shape {value} of shape {own}, which no partial entry by entry describes", rule.span,
            hint=f"@pullback({made.function.name}) takes the cotangent of the value, and gives back that of `{name}`",
        )  # fmt: skip
    wanted = value if kind == "derivative" else own
    fits = shape == wanted or part.whole == 0 if kind == "pullback" else broadcast(shape, wanted) == wanted
    if not fits:
        k = list(made.function.params).index(name)
        more = "sum what was stretched" if shape else f"{rule.params[0]}*{rule.params[k - len(made.function.params)]} has as many entries"
        hint = f"`{name}` has shape {own}, and what it gets has the same: {more}" if kind == "pullback" else None
        raise error(
            "rule-shape",
            f"the {WORDS[kind]} by `{name}` in the rule of `{made.function.name}` has shape {shape}, and shape {wanted} is wanted",
            rule.span,
            hint=hint or f"every entry of the value has its partial: broadcast to shape {wanted}",
        )


def _callee(made: Call, value: Fn, results: Sequence[Expr]) -> Callee:
    """What the node holds: the function, and its partials or its pullback over the same parameters."""
    callee = made.callee or Callee(made.function.name, value)
    params = made.params
    if made.function.rule[0] == "derivative":  # type: ignore[index]  # looked at before
        partials = [Fn(p.graph, params, [p], ["d"]) for p in results]
        return callee.ruled((*partials, *[None] * len(made.captures)), None)
    graph = results[0].graph
    nothing = [graph.broadcast(graph.const("0"), e.type.shape) for e in made.captures.values()]
    given = [("ct", value.nodes[value.outs[0]].type), *params]
    return callee.ruled(None, Fn(graph, given, [*results, *nothing], [f"d{k}" for k in range(len(params))]))


def _signature(made: Call, kind: str) -> str:
    return f"def _({', '.join((['ct'] if kind == 'pullback' else []) + list(made.function.params))}): …"


def _wrong_count(made: Call, rule: Function, found: int, what: str, hint: str) -> Exception:
    name, count = made.function.name, len(made.function.params)
    noun, _, rest = what.partition(" ")
    message = f"the rule of `{name}` has {_counted(found, noun)}{f' {rest}' * bool(rest)}, and `{name}` has {_counted(count, 'parameter')}"
    return error("rule-count", message, rule.span, hint=hint)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
