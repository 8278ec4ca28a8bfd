"""Arrays at one point or over a block of rows: a program, values and NumPy arrays in, arrays out.

A node is uniform, with the shape of its type, or it has the rows as a further first axis. Uniform numbers run as
Python floats; conditions on them switch work off, conditions with rows or entries select.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST
from ..ops.arithmetic import select
from ..ops.linear import class_number, place_below
from ..ops.structured import loop_, nothing_, out_, scanned, stacked
from ..program import compile
from ..types import is_sequence
from . import floats
from .checks import at_some, placed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Fn
    from ..program import Program, Run, Step
    from .meter import Meter

    Array = Any
    Bound = tuple[Callable[..., Any] | None, int, tuple[Any, ...]]

COUNT = "count"
CHECKS = (class_number, place_below)


def evaluate(fn: Fn, values: Mapping[str, Any], varying: frozenset[str] = frozenset()) -> list[Any]:
    """The results of a function; arrays are NumPy's, numbers are floats."""
    return run(compile(fn), values, varying)


def run(program: Program, values: Mapping[str, Any], varying: frozenset[str] = frozenset(), meter: Meter | None = None) -> list[Any]:
    """The results of the program; the inputs named in `varying` have rows in front; `meter` is told of every array."""
    slots = trace(program, values, varying, free=True, meter=meter)
    return [slots[o] for o in program.fn.outs]


def trace(
    program: Program, values: Mapping[str, Any], varying: frozenset[str] = frozenset(), *, free: bool = False, meter: Meter | None = None
) -> dict[int, Any]:  # fmt: skip
    """The value of every node that ran; with `free`, of those that are still needed at the end."""
    import numpy as np

    bound = bind(program, varying, free=free)
    slots = Slots({i: floats.named(text) for i, text in program.consts})
    for i, name in program.params:
        slots[i] = values[name]
        if name in varying:
            slots[COUNT] = len(slots[i])
        if meter:
            meter.add(slots[i])
    with np.errstate(all="ignore"):
        execute(program, slots, bound, program.cache["last", varying] if free else {}, meter)
    return slots if free else slots.nodes()


class Slots(dict[Any, Any]):
    """Values by slot; what is not there is an arm that is off in every row. `("rows", region)` are the places of its rows."""

    def __missing__(self, _: Any) -> bool:
        return False

    def nodes(self) -> dict[int, Any]:
        """The values of nodes alone."""
        return {i: value for i, value in self.items() if isinstance(i, int)}


def bind(program: Program, varying: frozenset[str], *, free: bool = True) -> list[Any]:
    """The runs of the program, with functions in place of ops."""
    key = ("tensors", varying, free)
    if key not in program.cache:
        rows = rows_of(program, varying)
        bound = program.cache[key] = [(r.region, _bind_run(program, r, rows, free=free)) for r in program.runs]
        program.cache["last", varying] = _last_uses(program, [step for _, steps in bound for step in steps])
        program.cache["looped"] = any(step.op is loop_ or step.op in CHECKS for r in program.runs for step in r.steps)
    return program.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


class Rows:
    """Which nodes have rows in front (2: one array a turn, of some of the rows), and which regions run on some of the rows."""

    __slots__ = ("of", "some")

    def __init__(self, nodes: int) -> None:
        self.of: list[Any] = [0] * nodes
        self.some: set[int] = set()

    def __getitem__(self, i: int) -> Any:
        return self.of[i]


def rows_of(program: Program, varying: frozenset[str]) -> Rows:
    """What differs from row to row."""
    rows = Rows(len(program.fn.nodes))
    for i, name in program.params:
        rows.of[i] = int(name in varying)
    for run in program.runs:
        if not run.steps and (program.parent[run.region] in rows.some or rows.of[program.predicate[run.region]]):
            rows.some.add(run.region)
        for step in run.steps:
            given = [rows.of[j] for j in step.args]
            if step.op is loop_:
                from .loops_array import spread

                rows.of[step.slot] = spread(program, step, given, some=run.region in rows.some).results
            elif step.op is select and is_sequence(program.fn.nodes[step.slot].type):
                rows.of[step.slot] = 2 if given[0] else max(given[1:])
            else:
                rows.of[step.slot] = given[0][step.attr] if step.op is out_ else int(any(given))
    return rows


def _last_uses(program: Program, steps: list[Bound]) -> dict[int, list[int]]:
    """Which slots are not needed any more once a slot has its value."""
    last: dict[int, int] = {}
    order = [slot for _, slot, _ in steps]
    for k, (_, slot, args) in enumerate(steps):
        last.update(dict.fromkeys((*[j for j in args if isinstance(j, int)], slot), k))
    keep = {*program.fn.outs, *program.predicate, *[i for i, _ in program.consts], *[i for i, _ in program.params]}
    found: dict[int, list[int]] = {}
    for slot, at in last.items():
        if slot not in keep:
            found.setdefault(order[at], []).append(slot)
    return found


def _bind_run(program: Program, run: Run, rows: Rows, *, free: bool) -> list[Any]:
    steps: list[Any] = []
    for step in run.steps:
        if step.op is loop_:
            from .loops_array import over_arrays

            function = over_arrays(program, step, [rows.of[j] for j in step.args], some=run.region in rows.some, free=free)
            steps.append((function, step.slot, (("rows", run.region), COUNT, *step.args)))
            continue
        steps.append(_step(program, step, rows.of))
        if step.op in CHECKS and run.region in rows.some and rows.of[step.slot]:
            steps[-1] = (at_some(steps[-1][0]), step.slot, (("rows", run.region), *step.args))
        arms = {bool(rows.of[j]) for j in step.args[1:]}
        if steps[-1][0] is None and len(arms) > 1 and not is_sequence(program.fn.nodes[step.slot].type):
            steps.append((_whole(len(program.fn.nodes[step.slot].type.shape)), step.slot, (step.slot, COUNT)))
    return steps


