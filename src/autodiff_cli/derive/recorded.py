"""The reverse sweep with everything it did: a function in; its graph, every share and every sum out, as expressions to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph import Expr, Fn, Graph
from ..ops.arithmetic import select
from ..ops.structured import call_, loop_, out
from .conditions import gate
from .names import variables
from .products import swept, target
from .pull import between, pull, shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..graph import Node
    from .conditions import Gated
    from .pull import Hear

PARTIALS = ("elementwise", "reduce")


class Share(NamedTuple):
    """What node `node` gave its argument at `place`, and that argument's cotangent so far."""

    node: int
    place: int
    amount: Gated
    total: Gated


class Recorded(NamedTuple):
    """`graph` holds value and sweep, the first `size` nodes the value alone; `cotangents` are of nodes, `slopes` of the names
    that were asked for, `path` the nodes between the two.
    """

    graph: Graph
    params: tuple[tuple[str, object], ...]
    size: int
    value: Expr
    shares: tuple[Share, ...]
    cotangents: Mapping[int, Gated]
    slopes: tuple[Expr, ...]
    path: frozenset[int]

    def target(self, share: Share) -> int:
        """The node that a share is given to."""
        return self.graph.nodes[share.node].args[share.place]

    def condition(self, i: int) -> Expr | None:
        """Where the cotangent of a node counts."""
        return self.cotangents[i][1] if i in self.cotangents else None

    def partial(self, share: Share) -> Expr | None:
        """The local partial: the share of a cotangent of 1."""
        i, node = share.node, self.graph.nodes[share.node]
        if not has_partial(node):
            return None
        condition = self.condition(i)
        given = None if condition is None or condition.type.shape else condition
        one = (self.graph.broadcast(self.graph.const("1"), node.type.shape), given)
        found = dict(shares(self.graph, i, one, {self.target(share)}))
        return gate(found[share.place]) if share.place in found else None

    def run(self, more: Iterable[Expr | None]) -> Fn:
        """The function to run: the value, the slopes, and of these expressions what there is."""
        outs = [self.value, *self.slopes, *[e for e in more if e is not None]]
        return Fn(self.graph, self.params, outs, [str(k) for k in range(len(outs))])  # type: ignore[arg-type]  # those of the function


def recorded(fn: Fn, wrt: Sequence[str]) -> Recorded:
    """One reverse sweep from the first result to the names `wrt`; from an array it starts with 1 in every entry."""
    graph, outs, inputs = fn.open()
    value, size = outs[0], len(graph.nodes)
    seed = graph.broadcast(graph.const("1"), value.type.shape)
    heard: list[Share] = []
    targets = [target(graph, inputs, name) for name in wrt]
    sweep: Hear = lambda i, k, amount, total: heard.append(Share(i, k, amount, total))  # noqa: E731 (what it hears, it keeps)
    slopes = swept(value, seed, targets, sweep)
    cotangents = {value.id: (seed, None)} | {graph.nodes[s.node].args[s.place]: s.total for s in heard}
    path = frozenset(between(graph, [value.id], {v.id for t in targets if t for v, _ in variables(t)}))
    return Recorded(graph, fn.params, size, value, tuple(heard), cotangents, tuple(slopes), path)


class Local(NamedTuple):
    """One step by itself: its graph over named inputs, where nodes of the whole stand in it, and the shares it gives by (node, place)."""

    graph: Graph
    of: Mapping[int, int]
    found: Mapping[tuple[int, int], Expr]

    def partial(self, i: int, k: int) -> Expr | None:
        """The local partial of node i by its argument k, as a formula."""
        me = self.of[i]
        node = self.graph.nodes[me]
        if not has_partial(node):
            return None
        one = (self.graph.broadcast(self.graph.const("1"), node.type.shape), None)
        found = dict(shares(self.graph, me, one, {node.args[k]}))
        return _entries(found[k]) if k in found else None


def local(recorded: Recorded, root: int, inner: Sequence[int], names: Mapping[int, str], bar: str) -> Local:
    """Node `root` with what stands inside it, over inputs called `names`, and its shares of a cotangent called `bar`."""
    graph = Graph(expanding=True)
    of: dict[int, int] = {}
    for i in (*inner, root):
        op, args, attr, type = recorded.graph.nodes[i]
        for j in args:
            if j not in of:
                of[j] = graph.param(names[j], recorded.graph.nodes[j].type).id if j in names else _constant(graph, recorded.graph, j, of)
        of[i] = graph.intern(op, tuple([of[j] for j in args]), attr, type)
    return Local(graph, of, _shares_of(recorded, graph, root, of, names, bar) if root in recorded.path else {})


def _shares_of(
    recorded: Recorded, graph: Graph, root: int, of: Mapping[int, int], names: Mapping[int, str], bar: str
) -> dict[tuple[int, int], Expr]:  # fmt: skip
    back = {j: i for i, j in of.items()}
    found: dict[tuple[int, int], Expr] = {}

    def hear(i: int, k: int, share: Gated, _: Gated) -> None:
        found[back[i], k] = _entries(share)

    seed = graph.param(bar, graph.nodes[of[root]].type)
    pull(graph, [(of[root], (seed, None))], [of[j] for j in of if j in names and j != root and j in recorded.path], hear)
    return found


def _entries(value: Gated) -> Expr:
    """A gated value as a formula: a condition of every entry is part of it, one condition over all of it is not."""
    u, p = value
    return u if p is None or not p.type.shape else gate(value)


def has_partial(node: Node) -> bool:
    """Whether a node has a local partial; what contracts or moves entries has none."""
    return node.op.rule in PARTIALS or node.op is select or (node.op is call_ and not node.type.shape)


def _constant(graph: Graph, whole: Graph, i: int, of: dict[int, int]) -> int:
    """A constant, or a stretched one, in a graph of its own."""
    op, args, attr, type = whole.nodes[i]
    of[i] = graph.intern(op, tuple([_constant(graph, whole, j, of) for j in args]), attr, type)
    return of[i]


def turns(recorded: Recorded, i: int) -> list[tuple[int, Expr]]:
    """Of loop i, the place of each carry and its values at the start of every turn."""
    body = recorded.graph.nodes[i].attr
    return [(k, out(Expr(recorded.graph, i), body.nc + body.ny + k)) for k in range(body.nc)]


def backward_turns(recorded: Recorded, share: Share) -> list[tuple[int, Expr]]:
    """Of the loop that a loop's share came from, the place of each carry and its cotangent at the end of every turn, in the order
    of the turns.
    """
    nodes, i = recorded.graph.nodes, share.amount[0].id
    while nodes[i].op is not loop_:
        if not nodes[i].args:
            return []
        i = nodes[i].args[0]
    names = nodes[i].attr.fn.names
    return [(int(names[k].split()[1]), e) for k, e in turns(recorded, i) if names[k].startswith("d ")]
