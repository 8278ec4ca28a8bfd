"""A program, the names of its columns and the values of the rest in; a plan of array steps over few buffers out.

What does not depend on the columns is computed here, once, as Python floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..graph import NAME, OPS
from ..ops.arithmetic import select
from .arrays_lane import Lane, Recorder, Step, Whole
from .floats import NAMED
from .kernels_array import choose, kernel
from .kernels_float import kernel as kernel_of_floats

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..program import Program, Run
    from ..program import Step as Instruction

    Value = float | bool

CACHE, MOST, LEAST = 1 << 20, 16384, 64
DETACH = OPS["detach"]
COSTS = {
    np.divide: 2.0, np.sqrt: 7.0, np.copysign: 4.0, np.power: 12.0, np.arctan2: 12.0, np.hypot: 60.0, np.fmod: 150.0, np.remainder: 50.0,
    np.floor_divide: 50.0, np.sin: 90.0, np.cos: 90.0,
}  # fmt: skip
FUNCTION, FAR = 7.0, 200.0


class Decision(NamedTuple):
    """The rows of a region: those of region `parent` where the predicate is `wanted`.

    `dear` is what its steps cost a row and `moves` what bringing a row in and out costs, in additions.
    """

    region: int
    parent: int
    predicate: int
    home: int
    wanted: bool
    dear: float
    moves: float


class Segment(NamedTuple):
    """Steps that run on the rows of `region`, or the decision which rows those are.

    A step is (function, places of arguments, place of the result, arguments from other regions); a
    selection has no function, and the homes of its arms and what their regions were decided by instead.
    """

    region: int
    steps: tuple[Any, ...]
    decision: Decision | None


class Plan(NamedTuple):
    """Places 0 … hold the constants, the columns, the results, then the buffers, of `kinds`."""

    constants: dict[int, Any]
    columns: tuple[tuple[int, str], ...]
    results: tuple[int | float | bool, ...]
    copies: tuple[tuple[int, int], ...]
    kinds: tuple[str, ...]
    segments: tuple[Segment, ...]
    regions: int
    rows: int


def plan(program: Program, columns: Collection[str], values: Mapping[str, Value]) -> Plan:
    """The plan of a program whose inputs `columns` differ from row to row."""
    walk = Walk(program, columns, values)
    for run in program.runs:
        walk.run(run)
    return Placing(walk).plan()


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
            self.decisions[r] = Decision(r, self.home[q], predicate.slot, self.recorder.homes[predicate.slot], wanted, 0.0, 0.0)
            self.recorder.steps.append(Step(Decision, (predicate.slot,), -1, r))
        elif self.on[q]:
            self.on[r] = bool(predicate) == wanted

    def _value(self, step: Instruction) -> Any:
        op, slot, args, attr = step
        given = [self.values.get(i, 0.0) for i in args]
        if op is select:
            return self._select(given, self.program.fn.nodes[slot].type.kind)
        if op is NAME or op is DETACH:
            return given[0]
        if any([type(v) is Lane for v in given]):
            found = kernel(op, attr)(*given)
            return found.item() if isinstance(found, np.generic) else found
        return kernel_of_floats(op, attr)[1](*given)

    def _select(self, given: list[Any], kind: str) -> Any:
        p, a, b = given
        if type(p) is not Lane:
            return a if p else b
        recorder = self.recorder
        made = recorder.made.get(p.slot)
        if made is not None and made.func is np.logical_not:
            return self._select([Lane(recorder, made.args[0]), b, a], kind)
        arms = [recorder.plain(x, recorder.homes[x.slot] if type(x) is Lane else 0) for x in (a, b)]
        same = all(recorder.homes[s] in (recorder.region, 0) and (recorder.region == 0 or s in recorder.consts) for s in arms)
        return recorder.write(choose if same and kind == "real" else None, [p.slot, *arms], kind, recorder.region)
