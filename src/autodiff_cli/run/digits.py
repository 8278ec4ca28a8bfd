"""One point at any precision: a program and numbers, decimal texts or arrays of either in, mpmath numbers and object arrays out."""

from __future__ import annotations

from contextvars import ContextVar
from math import inf as INF
from typing import TYPE_CHECKING, Any

from ..ops.structured import loop_
from ..program import compile
from .digits_steps import DOUBLES
from .floats import execute, named
from .point import shaped

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


def evaluate(fn: Fn, values: Mapping[str, Any], digits: int = 50, steps: float = INF, *, doubles: bool = False) -> list[Any]:
    """The results of a function at one point, computed with `digits` decimal digits; `TooLong` if loops take more `steps`.

    With `doubles` every literal is the float64 that float arithmetic reads it as, `pi` and `e` too; what rules of differentiation
    bring in is exact.
    """
    return run(compile(fn), values, digits, steps, doubles=doubles)


def run(program: Program, values: Mapping[str, Any], digits: int = 50, steps: float = INF, *, doubles: bool = False) -> list[Any]:
    """The results of the program at one point, computed with `digits` decimal digits.

    A text is read as the decimal number it says, a float as the float64 it is, a function as its value.
    """
    slots = trace(program, values, digits, steps, doubles=doubles)
    return [slots[o] for o in program.fn.outs]


def trace(
    program: Program, values: Mapping[str, Any], digits: int = 50, steps: float = INF, *, doubles: bool = False, bits: int = 0
) -> dict[int, Any]:  # fmt: skip
    """The value of every node that ran, by its position in `program.fn.nodes`; with `bits`, steps are rounded to so many bits
    while constants and inputs keep their digits.
    """
    from mpmath import mp

    before = LEFT.set([steps]), DOUBLES.set(doubles)
    try:
        with mp.workdps(digits + GUARD):
            slots: dict[int, Any] = constants(mp, program)
            slots.update({i: read(mp, values[name]) for i, name in program.params})
            with mp.workprec(bits or mp.prec):
                if shaped(program.fn):
                    from .digits_arrays import trace as over_arrays

                    return over_arrays(program, slots)
                execute(program, slots, bind(program))
    finally:
        LEFT.reset(before[0])
        DOUBLES.reset(before[1])
    return slots


def read(mp: Any, value: Any) -> Any:
    """A value as digits take it, at the precision of the moment."""
    if isinstance(value, bool) or type(value) is mp.mpf:
        return value
    if isinstance(value, str):
        return constant(mp, value)
    if hasattr(value, "outs"):
        program = compile(value)
        return trace(program, {}, mp.dps)[program.fn.outs[0]]
    if not hasattr(value, "dtype"):
        return mp.mpf(value)
    import numpy as np

    return value if value.dtype == bool else np.frompyfunc(lambda x: read(mp, x), 1, 1)(value.astype(object))


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


def constants(mp: Any, program: Program) -> dict[int, Any]:
    """The constants of a program by their slots, at the precision of the moment; those of the last precision are kept, for the turns of loops."""
    key = (mp.prec, DOUBLES.get())
    known = program.cache.get("digits constants")
    if known is None or known[0] != key:
        ruled = _ruled(program)
        known = key, {i: constant(mp, text, exact=i in ruled) for i, text in program.consts}
        program.cache["digits constants"] = known
    return dict(known[1])


def _ruled(program: Program) -> frozenset[int]:
    """The constants that no one typed: those of rules of differentiation, whose text is that of a whole call."""
    if "ruled" not in program.cache:
        sites = program.fn.sites
        found = [i for i, _ in program.consts if (site := sites[i]) is None or site.span.text.endswith(")")]
        program.cache["ruled"] = frozenset(found)
    return program.cache["ruled"]  # type: ignore[no-any-return]  # the cache holds any derived thing


def constant(mp: Any, text: str, *, exact: bool = False) -> Any:
    """The number of a decimal text or of a name, at the precision of the moment; `exact` also where literals are float64."""
    if text in ("True", "False"):
        return text == "True"
    if DOUBLES.get() and not exact:
        return mp.mpf(named(text))
    famous = {"pi": mp.pi, "e": mp.e}.get(text)
    if famous is not None:
        return +famous
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
