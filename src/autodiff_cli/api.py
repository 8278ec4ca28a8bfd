"""What the commands and Python users call: a program and values in, a `Report` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .diagnostics import AutodiffError, Diagnostic, Exit, Label, error
from .graph import PARAM, Expr, Fn
from .report import Entry, Naming, Report
from .series import may_be_long

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .coordinates import Coordinates
    from .diagnostics import Source, Span
    from .emit.graph.model import Choice
    from .graph import Site
    from .lower import Lowered
    from .report import Value
    from .run.meter import Meter
    from .types import Type

    Mark = Callable[[str], None]
    Path = tuple[str | int, ...]


SHORT = 40
PLAIN = Naming()
GROUPS = {
    "grad": ("gradient",),
    "jac": ("jacobian",),
    "hess": ("gradient", "hessian"),
    "vjp": ("cotangent",),
}  # in JSON, also of no variable


class Task(NamedTuple):
    """What a command asks of a program: a function, the names it differentiates by, the place of each result in JSON.

    Results behind those of `paths` are the entries of `matrix`. `effort` says what the derivatives take. A task over arrays
    (of `together`, see `rolling`; for `answer` alone) takes the `packed` names as one input, and `plain` makes the one without.
    """

    command: str
    lowered: Lowered
    fn: Fn
    wrt: tuple[str, ...]
    paths: tuple[Path, ...]
    unused: Mapping[str, Value] = {}
    matrix: Coordinates | None = None
    effort: str | None = None
    plain: Callable[[], Task] | None = None
    packed: tuple[str, ...] = ()


def ignore(_stage: str) -> None:
    """Nobody asked how long a stage took."""


def understand(  # noqa: PLR0913, PLR0917 (what a program may be read with)
    source: Source,
    values: Mapping[str, Any],
    named: Sequence[str] = (),
    mark: Mark = ignore,
    call: str | None = None,
    turns: int | None = None,
    evaluate: Callable[[Expr, Mapping[str, Any]], Any] | None = None,
) -> Lowered:
    """The meaning of a text; `values` are of the variables, `named` what is differentiated by, `call` the function that is
    the value, `turns` the most that a loop on data may take; `evaluate` decides what is known beforehand, float64 if not said.
    """
    from .syntax import parse

    tree = parse(source)
    mark("parse")
    from .lower import lower
    from .run.floats import constant

    lowered = lower(tree, source, values, named, evaluate or constant, call, turns)
    mark("lower")
    return lowered


def value(lowered: Lowered, naming: Naming = PLAIN) -> Task:
    """The value."""
    return _task("eval", lowered, lowered.fn, (), [("value",)], naming)


def gradient(
    lowered: Lowered, wrt: Sequence[str], *, elasticity: bool = False, naming: Naming = PLAIN, unused: Mapping[str, Value] | None = None,
    together: bool = False,
) -> Task:  # fmt: skip
    """Value and gradient by the names `wrt`, and x f'/f with `elasticity`; by what the program does not use it is 0, of its shape."""
    from . import derive

    one_number(lowered)
    if together and not elasticity and may_be_long(lowered.fn):
        from .rolling import over_arrays

        if task := over_arrays(lowered, wrt, lambda lowered, wrt: gradient(lowered, wrt, naming=naming, unused=unused), naming):
            return task
    fn = derive.gradient(lowered.fn, wrt)
    paths: list[Path] = [("value",), *[("gradient", name) for name in wrt]]
    if elasticity:
        fn = _with_elasticity(fn, wrt)
        paths += [("elasticity", name) for name in wrt]
    return _task("grad", lowered, fn, wrt, paths, naming)._replace(unused=unused or {})


def derivatives(lowered: Lowered, name: str, order: int, naming: Naming = PLAIN) -> Task:
    """Value and the derivatives of order 1 to `order` by one variable."""
    from . import derive

    one_number(lowered)
    one_variable_number(lowered, name)
    fn = derive.taylor(lowered.fn, name, order)
    return _task("grad", lowered, fn, (name,), [("value",), *[("derivatives", name, k) for k in range(order)]], naming)


