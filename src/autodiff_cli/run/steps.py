"""A program and the values that stay the same in; the steps over slots that are left to do each time out.

A slot may hold less than its node's shape: an array that NumPy would stretch to it is left as it is until a step
needs every entry. What depends only on values that stay the same is computed here, once.
"""

from __future__ import annotations

from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import BROADCAST, NAME
from ..ops.arithmetic import OPS_guard as guard
from ..ops.arithmetic import detach, mul, not_, select
from ..ops.linear import class_number, place_below
from ..ops.tensor import matmul
from . import floats, kernels_array, tensors
from .arrays_lane import Lane, Recorder
from .arrays_lane import Step as Written
from .kernels_fill import FILLS, Fill, chosen, from_function, gated, known_places, picked, reshaped, solid, stretched
from .kernels_float import kernel as of_floats
from .kernels_tensor import MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Node
    from ..program import Program, Step
    from ..types import Type

    Array = Any
    Shape = tuple[int, ...]
    Held = Lane | float | bool

either: Any = np.logical_or  # of lanes, as every ufunc here
both: Any = np.logical_and
not_so: Any = np.logical_not
product: Any = np.multiply
CHECKS = (class_number, place_below)
LOOKS = ("reshaped", "permuted")
REDUCED = ("sum", "any_of", "largest", "smallest")
PLACED = ("take", "take_along", "scatter_along")


