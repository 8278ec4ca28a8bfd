"""A linear map in, the same for many seeds at once out: the seeds are a first axis, and what does not depend on them runs once."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import PARAM, Fn, Graph
from ..ops.arithmetic import eq
from ..ops.linear import joined, reshaped, take
from .linearised import constant, counts
from .products import along
from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Expr
    from .linearised import Linear

    Array = Any
    Shape = tuple[int, ...]

MOST = 2_000_000  # numbers of an array of all products that run together
PARTS = 64  # groups of products that run one after another


class Reads(NamedTuple):
    """Entry k of a matrix is number `entry[k]` of product `product[k]`; there are so many `products`."""

    products: int
    product: Array
    entry: Array


def blocked(linear: Linear, colours: Mapping[str, Array], reads: Reads, results: Mapping[str, Array]) -> Fn:
    """The results of the function, then for each of `results` an array of entries of a matrix.

    `colours` hold for each name that is seeded, in its shape, the number of the product that an entry goes into, -1 for none.
    `results` hold numbers of entries, in any shape; one behind the last entry stands for 0.
    """
    import numpy as np

    fn, graph = linear.fn, Graph(expanding=True)
    order = np.argsort(reads.product, kind="stable")
    place = np.append(np.argsort(order, kind="stable"), len(order))
    step = _together(linear, reads.products)
    parts: list[Expr] = []
    own: list[Expr] = []
    for first in range(0, reads.products, step) or [0]:
        count = min(reads.products - first, step)
        seeds = _seeds(graph, linear, colours, first, count)
        rows = Rows(fn, set(seeds), count, seeds, graph)
        own = own or [rows.of[fn.outs[k]] for k in range(linear.first)]
        mine = order[slice(*np.searchsorted(reads.product[order], [first, first + count]))]
        parts += [_read(rows, linear, (reads.product[mine] - first, reads.entry[mine]))] if len(mine) else []
    numbers = joined([*parts, graph.broadcast(graph.const("0"), (1,))], 0)
    taken = [graph.add(take, [numbers, constant(graph, place[at])], 0) for at in results.values()]
    params = [(name, type) for name, type in fn.params if name not in seeds]
    return Fn(graph, params, [*own, *taken], [*fn.names[: linear.first], *results])


def _seeds(graph: Graph, linear: Linear, colours: Mapping[str, Array], first: int, count: int) -> dict[str, Expr]:
    """The seeds of the products from `first` on: ones, which are there where the colour is the number of the product."""
    import numpy as np

    found: dict[str, Expr] = {}
    for name in linear.seeds:
        shape = colours[name].shape
        numbers = constant(graph, np.arange(first, first + count, dtype=float).reshape(count, *[1] * len(shape)))
        colour = constant(graph, colours[name].astype(float)) if shape else graph.const(str(int(colours[name])))
        found[along(name)] = graph.broadcast(graph.const("1"), (count, *shape))
        found[counts(name)] = graph.broadcast(eq(colour, numbers), (count, *shape))
    return found


def _together(linear: Linear, total: int) -> int:
    """How many products run at once, so that none of their arrays is too large."""
    nodes, seeds = linear.fn.nodes, {name for seed in linear.seeds for name in (along(seed), counts(seed))}
    moving: set[int] = set()
    for i in linear.fn.needs():
        if nodes[i].op is PARAM and nodes[i].attr in seeds or not moving.isdisjoint(nodes[i].args):
            moving.add(i)
    largest = max([size(nodes[i].type.shape) for i in moving], default=1)
    return min(total, max(MOST // max(largest, 1), -(-total // PARTS), 1)) or 1


def size(shape: Shape) -> int:
    """How many entries an array has; a sequence counts as one turn of it."""
    return abs(prod(shape))


def _read(rows: Rows, linear: Linear, at: tuple[Array, Array]) -> Expr:
    """The wanted entries of some products, by the number of the product and of the entry in it."""
    spread = [rows.spread(linear.fn.outs[k]) for k in linear.moved]
    products = joined([reshaped(x, (rows.count, size(x.type.shape[1:]))) for x in spread], 1)
    width = products.type.shape[1]
    return rows.graph.add(take, [reshaped(products, (rows.count * width,)), constant(rows.graph, at[0] * width + at[1])], 0)
