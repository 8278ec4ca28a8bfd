"""How an entry of the op table is written: one call an op, rules as expressions of other ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import OPS, NoDerivative, Op, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = Any
REALS = (-3.0, 3.0)
POSITIVE = (0.05, 4.0)
UNIT = (-0.95, 0.95)
PROBABILITY = (0.02, 0.98)


def elementwise(name: str, d: Rule | tuple[Rule, ...] = (), **fields: Any) -> Op:
    """An op with one partial an argument; each partial is an expression over the arguments.

    A partial is a function of the arguments (and of the attribute, last, where the op has one), or
    a `NoDerivative`. It returns an expression, a number, or `When(condition, expression)`.
    """
    partials = d if isinstance(d, tuple) and not isinstance(d, NoDerivative) else (d,)
    return enter(Op(name, "elementwise", d=partials, **fields), next((f for f in partials if callable(f)), None))


def step(name: str, **fields: Any) -> Op:
    """An op whose derivative is 0 everywhere: a structural zero, at NaN too."""
    return enter(Op(name, "elementwise", d=(zero,), **fields), None)


def composite(name: str, expand: Callable[..., Any], **fields: Any) -> Op:
    """An op given by an expression: expanded to run and to differentiate, kept to display."""
    return enter(Op(name, "composite", expand=expand, **fields), expand)


def structured(name: str, **fields: Any) -> Op:
    """An op that the derivative rules know by name: `select`, `loop`, `call`."""
    return enter(Op(name, "structured", **fields), None)


def enter(op: Op, shape: Callable[..., Any] | None) -> Op:
    """Put the op in the table, its parameters read from `call` or else from its own rule."""
    static = op.parameters if op.parameters and isinstance(op.parameters[0], str) else ()
    if not op.parameters or static:
        op.parameters = signature(op.call or shape or (lambda x: x), static)
    OPS[op.name] = op
    return op


def signature(function: Callable[..., Any], static: tuple[Any, ...] = ()) -> tuple[Parameter, ...]:
    """The parameters of a rule, as the language shows them."""
    code, defaults, named = function.__code__, function.__defaults__ or (), function.__kwdefaults__ or {}
    names = code.co_varnames[: code.co_argcount]
    required = code.co_argcount - len(defaults)
    found = [Parameter(n, ... if k < required else defaults[k - required], n in static) for k, n in enumerate(names)]
    more = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 4:
        rest = code.co_varnames[more]
        found.append(Parameter(rest, ..., rest in static, variadic=True))
    return (*found, *[Parameter(n, named.get(n, ...), n in static) for n in code.co_varnames[code.co_argcount : more]])


def zero(*_: Any) -> int:
    """The partial of a step."""
    return 0
