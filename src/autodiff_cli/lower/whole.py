"""The value of a program: its tree in, the value of its last statement, or of a function of it, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, did_you_mean, error
from .frames import Function, assigned_in
from .functions import apply
from .statements import block

if TYPE_CHECKING:
    from collections.abc import Generator

    from ..diagnostics import AutodiffError
    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]


def whole(self: Lowering, tree: Tree, call: str | None) -> Task:
    """The value of the last statement, or of the function `call`; every statement is lowered."""
    value = yield block(self, tree.parts)
    if call is not None:
        return (yield _of_function(self, call, tree))
    if not tree.parts or tree.parts[-1].kind not in ("expression", "assign", "augmented"):
        raise _no_value(self, tree)
    return value


def _no_value(self: Lowering, tree: Tree) -> AutodiffError:
    """A program that ends in a block or a definition: the name to add."""
    if not tree.parts:
        return error("no-value", "the program has no value", self.span(tree), hint="end with an expression")
    last = tree.parts[-1]
    names = sorted(assigned_in((last,))) if last.kind != "def" else [last.parts[0] + "(…)"]
    word = {"def": "a function", "for": "a loop", "while": "a loop", "if": "an `if`"}.get(last.kind, f"`{last.kind}`")
    return error(
        "no-value",
        f"the program ends in {word}, which has no value",
        self.span(last),
        hint=f"add a last line: {names[-1] if names else 'the name of the result'}",
    )


def _of_function(self: Lowering, name: str, tree: Tree) -> Task:
    """The function `name` over variables called like its parameters."""
    function = self.names.env.get(name)
    if not isinstance(function, Function):
        near = did_you_mean(name, [n for n, v in self.names.env.items() if isinstance(v, Function)])
        raise error("unknown-name", f"the program has no function `{name}`", hint=f"--call {near}" if near else None, exit=Exit.USAGE)
    bound: dict[str, Any] = {}
    for param in function.params:
        given = param in function.defaults and param not in self.names.values
        bound[param] = function.defaults[param] if given else self.names.variable(param, function.span)
    value = yield apply(self, function, bound, tree)
    if type(value) is tuple:
        hint = f"a function of one value that calls it: def g(x):\n    a, b = {name}(x)\n    return a"
        raise error("tuple-value", f"`{name}` gives back several values, and a program has one", function.span, hint=hint)
    return value
