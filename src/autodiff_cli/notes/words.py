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
    if not isinstance(value, float):
        return _digits(value)
    text = f"{value + 0.0:.12g}"
    return repr(value) if float(text) != value and len(text) < 6 else text


def _digits(value: Any) -> str:
    """A number beyond float64, as 3.7e-348, keeps its own exponent."""
    from mpmath import mp

    text = str(mp.nstr(value, 12)).removeprefix("+")
    return text[:-2] if text.endswith(".0") else text.replace(".0e", "e")


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def spoken(op: Op, values: Sequence[Any], attr: Any = None) -> str:
    """An operation over values: `0 * inf`, `log(-4)`."""
    said = [number(v) for v in values]
    base = f"({said[0]})" if said[0].startswith("-") else said[0]
    if op.name == "dpow":
        return f"the derivative of {base}**{said[1]} by its {'exponent' if attr[1] else 'base'}"
    if op.infix and len(said) == 2:
        return f"{base if op.infix.right else said[0]} {op.infix.symbol} {said[1]}"
    return f"{op.name}({', '.join(_arguments(op, said, attr))})"


def _arguments(op: Op, said: Sequence[str], attr: Any) -> list[str]:
    """The arguments in the order of the language, static ones among them."""
    statics, rest, found = list(attr) if isinstance(attr, tuple) else [] if attr is None else [attr], [*said], []
    for parameter in op.parameters:
        if parameter.static:
            found += [str(statics.pop(0))] if statics else []
        else:
            found += rest if parameter.variadic else rest[:1]
            rest = [] if parameter.variadic else rest[1:]
    return [*found, *rest, *map(str, statics)]
