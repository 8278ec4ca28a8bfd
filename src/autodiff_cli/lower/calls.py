"""Calls of functions: which function, which argument is which parameter, what node comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Label, Span, did_you_mean, error
from ..graph import NAME, PARAM, Expr
from ..ops import FUNCTIONS
from ..ops.arithmetic import select
from ..ops.usage import usage
from ..types import REAL, Type
from .frames import Unroll
from .shapes import axis_meant, crossed, placed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Graph
    from ..op import Op, Parameter
    from ..syntax import Tree
    from .lowering import Lowering

Lowered = dict[str, list[Any]]

LONGEST = 72
RECURSION = "the condition of a recursion"


class Calls:
    """The calls of one program; `statics` collects the variables that are static because of them."""

    def __init__(self, lowering: Lowering, evaluate: Callable[[Expr, Mapping[str, Any]], float | bool] | None) -> None:
        self.lowering, self.names, self.evaluate = lowering, lowering.names, evaluate
        self.statics: dict[str, Span] = {}
        self.marked: dict[tuple[Graph, int], Span] = {}
        self.by: list[tuple[Expr, str, Span]] = []

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
                raise self._keyword(op, name, self.lowering.span(argument), self.lowering.span(tree), twice=name in taken)
            taken.add(name)
            bound.append((parameter, argument))
        if any(p.default is ... and not p.variadic and p.name not in taken for p in op.parameters):
            raise self._count(op, len(args), self.lowering.span(tree))
        return bound

    def _count(self, op: Op, count: int, span: Span) -> AutodiffError:
        message = f"`{op.name}` takes {_count_text(op)}, and here {'are' if count != 1 else 'is'} {count}"
        return error("argument-count", message, span, usage(op), hint=op.example)

    def _keyword(self, op: Op, name: str, span: Span, call: Span, *, twice: bool) -> AutodiffError:
        if twice:
            return error("argument-twice", f"`{name}` is given twice", span, usage(op), hint=op.example)
        from ..syntax.meant import keywords

        near = did_you_mean(name, [p.name for p in op.parameters])
        mended = keywords(call.text)
        return error(
            "unknown-argument",
            f"`{op.name}` has no argument `{name}`",
            span,
            f"did you mean `{near}`?" if near else usage(op),
            hint=op.example if mended == call.text or len(mended) > LONGEST else mended,
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
            raise placed(failure, tree, given, self.lowering) from None
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
            hint = f"floor({span.text}) or round({span.text})" if found - found == 0 else "a whole number"
            shown = f"{found:g}" if type(found) is float else found  # or all digits
            raise error("whole-number", f"{what} must be a whole number, and it is {shown}", span, hint=hint)
        return found

    def static(self, value: Expr, span: Span, what: str) -> float:
        """The value of an argument that must be known before the graph is made."""
        if value.type.shape:
            raise error("whole-number", f"{what} must be one number, and this is an array of shape {value.type.shape}", span)
        found = self.known(value, span, what)
        return found if isinstance(found, float) else float(found)

    def known(self, value: Expr, span: Span, what: str) -> Any:
        """The value of a node that must be known before the graph is made; the variables it was made of are static."""
        frame = self.lowering.frame
        self._mark(value, span)
        if frame.is_fixed(value):
            return self.evaluate_node(value)
        if what != RECURSION:
            self._refuse_conditions(value, span, what)
        inputs = frame.inputs(value)
        if frame is not self.lowering.root:
            raise Unroll(f"{what} must be known before the graph is made", span, "for k in range(100): …, with `if` and `break` on data")
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
        return self.evaluate(value, self.names.values)

    def _mark(self, value: Expr, span: Span) -> None:
        """The names that a static value was made of are static: nothing is differentiated by them."""
        if self.lowering.named:
            for i in self.lowering.frame.below(value):
                if value.graph.nodes[i].op is NAME:
                    self.marked.setdefault((value.graph, i), span)

    def _refuse_conditions(self, value: Expr, span: Span, what: str) -> None:
        """A static value that a condition on data changed is static no more."""
        frame, nodes = self.lowering.frame, value.graph.nodes
        numbers = frame.below(value, numbers=True)
        read = {nodes[i].attr for i in numbers if nodes[i].op is PARAM} | self.statics.keys()
        for i in sorted(numbers):
            if nodes[i].op is select and nodes[i].type.kind != "bool":
                p = Expr(value.graph, nodes[i].args[0])
                data = [] if frame.is_fixed(p) else [name for name in frame.inputs(p) if name not in read]
                if data:
                    site = value.graph.sites[p.id]
                    changed = error(
                        "static-value", f"{what} must be known before the graph is made, and a condition on `{data[0]}` changes it", span,
                        hint=f"where({site.span.text if site else 'condition'}, a, b) chooses between two results, each with a number of its own",
                    )  # fmt: skip
                    labels = (*changed.diagnostic.labels, *([Label(site.span, "not known beforehand")] if site else []))
                    raise AutodiffError(changed.diagnostic._replace(labels=labels))

    def check_names(self, asked: Mapping[str, Any]) -> None:
        """Refuse derivatives by names that turned out to be static; those that were asked for from outside become `statics`."""
        for value, name, span in self.by:
            used = self.marked.get((value.graph, value.id)) or (self.statics.get(value.node.attr) if value.node.op is PARAM else None)
            if used is not None:
                hint = f"m = {name} is a number of its own: grad(…, m)"
                found = error("static-wrt", f"`{name}` is static here, so it has no derivative", span, hint=hint)
                raise AutodiffError(found.diagnostic._replace(labels=(*found.diagnostic.labels, Label(used, "used here"))))
        for name, value in asked.items():
            if isinstance(value, Expr) and (value.graph, value.id) in self.marked:
                self.statics.setdefault(name, self.marked[value.graph, value.id])

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
        fits = all(isinstance(part, int | float) for part in parts) or (value is None and (p.default is None or p.name == "axis"))
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