def _task(command: str, lowered: Lowered, fn: Fn, wrt: Sequence[str], paths: Sequence[Path], naming: Naming) -> Task:
    return Task(command, lowered, fn.called([naming.of(path) for path in paths]), tuple(wrt), tuple(paths))


def additive(task: Task) -> Task:
    """The results that may be added up over rows: all but elasticities."""
    kept = [k for k, path in enumerate(task.paths) if path[0] != "elasticity"]
    if len(kept) == len(task.paths):
        return task
    fn = task.fn
    shorter = Fn(fn, fn.params, [Expr(fn, fn.outs[k]) for k in kept], [fn.names[k] for k in kept])  # type: ignore[arg-type]  # a frozen graph
    return task._replace(fn=shorter, paths=tuple([task.paths[k] for k in kept]))


def answer(
    task: Task, values: Mapping[str, Value], mark: Mark = ignore, meter: Meter | None = None, rescue: str = "auto"
) -> Report:  # fmt: skip
    """The results of a task at a point; `rescue` says whether digits take over where float64 breaks down."""
    from .notes import about
    from .program import compile as compiled
    from .run.point import watched

    if task.plain is not None:
        from .rolling import results as over_arrays

        found = over_arrays(task, values) if meter is None and rescue != "always" else None
        if found is not None:
            mark("run")
            return report(task, _shaped(task, found), {**values, **task.unused}, task.lowered.notes)
        task = task.plain()
    program = compiled(task.fn)
    mark("compile")
    results, odd = watched(program, values, meter)
    saved: list[Diagnostic] = []
    if odd or rescue == "always":
        from .rescue import repaired

        results, saved = repaired(task.fn, values, task.wrt, results, rescue)
    if meter:
        meter.ran(program.fn, 1)
    mark("run")
    notes = (*task.lowered.notes, *_all_static(task), *saved, *about(task.fn, values, task.wrt, results))
    mark("notes")
    return report(task, _shaped(task, results), {**values, **task.unused}, notes, meter)


def _all_static(task: Task) -> list[Diagnostic]:
    """The note on a gradient by nothing, since every variable is static."""
    if task.command != "grad" or task.wrt:
        return []
    used = {name: (Label(span, "used here"),) for name, span in task.lowered.statics.items() if name in task.lowered.free}
    message = "`{}` is static here, so there is no derivative by it"
    return [Diagnostic("static-variable", message.format(name), labels, severity="note") for name, labels in used.items()]


def _shaped(task: Task, results: Sequence[Value]) -> list[Value]:
    """Results in float64; a derivative by an array that the program does not use has its shape."""
    found = [result.astype(float) if hasattr(result, "shape") else float(result) for result in results]
    for k, path in enumerate(task.paths):
        shape = getattr(task.unused.get(str(path[1])), "shape", None) if len(path) == 2 else None
        if shape is not None:
            import numpy as np

            found[k] = np.zeros(shape)
    return found


def report(
    task: Task, results: Sequence[Value], values: Mapping[str, Value], notes: Sequence[Diagnostic] = (), meter: Meter | None = None
) -> Report:  # fmt: skip
    """The results of a task as a report."""
    entries = tuple([Entry(name, path, result) for name, path, result in zip(task.fn.names, task.paths, results, strict=False)])
    document = None if task.wrt or task.command not in GROUPS else {"value": results[0], **{group: {} for group in GROUPS[task.command]}}
    matrix = task.matrix and task.matrix.of(results[len(task.paths) :])
    stats = "; ".join([meter.line(), *([task.effort] if task.effort else [])]) if meter else None
    return Report(task.command, entries, values, document=document, notes=tuple(notes), stats=stats, matrix=matrix, effort=task.effort)


