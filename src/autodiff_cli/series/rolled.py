"""A function with a long sum in; the same function with the sum's terms as arrays out.

Terms of one form are one term over arrays of what stands at its leaves. Numbers are added in the order in which they are written, so
that the value is the same to its last bit where the ops are; its derivative is that of the plain sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..derive import expand
from ..graph import CONST, NAME, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import add, detach, sub
from ..ops.array import array
from ..ops.linear import Many, concatenate, index, indexed, joined, reshape, reshaped, running, sum_
from ..ops.structured import call_
from ..types import Type
from . import MANY
from .forms import LEAF, Group, Term, groups, names, smooth, terms
from .turns import loops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Node
    from .turns import Turns

FEW = 20  # terms of one form that are written out one by one, in all
PACKED = "all'"


class Rolled(NamedTuple):
    """`fn` over arrays; with `packed` names, it has one input PACKED with the values of these in order."""

    fn: Fn
    packed: tuple[str, ...]


class Sum(NamedTuple):
    """The terms of a chain of sums, or the parts of an array that is written out entry by entry (`array`), by form."""

    groups: list[Group]
    length: int
    array: bool


def rolled(fn: Fn, wrt: Sequence[str]) -> Rolled | None:
    """The function over arrays, if a sum in it is long and its terms are of few forms; `wrt` are the names to differentiate by."""
    if any(node.op in (NAME, call_) for node in fn.nodes):
        return None
    fn = expand(fn)
    nodes, needed = fn.nodes, fn.needs()
    sums, over_turns = _sums(fn, needed), loops(nodes, needed)
    if not sums and not over_turns:
        return None
    varying = names(nodes, [group for one in sums.values() for group in one.groups])
    packed = tuple(wrt) if varying else ()
    types = dict(fn.params)
    if not varying <= set(packed) or any(name not in types or types[name].shape for name in packed):
        return None
    return _Rolling(fn, sums, over_turns, packed).made(len(needed) // 2)


def _sums(fn: Fn, needed: Sequence[int]) -> dict[int, Sum]:
    """The long sums, and arrays that are written out, of which the terms are of few forms."""
    nodes = fn.nodes
    found: dict[int, Sum] = {}
    inside: set[int] = set()
    for i in reversed(needed):
        op, args, attr, type = nodes[i]
        parts: list[Term] = []
        if op in (add, sub) and not type.shape and i not in inside:
            parts = terms(nodes, i)
            inside |= _left(nodes, i)
        elif op is concatenate and attr == 0 and len(args) >= MANY and all(_entry(fn, j) for j in args):
            parts = [Term(nodes[j].args[0]) for j in args]
        if len(parts) >= MANY:
            by_form = groups(nodes, parts)
            if by_form and all(_regular(fn, group) for group in by_form) and sum(len(g.places) for g in by_form if _short(g)) <= FEW:
                found[i] = Sum(by_form, len(parts), bool(type.shape))
    return found


def _left(nodes: Sequence[Node], i: int) -> set[int]:
    """The nodes of a chain of sums below its last."""
    found: set[int] = set()
    while nodes[i].op in (add, sub):
        i = nodes[i].args[0]
        found.add(i)
    return found


def _entry(fn: Fn, j: int) -> bool:
    """Whether a part of an array is one number."""
    op, args, attr, _ = fn.nodes[j]
    return op is reshape and attr == (1,) and not fn.nodes[args[0]].type.shape


def _short(group: Group) -> bool:
    return len(group.places) <= 2


def _regular(fn: Fn, group: Group) -> bool:
    """Whether each leaf is the same in all terms, or a constant, a name, or an entry of one array."""
    return _short(group) or all(len(set(ids)) == 1 or len({_kind(fn, i) for i in ids}) == 1 for ids in group.leaves)


def _kind(fn: Fn, i: int) -> object:
    op, args, _, _ = fn.nodes[i]
    return (op, args)


class _Rolling:
    """`env` holds the node in the new graph for each node of the function that is needed there."""

    def __init__(self, fn: Fn, sums: Mapping[int, Sum], turns: Mapping[int, Turns], packed: tuple[str, ...]) -> None:
        self.fn, self.sums, self.turns, self.packed = fn, sums, turns, packed
        self.graph = Graph(expanding=True)
        self.places = {name: k for k, name in enumerate(packed)}
        self.params = [(name, type) for name, type in fn.params if name not in self.places]
        if packed:
            self.params.append((PACKED, Type("real", (len(packed),))))
            self.all = self.graph.param(*self.params[-1])
        self.env: dict[int, Expr] = {}

    def made(self, most: int) -> Rolled | None:
        """The new function; None where it needs more than `most` of the old nodes."""
        needed = self._needed()
        if len(needed) > most and not self.turns or not all(self._told(i) for i in needed):
            return None
        for i in needed:
            self.graph.site = self.fn.sites[i]
            self.env[i] = self._one(i)
        self.graph.site = None
        outs = [self.env[o] for o in self.fn.outs]
        return Rolled(Fn(self.graph, self.params, outs, self.fn.names), self.packed)

    def _needed(self) -> list[int]:
        nodes = self.fn.nodes
        wanted = set(self.fn.outs)
        for i in range(max(wanted), -1, -1):
            if i in wanted:
                wanted.update(self._reads(i) if i in self.sums or i in self.turns else nodes[i].args)
        return sorted(wanted)

    def _told(self, i: int) -> bool:
        """Whether all that there is to say about a node is its value: it has no kink, and takes no turns."""
        node = self.fn.nodes[i]
        return i in self.sums or i in self.turns or node.op.rule in {"leaf", "linear"} or smooth(node)

    def _reads(self, i: int) -> list[int]:
        nodes = self.fn.nodes
        if i in self.turns:
            return self.turns[i].needs(nodes)
        groups = self.sums[i].groups
        arrays = {nodes[j].args[0] for group in groups for ids in group.leaves for j in ids if nodes[j].op is index}
        one_by_one = [j for group in groups for ids in group.leaves if _short(group) or len(set(ids)) == 1 for j in ids]
        return [*arrays, *[j for j in one_by_one if nodes[j].op is PARAM]]

    def _one(self, i: int) -> Expr:
        op, args, attr, type = self.fn.nodes[i]
        if i in self.sums:
            entries = self._entries(self.sums[i])
            return entries if self.sums[i].array else self._total(entries)
        if i in self.turns:
            return self._over_turns(self.turns[i])
        if op is PARAM and attr in self.places:
            return indexed(self.all, (self.places[attr],))
        return Expr(self.graph, self.graph.intern(op, tuple([self.env[j].id for j in args]), attr, type))

    def _total(self, entries: Expr) -> Expr:
        """The sum in order: of the plain sum, which is differentiated, what rounds otherwise is mended."""
        total = self.graph.add(sum_, [entries], (0,))
        one_by_one = indexed(self.graph.add(running, [entries], 0), (entries.type.shape[0] - 1,))
        return total + detach(one_by_one - total)  # type: ignore[no-any-return]  # operators of expressions build expressions

    def _over_turns(self, one: Turns) -> Expr:
        start, *given = [self.env[j] for j in one.needs(self.fn.nodes)]
        added = one.build(self.graph, [start, *given])
        lines = [reshaped(x, (one.trips, 1)) for x in added]
        entries = reshaped(joined(lines, 1), (one.trips * len(lines),))
        return self._total(entries if start.whole == 0 else joined([reshaped(start, (1,)), entries], 0))

    def _entries(self, one: Sum) -> Expr:
        """The terms of a sum in order, as one array."""
        parts = [self._group(group) for group in one.groups]
        order = [k for group in one.groups for k in group.places]
        whole = joined(parts, 0)
        if order == sorted(order):
            return whole
        at = [0] * one.length
        for k, place in enumerate(order):
            at[place] = k
        return indexed(whole, (Many(at, (one.length,)),))

    def _group(self, group: Group) -> Expr:
        """The terms of one form, as an array."""
        n = len(group.places)
        if _short(group):
            found = [self._term(group, [self._leaf(ids[k]) for ids in group.leaves]) for k in range(n)]
            return joined([reshaped(x, (1,)) for x in found], 0)
        return self.graph.broadcast(self._term(group, [self._spread(ids) for ids in group.leaves]), (n,))

    def _term(self, group: Group, leaves: Sequence[Expr]) -> Expr:
        graph, left = self.graph, iter(leaves)
        made: list[Expr] = []
        for step in group.form:
            op, args, attr = step
            made.append(next(left) if step is LEAF else graph.const(attr) if op is CONST else graph.add(op, [made[j] for j in args], attr))
        return -made[-1] if group.minus else made[-1]

    def _leaf(self, i: int) -> Expr:
        """What stands at a leaf in one term."""
        op, args, attr, _ = self.fn.nodes[i]
        return self.graph.const(attr) if op is CONST else self.env[i] if op is PARAM else indexed(self.env[args[0]], attr)

    def _spread(self, ids: Sequence[int]) -> Expr:
        """What stands at a leaf, term by term."""
        nodes, n = self.fn.nodes, len(ids)
        if len(set(ids)) == 1:
            return self._leaf(ids[0])
        op, args, _, _ = nodes[ids[0]]
        if op is CONST:
            return self.graph.add(array, [], (tuple([nodes[i].attr for i in ids]), (n,)))
        if op is PARAM:
            return _picked(self.all, [(self.places[nodes[i].attr],) for i in ids])
        return _picked(self.env[args[0]], [nodes[i].attr for i in ids])


def _picked(x: Expr, places: Sequence[tuple[int, ...]]) -> Expr:
    """Entries of an array, as a slice where they follow each other."""
    first, second = places[0][0], places[1][0]
    if len(places[0]) == 1 and second > first and all(k == first + n * (second - first) for n, (k,) in enumerate(places)):
        return indexed(x, ((first, places[-1][0] + 1, second - first),))
    return indexed(x, tuple([Many(line, (len(places),)) for line in zip(*places, strict=True)]))
