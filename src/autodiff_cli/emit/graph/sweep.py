"""A recorded sweep and the picture of its function in; what the nodes of the picture hand to each other on the way back out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...derive.conditions import plus
from ...derive.pull import shares
from ...graph import Expr
from ...ops.structured import loop_, out_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...derive.conditions import Gated
    from ...derive.recorded import Recorded, Share
    from .build import Picture, Scene
    from .model import Drawing


class Handed(NamedTuple):
    """Node `source` hands `amount` to what stands at `at` and is drawn as node `target`, whose cotangent is `total` then.

    The cotangent of `source` counts where `held` is true, or None.
    """

    source: str
    target: str
    at: int
    amount: Gated
    total: Gated
    held: Expr | None


class Seen:
    """Where the nodes of a picture stand in a recorded sweep.

    `shown` are the nodes by their positions, `at` the positions of nodes; `inside` are the nodes by every position that is drawn as
    them. A node that is not drawn hands on what it gets in the name of who gave it; one that did not run hands on nothing.
    """

    def __init__(self, made: Recorded, parts: Picture, drawing: Drawing) -> None:
        self.made, self.parts, self.into = made, parts, drawing.into
        self.drawn, self.bundles = {node.id for node in drawing.nodes}, set(drawing.into.values())
        self.shown: dict[int, str] = {}
        self.at: dict[str, int] = {}
        self.inside: dict[int, str] = {}
        self.env: dict[int, list[int]] = {}
        self.idle: set[int] = set()
        for scene in parts.scenes:
            self._place(scene)
        self.idle -= self.inside.keys()
        nodes = made.graph.nodes
        results = [(name not in self.bundles, nodes[i].args[0], name) for i, name in self.inside.items() if nodes[i].op is out_]
        self.loops = {i: name for _, i, name in sorted(results)}

    def drawn_as(self, id: str) -> str | None:
        """The node of the final picture that a node is, or the closed box or the bundle that it went into."""
        while id in self.into:
            id = self.into[id]
        return id if id in self.drawn else None

    def node(self, i: int) -> str | None:
        """The node that stands at a position: that of a number itself, a closed box for all that is in it, a result of a loop for the loop."""
        if i in self.shown:
            return self.shown[i]
        name = self.inside.get(i)
        return name if name in self.bundles else self.loops.get(i)

    def handed(self) -> Iterator[Handed]:
        """What nodes hand to others, in the order of the backward pass."""
        fed: dict[int, dict[str, Gated]] = {}
        totals: dict[int, Gated] = {}
        for share in self.made.shares:
            at = self.made.target(share)
            target = self.node(at)
            if target is None and at in self.idle:
                continue
            givers = list(self._givers(share, fed.get(share.node, {})))
            for n, (source, amount) in enumerate(givers, 1):
                totals[at] = share.total if n == len(givers) else plus(totals.get(at), amount)
                if target is None:
                    got = fed.setdefault(at, {})
                    got[source] = plus(got.get(source), amount)
                elif target != source:
                    yield Handed(source, target, at, amount, totals[at], self.made.condition(share.node))

    def _givers(self, share: Share, fed: dict[str, Gated]) -> Iterator[tuple[str, Gated]]:
        """Who gives a share: its node, or those who gave that one something, each with its part."""
        name = self.node(share.node)
        if name is not None:
            yield name, share.amount
        elif len(fed) == 1:
            yield next(iter(fed)), share.amount
        for source, amount in fed.items() if name is None and len(fed) > 1 else ():
            found = dict(shares(self.made.graph, share.node, amount, {self.made.target(share)}))
            if share.place in found:
                yield source, found[share.place]

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
        drawn = scene.ids.keys() | scene.views.within
        self.idle |= {env[i] for i in scene.boxes.of if i not in drawn and scene.fn.nodes[i].op is not loop_}
        for i in sorted(scene.ids):
            name = self.drawn_as(scene.ids[i])
            if name is not None:
                self._enter(name, env[i], plain=name == scene.ids[i])

    def _enter(self, name: str, at: int, *, plain: bool) -> None:
        """A node shows its own position, what passes it on is the same node; a closed box shows its last one."""
        self.inside.setdefault(at, name)
        if plain:
            self.at.setdefault(name, at)
            self.shown[self.at[name]] = name
        else:
            self.shown.pop(self.at.get(name, -1), None)
            self.at[name] = at
            self.shown[at] = name
