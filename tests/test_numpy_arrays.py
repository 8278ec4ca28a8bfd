"""Functions of arrays against NumPy's own of the same name, also at sizes where the plain formula overflows; and second derivatives of norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.program import compile
from autodiff_cli.run import digits, point
from programs import read

draw = np.random.default_rng(5)
VALUES: dict[str, Any] = {
    "v": draw.standard_normal(3), "o": draw.standard_normal(1), "A": draw.standard_normal((3, 3)), "B": draw.standard_normal((3, 4)),
    "S": draw.standard_normal((2, 3, 4)), "T": draw.standard_normal((2, 4, 3)), "E": np.zeros((0, 0)), "c": draw.standard_normal((3, 1)),
}  # fmt: skip
NUMPY = {
    **VALUES,
    **{name: getattr(np, name) for name in ("einsum", "inner", "trace", "sort", "sum")},
    "det": np.linalg.det,
    "slogdet": np.linalg.slogdet,
}

TEXTS = [
    "inner(S, B)", "inner(B, S)", "inner(S, S)", "inner(B, B)", "inner(v, v)", "inner(v, T)",
    'einsum("i,i", o, v)', 'einsum("ij,ij->i", c, A)', 'einsum("ij,jk->ik", c, o[None])', 'einsum("...ij,...jk->...ik", S, T)', 'einsum("...ij,...jk", S, T)',
    'einsum("i...->...", S)', 'einsum("...i->i...", S)', 'einsum("...", S)', 'einsum("ij,...j->...i", B, S)', 'einsum("...i,...i", S, B)', 'einsum("ii...", A)',
    "trace(S)", "trace(A)", "sort(S, axis=None)", "sort(v)", "det(E)", "slogdet(A)", "slogdet(-A)", "slogdet(S[:, :3, :3])", "sum(E)",
]  # fmt: skip


def program(text: str) -> tuple[Any, dict[str, Any]]:
    """What a text means, and the values that it reads."""
    fn = read(text, values=VALUES).fn
    return fn, {name: VALUES[name] for name, _ in fn.params}


@pytest.mark.parametrize("text", TEXTS)
def test_a_function_is_numpys(text: str) -> None:
    expected = eval(text, dict(NUMPY))  # noqa: S307 (texts of this table)
    found = point.evaluate(*program(text))[0]
    assert np.shape(found) == np.shape(expected)
    assert found == pytest.approx(np.asarray(expected), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("text", [text for text in TEXTS if "sort" not in text and "E)" not in text])
def test_its_derivative_is_that_of_differences(text: str) -> None:
    fn, values = program(f"sum(ravel(({text})**2))")
    for name in values:
        direction = draw.standard_normal(np.shape(values[name]))
        slope = point.evaluate(gradient(fn, [name]), values)[1]
        assert np.sum(slope * direction) == pytest.approx(tensors.difference(fn, values, name, direction), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-200, 1e-4, 1.0, 1e4, 1e200])
def test_a_determinant_that_float64_cannot_hold_has_a_logarithm(scale: float) -> None:
    a = scale * np.diag([1.0, 2.0, 3.0] * 40)
    fn = read("logdet(A)", values={"A": a}).fn
    value, slope = point.evaluate(gradient(fn, ["A"]), {"A": a})
    assert value == pytest.approx(120 * math.log(scale) + 40 * math.log(6), rel=1e-13)
    assert slope == pytest.approx(np.linalg.inv(a).T, rel=1e-13)
    assert point.evaluate(read("slogdet(-A[1:, 1:])", values={"A": a}).fn, {"A": a})[0][0] == -1


def test_the_sign_of_a_determinant_by_digits() -> None:
    a = [[0.0, 2.0], [3.0, 0.0]]
    fn = read(f"slogdet({a})[0] + det(zeros(0, 0))").fn
    assert [float(x) for x in digits.run(compile(fn), {})] == [0.0]


@pytest.mark.parametrize("entry", [math.nan, math.inf])
def test_a_matrix_that_is_not_finite_has_no_logarithm_of_a_determinant(entry: float) -> None:
    fn = read("slogdet(A)", values={"A": np.eye(2)}).fn
    assert np.isnan(point.evaluate(fn, {"A": np.array([[entry, 1.0], [1.0, 1.0]])})[0]).all()


def test_mixed_second_derivatives_of_a_norm_where_an_entry_is_0() -> None:
    fn = read("norm(v, 1.5)", values={"v": np.zeros(2)}).fn
    found = tensors.hessian(fn, {"v": np.array([0.0, 1.0])}, "v")
    assert found[0, 1] == found[1, 0] == found[1, 1] == 0
    assert not math.isfinite(found[0, 0])
    regular = tensors.hessian(fn, {"v": np.array([2.0, 1.0])}, "v")
    assert regular == pytest.approx(regular.T, rel=1e-14)


@pytest.mark.parametrize(
    "text", ['einsum("ij,jk", A, B.T)', 'einsum("i,i", v, A)', 'einsum("...i..., i", A, v)', 'einsum("ij->k", A)', 'einsum("ij", A, A)', 'einsum("ii", B)',
             'einsum("...ij", v)', 'einsum("...i,...i", S, A)', "norm(A, 2)", "norm(A, 1, axis=(0, 1))", "inner(v, B)", "trace(v)", "concatenate(v, v)", "sum(v, v)"],
)  # fmt: skip
def test_what_numpy_does_not_take_either_is_underlined(text: str) -> None:
    with pytest.raises(AutodiffError) as caught:
        program(text)
    assert caught.value.diagnostic.labels
