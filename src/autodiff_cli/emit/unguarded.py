"""A function and a point in; the same function out, without what a derivative inside it has only for NaN, for infinities and for what is switched off.

`guard(d, v)` is d where v is a number, a gate is what it gates where that is 0 anyway, and of a hidden question whether a number is finite the
answer is known. Where the value or a derivative would be another number, the function stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive import gradient
from ..graph import Expr, Fn, Graph
from ..ops.arithmetic import OPS_guard, isfinite, isnan, select
from ..run import point
from .wholes import wholes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..op import Op
    from ..report import Value

NEAR = 1e-12


def unguarded(fn: Fn, values: Mapping[str, Value], wrt: Sequence[str]) -> Fn:
    """The function as people write it at this point, if it has the same value and the same derivatives there."""
    if not any(fn.sites[i].order for i in fn.needs() if fn.sites[i] is not None):  # type: ignore[union-attr]  # asked just before
        return fn
    found = _found(fn, values, wrt)
    for what in (_gated, _asked):
        shorter = _without(fn, what)
        if all(_near(a, b) for a, b in zip(found, _found(shorter, values, wrt), strict=True)):
            return shorter
    return fn


def _found(fn: Fn, values: Mapping[str, Value], wrt: Sequence[str]) -> list[Any]:
    return point.evaluate(gradient(_one_number(fn), wrt), values)


def _one_number(fn: Fn) -> Fn:
    """The sum of the entries."""
    from ..ops.linear import add_up

    shape = fn.nodes[fn.outs[0]].type.shape
    if not shape:
        return fn
    graph, outs, _ = fn.open()
    return Fn(graph, fn.params, [add_up(outs[0], tuple(range(len(shape))))], fn.names)


def _without(fn: Fn, arm_of: Callable[[Fn, int], int | None]) -> Fn:
    """The function with an argument in place of each node that is no more than that at this point."""
    kept = {i for whole in wholes(fn, fn.needs(), frozenset()).values() for i in whole.inner}
    graph = Graph()
    env: dict[int, int] = {}
    for i in fn.needs():
        graph.site = fn.sites[i]
        op, args, attr, type = fn.nodes[i]
        arm = None if i in kept else arm_of(fn, i)
        env[i] = graph.intern(op, tuple([env[j] for j in args]), attr, type) if arm is None else env[arm]
    return Fn(graph, fn.params, [Expr(graph, env[o]) for o in fn.outs], fn.names)


def _asked(fn: Fn, i: int) -> int | None:
    """The argument that a guard is, or what a hidden question chooses."""
    op, args, _, type = fn.nodes[i]
    if op is OPS_guard:
        return args[0]
    if op is not select:
        return None
    if _hidden(fn, args[0], isfinite):
        return args[1]
    return args[0] if type.kind == "bool" and _hidden(fn, args[2], isnan) else None


def _gated(fn: Fn, i: int) -> int | None:
    """The same, and what a gate lets through."""
    op, args, attr, _ = fn.nodes[i]
    return args[1] if op is select and attr == "gate" else _asked(fn, i)


def _hidden(fn: Fn, i: int, op: Op) -> bool:
    """Whether a node asks something of a number that no one wrote."""
    site = fn.sites[i]
    return fn.nodes[i].op is op and site is not None and op.name not in site.span.text


def _near(a: Any, b: Any) -> bool:
    """Whether numbers are the same up to rounding."""
    import numpy as np

    return bool(np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=NEAR, atol=NEAR))
