"""A program in; its derivatives as expressions, in our own language or as LaTeX, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .api import one_number, one_variable_number
from .diagnostics import Diagnostic, Exit, error
from .graph import CONST, Expr, Fn, Graph
from .report import Report

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .lower import Lowered


def derivative(
    lowered: Lowered, wrt: Sequence[str], order: int = 1, values: Mapping[str, Any] | None = None, *, latex: bool = False
) -> Report:  # fmt: skip
    """The derivatives of one number by the names `wrt`, each of this order; numbers among `values` stand for the other names.

    The text of the report is our own language, or LaTeX; `document` has the derivatives one by one. An error names a step
    for which there are no words.
    """
    one_number(lowered)
    if not wrt:
        raise error("no-variable", "there is no variable to differentiate by", exit=Exit.USAGE)
    for name in wrt if order > 1 else ():
        one_variable_number(lowered, name)
    found, notes = expressions(_with_numbers(lowered.fn, wrt, values or {}), wrt, order)
    from .emit import derivation

    derivation.check(found)
    text = derivation.formulas(found, wrt, order) if latex else derivation.lines(found)
    document = {"derivative": dict(zip(wrt, derivation.alone(found), strict=True))}
    return Report("derive", text=text, document=document, notes=(*lowered.notes, *notes))


def expressions(fn: Fn, wrt: Sequence[str], order: int = 1) -> tuple[Fn, list[Diagnostic]]:
    """The derivatives as one function in words of the language, simplified after every order, and what the words leave out."""
    from .simplify import unrolled

    fn = unrolled(fn)
    decimals = any(node.op is CONST and not node.attr.lstrip("-").isalnum() for node in fn.nodes)
    found, notes = [], []
    for names in [list(wrt)] if order == 1 else [[name] for name in wrt]:
        one = fn
        for turn in range(1, order + 1):
            one, more = _differentiated(one, names, decimals=decimals, last=turn == order, again=turn > 1)
            notes += more
        found.append(one)
    joined = found[0] if len(found) == 1 else _joined(found, decimals=decimals)
    taken = {name for name, _ in fn.params}
    return joined.called([_called(name, order, taken) for name in wrt]), list(dict.fromkeys(notes))


def _called(name: str, order: int, taken: Collection[str]) -> str:
    """The name that a derivative is assigned to: that of no variable."""
    found = f"d{order if order > 1 else ''}_{''.join([c if c.isalnum() else '_' for c in name])}"
    while found in taken:
        found += "_"
    return found


def _differentiated(fn: Fn, names: Sequence[str], *, decimals: bool, last: bool, again: bool) -> tuple[Fn, list[Diagnostic]]:
    """The first derivatives as people write them; `again`: of a derivative, multiplied out where that is shorter."""
    from .derive import gradient
    from .emit.derivation import lines, notes
    from .simplify import write
    from .wording import worded_gradient

    slopes = worded_gradient(fn, names) if last and not again else gradient(fn, names)
    only = Fn(slopes, fn.params, [Expr(slopes, o) for o in slopes.outs[1:]], slopes.names[1:])  # type: ignore[arg-type]  # a frozen graph
    written = write(only, decimals=decimals, last=last)
    if again:
        written = min(written, write(only, decimals=decimals, last=last, out=True), key=lambda one: len(lines(one.fn)))
    return written.fn, list(notes(written))


def _joined(functions: Sequence[Fn], *, decimals: bool) -> Fn:
    """Several functions of the same variables as one, so that they share what they have in common."""
    from .simplify import simplify

    graph = Graph()
    outs = []
    for fn in functions:
        env = graph.inline(fn, {})
        outs += [Expr(graph, env[o]) for o in fn.outs]
    names = [name for fn in functions for name in fn.names]
    return simplify(Fn(graph, functions[0].params, outs, names), decimals=decimals)[0]


def _with_numbers(fn: Fn, wrt: Sequence[str], values: Mapping[str, Any]) -> Fn:
    """The function with the numbers and conditions that are given in place of the names that it is not differentiated by."""
    from .ops.losses import class_numbers

    kept = {*wrt, *class_numbers(fn)}
    given = {name: value for name, value in values.items() if name not in kept and not hasattr(value, "shape")}
    if not given:
        return fn
    graph = Graph()
    env = graph.inline(fn, {name: graph.lift(value) for name, value in given.items()})
    params = [(name, type) for name, type in fn.params if name not in given]
    return Fn(graph, params, [Expr(graph, env[o]) for o in fn.outs], fn.names)
