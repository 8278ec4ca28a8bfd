"""What the commands and Python users call: a program and values in, a `Report` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import AutodiffError, Exit, error
from .graph import PARAM
from .report import Entry, Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .diagnostics import Diagnostic, Source
    from .graph import Fn, Site
    from .lower import Lowered
    from .report import Value
    from .types import Type

    Mark = Callable[[str], None]


def ignore(_stage: str) -> None:
    """Nobody asked how long a stage took."""


def understand(source: Source, values: Mapping[str, Any], named: Sequence[str] = (), mark: Mark = ignore) -> Lowered:
    """The meaning of a text; `values` are of the variables, `named` what is differentiated by."""
    from .syntax import parse

    tree = parse(source)
    mark("parse")
    from .lower import lower
    from .run.floats import constant

    lowered = lower(tree, source, values, named, constant)
    mark("lower")
    return lowered


def evaluate(lowered: Lowered, values: Mapping[str, Value], mark: Mark = ignore) -> Report:
    """The value at a point."""
    results, notes = _run(lowered, lowered.fn, values, (), mark)
    return Report("eval", (Entry("value", ("value",), results[0]),), values, notes=notes)


def gradient(lowered: Lowered, values: Mapping[str, Value], wrt: Sequence[str], *, elasticity: bool = False, mark: Mark = ignore) -> Report:
    """Value and gradient by the names `wrt`, and x f'/f with `elasticity`."""
    from . import derive

    _one_number(lowered)
    fn = derive.gradient(lowered.fn, wrt)
    if elasticity:
        fn = _with_elasticity(fn, wrt)
    mark("derive")
    results, notes = _run(lowered, fn, values, wrt, mark)
    n = len(wrt)
    entries = [Entry("value", ("value",), results[0])]
    entries += [Entry(f"d_{x}", ("gradient", x), d) for x, d in zip(wrt, results[1 : n + 1], strict=True)]
    entries += [Entry(f"e_{x}", ("elasticity", x), e) for x, e in zip(wrt, results[n + 1 :], strict=False)]
    document = None if wrt else {"value": results[0], "gradient": {}}
    return Report("grad", tuple(entries), values, document=document, notes=notes)


def derivatives(lowered: Lowered, values: Mapping[str, Value], name: str, order: int, mark: Mark = ignore) -> Report:
    """Value and the derivatives of order 1 to `order` by one variable."""
    from . import derive

    _one_number(lowered)
    _one_variable_number(lowered, name)
    fn = derive.taylor(lowered.fn, name, order)
    mark("derive")
    results, notes = _run(lowered, fn, values, (name,), mark)
    entries = [Entry("value", ("value",), results[0])]
    entries += [Entry(f"d{k + 1 if k else ''}_{name}", ("derivatives", name, k), d) for k, d in enumerate(results[1:])]
    return Report("grad", tuple(entries), values, notes=notes)


def _with_elasticity(fn: Fn, wrt: Sequence[str]) -> Fn:
    from .derive.products import target
    from .graph import Fn as Function

    graph, outs, inputs = fn.open()
    value, *partials = outs
    nodes = [target(graph, inputs, name) for name in wrt]
    ratios = [graph.const("0") if x is None else x * d / value for x, d in zip(nodes, partials, strict=True)]
    return Function(graph, fn.params, [*outs, *ratios], [*fn.names, *[f"e_{name}" for name in wrt]])


def _run(
    lowered: Lowered, fn: Fn, values: Mapping[str, Value], wrt: Sequence[str], mark: Mark
) -> tuple[list[Value], tuple[Diagnostic, ...]]:
    from .notes import about
    from .program import compile as compiled
    from .run.point import run

    program = compiled(fn)
    mark("compile")
    results = run(program, values)
    mark("run")
    notes = (*lowered.notes, *about(fn, values, wrt, results))
    mark("notes")
    return [value.astype(float) if hasattr(value, "shape") else float(value) for value in results], notes


def _one_number(lowered: Lowered) -> None:
    """The value has to be one number for its gradient."""
    fn = lowered.fn
    kind, site = fn.nodes[fn.outs[0]].type, fn.sites[fn.outs[0]]
    if kind.shape:
        message = f"the value has shape {kind.shape}, and a gradient is of one number"
        hint = "sum(…) or mean(…) round it makes one number; `autodiff jac` gives the derivatives of every entry"
        raise error("not-one-number", message, site and site.span, f"shape {kind.shape}", hint=hint)


def _one_variable_number(lowered: Lowered, name: str) -> None:
    """Derivatives of higher order are by one number."""
    kind: Type | None = dict(lowered.fn.params).get(name)
    if kind is not None and kind.shape:
        found = site(lowered, name)
        message = f"`--order` is by one number, and `{name}` has shape {kind.shape}"
        raise error("one-variable", message, found and found.span, hint="autodiff grad without --order, or autodiff hess", exit=Exit.USAGE)


def graph(lowered: Lowered, values: Mapping[str, Value] | None, mark: Mark = ignore) -> Report:
    """The graph as DOT; with `values`, as it ran, with values and gradients."""
    from .emit.dot import dot
    from .emit.drawing import drawing, observe

    notes = lowered.notes
    try:
        shown = None if values is None else observe(lowered.fn, values)
    except AutodiffError as none:
        shown = observe(lowered.fn, values or {}, backward=False)
        notes += (none.diagnostic._replace(severity="note"),)
    mark("run")
    text = dot(drawing(lowered.fn, shown))
    mark("draw")
    return Report("graph", text=text, notes=notes)


def explain(source: Source, lowered: Lowered, values: Mapping[str, Value], origins: Mapping[str, str], wrt: Sequence[str]) -> Report:
    """How a text was understood, with nothing run."""
    from .emit.brackets import brackets
    from .emit.explanation import described, written
    from .syntax import parse

    document = described(brackets(parse(source)), lowered, values, origins, wrt)
    return Report("explain", text=written(document, lowered), document=document, notes=lowered.notes)


def functions(name: str | None = None) -> Report:
    """The functions of the language, or one of them in detail."""
    from .emit.reference import detail, entries, listing

    return Report(
        "functions", text=None if name is None else detail(name), listing=listing(name),
        document=[entry.document() for entry in entries(name)],
    )  # fmt: skip


def known() -> list[str]:
    """Every name that `functions` answers to."""
    from .emit.reference import names

    return names()


def differentiable(lowered: Lowered) -> list[str]:
    """The variables that are neither static nor a condition, in order."""
    kinds = dict(lowered.fn.params)
    return [name for name in lowered.free if name not in lowered.statics and kinds[name].kind == "real"]


def site(lowered: Lowered, name: str) -> Site | None:
    """Where a variable first stands."""
    for node, found in zip(lowered.fn.nodes, lowered.fn.sites, strict=True):
        if node.op is PARAM and node.attr == name:
            return found
    return None


def one_variable(wrt: Sequence[str]) -> str:
    """The variable of `--order`; more or fewer than one is an error."""
    if len(wrt) == 1:
        return wrt[0]
    what = f"the expression has {', '.join(wrt)}" if wrt else "the expression has no variable"
    raise error("one-variable", f"`--order` takes one variable, and {what}", hint=f"--wrt {wrt[0]}" if wrt else None, exit=Exit.USAGE)
