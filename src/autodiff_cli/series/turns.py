"""A loop that only adds up in; what it adds in each turn, as nodes over arrays with the turns in front, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..constants import whole
from ..derive import expand
from ..derive.rows import Rows
from ..graph import CONST, PARAM, Expr, Fn, Graph
from ..ops.linear import place_below
from ..ops.structured import call_, loop_, out_, scanned
from .forms import smooth, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Node
    from .forms import Term

FEW, MOST = 100, 100_000  # turns


class Turns(NamedTuple):
    """The loop `node` adds `added`, terms of `body`, to its carry `carry` in each of `trips` turns."""

    node: Node
    body: Fn
    carry: int
    trips: int
    added: tuple[Term, ...]

    def needs(self, nodes: Sequence[Node]) -> list[int]:
        """The nodes that it reads: where the sum starts, the constants, and the arrays that are scanned."""
        body, args = self.node.attr, self.node.args[1:]
        return [args[self.carry], *args[body.nc : body.nc + body.nk], *[nodes[j].args[0] for j in args[body.nc + body.nk :]]]

    def build(self, graph: Graph, given: Sequence[Expr]) -> list[Expr]:
        """What each turn adds, term by term; `given` stand for what `needs` names."""
        body = self.node.attr
        names = [name for name, _ in self.body.params]
        known = dict(zip(names[body.nc :], given[1:], strict=True))
        rows = Rows(self.body, set(names[body.nc + body.nk :]), self.trips, known, graph)
        found = [rows.spread(o) for o in self.body.outs]
        return [-x if term.minus else x for x, term in zip(found, self.added, strict=True)]


def turns(nodes: Sequence[Node], i: int) -> Turns | None:
    """The loop that result `i` comes of, if its turns are many, known, and only add numbers that do not hang on what it carries."""
    (j,), carry = nodes[i].args, nodes[i].attr
    body, trips = nodes[j].attr, _trips(nodes, nodes[j])
    if trips is None or carry >= body.nc or any(node.op is call_ for node in body.fn.nodes):
        return None
    fn = expand(body.fn)
    start = next((k for k, node in enumerate(fn.nodes) if node.op is PARAM and node.attr == fn.params[carry][0]), -1)
    first, *added = terms(fn.nodes, fn.outs[carry], start)
    if first.node != start or not added:
        return None
    small = _taken_out(fn, [term.node for term in added])
    carried = {name for name, _ in fn.params[: body.nc]}
    if any(node.op is PARAM and node.attr in carried or not _plain(node) for node in small.nodes):
        return None
    return Turns(nodes[j], small, carry, trips, tuple(added))


def _trips(nodes: Sequence[Node], node: Node) -> int | None:
    """How many turns a loop takes, if that is known and neither few nor too many, and it goes through arrays of so many entries."""
    body, n = node.attr, nodes[node.args[0]]
    trips = whole(n.attr) if n.op is CONST else None
    scans = [nodes[k] for k in node.args[1 + body.nc + body.nk :]]
    if body.test is not None or body.rev or trips is None or not FEW <= trips <= MOST:
        return None
    return trips if all(x.op is scanned and nodes[x.args[0]].type.shape[0] == trips for x in scans) else None


def _plain(node: Node) -> bool:
    return node.op in (CONST, PARAM, place_below) or node.op.rule == "linear" or smooth(node)


def _taken_out(fn: Fn, outs: Sequence[int]) -> Fn:
    """A function of nothing but what these nodes need."""
    graph = Graph()
    env: dict[int, int] = {}
    for i in Fn(fn, fn.params, [Expr(fn, o) for o in outs], [""] * len(outs)).needs():  # type: ignore[arg-type]  # a frozen graph
        op, args, attr, type = fn.nodes[i]
        graph.site = fn.sites[i]
        env[i] = graph.intern(op, tuple([env[j] for j in args]), attr, type)
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in outs], [f"added {k}" for k in range(len(outs))])


def loops(nodes: Sequence[Node], needed: Sequence[int]) -> Mapping[int, Turns]:
    """The results of loops among the needed nodes that are such sums."""
    found = {i: turns(nodes, i) for i in needed if nodes[i].op is out_ and nodes[nodes[i].args[0]].op is loop_}
    return {i: one for i, one in found.items() if one is not None}
