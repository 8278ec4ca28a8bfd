"""Several values where one number or array is wanted in, the error that shows how they become one out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, error
from ..graph import Expr

if TYPE_CHECKING:
    from ..syntax import Tree
    from .lowering import Lowering

NAMES = "abcdfghpqrstuvw"


def several(self: Lowering, value: tuple[Any, ...], tree: Tree) -> AutodiffError:
    """The error for a tuple that `tree` stands for: a part of an expression, or a last statement."""
    last = tree.kind in ("expression", "assign")
    inner = tree.parts[0] if tree.kind == "expression" else tree
    if inner.kind == "assign":
        target, source = inner.parts
        text, listed = self.span(target).text, _listed(self, source)
        hint = f"add a last line: {_joined(value, text.strip('()'))}" if target.kind == "tuple" else listed and f"{text} = {listed}"
        inner = source
    else:
        hint = _listed(self, inner)
    if hint is None:
        names = ", ".join(_names(self, len(value)))
        hint = f"{names} = {self.span(inner).text}"
        hint += f"; {_joined(value, names)}" if last else " before it gives each a name"
    message = f"a program has one value, and its last line has {len(value)}" if last else "several values are no number"
    return error("tuple-value", message, self.span(tree), hint=hint)


def _listed(self: Lowering, tree: Tree) -> str | None:
    """A tuple that is written out, as an array."""
    return f"[{', '.join([self.span(part).text for part in tree.parts])}]" if tree.kind == "tuple" else None


def _joined(value: tuple[Any, ...], names: str) -> str:
    """The names as one array, where all have one shape; else the first."""
    shapes = {part.type.shape if isinstance(part, Expr) else None for part in value}
    return f"[{names}]" if len(shapes) == 1 and None not in shapes else names.partition(",")[0]


def _names(self: Lowering, count: int) -> list[str]:
    """Names that the program does not have."""
    used = set(re.findall(r"\w+", self.source.text))
    return [name for name in (*NAMES, *[f"a{k}" for k in range(count + len(used))]) if name not in used][:count]
