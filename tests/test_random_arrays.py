"""Random programs over arrays: values as NumPy's, forward equals reverse, text read back, shapes of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.emit.derivation import alone, wordless
from autodiff_cli.emit.text import texts
from autodiff_cli.formula import expressions
from autodiff_cli.run import point
from programs import read

LEAVES = ("X", "b", "c", "x", "0", "1", "0.5", "X[0]", "[1, 2, 3]", "zeros(2, 3)")
UNARY = (
    "sin({})", "tanh({})", "exp({}/4)", "abs({})", "relu({})", "sqrt(relu({}))", "-({})", "({})**2", "softmax({} + 0*X)", "sort({} + 0*X)",
    "cumsum({} + 0*X, axis=1)", "({} + 0*X)[::-1]", "({} + 0*X)[:, [2, 0, 0]]", "transpose(({} + 0*X).T)", "A @ ({} + 0*X)", "tril({} + 0*X)",
    "sum({} + 0*X, axis=1, keepdims=True)", "max({} + 0*X, axis=0)", "mean({} + 0*X)", "norm({} + 0*X, axis=0)", "logsumexp({} + 0*X, axis=0)",
    "concatenate([({} + 0*X)[:, 1:], c], axis=1)", "reshape(reshape({} + 0*X, 3, 2), 2, 3)", "prod({} + 0*X, axis=0)",
)  # fmt: skip
BINARY = (
    "({}) + ({})",
    "({}) - ({})",
    "({})*({})",
    "max({}, {})",
    "where(({}) > ({}), X, c)",
    "where(X > 0, {}, {})",
    "({})/(1 + abs({}))",
)
texts_of = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        st.tuples(st.sampled_from(UNARY), inner).map(lambda t: t[0].format(t[1]))
        | st.tuples(st.sampled_from(BINARY), inner, inner).map(lambda t: t[0].format(t[1], t[2]))
    ),
    max_leaves=8,
)
seeds = st.integers(0, 10_000)


def values_of(seed: int) -> dict[str, Any]:
    """Half of the time whole numbers, which tie and meet kinks."""
    random = np.random.default_rng(seed)
    found = {name: random.normal(size=shape) for name, shape in (("A", (2, 2)), ("X", (2, 3)), ("b", (3,)), ("c", (2, 1)))}
    values: dict[str, Any] = {**found, "x": float(random.normal())}
    return {name: np.rint(v) + 0.0 for name, v in values.items()} | {"x": float(np.rint(values["x"]))} if seed % 2 else values


@given(texts_of, seeds)
def test_values_do_not_depend_on_being_written_again(text: str, seed: int) -> None:
    values = values_of(seed)
    fn = read(text, values).fn
    (found,), (again,) = point.evaluate(fn, values), point.evaluate(read(texts(fn)[0], values).fn, values)
    assert np.shape(found) == np.shape(again)
    assert np.allclose(found, again, rtol=1e-13, atol=1e-300, equal_nan=True)


@given(texts_of, seeds)
def test_forward_equals_reverse_over_arrays(text: str, seed: int) -> None:
    values = values_of(seed)
    fn = read(f"sum(({text}) + 0*X)", values).fn
    names = [name for name, _ in fn.params]
    direction = np.random.default_rng(seed + 1)
    for name, slope in zip(names, point.evaluate(gradient(fn, names), values)[1:], strict=True):
        assert np.shape(slope) == np.shape(values[name])
        if np.isfinite(slope).all():
            step = direction.normal(size=np.shape(values[name]))
            pushed = tensors.forward(fn, values, name, step)
            assert abs(pushed - np.sum(slope * step)) <= 1e-10 * max(1.0, float(np.abs(slope).max()))


@given(texts_of, seeds.filter(lambda seed: seed % 2 == 0))
def test_slopes_are_those_of_differences(text: str, seed: int) -> None:
    """At points in general position."""
    values = values_of(seed)
    fn = read(f"sum(tanh({text}) + 0*X)", values).fn
    step = np.random.default_rng(seed + 1).normal(size=(2, 3))
    slope = point.evaluate(gradient(fn, ["X"]), values)[1]
    found, near = tensors.difference(fn, values, "X", step), tensors.difference(fn, values, "X", step, 0, 1e-5)
    if abs(found - near) <= 1e-5 * max(1.0, abs(float(found))):
        assert abs(np.sum(slope * step) - found) <= 1e-4 * max(1.0, abs(float(found)))


@given(texts_of, seeds)
def test_texts_of_derivatives_have_the_values_of_the_gradient(text: str, seed: int) -> None:
    """Where there are words for all steps; in general position, since a tie is a tie only to the last digit."""
    values = values_of(seed - seed % 2)
    fn = read(f"sum(tanh({text}) + 0*X)", values).fn
    names = [name for name, _ in fn.params]
    shown = expressions(fn, names)[0]
    if not wordless(shown):
        for one, exact in zip(alone(shown), point.evaluate(gradient(fn, names), values)[1:], strict=True):
            found = point.evaluate(read(one, values).fn, values)[0]
            assert np.shape(found) == np.shape(exact)
            assert not np.isfinite(exact).all() or np.allclose(found, exact, rtol=1e-6, atol=1e-8)