class Steps:
    """What was written down: `recorder.steps`, `shapes` of slots, `known` arrays, `inputs` by name, `outs`."""

    def __init__(self, program: Program, fixed: Mapping[str, Any]) -> None:
        self.program, self.nodes = program, program.fn.nodes
        self.recorder = Recorder()
        self.shapes: dict[int, Shape] = {}
        self.known: dict[int, Array] = {}
        self.inputs: dict[str, int] = {}
        self.value: dict[int, Any] = {}
        self.of: dict[int, Held] = {}
        self.settled = 0
        for i, text in program.consts:
            self._learn(i, floats.named(text))
        for i, name in program.params:
            if name in fixed:
                self._learn(i, fixed[name])
            else:
                self.of[i] = self._input(name, self.nodes[i].type)
        for run, (_, bound) in zip(program.runs, tensors.bind(program, frozenset()), strict=True):
            self.recorder.region = run.region
            if not run.steps:
                self._decide(run.region)
            for step, (function, _, _) in zip(run.steps, bound, strict=True):
                self._step(step, function)
        self.recorder.region = 0
        self.outs = [self.full(self.of[o], self.nodes[o].type) for o in program.fn.outs]

    # --- slots ---------------------------------------------------------------------------------------

    def _input(self, name: str, type: Type) -> Lane:
        slot = self.inputs[name] = self.recorder.slot(type.kind, 0)
        self.shapes[slot] = type.shape
        return Lane(self.recorder, slot)

    def _array(self, found: Array) -> Lane:
        slot = self.recorder.slot("bool" if found.dtype == bool else "real", 0)
        self.known[slot], self.shapes[slot] = found, found.shape
        return Lane(self.recorder, slot)

    def _learn(self, i: int, found: Any) -> None:
        """The node has this value each time; an array of one number is that number."""
        self.value[i] = found
        number = _one_number(found)
        self.of[i] = self._array(found) if number is None else number

    def slot(self, held: Held) -> int:
        """The slot of a lane or number, its sign worked off."""
        slot = self.recorder.plain(held, self.recorder.region)
        self._settle()
        return slot

    def _settle(self) -> None:
        """Give shapes to the slots that are new."""
        steps, shapes = self.recorder.steps, self.shapes
        shapes.update({slot: () for slot in self.recorder.consts if slot not in shapes})
        for func, args, slot, _ in steps[self.settled :]:
            if slot >= 0:
                shapes[slot] = func.shape if type(func) is Fill else np.broadcast_shapes(*[shapes[j] for j in args])
        self.settled = len(steps)

    def full(self, held: Held, type: Type) -> int:
        """The slot of a lane with every entry of its type, as a view where it is stretched."""
        slot = self.slot(held)
        if self.shapes[slot] == type.shape:
            return slot
        return self.slot(self._write(stretched(type.shape, type.kind), [slot]))

    def _write(self, func: Fill, slots: list[int]) -> Lane:
        lane = self.recorder.write(func, slots, func.kind, self.recorder.region)
        self._settle()
        return lane

    # --- nodes ---------------------------------------------------------------------------------------

    def _decide(self, region: int) -> None:
        program = self.program
        slot = self.slot(self.of[program.predicate[region]])
        self.recorder.steps.append(Written(None, (slot,), -region, region))

    def _step(self, step: Step, function: Callable[..., Any] | None) -> None:
        op, i, args, _ = step
        if all(j in self.value for j in args) and not (op in CHECKS and self.recorder.region):
            given = [self.value[j] for j in args]
            self._learn(i, given[1 if given[0] else 2] if function is None else function(*given))
            return
        self.of[i] = self._made(step, [self.of[j] for j in args], function)
        self._settle()

    def _made(self, step: Step, lanes: list[Held], function: Callable[..., Any] | None) -> Held:
        op, i, _, attr = step
        if op is BROADCAST or op is NAME or op is detach:
            return lanes[0]
        if op is select:
            return self._selected(step, lanes)
        if op.name in REDUCED:
            return self._reduced(step, lanes[0])
        if op.name in MAKERS:
            return self._whole(step, lanes, function)
        if not self.nodes[i].type.shape:
            return self._write(_number(op, attr), [self.slot(lane) for lane in lanes])
        return self._entries(step, lanes)

    def _entries(self, step: Step, lanes: list[Held]) -> Held:
        """An op that works entry by entry; a factor that is 1 or NaN is a guard of the other one."""
        op, _, args, attr = step
        for k in (0, 1) if op is mul else ():
            found = self._product(lanes[1 - k], self.nodes[args[k]])
            if found is not None:
                return found
        found = kernels_array.kernel(op, attr)(*lanes)
        return found if type(found) is Lane else found.item() if hasattr(found, "item") else found

    def _product(self, x: Held, by: Node) -> Held | None:
        """A guard of 1 times x is a guard of x; 2 y times x, the smaller array, is 2 x times y: powers of 2 round nothing."""
        if by.op is guard and type(self.of[by.args[0]]) is float and self.of[by.args[0]] == 1:
            return kernels_array.guard(x, self.of[by.args[1]])  # type: ignore[no-any-return]  # a lane
        if by.op is not mul or type(x) is not Lane:
            return None
        two, y = (self.of[j] for j in by.args)
        if type(y) is Lane and type(two) is float and abs(frexp(two)[0]) == 0.5 and self._entry_count(x) < self._entry_count(y):
            return product(product(x, two), y)  # type: ignore[no-any-return]  # a lane
        return None

    def _entry_count(self, lane: Lane) -> int:
        self._settle()
        return int(np.prod(self.shapes[lane.slot], dtype=int))

    def _whole(self, step: Step, lanes: list[Held], function: Any) -> Held:
        op, i, args, attr = step
        types, out = [self.nodes[j].type for j in args], self.nodes[i].type
        if op.name in LOOKS and type(lanes[0]) is Lane:
            return self._looked(op.name, attr, lanes[0], types[0], out)
        if op.name in PLACED and args[1] in self.value:
            found = known_places(op.name, attr, np.asarray(self.value[args[1]]), types, out)
            if found:
                return self._write(found, [self.full(lanes[0], types[0])])
        if op is matmul:
            return self._matmul(lanes, types, out)
        slots = [self.full(lane, kind) for lane, kind in zip(lanes, types, strict=True)]
        return self._write(FILLS[op.name](attr, types, out) if op.name in FILLS else from_function(out, function), slots)

    def _looked(self, name: str, attr: Any, lane: Lane, kind: Type, out: Type) -> Held:
        """An op that looks at memory otherwise: the sign stays outside, and what is stretched stays so where that is easily said."""
        self._settle()
        slot, here = lane.slot, self.shapes[lane.slot]
        if name == "reshaped" and np.prod(here, dtype=int) == 1:
            found = lane.size if not here else self._write(reshaped((), out.kind), [slot])
        elif name == "permuted" and here != kind.shape:
            ahead = (1,) * (len(kind.shape) - len(here)) + here
            padded = self._write(reshaped(ahead, out.kind), [slot]).slot
            found = self._write(FILLS[name](attr, [kind], out._replace(shape=tuple([ahead[k] for k in attr]))), [padded])
        else:
            found = self._write(FILLS[name](attr, [kind], out), [self.full(lane.size, kind)])
        return found.signed(minus=lane.minus)

    def _matmul(self, lanes: list[Held], types: list[Type], out: Type) -> Held:
        """A matrix product; signs stay outside."""
        minus = [type(lane) is Lane and lane.minus for lane in lanes]
        slots = [self._solid(lane.size if type(lane) is Lane else lane, kind) for lane, kind in zip(lanes, types, strict=True)]
        return self._write(FILLS["matmul"](None, types, out), slots).signed(minus=minus[0] != minus[1])

    def _solid(self, lane: Held, kind: Type) -> int:
        """Every entry in memory of its own, where it was stretched."""
        slot = self.slot(lane)
        return slot if self.shapes[slot] == kind.shape else self.slot(self._write(solid(kind.shape, kind.kind), [slot]))

    def _reduced(self, step: Step, lane: Held) -> Held:
        """A reduction; along an axis that was stretched, a sum is a product and the others are the entry itself."""
        op, i, args, attr = step
        kind, out = self.nodes[args[0]].type, self.nodes[i].type
        axes: Shape = attr if not attr or isinstance(attr[0], int) else attr[0]
        minus = op.name == "sum" and type(lane) is Lane and lane.minus
        slot = self.slot(lane.size if minus else lane)  # type: ignore[union-attr]  # just looked at
        lead = len(kind.shape) - len(self.shapes[slot])
        here = self.shapes[slot]
        times = 1
        for axis in axes:
            times *= kind.shape[axis] if axis < lead or here[axis - lead] != kind.shape[axis] else 1
        inner = tuple([axis - lead for axis in axes if axis >= lead])
        if inner:
            shape = tuple([n for k, n in enumerate(here) if k not in inner])
            lane = self._write(FILLS[op.name](inner, [kind._replace(shape=here)], out._replace(shape=shape)), [slot])
            lane = lane.signed(minus=minus)
        return self.recorder.call(np.multiply, (lane, float(times))) if op.name == "sum" and times != 1 else lane

    def _selected(self, step: Step, lanes: list[Held]) -> Held:
        _, i, args, _ = step
        p, a, b = lanes
        kind = self.nodes[i].type.kind
        if self.nodes[args[0]].op is not_:
            p, a, b = self.of[self.nodes[args[0]].args[0]], b, a
        if type(p) is not Lane:
            return a if p else b
        if kind == "bool":
            return self._condition(p, a, b)  # type: ignore[no-any-return]  # a lane
        a, b = self._real(a), self._real(b)
        slots = [self.slot(p), self.slot(a), self.slot(b)]
        shape = np.broadcast_shapes(*[self.shapes[slot] for slot in slots])
        if not self.shapes[slots[0]]:
            return self._write(picked(shape, kind), slots)
        for arm, other, wanted in ((b, 1, True), (a, 2, False)):
            if type(arm) is not Lane and arm == 0:
                return self._write(gated(shape, wanted=wanted), [slots[0], slots[other]])
        return self._write(chosen(shape), slots)

    def _condition(self, p: Lane, a: Held, b: Held) -> Any:
        """The condition that is a where p holds, else b."""
        if a is True:
            return either(p, b)
        if b is False:
            return both(p, a)
        return either(both(p, a), both(not_so(p), b))

    def _real(self, held: Held) -> Held:
        if type(held) is Lane:
            return kernels_array.real(held) if self.recorder.kinds[held.slot] == "bool" else held
        return float(held)  # type: ignore[arg-type]  # a number


def _one_number(found: Any) -> float | bool | None:
    """The number that a value is, or that every entry of an array is, bit for bit."""
    if not getattr(found, "shape", ()):
        return found.item() if hasattr(found, "item") else found  # type: ignore[no-any-return]  # a number
    if not found.size:
        return None
    if any(found.strides):
        bits = np.ascontiguousarray(found).view(np.int8 if found.dtype == bool else np.int64)
        if (bits != bits.flat[0]).any():
            return None
    return found.flat[0].item()  # type: ignore[no-any-return]  # a number


def _number(op: Any, attr: Any) -> Fill:
    """One number from others, by Python's floats."""
    fast, slow = of_floats(op, attr)

    def bind(_: Any, out: Array, *args: Array) -> Callable[[], None]:
        items, ravel = [a.item for a in args], out.reshape(1)

        def step() -> None:
            given = [item() for item in items]
            try:
                ravel[0] = fast(*given)
            except floats.RAISED:
                ravel[0] = slow(*given)

        return step

    return Fill((), bind, kind=op.kind)
