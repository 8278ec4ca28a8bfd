"""One point of scalars: a program and Python floats in, Python floats out.

A step that `math` refuses with an exception is done again by its IEEE kernel, and the same
iterator goes on with the next one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..graph import CONST
from ..ops.arithmetic import select
from ..program import compile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Expr, Fn
    from ..program import Program, Run

Value = float | bool
NAMED = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "True": True, "False": False}
RAISED = (ValueError, OverflowError, ZeroDivisionError)


def run(program: Program, values: Mapping[str, Value]) -> list[Value]:
    """The results of the program at one point."""
    slots = trace(program, values)
    return [slots[o] for o in program.fn.outs]


def trace(program: Program, values: Mapping[str, Value]) -> dict[int, Value]:
    """The value of every node that ran, by its position in `program.fn.nodes`."""
    slots: dict[int, Any] = {i: named(text) for i, text in program.consts}
    for i, name in program.params:
        slots[i] = values[name]
    execute(program, slots, bind(program))
    return slots


def evaluate(fn: Fn, values: Mapping[str, Value]) -> list[Value]:
    """The results of a function at one point."""
    return run(compile(fn), values)


def bind(program: Program) -> list[Any]:
    """The runs of the program with this module's kernels in place of ops; made once a program."""
    bound = program.cache.get("floats")
    if bound is None:
        from .kernels_float import kernel

        bound = program.cache["floats"] = bind_runs(program, kernel)
    return bound  # type: ignore[no-any-return]  # the cache holds any derived thing


def bind_runs(program: Program, kernel: Callable[..., Any]) -> list[Any]:
    """(region, steps) for every run; a step is (fast, slow, slot, argument slots, their number)."""
    known: dict[Any, Any] = {}
    return [(r.region, _bind(r, kernel, known)) for r in program.runs]


def _bind(run: Run, kernel: Callable[..., Any], known: dict[Any, Any]) -> list[Any]:
    steps: list[Any] = []
    for op, slot, args, attr in run.steps:
        if op is select:
            steps.append((None, None, slot, args, 3))
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
            for fast, slow, slot, args, arity in rest:
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


def constant(expr: Expr, values: Mapping[str, Value]) -> Value:
    """The value of one node of a graph under construction, from values of the names it reads.

    What depends on no name is worked out once a graph, however often it is asked for.
    """
    if values or expr.graph.shaped:
        from ..graph import Fn
        from .point import evaluate as found

        return found(Fn(expr.graph, (), [expr], ["value"]), values)[0]  # type: ignore[no-any-return]  # one number
    return _settled(expr)


def _settled(expr: Expr) -> Value:
    from .kernels_float import kernel

    nodes, known, todo = expr.graph.nodes, expr.graph.known, [expr.id]
    while todo:
        i = todo[-1]
        op, args, attr, _ = nodes[i]
        missing = [j for j in args if j not in known]
        if missing and i not in known:
            todo += missing
            continue
        todo.pop()
        if i in known:
            continue
        held = [known[j] for j in args]
        if op is CONST:
            known[i] = named(attr)
        elif op is select:
            known[i] = held[1] if held[0] else held[2]
        else:
            known[i] = kernel(op, attr)[1](*held)
    return known[expr.id]
