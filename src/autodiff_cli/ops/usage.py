"""An op in, how it is called out: its signature, as the reference and messages show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..op import Op


def usage(op: Op) -> str:
    """How an op is written over its parameters."""
    if op.infix is not None and op.call is None:
        symbol = op.infix.symbol
        return f"x {symbol} y" if len(op.d) > 1 else f"{symbol}{' ' if symbol.isalpha() else ''}x"
    parts = ["…" if p.variadic else p.name if p.default is ... else f"{p.name}={_default(p.default)}" for p in op.parameters]
    return f"{op.name}({', '.join(parts)})"


def _default(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
