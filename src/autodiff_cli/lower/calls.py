"""Calls of functions: which function, which argument is which parameter, what node comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Span, did_you_mean, error
from ..ops import FUNCTIONS
from ..ops.usage import usage
from ..types import REAL, Type
from .frames import Unroll
from .shapes import axis_meant, crossed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Expr
    from ..op import Op, Parameter
    from ..syntax import Tree
    from .lowering import Lowering

Lowered = dict[str, list[Any]]


class Calls:
    """The calls of one program; `statics` collects the variables that are static because of them."""

    def __init__(self, lowering: Lowering, evaluate: Callable[[Expr, Mapping[str, Any]], float | bool] | None) -> None:
        self.lowering, self.names, self.evaluate = lowering, lowering.names, evaluate
        self.statics: dict[str, Span] = {}

    def function(self, callee: Tree, tree: Tree) -> Op:
        """The function that is called."""
        span = self.lowering.span(callee)
        if callee.kind != "name":
            raise error("not-a-function", "only a name can be called", span, hint="write `*` for a product")
        name = callee.parts[0]
        op = FUNCTIONS.get(name)
        if op is not None:
            return op
        raise self._unknown(name, span, self.lowering.span(tree))

    def _unknown(self, name: str, span: Span, call: Span) -> AutodiffError:
        from ..syntax.meant import unknown

        return unknown(name, span, call, FUNCTIONS, {*self.names.values, *self.names.env, *self.names.free})

    def bind(self, op: Op, tree: Tree) -> list[tuple[Parameter, Tree]]:
        """Arguments with the parameters they are for, as Python binds them."""
        _, args, keywords = tree.parts
        bound: list[tuple[Parameter, Tree]] = []
        positional = op.parameters if not _of_numpy(op, tree) else [p for p in op.parameters if p.static or p is op.parameters[0]]
        for k, argument in enumerate(args):
            rest = next((p for p in positional if p.variadic), None)
            parameter = rest if rest and k >= positional.index(rest) else positional[k] if k < len(positional) else None
            if parameter is None:
                raise self._count(op, len(args), self.lowering.span(tree))
            bound.append((parameter, argument))
        taken = {parameter.name for parameter, _ in bound}
        for name, argument in keywords:
            parameter = next((p for p in op.parameters if p.name == name and not p.variadic), None)
            if parameter is None or name in taken:
                raise self._keyword(op, name, self.lowering.span(argument), twice=name in taken)
            taken.add(name)
            bound.append((parameter, argument))
        if any(p.default is ... and not p.variadic and p.name not in taken for p in op.parameters):
            raise self._count(op, len(args), self.lowering.span(tree))
        return bound

    def _count(self, op: Op, count: int, span: Span) -> AutodiffError:
        message = f"`{op.name}` takes {_count_text(op)}, and here {'are' if count != 1 else 'is'} {count}"
        return error("argument-count", message, span, usage(op), hint=op.example)

    def _keyword(self, op: Op, name: str, span: Span, *, twice: bool) -> AutodiffError:
        if twice:
            return error("argument-twice", f"`{name}` is given twice", span, usage(op), hint=op.example)
        near = did_you_mean(name, [p.name for p in op.parameters])
        return error(
            "unknown-argument",
            f"`{op.name}` has no argument `{name}`",
            span,
            f"did you mean `{near}`?" if near else usage(op),
            hint=op.example,
        )

    def make(self, op: Op, given: Lowered, tree: Tree) -> Expr:
        """The node of the call, from lowered arguments by parameter name."""
        args: list[Any] = [self.lowering.graph] if op.rule == "maker" else []
        named: dict[str, Any] = {}
        after = False
        for p in op.parameters:
            values = [self._argument(op, p, v, tree) for v in given.get(p.name, ())]
            if p.variadic:
                after = True
                args.extend(values)
            elif after:
                named |= {p.name: values[0]} if values else {}
            else:
                args.append(values[0] if values else p.default)
        try:
            made = op.call(*args, **named) if op.call else op(*args)
        except AutodiffError as failure:
            if failure.diagnostic.labels:
                raise
            raise _placed(failure, self.lowering.span(tree)) from None
        self._advise(op, given, tree)
        return self.lowering.graph.lift(made)

    def _advise(self, op: Op, given: Lowered, tree: Tree) -> None:
        """Notes on shapes that are seldom meant."""
        _, args, _ = tree.parts
        self.lowering.note(axis_meant(op, args, given, self.lowering.span(tree)))
        if len(args) > 1 and [p.name for p in op.parameters[1:2]] == ["target"]:
            operands = [values[0] for values in list(given.values())[:2]]
            self.lowering.note(crossed(list(zip(args[:2], operands, strict=True)), self.lowering.span(tree)))

    def _argument(self, op: Op, p: Parameter, value: Any, tree: Tree) -> Any:
        span = self.lowering.span(tree)
        if p.static:
            return _static_of(op, p, value, span)
        if isinstance(value, list):
            return [self.lowering.real(v) for v in value]
        if isinstance(value, str):
            raise error("text-argument", f"`{p.name}` of `{op.name}` is a number, not a text", span, usage(op), hint=op.example)
        if p.name == "condition":
            return self.lowering.truth(value)
        return value if op.name == "where" else self.lowering.real(value)

    def whole(self, value: Expr, span: Span, what: str) -> float:
        """A static whole number."""
        found = self.static(value, span, what)
        if found - found != 0 or int(found) != found:
            raise error("whole-number", f"{what} must be a whole number, and it is {found:g}", span)
        return found

    def static(self, value: Expr, span: Span, what: str) -> float:
        """The value of an argument that must be known before the graph is made."""
        frame = self.lowering.frame
        if value.type.shape:
            raise error("whole-number", f"{what} must be one number, and this is an array of shape {value.type.shape}", span)
        if frame.is_fixed(value):
            return float(self.evaluate_node(value))
        inputs = frame.inputs(value)
        if frame is not self.lowering.root:
            raise Unroll(f"{what} must be known before the graph is made", span)
        unknown = [n for n in inputs if isinstance(self.names.values.get(n, REAL), Type)]
        if unknown or self.evaluate is None:
            message = (
                f"{what} must be known before the graph is made, and it depends on `{unknown[0]}`"
                if unknown
                else f"{what} must be a number"
            )
            raise error("static-value", message, span, hint="give a number, or the variable a value")
        for name in inputs:
            self.statics.setdefault(name, span)
        return float(self.evaluate(value, self.names.values))

    def evaluate_node(self, value: Expr) -> float | bool:
        """The number or truth value of a node that depends on no parameter."""
        if self.evaluate is None:
            raise error("static-value", "a value that must be known beforehand")
        return self.evaluate(value, {})


def _static_of(op: Op, p: Parameter, value: Any, span: Span) -> Any:
    """A static argument of the kind that its parameter takes: a text, a number, several of them, or None."""
    text, several = p.name == "subscripts" or isinstance(p.default, str), p.name in ("axis", "axes", "shape")
    if text:
        fits = isinstance(value, str)
    else:
        parts = value if several and isinstance(value, tuple) else (value,)
        fits = all(isinstance(part, int | float) for part in parts) or (value is None and p.default is None)
    if not fits:
        wanted = "a text" if text else "a whole number, or several" if several else "one number"
        raise error("argument-kind", f"`{p.name}` of `{op.name}` is {wanted}", span, usage(op), hint=op.example)
    return value


def _of_numpy(op: Op, tree: Tree) -> bool:
    """Whether it is `np.max(X, 1)`, whose second argument is the axis."""
    name, prefix = tree.parts[0].parts
    return prefix in ("np", "numpy", "jnp") and op.name in ("max", "min") and name == op.name


def _count_text(op: Op) -> str:
    least = sum(p.default is ... and not p.variadic for p in op.parameters)
    most = len(op.parameters)
    if op.variadic:
        return f"{max(least, 1)} or more arguments"
    return f"{least} argument{'s' * (least != 1)}" if least == most else f"{least} to {most} arguments"


def _placed(failure: AutodiffError, span: Span) -> AutodiffError:
    from ..diagnostics import Label

    return AutodiffError(failure.diagnostic._replace(labels=(Label(span),)))
