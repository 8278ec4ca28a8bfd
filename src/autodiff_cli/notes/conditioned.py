"""A function with matrices that are inverted, and a point, in; warnings about those that are singular but for rounding out."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Label
from ..ops.tensor import det, inv, solve
from ..program import compile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Fn

    Array = Any

INVERTED = (inv, solve, det)


def singular(fn: Fn, values: Mapping[str, Any]) -> list[Diagnostic]:
    """One warning for each text whose matrix has a reciprocal condition number below the spacing of float64.

    The condition is that of the matrix with its rows and columns scaled, so that units do not count.
    """
    body = compile(fn).fn
    places = [i for i, node in enumerate(body.nodes) if node.op in INVERTED and (site := body.sites[i]) is not None and not site.order]
    if not places:
        return []
    from ..run import tensors

    slots = tensors.trace(compile(fn), values)
    found: dict[Any, Diagnostic] = {}
    for i in places:
        span = body.sites[i].span  # type: ignore[union-attr]  # looked at
        matrix = slots.get(body.nodes[i].args[0])
        condition = 0.0 if matrix is None or i not in slots else _condition(matrix, slots[i])
        if condition * float_info.epsilon > 1 and span not in found:
            found[span] = _warning(span, body.nodes[i].op, condition)
    return list(found.values())


def _warning(span: Any, op: Any, condition: float) -> Diagnostic:
    what = "its inverse" if op is inv else "the solution" if op is solve else "its determinant"
    message = f"the matrix in `{span.text}` is singular but for rounding, so no digit of {what} is certain"
    return Diagnostic("near-singular", message, (Label(span, f"condition number {condition:.1g}"),), severity="warning")


def _condition(matrix: Array, result: Array) -> float:
    """The largest condition number of a stack of matrices; 0 where one is not finite, or was found to be singular."""
    import numpy as np

    if not matrix.size or not np.isfinite(matrix).all() or not np.isfinite(result).all() or not np.any(result):
        return 0.0
    with np.errstate(all="ignore"):
        scaled = matrix / np.abs(matrix).max(axis=-1, keepdims=True)
        scaled = scaled / np.abs(scaled).max(axis=-2, keepdims=True)
        return float(np.max(np.linalg.cond(scaled))) if np.isfinite(scaled).all() else 0.0
