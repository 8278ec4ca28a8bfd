"""Every function with arguments of every kind: numbers of the shape that the graph says, or an error that underlines the text."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.ops import FUNCTIONS, OPS
from autodiff_cli.run import point
from programs import read

VALUES: dict[str, Any] = {"X": np.arange(6.0).reshape(2, 3), "b": True, "k": 1.0, "v": np.array([1.0, 2.0, 3.0]), "x": 1.5}
ARGUMENTS = ("x", "v", "X", "b", "'text'", "None", "(1, 0)", "zeros(0)")
NAMED = ("axis=0", "axis=5", "axis=(0, 1)", "axis=None", "axis='x'", "keepdims=True", "ddof=2", "n=-1", "reduction='none'", "reduction=1")
OPERATORS = sorted({op.infix.symbol for op in OPS.values() if op.infix and len(op.d) == 2} | {"@", "&", "|", "and", "or"})
PLACES = ("0", "k", "v", "[0, 1]", "[True, False]", "v > 1", "::2", ":k", "None", "...", "X", "'text'")


def attempt(text: str) -> None:
    """Run a text and its gradient; what goes wrong has to be one of our errors."""
    said = None
    try:
        run(text)
    except AutodiffError as problem:
        said = problem.diagnostic
    assert said is None or (said.labels and said.message), text


def run(text: str) -> None:
    """Value and gradient have the shapes that the graph says."""
    fn = read(text, VALUES).fn
    kind = fn.nodes[fn.outs[0]].type
    assert np.shape(point.evaluate(fn, VALUES)[0]) == kind.shape, text
    if kind.kind == "real" and not kind.shape:
        names = [name for name, type in fn.params if type.kind == "real"]
        for name, slope in zip(names, point.evaluate(gradient(fn, names), VALUES)[1:], strict=True):
            assert np.shape(slope) == np.shape(VALUES[name]), (text, name)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_of_anything(name: str) -> None:
    for first in ARGUMENTS:
        for more in ("", *NAMED, *ARGUMENTS):
            attempt(f"{name}({first}{', ' if more else ''}{more})")


@pytest.mark.parametrize("symbol", OPERATORS)
def test_an_operator_between_anything(symbol: str) -> None:
    for left, right in itertools.product(ARGUMENTS, ARGUMENTS):
        attempt(f"({left}) {symbol} ({right})")


def test_an_index_of_anything() -> None:
    for value, place in itertools.product(ARGUMENTS, PLACES):
        for text in (f"({value})[{place}]", f"({value})[{place}, 0]", f"({value})[:, {place}]"):
            attempt(text)


@pytest.mark.parametrize("name", ["where", "clip", "interp", "einsum", "trapezoid", "linspace", "full", "cross_entropy", "huber"])
def test_three_arguments_of_anything(name: str) -> None:
    for three in itertools.product(ARGUMENTS, repeat=3):
        attempt(f"{name}({', '.join(three)})")
