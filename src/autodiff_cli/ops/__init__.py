"""The op table: `OPS` by name, `FUNCTIONS` by every name that the language calls them by."""

from __future__ import annotations

import copyreg

from ..graph import CONST, OPS, PARAM, Op
from . import (
    activations,
    arithmetic,
    array,
    bessel,
    curves,
    einsum,
    elementary,
    linear,
    losses,
    matrix,
    reductions,
    special,
    stable,
    steps,
    structured,
    tensor,
    textbook,
)

FUNCTIONS: dict[str, Op] = {
    name: op for op in OPS.values() if not op.hidden and (op.infix is None or op.call) for name in (op.name, *op.aliases)
}
LEAVES = {op.name: op for op in (CONST, PARAM)}

__all__ = [
    "FUNCTIONS",
    "OPS",
    "activations",
    "arithmetic",
    "array",
    "bessel",
    "curves",
    "einsum",
    "elementary",
    "linear",
    "losses",
    "matrix",
    "reductions",
    "special",
    "stable",
    "steps",
    "structured",
    "tensor",
    "textbook",
]


def find(name: str) -> Op:
    """The entry of an op, hidden or not, or an op that is a leaf of every graph."""
    return OPS[name] if name in OPS else LEAVES[name]


copyreg.pickle(Op, lambda op: (find, (op.name,)))
