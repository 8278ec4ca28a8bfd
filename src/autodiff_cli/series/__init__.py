"""Long sums of terms of one form, and loops that only add up: the same functions over arrays, whose graphs do not grow with the terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graph import Fn

MANY = 100  # terms


def may_be_long(fn: Fn) -> bool:
    """Whether there may be a long sum in a function."""
    return len(fn.nodes) > MANY or any(node.op.name == "loop" for node in fn.nodes)
