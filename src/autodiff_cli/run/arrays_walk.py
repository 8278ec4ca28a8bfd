"""A program, the names of its columns and the values of the rest in; array steps under regions out.

What does not depend on the columns is computed here, once, as Python floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..graph import NAME, OPS
from ..ops.arithmetic import select
from .arrays_lane import Lane, Recorder, Step
from .floats import NAMED
from .kernels_array import kernel
from .kernels_float import kernel as kernel_of_floats

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..program import Program, Run
    from ..program import Step as Instruction

    Value = float | bool

DETACH = OPS["detach"]


class Decision(NamedTuple):
    """The rows of a region: those of region `parent` where the predicate, a slot of region `home`, is `wanted`."""

    region: int
    parent: int
    predicate: int
    home: int
    wanted: bool


class Walk:
    """The steps of a program as array steps; an input or a result is a lane, or a number where it is one."""

    def __init__(self, program: Program, columns: Collection[str], values: Mapping[str, Value]) -> None:
        self.program, self.recorder = program, Recorder()
        self.on, self.home = {0: True}, {0: 0}
        self.decisions: dict[int, Decision] = {}
        self.columns: list[tuple[int, str]] = []
        self.values: dict[int, Any] = {i: NAMED[text] if text in NAMED else float(text) for i, text in program.consts}
        for i, name in program.params:
            self.values[i] = self._column(i, name) if name in columns else values[name]

    def _column(self, i: int, name: str) -> Lane:
        slot = self.recorder.slot(self.program.fn.nodes[i].type.kind, 0)
        self.columns.append((slot, name))
        return Lane(self.recorder, slot)

    def run(self, run: Run) -> None:
        if not run.steps:
            self._decide(run.region)
        elif self.on[run.region]:
            self.recorder.region = self.home[run.region]
            for step in run.steps:
                self.values[step.slot] = self._value(step)

    def _decide(self, r: int) -> None:
        """A region whose condition is the same for all rows is its parent, or nothing."""
        q, predicate, wanted = self.program.parent[r], self.values.get(self.program.predicate[r]), self.program.wanted[r]
        self.on[r], self.home[r] = self.on[q], self.home[q]
        if self.on[q] and type(predicate) is Lane:
            self.home[r] = r
            self.decisions[r] = Decision(r, self.home[q], predicate.slot, self.recorder.homes[predicate.slot], wanted)
            self.recorder.steps.append(Step(Decision, (predicate.slot,), -1, r))
        elif self.on[q]:
            self.on[r] = bool(predicate) == wanted

    def _value(self, step: Instruction) -> Any:
        op, slot, args, attr = step
        given = [self.values.get(i) for i in args]
        if op is select:
            return self._select(given, self.program.fn.nodes[slot].type.kind)
        if op is NAME or op is DETACH:
            return given[0]
        if any(type(v) is Lane for v in given):
            found = kernel(op, attr)(*given)
            return found.item() if isinstance(found, np.generic) else found
        return kernel_of_floats(op, attr)[1](*given)

    def _select(self, given: list[Any], kind: str) -> Any:
        """An arm that no row can reach is not there."""
        p, a, b = [kind == "real" and 0.0 if v is None else v for v in given]
        if type(p) is not Lane:
            return a if p else b
        recorder = self.recorder
        made = recorder.made.get(p.slot)
        if made is not None and made.func is np.logical_not:
            return self._select([Lane(recorder, made.args[0]), b, a], kind)
        arms = [recorder.plain(x, recorder.homes[x.slot] if type(x) is Lane else 0) for x in (a, b)]
        mask = recorder.write(None, [p.slot], "mask", recorder.region).slot if kind == "real" else p.slot
        return recorder.write(None, [p.slot, mask, *arms], kind, recorder.region)

    def results(self) -> list[Any]:
        """What the results are: slots as lanes without a sign, or numbers."""
        found = [self.values[o] for o in self.program.fn.outs]
        return [Lane(self.recorder, self.recorder.plain(v, 0)) if type(v) is Lane else v for v in found]
