"""Which nodes run under which conditions: the body of a function in, a region for every node out.

A region is a conjunction of conditions, a node of a tree whose root is "always". A node belongs to
the deepest region that those of its uses lie in, as the tree says and what their conditions are made
of, so what only one arm needs runs only there.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from .graph import CONST, needed
from .ops.arithmetic import not_, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .graph import Node

    Condition = tuple[int, bool]


MOST = 200  # conditions of a region that are looked through


class Regions:
    """The tree of conditions: region r is region `parent[r]` where node `predicate[r]` is `wanted[r]`."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.parent, self.predicate, self.wanted = [0], [-1], [True]
        self._depth, self._jump = [0], [0]
        self._told = [False]  # whether more is known of a region than the tree says
        self._child: dict[tuple[int, int, bool], int] = {}
        self._conjunction: dict[Condition, int] = {}
        self._common: dict[Condition, int] = {}
        self._met: dict[tuple[int, int], int] = {}
        self._chain: dict[frozenset[Condition], int] = {}
        self._known: dict[int, dict[Condition, None]] = {}
        self.of: dict[int, int] = {}
        self._used = {0}

    def assign(self, outs: Iterable[int]) -> dict[int, int]:
        """The region of every node that `outs` need."""
        if not any(op is select for op, _, _, _ in self.nodes):
            self.of = dict.fromkeys(needed(self.nodes, list(outs)), 0)
            return self.of
        for i, (op, args, _, kind) in enumerate(self.nodes):
            if op is select and kind.kind == "bool" and self._lazy(args[0]):
                self._conjoin(i, *args)
        outs = list(outs)
        early: set[int] = set()
        while not self._walk(outs, early):
            early |= set(self.of.values())
        return self.of

    def _walk(self, outs: Sequence[int], early: Iterable[int]) -> bool:
        """Go from the results to what they need; whether the conditions of all regions that were met were known in time."""
        self.of, self._used = {}, {0}
        for region in early:
            self._mark(region)
        for out in outs:
            self._use(out, 0)
        for i in range(len(self.nodes) - 1, -1, -1):
            if i in self.of:
                self._use_arguments(i, self.of[i])
        return self._used.issuperset(self.of.values())

    def _conjoin(self, i: int, p: int, a: int, b: int) -> None:
        """What holds where a condition of conditions holds, and where it does not: what its ways there have in common."""
        for wanted in (True, False):
            ways = [way for way in (self._way(p, a, wanted, chosen=True), self._way(p, b, wanted, chosen=False)) if way is not None]
            if len(ways) == 1:
                self._conjunction[i, wanted] = ways[0]
            elif ways and (both := self.meet(*ways)):
                self._common[i, wanted] = both

    def _way(self, p: int, arm: int, wanted: bool, *, chosen: bool) -> int | None:  # noqa: FBT001 (a truth value)
        """Where the arm of a selection of conditions is selected and is `wanted`; None where it never is."""
        region = self._holds(p, wanted=chosen)
        if self.nodes[arm].op is CONST:
            return region if (self.nodes[arm].attr == "True") is wanted else None
        return self.child(region, arm, wanted=wanted)

    def child(self, region: int, predicate: int, *, wanted: bool) -> int:
        """The region below `region` where `predicate` is `wanted`."""
        predicate, wanted = self._plain(predicate, wanted=wanted)
        key = (region, predicate, wanted)
        found = self._child.get(key)
        if found is None:
            found = self._child[key] = len(self.parent)
            self.parent.append(region)
            self.predicate.append(predicate)
            self.wanted.append(wanted)
            self._depth.append(self._depth[region] + 1)
            self._jump.append(self._skip(region))
            self._told.append(self._told[region] or self._made_of((predicate, wanted)) is not None)
        return found

    def _plain(self, predicate: int, *, wanted: bool) -> Condition:
        """A condition without the `not`s before it, and whether it is to hold."""
        while self.nodes[predicate].op is not_:
            predicate, wanted = self.nodes[predicate].args[0], not wanted
        return predicate, wanted

    def _skip(self, region: int) -> int:
        # Skew-binary jump pointers (Myers, 1983): an ancestor is found in O(log depth) jumps.
        depth, jump = self._depth, self._jump[region]
        even = depth[region] - depth[jump] == depth[jump] - depth[self._jump[jump]]
        return self._jump[jump] if even else region

    def meet(self, r: int, q: int) -> int:
        """The deepest region that two regions lie in."""
        found = self._ancestor(r, q)
        if found in (r, q) or not (self._told[r] or self._told[q]) or max(self._depth[r], self._depth[q]) > MOST:
            return found
        key = (r, q) if r < q else (q, r)
        if key not in self._met:
            self._met[key] = self._both(*key)
        return self._met[key]

    def _both(self, r: int, q: int) -> int:
        """The region of all that holds in either of two."""
        here, there = self._facts(r), self._facts(q)
        both = [fact for fact in here if fact in there]
        if len(both) == len(there):
            return q
        if len(both) == len(here):
            return r
        region, name = 0, frozenset(both)
        if name not in self._chain:
            for predicate, wanted in both:
                region = self.child(region, predicate, wanted=wanted)
                self._told[region] = True
            self._chain[name] = region
        return self._chain[name]

    def _facts(self, region: int) -> dict[Condition, None]:
        """What holds in a region: its conditions, and before each what it is made of."""
        todo = [region]
        while todo:
            path = self._path(todo[-1])
            later = [whole for fact in path if (whole := self._made_of(fact)) and whole not in self._known]
            if later:
                todo += later
                continue
            facts: dict[Condition, None] = {}
            for fact in path:
                whole = self._made_of(fact)
                facts |= self._known[whole] if whole and len(facts) < MOST else {}
                facts[fact] = None
            self._known[todo.pop()] = facts
        return self._known[region]

    def _path(self, region: int) -> list[Condition]:
        """The conditions of a region, the outermost first."""
        found = []
        while region:
            found.append((self.predicate[region], self.wanted[region]))
            region = self.parent[region]
        return found[::-1]

    def _made_of(self, fact: Condition) -> int | None:
        """The region that a condition lies in by what it is made of."""
        whole = self._conjunction.get(fact) or self._common.get(fact)
        return whole if whole and self._depth[whole] <= MOST else None

    def _ancestor(self, r: int, q: int) -> int:
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
            self._arm(a, self._extend(region, p, wanted=True))
            self._arm(b, self._extend(region, p, wanted=False))

    def _holds(self, predicate: int, *, wanted: bool = True) -> int:
        return self._conjunction.get(self._plain(predicate, wanted=wanted)) or self.child(0, predicate, wanted=wanted)

    def _extend(self, region: int, predicate: int, *, wanted: bool) -> int:
        whole = self._conjunction.get(self._plain(predicate, wanted=wanted))
        return whole if whole and self._ancestor(region, whole) == region else self.child(region, predicate, wanted=wanted)

    def _use(self, i: int, region: int) -> None:
        known = self.of.get(i)
        self.of[i] = region if known is None or known == region else self.meet(known, region)

    def _arm(self, i: int, region: int) -> None:
        self._use(i, region)
        self._mark(region)

    def _mark(self, region: int) -> None:
        """The conditions of a region are needed, each where those outside of it hold."""
        while region not in self._used:
            self._used.add(region)
            self._use(self.predicate[region], self.parent[region])
            region = self.parent[region]

    def _lazy(self, predicate: int) -> bool:
        """One condition (a row) switches work off; an array of them selects entries."""
        return not self.nodes[predicate].type.shape

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
