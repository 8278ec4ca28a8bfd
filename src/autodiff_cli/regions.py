"""Which nodes run under which conditions: the body of a function in, a region for every node out.

A region is a conjunction of conditions, a node of a tree whose root is "always". A node belongs to
the deepest common ancestor of the regions of its uses, so what only one arm needs runs only there.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from .graph import CONST
from .ops.arithmetic import not_, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .graph import Node


class Regions:
    """The tree of conditions: region r is region `parent[r]` where node `predicate[r]` is `wanted[r]`."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.parent, self.predicate, self.wanted = [0], [-1], [True]
        self._depth, self._jump = [0], [0]
        self._child: dict[tuple[int, int, bool], int] = {}
        self._conjunction: dict[int, int] = {}
        self.of: dict[int, int] = {}
        self._used = {0}

    def assign(self, outs: Iterable[int]) -> dict[int, int]:
        """The region of every node that `outs` need."""
        for i, (op, args, _, _) in enumerate(self.nodes):
            if op is select and self._is_false(args[2]) and self._lazy(args[0]):
                self._conjunction[i] = self.child(self._holds(args[0]), args[1], wanted=True)
        for out in outs:
            self._use(out, 0)
        for i in range(len(self.nodes) - 1, -1, -1):
            if i in self.of:
                self._use_arguments(i, self.of[i])
        return self.of

    def child(self, region: int, predicate: int, *, wanted: bool) -> int:
        """The region below `region` where `predicate` is `wanted`."""
        while self.nodes[predicate].op is not_:
            predicate, wanted = self.nodes[predicate].args[0], not wanted
        key = (region, predicate, wanted)
        found = self._child.get(key)
        if found is None:
            found = self._child[key] = len(self.parent)
            self.parent.append(region)
            self.predicate.append(predicate)
            self.wanted.append(wanted)
            self._depth.append(self._depth[region] + 1)
            self._jump.append(self._skip(region))
        return found

    def _skip(self, region: int) -> int:
        # Skew-binary jump pointers (Myers, 1983): an ancestor is found in O(log depth) jumps.
        depth, jump = self._depth, self._jump[region]
        even = depth[region] - depth[jump] == depth[jump] - depth[self._jump[jump]]
        return self._jump[jump] if even else region

    def meet(self, r: int, q: int) -> int:
        """The deepest common ancestor of two regions."""
        depth, jump, parent = self._depth, self._jump, self.parent
        if depth[r] < depth[q]:
            r, q = q, r
        while depth[r] > depth[q]:
            r = jump[r] if depth[jump[r]] >= depth[q] else parent[r]
        while r != q:
            r, q = (jump[r], jump[q]) if jump[r] != jump[q] else (parent[r], parent[q])
        return r

    def _use_arguments(self, i: int, region: int) -> None:
        op, args, attr, _ = self.nodes[i]
        if op is not select or not self._lazy(args[0]):
            for j in args:
                self._use(j, region)
            return
        p, a, b = args
        self._use(p, region)
        if attr == "gate":
            # Its value is needed exactly where its own condition holds, wherever it is used.
            self._use(b, region)
            self._arm(a, self._holds(p))
        else:
            self._arm(a, self._extend(region, p))
            self._arm(b, self.child(region, p, wanted=False))

    def _holds(self, predicate: int) -> int:
        return self._conjunction.get(predicate) or self.child(0, predicate, wanted=True)

    def _extend(self, region: int, predicate: int) -> int:
        whole = self._conjunction.get(predicate)
        return whole if whole and self.meet(region, whole) == region else self.child(region, predicate, wanted=True)

    def _use(self, i: int, region: int) -> None:
        known = self.of.get(i)
        self.of[i] = region if known is None or known == region else self.meet(known, region)

    def _arm(self, i: int, region: int) -> None:
        self._use(i, region)
        while region not in self._used:
            self._used.add(region)
            self._use(self.predicate[region], self.parent[region])
            region = self.parent[region]

    def _lazy(self, predicate: int) -> bool:
        """One condition (a row) switches work off; an array of them selects entries."""
        return not self.nodes[predicate].type.shape

    def _is_false(self, i: int) -> bool:
        return self.nodes[i].op is CONST and self.nodes[i].attr == "False"

    def schedule(self) -> list[int]:
        """Nodes in an order that respects arguments and regions; -r stands for deciding region r."""
        if not any(self.of.values()):
            return sorted(self.of)
        return _kahn(self._needs())

    def _needs(self) -> dict[int, set[int]]:
        needs = {i: set(self.nodes[i].args) | ({-r} if r else set()) for i, r in self.of.items()}
        todo = {r for r in self.of.values() if r}
        while todo:
            r = todo.pop()
            up = self.parent[r]
            needs[-r] = {self.predicate[r], -up} if up else {self.predicate[r]}
            if up and -up not in needs:
                todo.add(up)
        return needs


def _kahn(needs: dict[int, set[int]]) -> list[int]:
    """The topological order (Kahn, 1962) that takes the smallest ready item first."""
    users: dict[int, list[int]] = {}
    for i, wanted in needs.items():
        for j in wanted:
            users.setdefault(j, []).append(i)
    left = {i: len(wanted) for i, wanted in needs.items()}
    ready = [i for i, count in left.items() if not count]
    heapify(ready)
    order = []
    while ready:
        i = heappop(ready)
        order.append(i)
        for user in users.get(i, ()):
            left[user] -= 1
            if not left[user]:
                heappush(ready, user)
    return order
