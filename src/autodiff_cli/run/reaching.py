"""A program and the values of its nodes in; the nodes whose numbers go into results by arithmetic, and not just by deciding something, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.arithmetic import select
from ..ops.entry import zero

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Node
    from ..program import Program

    Mask = Any  # True, or which entries


def reaching(program: Program, slots: Mapping[Any, Any], outs: Sequence[int]) -> dict[int, Mask]:
    """For each node that goes into the nodes `outs`: True, or which of its entries do.

    Conditions, steps as `sign`, and the branches that are not taken pass nothing on.
    """
    nodes = program.fn.nodes
    found: dict[int, Mask] = dict.fromkeys(outs, True)
    for i in range(max(outs, default=-1), -1, -1):
        mask = found.get(i)
        if mask is None or mask is not True and not mask.any():
            continue
        for j, passed in zip(nodes[i].args, _passed(nodes[i], slots, mask), strict=True):
            if passed is not False and nodes[j].type.kind != "bool":
                found[j] = _either(found.get(j), _fitting(passed, slots.get(j)))
    return found


def _passed(node: Node, slots: Mapping[Any, Any], mask: Mask) -> list[Mask]:
    """What each argument of a node has a part in; False for nothing."""
    op, args, _, _ = node
    if op is select:
        chosen: Any = slots[args[0]]
        if not hasattr(chosen, "dtype"):
            return [False, mask if chosen else False, False if chosen else mask]
        return [False, mask & chosen, mask & ~chosen]
    stops = op.d if op.rule == "elementwise" and len(op.d) == len(args) else ()
    held = mask if op.rule == "elementwise" else True
    return [False if stops and stops[k] is zero else held for k in range(len(args))]


def _fitting(mask: Mask, value: Any) -> Mask:
    """Entries of one shape are those of the other; of any other shape all count."""
    return mask if mask is True or getattr(value, "shape", None) == mask.shape else True


def _either(a: Mask, b: Mask) -> Mask:
    return b if a is None else True if a is True or b is True else a | b
