"""Two ways through a program in, what names stand for after both out: selections, and names that may not be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from ..graph import NAME, Expr
from ..ops.arithmetic import real, select
from .frames import CALLABLE, Choice, Unset
from .scopes import MISSING

if TYPE_CHECKING:
    from .lowering import Lowering

    Env = dict[str, Any]

FLAGS = ("@returned", "@broke", "@skipped")


def merge(self: Lowering, p: Expr, a: Env, b: Env) -> Env:
    """The names after a branch: those of `a` where p holds, else those of `b`."""
    merged: Env = {}
    for name in {**a, **b}:
        x, y = (self.names.outside(name, MISSING) if v is MISSING else v for v in (a.get(name, MISSING), b.get(name, MISSING)))
        merged[name] = either(self, name, p, x, y)
    return merged


def either(self: Lowering, name: str, p: Expr, x: Any, y: Any) -> Any:
    """What a name stands for: x where p holds, else y."""
    if x is y:
        return x
    if name in FLAGS:
        x, y = (self.graph.const("False") if v is MISSING else v for v in (x, y))
    elif name == "@value":
        x, y = (y if x is MISSING else x), (x if y is MISSING else y)
    if x is MISSING or y is MISSING or isinstance(x, Unset) or isinstance(y, Unset):
        return _perhaps(self, name, p, x, y)
    if type(x) is tuple and type(y) is tuple and len(x) == len(y):
        return tuple([either(self, name, p, v, w) for v, w in zip(x, y, strict=True)])
    if isinstance(x, CALLABLE) and isinstance(y, CALLABLE):
        return Choice(p, x, y)
    if not isinstance(x, Expr) or not isinstance(y, Expr):
        return Unset(name, None)
    x, y = self.frame.local(x), self.frame.local(y)
    if x.type.kind != y.type.kind:
        x, y = (real(v) if v.type.kind == "bool" else v for v in (x, y))
    if x.type.shape != y.type.shape:
        site, function = self.graph.site, self.names.function
        what = f"what `{function.name}` gives back" if name == "@value" and function else f"`{name}`"
        raise error(
            "shape", f"{what} has shape {x.type.shape} on one branch and {y.type.shape} on the other", site and site.span,
            hint=f"give both the same shape: zeros({list(x.type.shape or y.type.shape)}) + … stretches one number",
        )  # fmt: skip
    return own(self, name, select(p, x, y), merged=True)


def _perhaps(self: Lowering, name: str, p: Expr, x: Any, y: Any) -> Unset:
    """A name that is not set on one of the ways: where that is, and its value elsewhere."""
    site, span, values, off = self.graph.site, None, [], []
    for side in (x, y):
        held = (
            side
            if isinstance(side, Unset)
            else Unset(name, None)
            if side is MISSING
            else Unset(name, None, side, self.graph.const("False"))
        )
        span = span or held.span
        values += [] if held.value is None else [held.value]
        off.append(self.graph.const("True") if held.off is None else self.frame.local(held.off))
    value = either(self, name, p, values[0], values[-1]) if values else None
    return Unset(name, span or (site and site.span), None if isinstance(value, Unset) else value, select(p, *off))


def own(self: Lowering, name: str, value: Any, *, merged: bool = False) -> Any:
    """A value as a variable of its own where its name is differentiated by.

    The first mark says that it was asked for by `--wrt`, the second that it is one of two variables, as a condition says.
    """
    if name not in self.named or not isinstance(value, Expr):
        return value
    asked = name in self.asked and self.names.function is None
    return self.graph.add(NAME, [value], (name, len(self.graph.nodes), asked, merged))
