"""How numbers and operations are said in a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Op


def number(value: Any) -> str:
    """A number as people read it: at most 12 significant digits, 0 for -0.0."""
    if isinstance(value, bool):
        return str(value)
    value = float(value)
    return f"{value + 0.0:.12g}"


def spoken(op: Op, values: Sequence[Any], attr: Any = None) -> str:
    """An operation over values: `0 * inf`, `log(-4)`."""
    said = [number(v) for v in values]
    if op.name == "dpow":
        return f"the derivative of {said[0]} ** {said[1]}"
    if op.infix and len(said) == 2:
        left = f"({said[0]})" if said[0].startswith("-") and op.infix.right else said[0]
        return f"{left} {op.infix.symbol} {said[1]}"
    if attr is not None:
        said.append(str(attr))
    return f"{op.name}({', '.join(said)})"
