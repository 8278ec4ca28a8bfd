"""A function, a point and its picture in; what a page plays out: which slot of the run each node shows, and every step of both passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...derive import places
from ...derive.conditions import gate, plus
from ...derive.recorded import recorded
from ...graph import PARAM, Expr
from ...program import compile as compiled
from ...run.point import trace
from ..graph.partials import partial, written

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
    """`values` and `gradients` are the slots of nodes, `results` those of value and gradient, `start` what each slot is at `point`."""

    program: Program
    values: dict[str, int]
    gradients: dict[str, int]
    slopes: dict[str, list[Slope]]
    backward: list[Step]
    results: list[tuple[str, int]]
    start: Mapping[int, Value]
    point: Mapping[str, Value]


def recording(fn: Fn, values: Mapping[str, Value], wrt: Sequence[str], parts: Picture, drawing: Drawing) -> Recording:
    """Both passes at a point, seen through a picture; with nothing in `wrt` there is only the forward pass."""
    return Recorder(recorded(fn, wrt), parts, drawing).record(values, wrt)


class Recorder:
    """Where the nodes of a picture stand in a recorded sweep: `shown` are the nodes by their positions, `at` the positions of nodes."""

    def __init__(self, made: Recorded, parts: Picture, drawing: Drawing) -> None:
        self.made, self.parts, self.drawing = made, parts, drawing
        self.drawn = {node.id for node in drawing.nodes}
        self.above = {cluster.id: cluster.parent for cluster in parts.clusters}
        self.home = {node.id: node.cluster for node in parts.nodes}
        self.shown: dict[int, str] = {}
        self.at: dict[str, int] = {}
        self.inside: dict[int, str] = {}
        self.env: dict[int, list[int]] = {}
        for scene in parts.scenes:
            self._place(scene)
        self.owner = self._owners()

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
        )  # fmt: skip

    def _place(self, scene: Scene) -> None:
        """The positions of what a scene drew; the turns of a loop have none."""
        graph = self.made.graph
        if scene is self.parts.scenes[0]:
            env = graph.inline(scene.fn, {})
        elif scene.caller and id(scene.caller[0]) in self.env:
            outer, i = scene.caller
            args = [Expr(graph, self.env[id(outer)][j]) for j in outer.fn.nodes[i].args]
            env = graph.inline(scene.fn, {name: e for (name, _), e in zip(scene.fn.params, args, strict=True)})
        else:
            return
        self.env[id(scene)] = env
        for i in sorted(scene.ids):
            name = self._drawn(scene.ids[i])
            if name is not None:
                self._enter(name, env[i], plain=name == scene.ids[i])

    def _enter(self, name: str, at: int, *, plain: bool) -> None:
        """A node shows its own position, what passes it on is the same node; a closed box shows its last one."""
        self.inside.setdefault(at, name)
        if plain:
            self.at.setdefault(name, at)
            self.shown[at] = name
        else:
            self.shown.pop(self.at.get(name, -1), None)
            self.at[name] = at
            self.shown[at] = name

    def _drawn(self, id: str) -> str | None:
        """The node of the final picture that a node is, or the closed box that it stands in."""
        if id in self.drawn:
            return id
        box = self.home[id]
        while box and box not in self.drawn:
            box = self.above[box]
        return box or None

    def _owners(self) -> dict[int, str]:
        """For each position the node that it belongs to: what is not drawn itself belongs to what reads it."""
        owner = dict(self.inside)
        nodes = self.made.graph.nodes
        for i in range(len(nodes) - 1, -1, -1):
            if i in owner:
                for j in nodes[i].args:
                    owner.setdefault(j, owner[i])
        return owner

    def _steps(self) -> list[Given]:
        """The shares from one drawn node to another; what comes from parts of one node, with nothing from others between, is one share."""
        found: list[Given | None] = []
        last: dict[str, int] = {}
        fed: dict[int, str] = {}
        for share in self.made.shares:
            at = self.made.target(share)
            target = self.shown.get(at)
            source = fed.get(share.node) or self.owner.get(share.node, "")
            if target is not None and at != self.at[target]:
                fed[at] = source  # a node that is drawn as what it stretches or names: it hands on what it gets
                continue
            if target is None or target == source:
                continue
            before = found[last[target]] if target in last else None
            amount = share.amount
            if before is not None and before.source == source:
                found[last[target]] = None
                amount = plus(before.amount, amount)
            last[target] = len(found)
            found.append(Given(source, target, amount, share.total, self.made.condition(share.node)))
        return [given for given in found if given is not None]

    def _slopes(self) -> dict[str, list[tuple[str, str, Expr | None]]]:
        """The local partials of every node of a scene by what it takes."""
        found: dict[str, list[tuple[str, str, Expr | None]]] = {}
        for scene in self.parts.scenes:
            env = self.env.get(id(scene))
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
        if i not in scene.moves or j not in scene.moves or by not in self.drawn or fn.nodes[i].op is PARAM:
            return None
        local = partial(fn, i, k)
        if local is None:
            return by, "", None
        graph = self.made.graph
        given = {f"p{n}_": Expr(graph, env[m]) for n, m in enumerate(args)}
        value = Expr(graph, graph.inline(local, given)[local.outs[0]])
        names = {m: self._called(scene, m) for m in args}
        held = self.made.condition(env[i])
        return by, written(fn, i, k, names, scene.params), gate((value, held))

    def _called(self, scene: Scene, j: int) -> str:
        node = self.parts.nodes[int(scene.ids[j][1:])] if j in scene.ids else None
        return "" if node is None else node.label if node.kind in ("variable", "port") else node.name
