"""A function and a point in; the function on the way that float64 takes through it, where exact numbers take another one, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Label
from ..graph import Expr, Fn, Graph
from ..ops.structured import Body, call_, loop_
from ..program import compile
from ..run import digits, point

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Slots = Mapping[int, Any]

DIGITS, STEPS = 50, 1_000_000
MOST = 4  # places that are said


def followed(fn: Fn, values: Mapping[str, Any]) -> tuple[Fn, Diagnostic | None]:
    """The function with conditions decided, and turns of loops counted, as float64 does, and what is to be said of it; itself and None
    where exact numbers do the same, or that is not known. Conditions inside of loops, or of functions with a rule, are left as they are.
    """
    program = compile(fn)
    plain = program.fn
    if not any(_decides(plain, i) for i in plain.needs()) or any(fn.nodes[i].op is call_ for i in fn.needs()):
        return fn, None
    try:
        floats, exact = point.trace(program, values), digits.trace(program, values, DIGITS, STEPS, doubles=True)
    except (digits.TooLong, AutodiffError):
        return fn, None
    labels = tuple(_apart(plain, floats, exact))
    if not labels:
        return fn, None
    message = "rounding decides which way float64 takes here, and derivatives are compared on that way"
    return _fixed(plain, floats), Diagnostic("decided-by-rounding", message, labels[:MOST], severity="note")


def _decides(fn: Fn, i: int) -> bool:
    """Whether a node is one condition on numbers, or a loop that goes on as long as one holds."""
    op, args, attr, type = fn.nodes[i]
    if op is loop_:
        return attr.test is not None
    return type.kind == "bool" and op.rule == "elementwise" and not type.shape and all(fn.nodes[j].type.kind == "real" for j in args)


def _apart(fn: Fn, floats: Slots, exact: Slots) -> Iterator[Label]:
    """What float64 and exact numbers decide unlike each other."""
    for i in fn.needs():
        if i in floats and i in exact and _decides(fn, i):
            ours, theirs = (_turns(fn, i, slots) if fn.nodes[i].op is loop_ else str(bool(slots[i])).lower() for slots in (floats, exact))
            site = fn.sites[i]
            if ours != theirs and site is not None:
                what = " turns" if fn.nodes[i].op is loop_ else ""
                yield Label(site.span, f"{ours}{what} in float64, {theirs} with {DIGITS} digits")


def _turns(fn: Fn, i: int, slots: Slots) -> int:
    """How many turns a loop took: its last result."""
    return int(slots[i][fn.nodes[i].attr.trips])


def _fixed(fn: Fn, floats: Slots) -> Fn:
    """The function with what float64 decided in place of what decides."""
    graph, env = Graph(), list[int]()
    for i, ((op, args, attr, type), site, path) in enumerate(zip(fn.nodes, fn.sites, fn.calls, strict=True)):
        graph.site, graph.path = site, path
        given = tuple([env[j] for j in args])
        if i not in floats or not _decides(fn, i):
            env.append(graph.intern(op, given, attr, type))
        elif op is loop_:
            body = Body(attr.fn, attr.nc, attr.nk, attr.nx, attr.ny, None, attr.rev)
            env.append(graph.intern(op, (graph.const(str(_turns(fn, i, floats))).id, *given[1:]), body, type))
        else:
            env.append(graph.const(str(bool(floats[i]))).id)
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in fn.outs], fn.names)
