"""Arrays at one point or over a block of rows: a program, values and NumPy arrays in, arrays out.

A node is uniform, with the shape of its type, or it has the rows as a further first axis. Uniform numbers run as
Python floats; conditions on them switch work off, conditions with rows or entries select.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error
from ..graph import PARAM
from ..ops.arithmetic import select
from ..ops.linear import class_number, place_below
from ..program import compile
from . import floats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Fn, Site
    from ..program import Program, Run, Step

    Array = Any


def evaluate(fn: Fn, values: Mapping[str, Any], varying: frozenset[str] = frozenset()) -> list[Any]:
    """The results of a function; arrays are NumPy's, numbers are floats."""
    return run(compile(fn), values, varying)


def run(program: Program, values: Mapping[str, Any], varying: frozenset[str] = frozenset()) -> list[Any]:
    """The results of the program; the inputs named in `varying` have rows in front."""
    slots = trace(program, values, varying, free=True)
    return [slots[o] for o in program.fn.outs]


def trace(program: Program, values: Mapping[str, Any], varying: frozenset[str] = frozenset(), *, free: bool = False) -> dict[int, Any]:
    """The value of every node that ran; with `free`, of those that are still needed at the end."""
    import numpy as np

    bound = bind(program, varying)
    slots: dict[int, Any] = {i: floats.named(text) for i, text in program.consts}
    for i, name in program.params:
        slots[i] = values[name]
    with np.errstate(all="ignore"):
        _execute(program, slots, bound, program.cache["last", varying] if free else {})
    return slots


def bind(program: Program, varying: frozenset[str]) -> list[Any]:
    key = ("tensors", varying)
    if key not in program.cache:
        rows = rows_of(program, varying)
        program.cache[key] = [(r.region, _bind_run(program, r, rows)) for r in program.runs]
        program.cache["last", varying] = _last_uses(program)
    return program.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def rows_of(program: Program, varying: frozenset[str]) -> list[bool]:
    """Which nodes have rows in front."""
    rows = [False] * len(program.fn.nodes)
    for i, (op, args, attr, _) in enumerate(program.fn.nodes):
        rows[i] = attr in varying if op is PARAM else any(rows[j] for j in args)
    return rows


def _last_uses(program: Program) -> dict[int, list[int]]:
    """Which slots are not needed any more once a slot has its value."""
    last: dict[int, int] = {}
    order = [step.slot for run in program.runs for step in run.steps]
    place = {slot: k for k, slot in enumerate(order)}
    for run in program.runs:
        for step in run.steps:
            for j in step.args:
                last[j] = max(last.get(j, -1), place[step.slot])
    keep = {*program.fn.outs, *program.predicate, *[i for i, _ in program.consts], *[i for i, _ in program.params]}
    found: dict[int, list[int]] = {}
    for slot, at in last.items():
        if slot not in keep:
            found.setdefault(order[at], []).append(slot)
    return found


def _bind_run(program: Program, run: Run, rows: list[bool]) -> list[Any]:
    return [_step(program, step, rows) for step in run.steps]


def _step(program: Program, step: Step, rows: list[bool]) -> tuple[Callable[..., Any] | None, int, tuple[int, ...]]:
    """(function, slot, argument slots); no function for a selection by one condition."""
    from . import kernels_tensor

    op, slot, args, attr = step
    nodes = program.fn.nodes
    types = [nodes[j].type for j in args]
    if op is select:
        lazy = not types[0].shape and not rows[args[0]]
        return (None if lazy else _chooser(types, [rows[j] for j in args]), slot, args)
    if op.rule == "leaf":
        array = kernels_tensor.leaf(op.name, attr)
        return (lambda: array, slot, args)
    if op.name in kernels_tensor.MAKERS:
        function = kernels_tensor.kernel(op.name, attr, types, [rows[j] for j in args])
        function = _placed(function, op.name, program.fn.sites[slot]) if op in (place_below, class_number) else function
        number = not nodes[slot].type.shape and not rows[slot]
        return ((lambda *a: function(*a).item()) if number else function, slot, args)
    if not nodes[slot].type.shape and not rows[slot]:
        return (_number(op, attr), slot, args)
    from .kernels_array import kernel

    return (kernel(op, attr), slot, args)


def _placed(function: Callable[..., Any], name: str, site: Site | None) -> Callable[..., Any]:
    """A place that the data gives: one that is not there is an error that shows the text."""

    def call(x: Any) -> Any:
        try:
            return function(x)
        except IndexError as problem:
            found, size = problem.args
        what, last = ("class", "") if name == "class_number" else ("entry", ", or -1 for the last")
        lack = f"there is no {what} {found:g}" if found == found // 1 else f"{found:g} is no whole number"
        raise error("out-of-range", lack, site and site.span, f"of {size}", hint=f"0 to {size - 1}{last}", exit=Exit.EVALUATION)

    return call


def _number(op: Any, attr: Any) -> Callable[..., Any]:
    from .kernels_float import kernel

    fast, slow = kernel(op, attr)

    def call(*args: Any) -> Any:
        try:
            return fast(*args)
        except floats.RAISED:
            return slow(*args)

    return call


def _chooser(types: Any, rows: list[bool]) -> Callable[..., Any]:
    """`where`, with one condition a row over arrays made as deep as they are."""
    import numpy as np

    deep = max(len(t.shape) for t in types[1:])
    if rows[0] and not types[0].shape and deep:
        return lambda p, a, b: np.where(p.reshape(-1, *[1] * deep), a, b)
    return np.where  # type: ignore[return-value]  # a function of three arrays


def _execute(program: Program, slots: dict[int, Any], bound: list[Any], last: dict[int, list[int]]) -> None:
    on = [True] + [False] * (len(program.parent) - 1)
    for region, steps in bound:
        if not steps:
            on[region] = on[program.parent[region]] and _holds(slots[program.predicate[region]], program.wanted[region])
            continue
        if not on[region]:
            continue
        for function, slot, args in steps:
            if function is None:
                p, a, b = args
                slots[slot] = slots[a] if slots[p] else slots[b]
            else:
                slots[slot] = function(*[slots[j] for j in args])
            for gone in last.get(slot, ()):
                slots.pop(gone, None)


def _holds(condition: Any, wanted: bool) -> bool:
    """Whether a region runs: where it is on in some row."""
    if isinstance(condition, bool):
        return condition is wanted
    return bool((condition == wanted).any())
