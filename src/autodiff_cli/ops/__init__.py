"""The op table: `OPS` by name, `FUNCTIONS` by every name that the language calls them by."""

from __future__ import annotations

import copyreg

from ..graph import OPS, Op
from . import activations, arithmetic, array, bessel, elementary, linear, losses, matrix, special, stable, steps, structured, tensor

FUNCTIONS: dict[str, Op] = {
    name: op for op in OPS.values() if not op.hidden and (op.infix is None or op.call) for name in (op.name, *op.aliases)
}

__all__ = ["FUNCTIONS", "OPS", "activations", "arithmetic", "array", "bessel", "elementary", "linear", "losses", "matrix", "special", "stable", "steps", "structured", "tensor"]


def find(name: str) -> Op:
    """The entry of an op, hidden or not."""
    return OPS[name]


copyreg.pickle(Op, lambda op: (find, (op.name,)))
