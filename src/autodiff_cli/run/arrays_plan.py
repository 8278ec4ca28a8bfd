"""Array steps in, a plan over few buffers out: what nobody needs is left out, and a buffer is free after the last use."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .arrays_lane import Lane, Whole
from .arrays_walk import Decision, Walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ..program import Program
    from .arrays_lane import Step

CACHE, MOST, LEAST = 1 << 23, 16384, 64  # bytes that stay near the processor; rows of a block
CHEAP = frozenset({
    np.add, np.subtract, np.multiply, np.square, np.negative, np.absolute, np.maximum, np.minimum, np.less, np.less_equal, np.greater,
    np.greater_equal, np.equal, np.not_equal, np.isnan, np.logical_not, np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or, np.rint,
})  # fmt: skip
COSTS = {np.divide: 2, np.copysign: 4, np.hypot: 60, np.fmod: 150, np.remainder: 50, np.floor_divide: 50, np.sin: 90, np.cos: 90}
FUNCTION, SELECTION, GATHER, SCATTER = 7, 3, 2, 3  # costs a row, in additions


class Branch(NamedTuple):
    """How the rows of a region are found, what its steps cost a row, and what moving a row in and out costs."""

    region: int
    parent: int
    predicate: int
    home: int
    wanted: bool
    place: int
    cost: float
    moves: float


class Move(NamedTuple):
    """A step: `func` over the places `args`, the last of which is written; `get` takes these out of a list.

    `foreign` are (which argument, its region) for arguments of other regions. A selection has no
    `func`; its `foreign` are the slot of the predicate and the regions of its arguments. Nor has the
    making of a mask, where `foreign` is empty.
    """

    func: Any
    get: Any
    args: tuple[int, ...]
    foreign: tuple[Any, ...]


class Plan(NamedTuple):
    """Places hold the constants, then the columns, the results and the buffers; `kinds` says of what.

    `results` are numbers, or None for an array; `types` and `outs` the kind and the place of each array; `copies` are
    (place, which array) for a result that is a column or another result. A segment is (region,
    moves), or (region, a branch). `cost` is what a row costs, in additions.
    """

    constants: tuple[float | bool, ...]
    columns: tuple[tuple[int, str], ...]
    results: tuple[float | bool | None, ...]
    types: tuple[str, ...]
    outs: tuple[int, ...]
    copies: tuple[tuple[int, int], ...]
    kinds: tuple[str, ...]
    segments: tuple[tuple[int, Any], ...]
    regions: int
    rows: int
    cost: float


def plan(program: Program, columns: Collection[str], values: Mapping[str, float | bool]) -> Plan:
    """The plan of a program whose inputs `columns` differ from row to row; the rest has `values`."""
    walk = Walk(program, columns, values)
    for run in program.runs:
        walk.run(run)
    return Placing(walk).plan()


class Placing:
    """Slots of a walk to places: one a constant, a column and a result, and shared ones for what lives shortly."""

    def __init__(self, walk: Walk) -> None:
        self.walk, self.recorder = walk, walk.recorder
        self.found = walk.results()
        self.wanted = list(dict.fromkeys(v.slot for v in self.found if type(v) is Lane))
        self.steps = self._needed()
        self.last = {slot: k for k, step in enumerate(self.steps) for slot in step.args}
        self.kinds: list[str] = []
        self.place: dict[int, int] = {}
        self.free: dict[str, list[int]] = {"real": [], "bool": [], "mask": []}

    def _needed(self) -> list[Step]:
        needed, regions, kept = set(self.wanted), {0}, []
        for step in reversed(self.recorder.steps):
            if step.region in regions if step.func is Decision else step.slot in needed:
                kept.append(step)
                needed.update(step.args)
                regions.add(self.walk.decisions[step.region].parent if step.func is Decision else step.region)
        return kept[::-1]

    def plan(self) -> Plan:
        recorder = self.recorder
        for slot in [*recorder.consts, *[s for s, _ in self.walk.columns]]:
            self._own(slot)
        made = [slot for slot in self.wanted if slot not in self.place]
        for slot in made:
            self._own(slot)
        self.bound = len(self.kinds)
        costs = Costs(self.steps, self.walk)
        segments = self._segments(costs)
        arrays = [v.slot for v in self.found if type(v) is Lane]
        outs = [self.place[slot] if slot in made and arrays.index(slot) == k else -1 for k, slot in enumerate(arrays)]
        return Plan(
            tuple(recorder.consts.values()), tuple([(self.place[s], name) for s, name in self.walk.columns]),
            tuple([None if type(v) is Lane else v for v in self.found]), tuple([recorder.kinds[slot] for slot in arrays]), tuple(outs),
            tuple([(self.place[slot], k) for k, slot in enumerate(arrays) if outs[k] < 0]), tuple(self.kinds), segments,
            len(self.walk.program.parent), _rows(len(self.kinds) - len(recorder.consts)), costs.cost.get(0, 0.0),
        )  # fmt: skip

    def _own(self, slot: int) -> int:
        self.place[slot] = len(self.kinds)
        self.kinds.append(self.recorder.kinds[slot])
        return self.place[slot]

    def _segments(self, costs: Costs) -> tuple[tuple[int, Any], ...]:
        segments: list[tuple[int, Any]] = []
        moves: list[Move] = []
        for k, step in enumerate(self.steps):
            if moves and (step.func is Decision or step.region != self.steps[k - 1].region):
                segments.append((self.steps[k - 1].region, tuple(moves)))
                moves = []
            if step.func is Decision:
                segments.append((step.region, costs.branch(self.walk.decisions[step.region], self.place)))
                self._release(k, step.args)
            else:
                moves.append(self._move(k, step))
        if moves:
            segments.append((self.steps[-1].region, tuple(moves)))
        return tuple(segments)

    def _move(self, k: int, step: Step) -> Move:
        args, homes = [self.place[a] for a in step.args], self._homes(step)
        self._release(k, _overwritten(step, homes))
        args.append(self._out(step.slot))
        self._release(k, step.args)
        foreign: tuple[Any, ...] = tuple([(n, h) for n, h in enumerate(homes) if h not in {None, step.region}])
        if step.func is None:
            foreign = (step.args[0], *homes) if len(homes) > 1 else ()
        return Move(_positional(step.func), itemgetter(*args), tuple(args), foreign)

    def _homes(self, step: Step) -> tuple[int | None, ...]:
        return tuple([None if a in self.recorder.consts else self.recorder.homes[a] for a in step.args])

    def _out(self, slot: int) -> int:
        if slot not in self.place:
            free = self.free[self.recorder.kinds[slot]]
            self.place[slot] = free.pop() if free else self._own(slot)
        return self.place[slot]

    def _release(self, k: int, slots: Iterable[int]) -> None:
        for slot in slots:
            if self.last.get(slot) == k and self.place[slot] >= self.bound:
                self.free[self.recorder.kinds[slot]].append(self.place[slot])
                del self.last[slot]


def _positional(func: Any) -> Any:
    """The function that takes the array to write into as its last argument."""
    if type(func) is Whole:
        return func.fill
    return (lambda x, y, out: func(x, y, out=out)) if func in {np.maximum, np.minimum} else func


def _overwritten(step: Step, homes: tuple[int | None, ...]) -> tuple[int, ...]:
    """The arguments whose memory the result may take, should they die here."""
    if step.func is None:
        return step.args[2:3] if all(h is None or h == step.region for h in homes) else ()
    return tuple([step.args[k] for k in step.func.over]) if type(step.func) is Whole else step.args


def _rows(arrays: int) -> int:
    rows = MOST
    while rows > LEAST and rows * arrays * 8 > CACHE:
        rows //= 2
    return rows


class Costs:
    """What the regions cost a row, those within them by half."""

    def __init__(self, steps: list[Step], walk: Walk) -> None:
        self.cost: dict[int, float] = {}
        self.moves: dict[int, float] = {}
        met = set()
        for func, args, _, region in steps:
            self.cost[region] = self.cost.get(region, 0.0) + _cost(func)
            for slot in args:
                home, price = (region, GATHER) if func is not None else (walk.recorder.homes[slot], SCATTER)
                if slot not in walk.recorder.consts and walk.recorder.homes[slot] != region and (slot, home, price) not in met:
                    met.add((slot, home, price))
                    self.moves[home] = self.moves.get(home, 0.0) + price
        for region in reversed(list(walk.decisions)):
            parent = walk.decisions[region].parent
            self.cost[parent] = self.cost.get(parent, 0.0) + self.cost.get(region, 0.0) / 2

    def branch(self, decision: Decision, place: dict[int, int]) -> Branch:
        region = decision.region
        return Branch(*decision, place[decision.predicate], self.cost.get(region, 0.0), self.moves.get(region, 0.0))


def _cost(func: Any) -> float:
    if func is None or func is Decision:
        return SELECTION
    if type(func) is Whole:
        return func.cost
    return 1 if func in CHEAP else COSTS.get(func, FUNCTION if getattr(np, func.__name__, None) is func else 200)
