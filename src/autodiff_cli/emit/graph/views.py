"""A function in; which of its nodes are only ways of reading others, and the products with vectors that were made through these, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ops import OPS
from ..arrays import vector_product

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...graph import Fn

RESHAPED, JOINED = OPS["reshaped"], OPS["joined"]


class Views(NamedTuple):
    """`products` are the operands of products with a vector, `within` the products of matrices that stand for these; `passed` are drawn
    as what they take.
    """

    products: Mapping[int, tuple[int, ...]]
    within: frozenset[int]
    passed: frozenset[int]


def views(fn: Fn) -> Views:
    """What `W @ x` and `[x, y]` are made of and say nothing of: an axis more for `x`, and an axis for each entry."""
    readers: dict[int, set[int]] = {}
    needed = fn.needs()
    for i in needed:
        for j in fn.nodes[i].args:
            readers.setdefault(j, set()).add(i)
    products: dict[int, tuple[int, ...]] = {}
    within: set[int] = set()
    for i in needed:
        node = fn.nodes[i]
        found = vector_product(fn.nodes, node) if node.op is RESHAPED else None
        if found is not None and readers[node.args[0]] == {i} and node.args[0] not in fn.outs:
            products[i] = tuple([piece[0] for piece in found[1] if isinstance(piece, tuple)])
            within.add(node.args[0])
    silent = {i for i in readers if fn.nodes[i].op is RESHAPED and i not in fn.outs and i not in products}
    passed = {i for i in silent if all(j in within or fn.nodes[j].op is JOINED for j in readers[i])}
    return Views(products, frozenset(within), frozenset(passed))
