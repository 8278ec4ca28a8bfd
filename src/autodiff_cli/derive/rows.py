"""A function of one row in, the same function of many rows at once out: rows are a first axis, in the graph itself.

So the derivative by what does not vary is a contraction over the rows, and never one derivative a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import BROADCAST, PARAM, Expr, Fn, Graph, Op
from ..ops.arithmetic import select
from ..ops.array import counting
from ..ops.linear import add_up, permuted, reshaped, scatter, take
from ..ops.tensor import matmul
from ..types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ..graph import Node
    from ..regions import Regions
    from ..types import Type

    Shape = tuple[int, ...]


def plain(fn: Fn) -> bool:
    """Whether rows can stand in front: no loop, whose rows may take different numbers of turns, and no derivative of the user's own."""
    return all(fn.nodes[i].op.rule != "structured" or fn.nodes[i].op is select for i in fn.needs())


def over_rows(fn: Fn, varying: Collection[str], count: int) -> Fn:
    """The results for `count` rows; the inputs named in `varying` have the rows as their first axis."""
    graph, results, _ = fn.open()
    fn = Fn(graph, fn.params, results, fn.names)
    rows = Rows(fn, set(varying), count)
    outs = [rows.spread(o) for o in fn.outs]
    params = [(name, _with_rows(type, count) if name in varying else type) for name, type in fn.params]
    return Fn(rows.graph, params, outs, fn.names)


def reduced(fn: Fn, varying: Collection[str], count: int, how: str) -> Fn:
    """The sum or the mean of the first result over the rows."""
    many = over_rows(fn.only(0), varying, count)
    graph = Graph(expanding=True)
    env = graph.inline(many, {})
    total = add_up(Expr(graph, env[many.outs[0]]), (0,))
    return Fn(graph, many.params, [total if how == "sum" else total / count], many.names)


def _with_rows(type: Type, count: int) -> Type:
    return type._replace(shape=(count, *type.shape))


class Rows:
    """`of` holds the node that stands for each node of one row, `many` whether it has rows in front; `given` are nodes for inputs."""

    def __init__(
        self, fn: Fn, varying: Collection[str], count: int, given: Mapping[str, Expr] | None = None, graph: Graph | None = None
    ) -> None:
        self.graph, self.fn, self.count, self.given = graph or Graph(expanding=True), fn, count, given or {}
        self.of: list[Expr] = []
        self.results: dict[int, list[Expr]] = {}
        self.regions: Regions | None = None
        self.many: list[bool] = []
        for node, site in zip(fn.nodes, fn.sites, strict=True):
            self.graph.site = site
            self.many.append(node.attr in varying if node.op is PARAM else any(self.many[j] for j in node.args))
            self.of.append(self._made(node, varying))
        self.graph.site = None

    def _made(self, node: Node, varying: Collection[str]) -> Expr:
        op, args, attr, type = node
        if op is PARAM and attr in self.given:
            return self.given[attr]
        if op is PARAM:
            return self.graph.param(attr, _with_rows(type, self.count) if attr in varying else type)
        if not self.many[-1]:
            return Expr(self.graph, self.graph.intern(op, tuple([self.of[j].id for j in args]), attr, type))
        rule = _rule(op, type)
        if rule is not None:
            return rule(self, node)
        if op.rows is not None:
            return self.graph.add(op, [self.spread(j) for j in args], op.rows(attr, self.count))
        return self.graph.add(op, [self.spread(j) if op.rule == "tensor" else self.of[j] for j in args], attr)

    def spread(self, j: int) -> Expr:
        """The node with rows in front, the same in every row where it does not vary."""
        x = self.of[j]
        return x if self.many[j] else self.graph.broadcast(x, (self.count, *x.type.shape))

    def shape(self, j: int) -> Shape:
        """The shape of one row of a node."""
        return self.fn.nodes[j].type.shape


def _rule(op: Op, type: Type) -> Callable[[Rows, Node], Expr] | None:
    """How rows go through an op whose attribute does not tell."""
    if op.rule == "structured":
        from .rows_structured import STRUCTURED, chosen_turns

        if op is select and is_sequence(type):
            return chosen_turns
        if op in STRUCTURED:
            return STRUCTURED[op]
    return RULES.get(op)


