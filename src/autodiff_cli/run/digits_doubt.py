"""The values of a program in digits in; which results that are 0 or infinite may only seem so with so many digits, out.

A 0 is sure where exact arithmetic has it: `3 - 3`, `0*sin(x)`, a branch that is 0. It is not where what is added up or subtracted was
rounded: 1 - tanh(1000) is 0 with 700 digits, and 1.3e-868 with more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST
from ..ops.arithmetic import select
from . import digits
from .point import shaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Node
    from ..program import Program

RATIONAL = frozenset("add sub mul div neg square abs times0 ratio0 div0 real name detach guard fsum".split())
CHOSEN = frozenset("max min clip relu heaviside sign floor ceil trunc round mod floordiv fmod".split())
ROOTS = frozenset("sqrt cbrt pow powi gamma factorial".split())
IRRATIONAL = ("pi", "e")
WHOLE = 10**6


def doubtful(program: Program, values: Mapping[str, Any], working: int, results: Sequence[Any]) -> list[int]:
    """The results that are 0 or infinite with `working` digits and not for sure; of numbers only, and of steps outside of loops."""
    from mpmath import mp

    numbers = [(k, x) for k, x in enumerate(results) if not hasattr(x, "dtype") and not isinstance(x, bool)]
    zeros = [k for k, x in numbers if x == 0 or mp.isinf(x)]
    if not zeros or shaped(program.fn):
        return []
    slots = digits.trace(program, values, working)
    rounded: dict[int, bool] = {}
    for i, node in enumerate(program.fn.nodes):
        if i in slots:
            rounded[i] = _rounded(node, slots, rounded, i)
    return [k for k in zeros if rounded.get(program.fn.outs[k], False)]


def _rounded(node: Node, slots: Mapping[int, Any], rounded: Mapping[int, bool], i: int) -> bool:
    """Whether a number may be another than the true one."""
    op, args, attr, _ = node
    if not args or not _computed(node):
        return op is CONST and attr in IRRATIONAL
    inexact = [rounded.get(j, False) for j in args]
    if op is select:
        return inexact[1] if slots[args[0]] else inexact[2]
    return _step(node, [slots[j] for j in args], inexact, slots[i])


def _computed(node: Node) -> bool:
    """Whether a node is a number that is computed from others; what loops give counts as exact."""
    return node.type.kind != "bool" and (node.op.rule in ("elementwise", "composite") or node.op is select)


def _step(node: Node, given: Sequence[Any], inexact: Sequence[bool], value: Any) -> bool:
    """Whether an operation over these numbers is rounded; exact ones decide where they are chosen, or are a factor 0."""
    op, args = node.op, node.args
    exact = [x for x, r in zip(given, inexact, strict=True) if not r]
    if op.name in CHOSEN:
        return any(inexact) and value not in exact and value != 0
    if op.name in ("add", "sub") and len(args) == 2:
        return (args[0] != args[1] or op.name == "add") and (any(inexact) or _absorbed(given, value))
    if op.name in RATIONAL:
        return any(inexact) and 0 not in exact
    return any(inexact) or not _plain(op.name, given, value)


def _absorbed(given: Sequence[Any], total: Any) -> bool:
    """Whether a sum is one of its two parts, for the other is too small to count."""
    a, b = (abs(x) for x in given)
    return bool(a and b and abs(total) == max(a, b))


def _plain(name: str, given: Sequence[Any], value: Any) -> bool:
    """Whether a function has its exact value: at 0 and 1, and whole roots and powers."""
    from mpmath import mp

    if all(isinstance(x, bool) or x in {0, 1, -1} for x in given):
        return value in {0, 1, -1} or mp.isinf(value)
    return name in ROOTS and all(mp.isint(x) and abs(x) < WHOLE for x in (*given, value))
