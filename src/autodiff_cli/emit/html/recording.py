"""A function, a point and its picture in; what a page plays out: which slot of the run each node shows, and every step of both passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...derive import places
from ...derive.conditions import gate, plus
from ...derive.recorded import recorded
from ...graph import PARAM, Expr
from ...program import compile as compiled
from ...run.point import trace
from ...types import is_sequence
from ..graph.partials import partial, written
from ..graph.sweep import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...derive.conditions import Gated
    from ...derive.recorded import Recorded
    from ...graph import Fn
    from ...program import Program
    from ...report import Value
    from ..graph.build import Picture, Scene
    from ..graph.model import Drawing


class Slope(NamedTuple):
    """The local partial of a node by another: its formula, "" where it is no short one, and its slot."""

    by: str
    formula: str
    slot: int | None


class Step(NamedTuple):
    """A step of the backward pass: node `source` adds slot `amount` to the cotangent of node `target`, which is slot `total` then.

    It is taken where slot `held` is true or None; where slot `when` is false, it hands on a structural zero.
    """

    source: str
    target: str
    amount: int
    total: int
    held: int | None
    when: int | None


class Given(NamedTuple):
    """A step before it has slots: `held` is where the cotangent of `source` counts."""

    source: str
    target: str
    amount: Gated
    total: Gated
    held: Expr | None


class Recording(NamedTuple):
    """`values` and `gradients` are the slots of nodes, `results` those of value and gradient, `start` what each slot is at `point`.

    The backward pass begins at node `seed`, None where there is none. `branches` are the conditions of each box: slots, and what these
    must be.
    """

    program: Program
    values: dict[str, int]
    gradients: dict[str, int]
    slopes: dict[str, list[Slope]]
    backward: list[Step]
    results: list[tuple[str, int]]
    start: Mapping[int, Value]
    point: Mapping[str, Value]
    seed: str | None
    branches: dict[str, list[tuple[int, bool]]]


def recording(fn: Fn, values: Mapping[str, Value], wrt: Sequence[str], parts: Picture, drawing: Drawing) -> Recording:
    """Both passes at a point, seen through a picture; with nothing in `wrt` there is only the forward pass."""
    return Recorder(recorded(fn, wrt), parts, drawing).record(values, wrt)


class Recorder:
    """Both passes seen through a picture; `at` are the positions of its nodes."""

    def __init__(self, made: Recorded, parts: Picture, drawing: Drawing) -> None:
        self.made, self.parts = made, parts
        self.seen = Seen(made, parts, drawing)
        self.at = {name: i for name, i in self.seen.at.items() if not is_sequence(made.graph.nodes[i].type)}

    def record(self, values: Mapping[str, Value], wrt: Sequence[str]) -> Recording:
        """Run everything once; a slot is a position in the program."""
        made = self.made
        steps = self._steps()
        cotangents = {id: gate(made.cotangents[i]) for id, i in self.at.items() if i in made.cotangents}
        slopes = self._slopes()
        asked: list[Expr | None] = [*cotangents.values(), *[e for found in slopes.values() for _, _, e in found]]
        for s in steps:
            asked += [gate(s.amount), gate(s.total), s.amount[1], s.held]
        whole = made.run(asked)
        program = compiled(whole)
        where = places(whole)
        slot: Callable[[Expr | None], int | None] = lambda e: None if e is None else where[e.id]  # noqa: E731 (a name for what is said often)
        taken = [
            Step(s.source, s.target, where[gate(s.amount).id], where[gate(s.total).id], slot(s.held), slot(s.amount[1])) for s in steps
        ]
        results = [("value", where[made.value.id]), *[(name, where[e.id]) for name, e in zip(wrt, made.slopes, strict=True)]]
        return Recording(
            program, {id: where[i] for id, i in self.at.items()}, {id: where[e.id] for id, e in cotangents.items()},
            {id: [Slope(by, formula, slot(e)) for by, formula, e in found] for id, found in slopes.items()}, taken, results, trace(program, values), values,
            self.seen.inside.get(made.value.id) if wrt else None, self._branches(where),
        )  # fmt: skip

    def _branches(self, where: Sequence[int]) -> dict[str, list[tuple[int, bool]]]:
        """The conditions of every box that is a branch, by their slots."""
        found: dict[str, list[tuple[int, bool]]] = {}
        for scene in self.parts.scenes:
            env = self.seen.env.get(id(scene))
            if env is None:
                continue
            for box, conditions in scene.boxes.branches().items():
                found.setdefault(box, [(where[env[p]], wanted) for p, wanted in conditions])
        return found

    def _steps(self) -> list[Given]:
        """The shares from one drawn node to another; what comes from parts of one node, with nothing from others between, is one share."""
        found: list[Given | None] = []
        last: dict[str, int] = {}
        for source, target, at, amount, total, held in self.seen.handed():
            if at != self.at.get(target):
                continue  # into the midst of a closed box
            before = found[last[target]] if target in last else None
            if before is not None and before.source == source:
                found[last[target]] = None
                amount = plus(before.amount, amount)  # noqa: PLW2901 (the sum is one share)
            last[target] = len(found)
            found.append(Given(source, target, amount, total, held))
        return [given for given in found if given is not None]

    def _slopes(self) -> dict[str, list[tuple[str, str, Expr | None]]]:
        """The local partials of every node of a scene by what it takes."""
        found: dict[str, list[tuple[str, str, Expr | None]]] = {}
        for scene in self.parts.scenes:
            env = self.seen.env.get(id(scene))
            if env is None or scene.ruled:
                continue
            for i, name in scene.ids.items():
                places = range(len(scene.fn.nodes[i].args))
                if places and self.at.get(name) == env[i]:
                    found[name] = [slope for k in places if (slope := self._slope(scene, env, i, k))]
        return found

    def _slope(self, scene: Scene, env: Sequence[int], i: int, k: int) -> tuple[str, str, Expr | None] | None:
        args, fn = scene.fn.nodes[i].args, scene.fn
        by, j = scene.ids.get(args[k], ""), args[k]
        if i not in scene.moves or j not in scene.moves or by not in self.seen.drawn or fn.nodes[i].op is PARAM:
            return None
        local = partial(fn, i, k)
        if local is None:
            return by, "", None
        graph = self.made.graph
        given = {f"p{n}_": Expr(graph, env[m]) for n, m in enumerate(args)}
        value = Expr(graph, graph.inline(local, given)[local.outs[0]])
        names = {m: self.parts.called(scene.ids[m]) for m in args if m in scene.ids}
        held = self.made.condition(env[i])
        return by, written(fn, i, k, names, scene.params), gate((value, held))
