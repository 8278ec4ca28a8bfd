"""A function and a point in; whether a condition, a jump or the edge of a domain there hangs on rounding out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive import gradient
from ..diagnostics import AutodiffError
from ..graph import Expr, Fn
from ..ops.arithmetic import eq, ge, gt, le, lt, ne
from ..ops.steps import ceil, floor, floordiv, fmod, heaviside, mod, round_, sign, trunc
from ..program import compile
from ..run import digits
from .numbers import FINER, STEPS, decimals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Node

COMPARISONS = (lt, le, gt, ge, eq, ne)
JUMPS = (sign, heaviside, floor, ceil, trunc, round_)
QUOTIENTS = (floordiv, mod, fmod)
LESS = 700  # digits beside `FINER`
EDGES = (0, -1, 1)  # where domains end


def doubtful(fn: Fn, values: Mapping[str, Any]) -> bool:
    """Whether what decides there, as `sin(x)**2 + cos(x)**2 - 1` in a condition, is nothing but the rounding of the digits at hand."""
    from mpmath import mp

    program = compile(fn)
    given = {name: decimals(value) for name, value in values.items()}
    rough, fine = [digits.trace(program, given, many, STEPS[-1]) for many in (LESS, FINER)]
    with mp.workdps(FINER):
        for i, node in enumerate(program.fn.nodes):
            if not all(j in rough and j in fine for j in node.args) or i not in fine:
                continue
            sides = [list(_gaps(node, [slots[j] for j in node.args])) for slots in (rough, fine)]
            if any(_rounding(a, b) for a, b in zip(*sides, strict=False)):
                return True
            if not all(sides[1]) and _saturated(program.fn, node, given):
                return True
    return False


def _saturated(fn: Fn, node: Node, given: Mapping[str, Any]) -> bool:
    """Whether numbers only seem to be at the place where the result changes, as `erf(100)` seems to be 1: they still have a slope,
    which moves none of the digits at hand.
    """
    from mpmath import mp

    if any(fn.nodes[j].type.shape or fn.nodes[j].type.kind == "bool" for j in node.args):
        return False
    for gap in _alone(fn, node):
        names = [name for name, type in gap.params if type.kind == "real" and not type.shape]
        try:
            slopes = digits.evaluate(gradient(gap, names), given, FINER, STEPS[-1])[1:]
        except (AutodiffError, digits.TooLong):
            continue
        moved = [abs(slope) * max(1, abs(mp.mpf(given[name]))) for name, slope in zip(names, slopes, strict=True)]
        if any(moved) and all(x < mp.mpf(10) ** -FINER for x in moved):
            return True
    return False


def _alone(fn: Fn, node: Node) -> Iterator[Fn]:
    """What decides as functions of the variables: the difference of the sides of a comparison, or each argument."""
    graph, outs, _ = Fn(fn, fn.params, [Expr(fn, j) for j in node.args], ["a", "b"][: len(node.args)]).open()  # type: ignore[arg-type]  # a frozen graph
    parts = [outs[0] - outs[1]] if node.op in COMPARISONS else outs
    return (Fn(graph, fn.params, [part], ["gap"]) for part in parts)


def _gaps(node: Node, args: Sequence[Any]) -> Iterator[Any]:
    """How far the arguments are from where the result changes at once."""
    from mpmath import mp

    if node.op in COMPARISONS:
        yield from _entries(args[0] - args[1])
    elif node.op in JUMPS:
        scale = 2 * mp.mpf(10) ** (node.attr or 0)
        yield from [_fraction(scale * x) for x in _entries(args[0])]
    elif node.op in QUOTIENTS and all(_entries(args[1])):
        yield from map(_fraction, _entries(args[0] / args[1]))
    elif node.op.domain:
        for arg in args:
            yield from [x + edge for x in _entries(arg) if not isinstance(x, bool) for edge in EDGES]


def _entries(value: Any) -> Iterator[Any]:
    return iter(value.flat) if hasattr(value, "flat") else iter((value,))


def _fraction(x: Any) -> Any:
    from mpmath import mp

    return x - mp.nint(x) if mp.isfinite(x) else x


def _rounding(rough: Any, fine: Any) -> bool:
    """Whether the digits that were not there before changed a number by more than half."""
    from mpmath import mp

    if not mp.isfinite(rough) or not mp.isfinite(fine):
        return False
    return bool(abs(rough - fine) > max(abs(rough), abs(fine)) / 2)
