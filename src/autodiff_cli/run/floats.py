"""One point of scalars: a program and Python floats in, Python floats out.

A step that `math` refuses with an exception is done again by its IEEE kernel, and the same
iterator goes on with the next one.
"""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..ops.arithmetic import select
from ..ops.structured import loop_, out_, scanned
from ..program import compile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Expr, Fn
    from ..program import Program, Run, Step

Value = float | bool
NAMED = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "True": True, "False": False}
TAKEN: dict[Any, Callable[[Any], Callable[..., Any]]] = {out_: itemgetter, scanned: lambda _: lambda x: x}
RAISED = (ValueError, OverflowError, ZeroDivisionError)


def run(program: Program, values: Mapping[str, Value]) -> list[Value]:
    """The results of the program at one point."""
    slots = trace(program, values, free=True)
    return [slots[o] for o in program.fn.outs]


def trace(program: Program, values: Mapping[str, Value], *, free: bool = False) -> dict[int, Value]:
    """The value of every node that ran, by its position in `program.fn.nodes`; with `free`, loops drop what is not read again."""
    slots: dict[int, Any] = constants(program)
    for i, name in program.params:
        slots[i] = values[name]
    execute(program, slots, bind(program, free=free))
    return slots


def evaluate(fn: Fn, values: Mapping[str, Value]) -> list[Value]:
    """The results of a function at one point."""
    return run(compile(fn), values)


def bind(program: Program, *, free: bool = True) -> list[Any]:
    """The runs of the program with this module's kernels in place of ops; made once a program."""
    key = ("floats", free)
    if key not in program.cache:
        from .kernels_float import kernel

        program.cache[key] = bind_runs(program, kernel, lambda step: _structured(program, step, free=free))
    return program.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _structured(program: Program, step: Step, *, free: bool) -> Callable[..., Any]:
    from .loops import leaf, over_floats

    return over_floats(program, step, free=free) if step.op is loop_ else leaf(step.op, step.attr, float, named)


def bind_runs(program: Program, kernel: Callable[..., Any], structured: Callable[[Step], Callable[..., Any]]) -> list[Any]:
    """(region, steps) for every run; a step is (fast, slow, slot, argument slots, their number)."""
    known: dict[Any, Any] = {}
    return [(r.region, _bind(r, kernel, structured, known)) for r in program.runs]


def _bind(run: Run, kernel: Callable[..., Any], structured: Callable[..., Any], known: dict[Any, Any]) -> list[Any]:
    steps: list[Any] = []
    for step in run.steps:
        op, slot, args, attr = step
        if op is select:
            steps.append((None, None, slot, args, 3))
            continue
        if op in TAKEN or op is loop_ or op.rule == "leaf":
            fast = TAKEN[op](attr) if op in TAKEN else structured(step)
            steps.append((fast, fast, slot, args, len(args)))
            continue
        key = (op, attr)
        if key not in known:
            known[key] = kernel(op, attr)
        fast, slow = known[key]
        steps.append((fast, slow, slot, args, len(args)))
    return steps


def execute(program: Program, slots: dict[int, Any], bound: list[Any]) -> None:
    """Run the bound steps of every region that is on."""
    on = [True] + [False] * (len(program.parent) - 1)
    for region, steps in bound:
        if not steps:
            on[region] = on[program.parent[region]] and slots[program.predicate[region]] == program.wanted[region]
        elif on[region]:
            _sweep(steps, slots)


def _sweep(steps: list[Any], slots: dict[int, Any]) -> None:
    rest = iter(steps)
    while True:
        try:
            for fast, slow, slot, args, arity in rest:  # noqa: B007 (what is raised reads it)
                if arity == 2:
                    i, j = args
                    slots[slot] = fast(slots[i], slots[j])
                elif arity == 1:
                    slots[slot] = fast(slots[args[0]])
                elif fast is None:
                    p, a, b = args
                    slots[slot] = slots[a] if slots[p] else slots[b]
                else:
                    slots[slot] = fast(*[slots[j] for j in args])
        except RAISED:
            slots[slot] = slow(*[slots[j] for j in args])
        else:
            return


def named(text: str) -> Value:
    """The float64 of a decimal text or a name of a constant."""
    found = NAMED.get(text)
    return float(text) if found is None else found


def constants(program: Program) -> dict[int, Any]:
    """The float64 of the constants of a program, by their slots."""
    return {i: named(text) for i, text in program.consts}


def constant(expr: Expr, values: Mapping[str, Value]) -> Value:
    """The value of one node of a graph under construction, from values of the names it reads."""
    from .beforehand import Numbers, value
    from .kernels_float import kernel
    from .point import evaluate

    numbers = Numbers(values.__getitem__, named, lambda op, attr: kernel(op, attr)[1], evaluate)
    return value(expr, numbers, expr.graph.known)  # type: ignore[no-any-return]  # a number