def _with_elasticity(fn: Fn, wrt: Sequence[str]) -> Fn:
    from .derive.products import target

    graph, outs, inputs = fn.open()
    graph.site = graph.sites[outs[0].id]
    value, *partials = outs
    nodes = [target(graph, inputs, name) for name in wrt]
    ratios = [graph.const("0") if x is None else x * d / value for x, d in zip(nodes, partials, strict=True)]
    return Fn(graph, fn.params, [*outs, *ratios], [*fn.names, *[f"e_{name}" for name in wrt]])


def one_number(lowered: Lowered, what: str = "a gradient") -> None:
    """The value has to be one number for its gradient, or what else it is asked for."""
    fn = lowered.fn
    kind, site = fn.nodes[fn.outs[0]].type, fn.sites[fn.outs[0]]
    if kind.shape:
        message = f"the value has shape {kind.shape}, and {what} is of one number"
        text = site.span.text if site and len(site.span.text) <= SHORT and "\n" not in site.span.text else "…"
        hint = f"sum({text}) or mean({text}) makes one number"
        raise error("not-one-number", message, site and site.span, f"shape {kind.shape}", hint=hint)


def one_variable_number(lowered: Lowered, name: str) -> None:
    """Derivatives of higher order are by one number."""
    kind: Type | None = dict(lowered.fn.params).get(name)
    if kind is not None and kind.shape:
        found = site(lowered, name)
        message = f"`--order` is by one number, and `{name}` has shape {kind.shape}"
        raise error("one-variable", message, found and found.span, hint="autodiff grad without --order", exit=Exit.USAGE)


def graph(
    lowered: Lowered, values: Mapping[str, Value] | None, choice: Choice, form: str = "dot", *, paint: bool = False, mark: Mark = ignore
) -> Report:
    """The graph; with `values` as it ran, with values and, if the result is one number, gradients.

    `form` is "dot" (also for what is drawn from it), "mermaid", "text" (with `paint` in colour) or "json"; `choice` says
    what is drawn. What is not drawn has a note.
    """
    from .emit.graph.forms import Known, report

    ends = None if values is None else _ends(lowered, values)
    known = None if values is None or ends is None else Known(values, ends.entries)
    drawn = report(lowered, known, choice, form, paint=paint, mark=mark)
    return drawn._replace(notes=(*(ends.notes if ends else lowered.notes), *drawn.notes))


def _ends(lowered: Lowered, values: Mapping[str, Value]) -> Report:
    """Value and gradient as `grad` answers, with what is to say of them; the value alone where there is no gradient."""
    names = differentiable(lowered)
    try:
        return answer(gradient(lowered, names) if names else value(lowered), values)
    except AutodiffError:
        return answer(value(lowered), values)


def explain(source: Source, lowered: Lowered, values: Mapping[str, Value], origins: Mapping[str, str], wrt: Sequence[str]) -> Report:
    """How a text was understood, with nothing run."""
    from .emit.explanation import described, written

    document = described(source, lowered, values, origins, wrt)
    return Report("explain", text=written(document, lowered), document=document, notes=lowered.notes)


def functions(names: Sequence[str] = (), *, people: bool = False) -> Report:
    """The functions of the language, or these of them in detail; `people` leaves out what only machines are shown."""
    from .emit.reference import detail, entries, listing

    return Report(
        "functions", text=detail(names) if names else None, listing=listing(names, people=people),
        document=None if people else [entry.document() for entry in entries(names)],
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


CONSTANTS = ("e", "pi", "π")


def constant(source: Source, name: str) -> Span | None:
    """Where a text reads a name that is a constant unless it is given a value."""
    from .diagnostics import Span
    from .syntax import parse
    from .syntax.tree import Tree

    todo: list[Any] = [parse(source)]
    while todo:
        part = todo.pop()
        if isinstance(part, Tree):
            if part.kind == "name" and part.parts[0] == name:
                return Span(source, part.start, part.end)
            todo.extend(part.parts[1:] if part.kind == "call" else part.parts)
        elif isinstance(part, tuple):
            todo.extend(part)
    return None
