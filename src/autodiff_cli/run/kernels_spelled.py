"""Ops of floats as Python text: an op and the texts of its arguments in, an expression out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Op

SPELLED: dict[str, str] = {
    "add": "{}+{}",
    "sub": "{}-{}",
    "mul": "{}*{}",
    "div": "{}/{}",
    "neg": "-{}",
    "floordiv": "{}//{}",
    "mod": "{}%{}",
    "lt": "{}<{}",
    "le": "{}<={}",
    "gt": "{}>{}",
    "ge": "{}>={}",
    "eq": "{}=={}",
    "ne": "{}!={}",
    "not": "not {}",
    "name": "{}",
    "detach": "{}",
    "square": "{0}*{0}",
    "real": "1.0 if {} else 0.0",
    "guard": "{0} if {1}=={1} else nan",
    "isnan": "{0}!={0}",
    "max": "{1} if {1}>{0} or {1}!={1} else {0}",
    "min": "{1} if {1}<{0} or {1}!={1} else {0}",
}


def spelled(op: Op, args: Sequence[str]) -> str | None:
    """The expression, or None where a kernel has to be called."""
    text = SPELLED.get(op.name)
    if op.name == "pow" and args[1] == "2.0":
        return "{0}*{0}".format(*args)
    if text is None or (op.name in {"max", "min"} and len(args) != 2):
        return None
    return text.format(*args)