def _whole(rank: int) -> Callable[..., Any]:
    """An arm that is the same in all rows, for as many rows as the other one has."""
    import numpy as np

    return lambda x, count: x if np.ndim(x) > rank else np.broadcast_to(x, (count, *np.shape(x)))


def _step(program: Program, step: Step, rows: list[Any]) -> Bound:
    """(function, slot, argument slots); no function for a selection by one condition."""
    from . import kernels_tensor

    op, slot, args, attr = step
    if op.rule == "structured" or op is nothing_:
        return _structured(program, step, rows)
    nodes = program.fn.nodes
    types = [nodes[j].type for j in args]
    if op.rule == "leaf":
        array = kernels_tensor.leaf(op.name, attr)
        return (lambda: array, slot, args)
    if op.name in kernels_tensor.MAKERS:
        function = kernels_tensor.kernel(op.name, attr, types, [rows[j] for j in args])
        function = placed(function, op.name, program.fn.sites[slot], varies=bool(rows[slot])) if op in CHECKS else function
        number = not nodes[slot].type.shape and not rows[slot]
        return ((lambda *a: function(*a).item()) if number else function, slot, args)
    if not nodes[slot].type.shape and not rows[slot]:
        return (_number(op, attr), slot, args)
    from .kernels_array import kernel

    return (_flat(kernel(op, attr)), slot, _unstretched(program, slot, args, rows))


def _structured(program: Program, step: Step, rows: list[Any]) -> Bound:
    """A selection, a result of a loop, or a sequence."""
    op, slot, args, attr = step
    nodes = program.fn.nodes
    if op is out_ or op is nothing_:
        return (list if op is nothing_ else itemgetter(attr), slot, args)
    types = [nodes[j].type for j in args]
    if op in (scanned, stacked):
        from .arrays_turns import moved

        return (moved(op, attr, types[0], rows[args[0]]), slot, (*args, COUNT))
    lazy = not types[0].shape and not rows[args[0]]
    if is_sequence(nodes[slot].type) and (not lazy or rows[args[1]] != rows[args[2]]):
        from .arrays_turns import chosen

        return (chosen(nodes[slot].type, [rows[j] for j in args[1:]]), slot, (*args, COUNT))
    return (None if lazy else _chooser(types, [rows[j] for j in args]), slot, args)


def _unstretched(program: Program, slot: int, args: tuple[int, ...], rows: list[Any]) -> tuple[int, ...]:
    """The arguments before they were stretched, where NumPy stretches them by itself: a number stays a number."""
    nodes, shape = program.fn.nodes, program.fn.nodes[slot].type.shape
    inner = [nodes[j].args[0] if nodes[j].op is BROADCAST and not rows[j] else j for j in args]
    whole = any(nodes[j].type.shape == shape and rows[j] == rows[slot] for j in inner)
    return tuple(inner) if whole else args


def _flat(function: Callable[..., Any]) -> Callable[..., Any]:
    """Kernels that are no ufunc work along one axis."""
    import numpy as np

    if isinstance(function, np.ufunc):
        return function

    def call(*args: Any) -> Any:
        shape = np.broadcast_shapes(*[np.shape(a) for a in args])
        line = args if len(shape) < 2 else [np.broadcast_to(a, shape).reshape(-1) if np.ndim(a) else a for a in args]
        found = function(*line)
        return found.reshape(shape) if np.ndim(found) else np.broadcast_to(found, shape)

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
    return np.where


def execute(program: Program, slots: dict[Any, Any], bound: list[Any], last: dict[int, list[int]], meter: Meter | None = None) -> None:
    """Run the bound steps of every region that is on in some row."""
    on = [True] + [False] * (len(program.parent) - 1)
    slots["rows", 0] = None
    for region, steps in bound:
        if not steps:
            up, p = program.parent[region], slots[program.predicate[region]]
            on[region] = on[up] and holds(p, wanted=program.wanted[region])
            if on[region] and program.cache["looped"]:
                slots["rows", region] = _rows(p, slots["rows", up], wanted=program.wanted[region])
            continue
        if not on[region]:
            continue
        for function, slot, args in steps:
            if function is None:
                p, a, b = args
                slots[slot] = slots[a] if slots[p] else slots[b]
            else:
                slots[slot] = function(*[slots[j] for j in args])
            if meter:
                meter.add(slots[slot])
            for gone in last.get(slot, ()):
                value = slots.pop(gone, None)
                if meter:
                    meter.drop(value)


def _rows(condition: Any, outer: Any, *, wanted: bool) -> Any:
    """The places of the rows of a region among those of the region around it; None are all of them."""
    if isinstance(condition, bool):
        return outer
    import numpy as np

    return np.flatnonzero(condition == wanted) if outer is None else outer[condition[outer] == wanted]


def holds(condition: Any, *, wanted: bool) -> bool:
    """Whether a region runs: where it is on in some row."""
    if isinstance(condition, bool):
        return condition is wanted
    return bool((condition == wanted).any())
