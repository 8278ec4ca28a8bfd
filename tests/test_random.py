"""Random expressions: the engine against a second opinion, and forward against reverse."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import assume, given
from mpmath import mp

import programs
import reference
import strategies
from autodiff_cli.derive import gradient
from autodiff_cli.program import compile
from autodiff_cli.run import floats


def finite(value: object) -> bool:
    return bool(mp.isfinite(value))


@given(strategies.expressions, strategies.points)
def test_forward_is_reverse(text: str, point: dict[str, float]) -> None:
    """Equal where both are finite, else neither is; and the Hessian is symmetric."""
    back, front = programs.reverse(text, point), programs.forward(text, point)
    for a, b in zip(back, front, strict=True):
        assert math.isfinite(a) == math.isfinite(b), (text, point, back, front)
        assert not math.isfinite(a) or programs.alike(a, b, 1e-8, 1e-9), (text, point, back, front)


@given(strategies.expressions, strategies.points)
def test_against_the_second_opinion(text: str, point: dict[str, float]) -> None:
    """Value and gradient against dual numbers with 60 digits, which know the same rules and no graph."""
    found = programs.reverse(text, point)
    assume(not _minus_zero(text, point))
    for k, name in enumerate(point, 1):
        value, slope = reference.run(text, point, name)
        assume(_steady(found[0], value))
        assert finite(value) == math.isfinite(found[0]), (text, point, found, value)
        if math.isfinite(found[k]) and finite(slope):
            assert programs.alike(found[k], float(slope), 1e-7, 1e-7), (text, point, name, found, slope)
        else:
            assert finite(slope) == math.isfinite(found[k]), (text, point, name, found, slope)


def _minus_zero(text: str, point: dict[str, float]) -> bool:
    """Whether a -0.0 came up: mpmath has none, so it cannot say which infinity 1 over it is."""
    program = compile(gradient(programs.read(text, point).fn, tuple(point)))
    return any(v == 0 and math.copysign(1, v) < 0 for v in floats.trace(program, point).values())


def _steady(found: float, exact: Any) -> bool:
    """Whether float64 took the same branches: rounding may cross a kink, which is no error of the rules."""
    return not finite(exact) or not math.isfinite(found) or programs.alike(found, float(exact), 1e-9, 1e-9)
