"""Statements and parameters in, `Refused` out where one stands in a place that is none for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .words import Refused

if TYPE_CHECKING:
    from .tree import Tree


def refuse_parameters(params: tuple[Tree, ...]) -> None:
    """Every parameter has a name of its own, and those with a default stand last."""
    defaults, names = False, set()
    for param in params:
        name, default = param.parts
        if name in names:
            raise Refused("parameter-twice", param)
        if defaults and default is None:
            raise Refused("parameter-order", param, params)
        names.add(name)
        defaults = default is not None


def refuse_outside(statements: tuple[Tree, ...]) -> None:
    """`return` stands in a function, `break` and `continue` in a loop."""
    todo = [(statement, "") for statement in statements]
    while todo:
        statement, inside = todo.pop()
        parts = statement.parts
        match statement.kind:
            case "return" if "d" not in inside:
                raise Refused("outside", statement, "function")
            case "break" | "continue" if "l" not in inside:
                raise Refused("outside", statement, "loop")
            case "def":
                todo += [(child, "d") for child in parts[2]]
            case "if":
                todo += [(child, inside) for child in (*parts[1], *parts[2])]
            case "for" | "while":
                todo += [(child, inside + "l"[: "l" not in inside]) for child in parts[-1]]