def _stretched(rows: Rows, node: Node) -> Expr:
    x, shape = rows.of[node.args[0]], rows.shape(node.args[0])
    ahead = reshaped(x, (rows.count, *[1] * (len(node.type.shape) - len(shape)), *shape))
    return rows.graph.broadcast(ahead, (rows.count, *node.type.shape))


def _selected(rows: Rows, node: Node) -> Expr:
    """One condition a row selects whole rows."""
    p, a, b = node.args
    condition, shape = rows.of[p], node.type.shape
    if rows.many[p] and not rows.shape(p) and shape:
        condition = rows.graph.broadcast(reshaped(condition, (rows.count, *[1] * len(shape))), (rows.count, *shape))
    return rows.graph.add(select, [condition, rows.of[a], rows.of[b]], node.attr)


def _product(rows: Rows, node: Node) -> Expr:
    """A matrix product; with one matrix for all rows it is one product of all rows."""
    (i, j), n = node.args, rows.count
    a, b = rows.of[i], rows.of[j]
    if rows.many[i] and not rows.many[j] and len(b.type.shape) == 2:
        flat = reshaped(a, (n * rows.shape(i)[0], rows.shape(i)[1]))
        return reshaped(matmul(flat, b), (n, *node.type.shape))
    if rows.many[j] and not rows.many[i] and len(a.type.shape) == 2:
        q, r = rows.shape(j)
        flat = reshaped(permuted(b, (0, 2, 1)), (n * r, q))
        return permuted(reshaped(matmul(flat, permuted(a, (1, 0))), (n, r, a.type.shape[0])), (0, 2, 1))
    return matmul(rows.spread(i), rows.spread(j))  # type: ignore[no-any-return]  # an expression


def _numbers(rows: Rows, rank: int, size: int) -> Expr:
    """Where each row begins when rows of `size` entries lie one after another."""
    return reshaped(counting(rows.graph, rows.count) * size, (rows.count, *[1] * rank))


def _taken(rows: Rows, node: Node) -> Expr:
    """Entries at places that depend on data; with places for every row, rows lie one after another."""
    (i, k), axis = node.args, node.attr
    x, places, shape = rows.of[i], rows.of[k], rows.shape(i)
    if not rows.many[k]:
        return rows.graph.add(take, [x, places], axis + 1)
    rank, size = len(rows.shape(k)), shape[axis]
    if not rows.many[i]:
        found = rows.graph.add(take, [x, places], axis)
        return permuted(found, (axis, *range(axis), *range(axis + 1, len(found.type.shape))))
    front = permuted(x, (0, axis + 1, *[a + 1 for a in range(len(shape)) if a != axis]))
    lines = reshaped(front, (rows.count * size, *front.type.shape[2:]))
    found = rows.graph.add(take, [lines, places + rows.graph.broadcast(_numbers(rows, rank, size), places.type.shape)], 0)
    return permuted(found, (0, *range(rank + 1, rank + 1 + axis), *range(1, rank + 1), *range(rank + 1 + axis, len(found.type.shape))))


def _scattered(rows: Rows, node: Node) -> Expr:
    """The transpose of `_taken`."""
    (i, k), (shape, axis) = node.args, node.attr
    u, places, rank, size = rows.spread(i), rows.spread(k), len(rows.shape(k)), shape[axis]
    rest = (*shape[:axis], *shape[axis + 1 :])
    behind = [a for a in range(1, len(u.type.shape)) if not axis < a <= axis + rank]
    lines = permuted(u, (0, *range(axis + 1, axis + rank + 1), *behind))
    where = places + rows.graph.broadcast(_numbers(rows, rank, size), places.type.shape)
    found = reshaped(rows.graph.add(scatter, [lines, where], ((rows.count * size, *rest), 0)), (rows.count, size, *rest))
    return permuted(found, (0, *range(2, axis + 2), 1, *range(axis + 2, len(shape) + 1)))


RULES: dict[Op, Callable[[Rows, Node], Expr]] = {
    BROADCAST: _stretched, select: _selected, matmul: _product, take: _taken, scatter: _scattered,
}  # fmt: skip
