"""What a name stands for: a node in, the variables that it may be out; after a branch, that of the branch that was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import NAME, Expr
from .conditions import both, plus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .conditions import Gated


def variables(x: Expr) -> list[Gated]:
    """The variables that a node stands for, each with the condition under which it does."""
    found: list[Gated] = []
    held: dict[int, Expr | None] = {x.id: None}
    while held:
        i = max(held)
        v, condition = Expr(x.graph, i), held.pop(i)
        if v.node.op is not NAME or v.node.attr[3:] != (True,):
            found.append((v, condition))
            continue
        p, a, b = v.args[0].args
        for side, q in ((a, p), (b, ~p)):
            both_hold, before = both(condition, q), held.get(side.id, both)
            held[side.id] = both_hold if before is both else None if before is None or both_hold is None else before | both_hold  # type: ignore[operator]  # two conditions
    return found


def by_name(names: Sequence[Gated], found: Mapping[int, Gated]) -> Gated | None:
    """The derivative by a name, from those by the variables that it may be."""
    total: Gated | None = None
    for v, condition in names:
        if v.id in found:
            value, counts = found[v.id]
            total = plus(total, (value, both(condition, counts)))
    return total
