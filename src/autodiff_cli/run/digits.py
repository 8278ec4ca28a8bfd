"""One point of scalars at any precision: a program and numbers or decimal texts in, mpmath numbers out."""

from __future__ import annotations

from contextvars import ContextVar
from math import inf as INF
from typing import TYPE_CHECKING, Any

from ..ops.structured import loop_
from ..program import compile
from .floats import execute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph import Fn
    from ..program import Program, Step

GUARD = 10
SHORT, LONG = 8, 60  # so long a text is read as it is, with an exponent and without
MOST, HUGE = 15, 10**15  # an exponent of more digits counts as so large a one
LEFT: ContextVar[list[float]] = ContextVar("LEFT", default=[INF])  # noqa: B039 (never written into: there is no end to it)


class TooLong(Exception):
    """The loops would take more steps than was allowed."""


def spend(steps: int) -> None:
    """Take steps of a loop off what is left."""
    left = LEFT.get()
    left[0] -= steps
    if left[0] < 0:
        raise TooLong


def evaluate(fn: Fn, values: Mapping[str, Any], digits: int = 50, steps: float = INF) -> list[Any]:
    """The results of a function at one point, computed with `digits` decimal digits; `TooLong` if loops take more `steps`."""
    before = LEFT.set([steps])
    try:
        return run(compile(fn), values, digits)
    finally:
        LEFT.reset(before)


def run(program: Program, values: Mapping[str, Any], digits: int = 50) -> list[Any]:
    """The results of the program at one point, computed with `digits` decimal digits.

    A text is read as the decimal number it says, a float as the float64 it is.
    """
    slots = trace(program, values, digits)
    return [slots[o] for o in program.fn.outs]


def trace(program: Program, values: Mapping[str, Any], digits: int = 50) -> dict[int, Any]:
    """The value of every node that ran, by its position in `program.fn.nodes`."""
    from mpmath import mp

    with mp.workdps(digits + GUARD):
        slots: dict[int, Any] = {i: constant(mp, text) for i, text in program.consts}
        for i, name in program.params:
            value = values[name]
            slots[i] = value if isinstance(value, bool) else mp.mpf(value)
        execute(program, slots, bind(program))
    return slots


def bind(program: Program) -> list[Any]:
    """The runs of the program with kernels of mpmath in place of ops; made once a program."""
    bound = program.cache.get("digits")
    if bound is None:
        from .digits_kernels import kernel
        from .floats import bind_runs

        bound = program.cache["digits"] = bind_runs(program, kernel, lambda step: _structured(program, step))
    return bound


def _structured(program: Program, step: Step) -> Callable[..., Any]:
    from mpmath import mp

    from .loops import leaf, over_digits

    return over_digits(program, step) if step.op is loop_ else leaf(step.op, step.attr, mp.mpf, lambda text: constant(mp, text))


def constant(mp: Any, text: str) -> Any:
    """The number of a decimal text or of a name, at the precision of the moment."""
    if text in ("True", "False"):
        return text == "True"
    named = {"pi": mp.pi, "e": mp.e}.get(text)
    if named is not None:
        return +named
    return mp.mpf(text) if len(text) <= (SHORT if "e" in text.lower() else LONG) else _decimal(mp, text)


def _decimal(mp: Any, text: str) -> Any:
    """The number of a long text or one with a large exponent, by its first digits: Python makes no whole number of thousands of them."""
    mantissa, _, exponent = text.lower().partition("e")
    head, _, tail = mantissa.lstrip("-").partition(".")
    digits = (head + tail).lstrip("0") or "0"
    kept = digits[: mp.dps + GUARD]
    shift = int(exponent or 0) if len(exponent) <= MOST else HUGE * (-1 if exponent.startswith("-") else 1)
    power = mp.mpf(10) ** (shift - len(tail) + len(digits) - len(kept))
    return (-1 if text.startswith("-") else 1) * mp.mpf(kept) * power
