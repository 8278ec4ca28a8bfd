"""A function that runs many times over arrays of the same shapes: memory is found and every call is bound once.

`Repeated(fn, fixed)`: `fixed` are the values that stay the same; the others are written into `inputs` before each call.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ops.structured import loop_
from ..program import compile
from . import point
from .arrays_lane import DTYPES, Whole
from .kernels_fill import Fill, memory_order
from .memory import Memory, last_uses, layout, needed
from .steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Fn
    from .arrays_lane import Step

    Array = Any
    Call = Callable[[], Any]


class Repeated:
    """`inputs` are arrays to write into, by name; a call gives the results, in arrays that the next call writes again."""

    def __init__(self, fn: Fn, fixed: Mapping[str, Any], inputs: Mapping[str, Array] | None = None) -> None:
        self.program = compile(fn)
        self.steps = Steps(self.program, fixed)
        self.memory = Memory()
        self.arrays: dict[int, Array] = dict(self.steps.known)
        self.flat: dict[int, Array] = {}
        self.inputs: dict[str, Array] = {}
        recorder = self.steps.recorder
        for slot, value in recorder.consts.items():
            self.arrays[slot] = np.array(value)
        for name, slot in self.steps.inputs.items():
            given = (inputs or {}).get(name)
            kind = DTYPES[recorder.kinds[slot]]
            self.inputs[name] = self.arrays[slot] = np.empty(self.steps.shapes[slot], kind) if given is None else given
        self.groups: list[tuple[int, list[Call]]] = [(0, [])]
        self._bind()
        owned = {id(value) for value in fixed.values()}
        self.made = sum(a.nbytes for a in self.steps.known.values() if any(a.strides) and id(a) not in owned)
        self.outs = [self.arrays[slot] for slot in self.steps.outs]

    def __call__(self) -> list[Any]:
        """The results; numbers are Python's."""
        with np.errstate(all="ignore"):
            if len(self.groups) == 1:
                for call in self.groups[0][1]:
                    call()
            else:
                self._run_regions()
        return [out if out.shape else out.item() for out in self.outs]

    @property
    def bytes(self) -> int:
        """The size of the arrays that were made here."""
        return int(self.memory.bytes + self.made)

    def _run_regions(self) -> None:
        program = self.program
        on = [True] + [False] * (len(program.parent) - 1)
        for region, calls in self.groups:
            if calls and on[region]:
                for call in calls:
                    call()
            elif not calls and region:
                on[region] = on[program.parent[region]] and bool(self.arrays[self.deciding[region]]) is program.wanted[region]

    def _bind(self) -> None:
        steps = needed(self.steps.recorder.steps, self.steps.outs)
        self._forget({*self.steps.outs, *[j for step in steps for j in step.args]})
        last = last_uses(steps, self.steps.outs)
        owner: dict[int, Array] = {}
        ending: dict[int, list[int]] = {}
        self.deciding: dict[int, int] = {}
        for k, step in enumerate(steps):
            if step.slot < 0:
                self.deciding[-step.slot] = step.args[0]
                self.groups.append((-step.slot, []))
                continue
            if self._seen(step):
                continue
            self._find_memory(k, step, last, owner)
            ending.setdefault(last.get(step.slot, k), []).append(step.slot)
            self._append(step.region, self._call(step))
            for slot in ending.get(k, ()):
                if slot in owner:
                    self.memory.give(owner.pop(slot))

    def _forget(self, used: set[int]) -> None:
        """Drop what was computed on the way to what stays the same."""
        self.steps.value.clear()
        for slot in [slot for slot in self.steps.known if slot not in used]:
            del self.steps.known[slot], self.arrays[slot]

    def _seen(self, step: Step) -> bool:
        """A step that only looks at memory otherwise is done here."""
        if type(step.func) is not Fill or step.func.view is None:
            return False
        x = self.arrays[step.args[0]]
        found = step.func.view(x)
        if found.size and not np.may_share_memory(found, x):
            return False
        self.arrays[step.slot] = found
        return True

    def _find_memory(self, k: int, step: Step, last: dict[int, int], owner: dict[int, Array]) -> None:
        func, args, slot, _ = step
        shape, kind = self.steps.shapes[slot], self.steps.recorder.kinds[slot]
        order = None
        over = range(len(args)) if isinstance(func, np.ufunc) else func.over
        if over:
            for j in [args[a] for a in over]:
                if j in owner and last[j] == k and self.arrays[j].shape == shape and self.arrays[j].dtype == DTYPES[kind]:
                    self.arrays[slot], owner[slot] = self.arrays[j], owner.pop(j)
                    return
            order = layout(shape, [self.arrays[j] for j in args])
        elif type(func) is Fill and func.order:
            order = func.order(*[self.arrays[j] for j in args])
        self.arrays[slot], owner[slot] = self.memory.take(shape, kind, order)

    def _append(self, region: int, call: Call) -> None:
        if self.groups[-1][0] != region or region and not self.groups[-1][1]:
            self.groups.append((region, []))
        self.groups[-1][1].append(call)

    def _call(self, step: Step) -> Call:
        func, out, args = step.func, self.arrays[step.slot], [self.arrays[j] for j in step.args]
        if isinstance(func, np.ufunc):
            return partial(func, *args, out=out)
        if isinstance(func, Whole):
            return self._whole(func, out, args)
        return func.bind(self.memory.hold, out, *args)  # type: ignore[no-any-return]  # a call

    def _whole(self, func: Whole, out: Array, args: list[Array]) -> Call:
        """Kernels of rows see one axis: entries in the order of the memory of `out`."""
        if not out.shape:
            return partial(func.fill, *[self._line(x, x) for x in (*args, out)])
        order = memory_order(out)
        turned = [a.transpose(order) if a.shape == out.shape else a for a in (*args, out)]
        if all(not a.shape or (a.flags.c_contiguous and a.size == out.size) for a in turned):
            return partial(func.fill, *[self._line(x, a) if a.shape else x for x, a in zip((*args, out), turned, strict=True)])
        line, shape = self._line(out, turned[-1]), out.shape
        return lambda: func.fill(*[np.broadcast_to(a, shape).transpose(order).reshape(-1) if a.shape else a for a in args], line)

    def _line(self, x: Array, turned: Array) -> Array:
        """The array with one axis: the same object for the same array."""
        return self.flat.setdefault(id(x), turned.reshape(-1))


class Anew:
    """The same for single numbers, and for functions with loops: memory is found at every call."""

    bytes = 0

    def __init__(self, fn: Fn, fixed: Mapping[str, Any], inputs: Mapping[str, Array] | None = None) -> None:
        self.program, self.fixed = compile(fn), dict(fixed)
        left = [(name, type) for name, type in fn.params if name not in fixed]
        self.inputs = {name: np.empty(type.shape, DTYPES[type.kind]) for name, type in left} | dict(inputs or {})

    def __call__(self) -> list[Any]:
        """The results; numbers are Python's."""
        return point.run(self.program, self.values())

    def values(self) -> dict[str, Any]:
        """Every value by name."""
        return {**self.fixed, **{name: x if x.shape else x.item() for name, x in self.inputs.items()}}


def repeated(fn: Fn, fixed: Mapping[str, Any], inputs: Mapping[str, Array] | None = None) -> Repeated | Anew:
    """A function made ready to run many times."""
    program = compile(fn)
    looped = any(step.op is loop_ for run in program.runs for step in run.steps)
    return (Repeated if point.shaped(program.fn) and not looped else Anew)(fn, fixed, inputs)
