"""A recorded sweep and its steps in; the contributions that a reader sees out, in the order of the sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..derive.conditions import plus
from ..derive.partials import back
from ..ops.structured import loop_, out_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..derive.conditions import Gated
    from ..derive.recorded import Recorded, Share
    from .steps import Steps


class Event(NamedTuple):
    """A share, or the place where nothing is handed on; `more` are earlier shares of the same call to the same argument."""

    node: int
    place: int
    share: Share | None
    more: tuple[Share, ...] = ()


class Events:
    """What a step gives back to each of the steps that it reads."""

    def __init__(self, made: Recorded, steps: Steps) -> None:
        self.made, self.steps, self.graph = made, steps, made.graph

    def all(self) -> list[Event]:
        """What a reader sees of the sweep, in its order: the shares of named steps, and where a step hands nothing on."""
        made, found = self.made, list[Event]()
        heard = {(s.node, s.place): s for s in made.shares}
        for i in sorted(made.path, reverse=True):
            node = self.graph.nodes[i]
            if self.steps.owner.get(i) in self.steps.wholes:
                found += self._of_call(i, heard)
                continue
            if node.op is out_ or i in self.steps.shared or (i not in made.cotangents and node.op is not loop_):
                continue
            seen = [k for k, j in enumerate(node.args) if j in made.path and (j in self.steps.names or j in self.steps.shared)]
            found += [Event(i, k, heard.get((i, k))) for k in seen if (i, k) in heard or node.op is not loop_]
        return found

    def _of_call(self, i: int, heard: Mapping[tuple[int, int], Share]) -> list[Event]:
        """What a call hands back to the arguments that node i is the first in it to read: its last to answer."""
        nodes, root = self.graph.nodes, self.steps.owner[i]
        members = (*self.steps.inner[root], root)
        found = []
        for k, j in enumerate(nodes[i].args):
            readers = [m for m in reversed(members) if j in nodes[m].args]
            if j in self.made.path and j in self.steps.names and readers[-1] == i and nodes[i].args.index(j) == k:
                shares = [s for m in readers for p, to in enumerate(nodes[m].args) if to == j and (s := heard.get((m, p)))]
                found.append(Event(i, k, shares[-1] if shares else None, tuple(shares[:-1])))
        return found

    def giver(self, event: Event) -> int:
        """The node whose cotangent is handed on: of a call, its value."""
        root = self.steps.owner[event.node]
        return root if root in self.steps.wholes else event.node

    def to(self, event: Event) -> int:
        """The step that a share is for, also where it comes through a view of it."""
        via = self.via(event)
        return self.graph.nodes[event.node].args[event.place] if via is None else self.graph.nodes[via].args[0]

    def via(self, event: Event) -> int | None:
        """The shared view that a share goes through."""
        j = self.graph.nodes[event.node].args[event.place]
        return j if j in self.steps.shared else None

    def given(self, event: Event) -> Gated | None:
        """What a share gives to the step that it is for."""
        via = self.via(event)
        if event.share is None or via is None:
            total = event.share and event.share.amount
            for share in event.more:
                total = plus(total, share.amount)
            return total
        return back(self.graph, via, 0, event.share.amount)
