"""What arrays mean: the language's tables row by row, singular points, structural zeros entry by entry, and large arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError, Exit
from autodiff_cli.program import compile
from autodiff_cli.run import point
from programs import read, same

NAN, INF = math.nan, math.inf
ONES = [[1, 1], [1, 1]]

# text, variables, value
MEANINGS: list[tuple[str, dict[str, Any], Any]] = [
    # lists are arrays
    ("[1, 2] + [3, 4]", {}, [4, 6]),
    ("2*[1, 2]", {}, [2, 4]),
    ("[v, 2*v]", {"v": [1, 2]}, [[1, 2], [2, 4]]),
    ("[x > 0, x > 2]*1", {"x": 1}, [1, 0]),
    ("[[1, x], [x, 4]]", {"x": 3}, [[1, 3], [3, 4]]),
    # conditions are 1.0 or 0.0 in arithmetic, and join entry by entry
    ("sum(v > 1)", {"v": [0, 2, 3]}, 2),
    ("mean(v > 1)", {"v": [0, 2, 3, 4]}, 0.75),
    ("where((v > 0) & (v < 3), v, -1)", {"v": [0, 2, 3]}, [-1, 2, -1]),
    ("where((v < 1) | (v > 2), v, -1)", {"v": [0, 2, 3]}, [0, -1, 3]),
    ("where(~(v > 1), 1, 2)", {"v": [0, 2]}, [1, 2]),
    ("1 < v < 3", {"v": [0, 2, 3]}, [False, True, False]),
    ("v and w", {"v": [0, 2], "w": [5, 6]}, [0, 6]),
    ("v or w", {"v": [0, 2], "w": [5, 6]}, [5, 2]),
    ("not v", {"v": [0, 2]}, [True, False]),
    ("v if v > 0 else w", {"v": [-1, 2], "w": 7}, [7, 2]),
    ("v/sum(v) if v > 1 else 0", {"v": [1, 3]}, [0, 0.75]),
    # max and min: entry by entry with two arguments, over axes with one
    ("max(v, 2)", {"v": [1, 3]}, [2, 3]),
    ("max(v, w, 2)", {"v": [1, 3], "w": [5, 0]}, [5, 3]),
    ("max(v)", {"v": [1, 3]}, 3),
    ("np.max(X, 1)", {"X": [[1, 2], [4, 3]]}, [2, 4]),
    ("np.min(X, 0)", {"X": [[1, 2], [4, 3]]}, [1, 2]),
    ("np.maximum(X, 2)", {"X": [[1, 2], [4, 3]]}, [[2, 2], [4, 3]]),
    ("max(X, axis=1, keepdims=True)", {"X": [[1, 2], [4, 3]]}, [[2], [4]]),
    # axes
    ("sum(X)", {"X": [[1, 2], [4, 3]]}, 10),
    ("sum(X, axis=(0, 1))", {"X": [[1, 2], [4, 3]]}, 10),
    ("sum(X, 1)", {"X": [[1, 2], [4, 3]]}, [3, 7]),
    ("cumsum(X)", {"X": [[1, 2], [4, 3]]}, [1, 3, 7, 10]),
    ("cumprod(X, axis=0)", {"X": [[1, 2], [4, 3]]}, [[1, 2], [4, 6]]),
    ("logsumexp(zeros(2, 2))", {}, math.log(4)),
    ("softmax(zeros(2, 4))[0]", {}, [0.25] * 4),
    ("sort(X)", {"X": [[2, 1], [4, 3]]}, [[1, 2], [3, 4]]),
    ("diff(X)", {"X": [[2, 1], [4, 3]]}, [[-1], [-1]]),
    ("any(X > 3, axis=0)", {"X": [[2, 1], [4, 3]]}, [True, False]),
    ("all(X > 1, axis=1)", {"X": [[2, 1], [4, 3]]}, [False, True]),
    # norm
    ("norm(X)", {"X": [[1, 2], [2, 4]]}, 5),
    ("norm(X, axis=0)", {"X": [[3, 0], [4, 1]]}, [5, 1]),
    ("norm(v, ord=1)", {"v": [1, -2]}, 3),
    ("norm(v, ord=inf)", {"v": [1, -2]}, 2),
    ("norm(v, ord=3)", {"v": [3, 4, 5]}, 6),
    ("norm(v)", {"v": [3e200, 4e200]}, 5e200),
    ("norm(v)", {"v": [3e-200, 4e-200]}, 5e-200),
    # var and std divide by n - ddof
    ("var(v)", {"v": [1, 3]}, 1),
    ("var(v, ddof=1)", {"v": [1, 3]}, 2),
    ("std(v, ddof=1)", {"v": [1, 3]}, math.sqrt(2)),
    ("var(v, ddof=1)", {"v": [4]}, NAN),
    ("std(v, ddof=3)", {"v": [4, 5]}, NAN),
    # argmax and argmin: the first, and a NaN wins
    ("argmax(v)", {"v": [1, 3, 3]}, 1),
    ("argmin(v)", {"v": [1, 3, 1]}, 0),
    ("argmax(v)", {"v": [1, NAN, 3]}, 1),
    ("v[argmax(w)]", {"v": [5, 6, 7], "w": [1, 3, 2]}, 6),
    ("argmax(X)", {"X": [[1, 2], [4, 3]]}, 2),
    # sort is stable, NaN last; a NaN goes through max and min
    ("sort(v)", {"v": [3, NAN, 1]}, [1, 3, NAN]),
    ("max(v)", {"v": [3, NAN, 1]}, NAN),
    ("sum(v)", {"v": [3, NAN, 1]}, NAN),
    # matrices
    ("det(A)", {"A": [[1, 2, 3], [4, 5, 6], [7, 8, 10]]}, -3),
    ("logdet(A)", {"A": [[2, 0], [0, 3]]}, math.log(6)),
    ("logdet(A)", {"A": [[1, 2], [2, 4]]}, -INF),
    ("logdet(A)", {"A": [[0, 1], [1, 0]]}, NAN),
    ("slogdet(A)", {"A": [[0, 2], [3, 0]]}, [-1, math.log(6)]),
    ("inv(A)", {"A": [[1, 2], [2, 4]]}, [[NAN, NAN], [NAN, NAN]]),
    ("solve(A, v)", {"A": [[1, 2], [2, 4]], "v": [1, 1]}, [NAN, NAN]),
    ("cholesky(A)", {"A": [[1, 2], [2, 1]]}, [[NAN, NAN], [NAN, NAN]]),
    ("cholesky(A)", {"A": [[4, 3], [1, 3]]}, [[2, 0], [1, math.sqrt(2)]]),
    ("diag(v)", {"v": [1, 2]}, [[1, 0], [0, 2]]),
    ("diag(A)", {"A": [[1, 2], [3, 4]]}, [1, 4]),
    ('einsum("ij,jk", A, A)', {"A": [[1, 2], [3, 4]]}, [[7, 10], [15, 22]]),
    ('einsum("ij->", A)', {"A": [[1, 2], [3, 4]]}, 10),
    ('einsum("ba", A)', {"A": [[1, 2], [3, 4]]}, [[1, 3], [2, 4]]),
    # indices
    ("v[-1]", {"v": [1, 2, 3]}, 3),
    ("v[::-1]", {"v": [1, 2, 3]}, [3, 2, 1]),
    ("v[-2:]", {"v": [1, 2, 3]}, [2, 3]),
    ("v[[True, False, True]]", {"v": [1, 2, 3]}, [1, 3]),
    ("X[..., 0]", {"X": [[1, 2], [3, 4]]}, [1, 3]),
    ("v[:, None]*v", {"v": [1, 2]}, [[1, 2], [2, 4]]),
    ("v[k]", {"v": [1, 2, 3], "k": 1}, 2),
    ("v[k]", {"v": [1, 2, 3], "k": -1}, 3),
    ("v[k]", {"v": [1, 2, 3], "k": [2, 0]}, [3, 1]),
    ("X[:, k]", {"X": [[1, 2], [3, 4]], "k": 1}, [2, 4]),
    ("x[None]", {"x": 3}, [3]),
    ("x[None, ..., None]", {"x": 3}, [[3]]),
    ("x[...] + x[()]", {"x": 3}, 6),
    ("softmax(X, axis=None)", {"X": [[0, 0], [0, 0]]}, [[0.25, 0.25], [0.25, 0.25]]),
    ("X.T", {"X": [[1, 2], [3, 4]]}, [[1, 3], [2, 4]]),
    ("X.shape", {"X": [[1, 2, 3], [4, 5, 6]]}, [2, 3]),
    ("zeros(X.shape[0])", {"X": [[1, 2, 3], [4, 5, 6]]}, [0, 0]),
    # makers
    ("arange(1, 2, 0.25)", {}, [1, 1.25, 1.5, 1.75]),
    ("arange(3)", {}, [0, 1, 2]),
    ("linspace(0, 1, 5)", {}, [0, 0.25, 0.5, 0.75, 1]),
    ("linspace(a, b, 3)", {"a": 1, "b": 2}, [1, 1.5, 2]),
    ("full((2, 1), x)", {"x": 7}, [[7], [7]]),
    ("eye(2)", {}, [[1, 0], [0, 1]]),
    ("sum(zeros(0))", {}, 0),
    ("prod(zeros(0))", {}, 1),
    # losses: the mean over entries or cases; one number is a batch of one
    ("mse(v, [1, 1])", {"v": [1, 3]}, 2),
    ('mse(v, 1, reduction="sum")', {"v": [1, 3]}, 4),
    ('mae(v, 1, reduction="none")', {"v": [1, -3]}, [0, 4]),
    ("mse(x, 1)", {"x": 3}, 4),
    ("huber(v, 0)", {"v": [0.5, -3]}, (0.125 + 2.5) / 2),
    ("huber(v, 0, delta=2)", {"v": [0.5, -3]}, (0.125 + 4) / 2),
    ("cross_entropy(z, t)", {"z": [[0, 0], [0, 0]], "t": [0, 1]}, math.log(2)),
    ("cross_entropy(z, t)", {"z": [[0, 0], [0, 0]], "t": [[1, 0], [0.5, 0.5]]}, math.log(2)),
    ('cross_entropy(z, t, reduction="sum")', {"z": [[0, 0], [0, 0]], "t": [[2, 0], [0, 1]]}, 3 * math.log(2)),
    ("cross_entropy(z, 1)", {"z": [0, 0, -INF]}, math.log(2)),
    ("cross_entropy(z, [1, 0, 0])", {"z": [0, 0, -INF]}, math.log(2)),
    ("cross_entropy(z, [1, 0], axis=0)", {"z": [[0, 0], [0, 0]]}, math.log(2)),
    ("nll(log_softmax(z), t)", {"z": [[0, 0], [0, 0]], "t": [0, 1]}, math.log(2)),
    ("binary_cross_entropy(p, t)", {"p": [0, 1], "t": [0, 1]}, 0),
    ("binary_cross_entropy(p, t)", {"p": [0, 0.5], "t": [1, 1]}, INF),
    ("bce_with_logits(z, t)", {"z": [1000, -1000], "t": [1, 0]}, 0),
    ("bce_with_logits(z, t)", {"z": [1000, -1000], "t": [0, 1]}, 1000),
]


def given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: np.array(v, float) if isinstance(v, list) else float(v) for name, v in values.items()}


@pytest.mark.parametrize(("text", "values", "expected"), MEANINGS, ids=[f"{t} {v}" for t, v, _ in MEANINGS])
def test_meanings(text: str, values: dict[str, Any], expected: Any) -> None:
    found = point.evaluate(read(text, given(values)).fn, given(values))[0]
    assert same(found, expected, 1e-14), found


# text, variables, value, gradient by each: points where a formula breaks
SINGULAR: list[tuple[str, dict[str, Any], Any, list[Any]]] = [
    ("norm(v)", {"v": [0, 0]}, 0, [[0, 0]]),
    ("norm(v)**2", {"v": [0, 0]}, 0, [[0, 0]]),
    ("sum(norm(X, axis=1))", {"X": [[0, 0], [3, 4]]}, 5, [[[0, 0], [0.6, 0.8]]]),
    ("norm(v, ord=1)", {"v": [0, -1]}, 1, [[0, -1]]),
    ("norm(v, ord=3)", {"v": [0, 0]}, 0, [[0, 0]]),
    ("std(v)", {"v": [2, 2]}, 0, [[0, 0]]),
    ("var(v)", {"v": [2, 2]}, 0, [[0, 0]]),
    ("var(v, ddof=1)", {"v": [4]}, NAN, [[NAN]]),
    ("prod(v)", {"v": [5, 0, 2]}, 0, [[0, 10, 0]]),
    ("prod(v)", {"v": [5, 0, 0]}, 0, [[0, 0, 0]]),
    ("prod(X, axis=0)[0]", {"X": [[0], [3]]}, 0, [[[3], [0]]]),
    ("sum(cumprod(v))", {"v": [3, 0, 2, 5]}, 3, [[1, 39, 0, 0]]),
    ("det(A)", {"A": [[2, 3], [4, 6]]}, 0, [[[6, -4], [-3, 2]]]),
    ("det(A)", {"A": [[1, 2, 3], [2, 4, 6], [1, 0, 1]]}, 0, [[[4, 4, -4], [-2, -2, 2], [0, 0, 0]]]),
    ("det(A)", {"A": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}, 0, [[[0, 0, 0], [0, 0, 0], [0, 0, 0]]]),
    ("det(A)", {"A": [[0]]}, 0, [[[1]]]),
    ("logdet(A)", {"A": [[1, 2], [2, 4]]}, -INF, [[[NAN, NAN], [NAN, NAN]]]),
    ("logdet(A)", {"A": [[0, 1], [1, 0]]}, NAN, [[[NAN, NAN], [NAN, NAN]]]),
    ("sum(inv(A))", {"A": [[1, 2], [2, 4]]}, NAN, [[[NAN, NAN], [NAN, NAN]]]),
    ("sum(cholesky(A))", {"A": [[1, 2], [2, 1]]}, NAN, [[[NAN, NAN], [NAN, NAN]]]),
    ("logsumexp(v)", {"v": [-INF, -INF]}, -INF, [[0, 0]]),
    ("logsumexp(v)", {"v": [-INF, 0]}, 0, [[0, 1]]),
    ("logsumexp(v)", {"v": [1000, 1000]}, 1000 + math.log(2), [[0.5, 0.5]]),
    ("logsumexp(v)", {"v": [INF, 0]}, INF, [[1, 0]]),
    ("softmax(v)[0]", {"v": [-INF, -INF]}, NAN, [[NAN, NAN]]),
    ("log_softmax(v)[0]", {"v": [-INF, -INF]}, NAN, [[NAN, NAN]]),
    ("softmax(v)[0]", {"v": [-INF, 0]}, 0, [[0, 0]]),
    ("softmax(v)[0]", {"v": [800, 0]}, 1, [[0, 0]]),
    ("log_softmax(v)[1]", {"v": [800, 0]}, -800, [[-1, 1]]),
    ("max(v)", {"v": [3, 3, 1]}, 3, [[0.5, 0.5, 0]]),
    ("min(v)", {"v": [1, 1, 1]}, 1, [[1 / 3, 1 / 3, 1 / 3]]),
    ("max(abs(v))", {"v": [1, -1]}, 1, [[0.5, -0.5]]),
    ("max(v)", {"v": [NAN, 3]}, NAN, [[NAN, 0]]),
    ("sort(v)[-1]", {"v": [3, 3, 1]}, 3, [[0, 1, 0]]),
    ("sum(sort(v)*[1, 2, 3])", {"v": [3, 1, 2]}, 14, [[3, 1, 2]]),
    ("argmax(v)", {"v": [1, 2]}, 1, [[0, 0]]),
    ("v[argmax(v)]", {"v": [1, 2]}, 2, [[0, 1]]),
    ("v[k]", {"v": [1, 2], "k": 1}, 2, [[0, 1], 0]),
    ("cross_entropy(z, [0, 1])", {"z": [-INF, 0]}, 0, [[0, 0]]),
    ("cross_entropy(z, 0)", {"z": [-INF, 0]}, INF, [[-1, 1]]),
    ("binary_cross_entropy(p, 1)", {"p": [1, 1]}, 0, [[-0.5, -0.5]]),
    ("sum(v**[0, 1])", {"v": [10, 0]}, 1, [[0, 1]]),
    ("mae(v, 0)", {"v": [0, 2]}, 1, [[0, 0.5]]),
    ("sum(sqrt(v))", {"v": [0, 4]}, 2, [[INF, 0.25]]),
]


@pytest.mark.parametrize(("text", "values", "value", "slopes"), SINGULAR, ids=[f"{t} {v}" for t, v, *_ in SINGULAR])
def test_singular_points_by_both_modes(text: str, values: dict[str, Any], value: float, slopes: list[Any]) -> None:
    where = given(values)
    fn = read(text, where).fn
    found = point.evaluate(gradient(fn, list(values)), where)
    assert same(found[0], value, 1e-14), found[0]
    for name, slope, expected in zip(values, found[1:], slopes, strict=True):
        assert close(slope, expected), (name, slope)
        assert close(tensors.jacobian(fn, where, name), expected), (name, tensors.jacobian(fn, where, name))


def close(found: Any, expected: Any) -> bool:
    return np.shape(found) == np.shape(expected) and bool(
        np.allclose(np.asarray(found, float), expected, rtol=1e-13, atol=1e-14, equal_nan=True)
    )


SECOND: list[tuple[str, dict[str, Any], Any]] = [
    ("prod(v)", {"v": [0, 0, 5]}, [[0, 5, 0], [5, 0, 0], [0, 0, 0]]),
    ("norm(v)", {"v": [0, 0]}, [[NAN, NAN], [NAN, NAN]]),
    ("std(v)", {"v": [1, 1]}, [[NAN, NAN], [NAN, NAN]]),
    ("sum(v**2)", {"v": [0, 0]}, [[2, 0], [0, 2]]),
    ("sum(relu(v)**2)", {"v": [0, 1]}, [[0, 0], [0, 2]]),
    ("sum(max(v, 0)**2)", {"v": [0, 1]}, [[0.5, 0], [0, 2]]),
    ("cross_entropy(v, [1, 0])", {"v": [0.5, 0.5]}, [[0.25, -0.25], [-0.25, 0.25]]),
    ("logsumexp(v)", {"v": [1000, 1000]}, [[0.25, -0.25], [-0.25, 0.25]]),
    ("logsumexp(v)", {"v": [800, 0]}, [[0, 0], [0, 0]]),
    ("sum(v**[0, 1])", {"v": [10, 0]}, [[0, 0], [0, 0]]),
    ("det(reshape(v, 2, 2))", {"v": [2, 3, 4, 6]}, [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]),
    ("var(v, ddof=1)", {"v": [4]}, [[NAN]]),
]


@pytest.mark.parametrize(("text", "values", "expected"), SECOND, ids=[f"{t} {v}" for t, v, _ in SECOND])
def test_second_derivatives_at_singular_points(text: str, values: dict[str, Any], expected: Any) -> None:
    assert close(tensors.hessian(read(text, given(values)).fn, given(values), "v"), expected)


def test_second_derivative_of_a_singular_determinant() -> None:
    """Up to 8 by 8 as mathematics has it: against differences of the gradient; beyond that NaN."""
    for n in (3, 5, 8):
        A = np.random.default_rng(n).normal(size=(n, n))
        A[-1] = A[0] + A[1]
        fn = read("det(A)", {"A": A}).fn
        direction = np.random.default_rng(1).normal(size=(n, n))
        found = tensors.forward(gradient(fn, ["A"]).only(1), {"A": A}, "A", direction)
        expected = tensors.difference(gradient(fn, ["A"]), {"A": A}, "A", direction, 1)
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    A = np.ones((9, 9))
    assert np.isnan(tensors.forward(gradient(read("det(A)", {"A": A}).fn, ["A"]).only(1), {"A": A}, "A", A)).all()


def test_the_gradient_of_cholesky_is_symmetric() -> None:
    A = np.array([[4.0, 3.0], [1.0, 3.0]])
    slope = point.evaluate(gradient(read("sum(cholesky(A))", {"A": A}).fn, ["A"]), {"A": A})[1]
    assert same(slope, slope.T)


# what a selection switched off stays zero, entry by entry, through moves, copies and sums
ZEROS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("sum(where(v > 0, sqrt(v), 0))", {"v": [0, 4]}, [[0, 0.25]]),
    ("sum(where(v > 0, log(v), v))", {"v": [-1, 2]}, [[1, 0.5]]),
    ("sum(sqrt(relu(v)))", {"v": [-10, 4]}, [[0, 0.25]]),
    ("sum(sqrt(max(v, 1)))", {"v": [-10, 4]}, [[0, 0.25]]),
    ("sum(sqrt(clip(v, 0, 1)))", {"v": [-10, 0.25]}, [[0, 1]]),
    ("sum(where(isnan(v), 0, v**2))", {"v": [NAN, 2]}, [[0, 4]]),
    ("max(sqrt(v))", {"v": [0, 4]}, [[0, 0.25]]),
    ("sum(sqrt(v)[1:])", {"v": [0, 4]}, [[0, 0.25]]),
    ("sqrt(v)[k]", {"v": [0, 4], "k": 1}, [[0, 0.25], 0]),
    ("sum(sqrt(v)[[1, 1]])", {"v": [0, 4]}, [[0, 0.5]]),
    ("sum(sqrt(X).T[1])", {"X": [[0, 4], [0, 1]]}, [[[0, 0.25], [0, 0.5]]]),
    ("sum(reshape(sqrt(X), 4)[2:])", {"X": [[0, 0], [4, 1]]}, [[[0, 0], [0.25, 0.5]]]),
    ("sort(sqrt(v))[-1]", {"v": [0, 4]}, [[0, 0.25]]),
    ("sum(concatenate([sqrt(v), w])[2:])", {"v": [0, 4], "w": [1]}, [[0, 0], [1]]),
    ("sum(stack([sqrt(v), w])[1])", {"v": [0, 4], "w": [1, 2]}, [[0, 0], [1, 1]]),
    ("sum(diag(sqrt(X)))", {"X": [[4, 0], [0, 1]]}, [[[0.25, 0], [0, 0.5]]]),
    ("sum(triu(sqrt(X)))", {"X": [[4, 1], [0, 1]]}, [[[0.25, 0.5], [0, 0.5]]]),
    ("cumsum(sqrt(v))[0]", {"v": [4, 0]}, [[0.25, 0]]),
    ("sum(where(v > 0, v, 0) + where(v > 0, 0, 1/v))", {"v": [2, -2]}, [[1, -0.25]]),
    ("sum(where(X > 0, sqrt(b), 0))", {"X": [[1, 0], [1, 0]], "b": [4, 0]}, [[[0, 0], [0, 0]], [0.5, 0]]),
    ("sum(where(v > 0, x*v, 0)/v)", {"v": [2, -1], "x": 3}, [[0, 0], 1]),
    ("prod(where(v > 0, v, 1))", {"v": [-1, 3]}, [[0, 1]]),
]


@pytest.mark.parametrize(("text", "values", "slopes"), ZEROS, ids=[f"{t} {v}" for t, v, _ in ZEROS])
def test_structural_zeros_entry_by_entry(text: str, values: dict[str, Any], slopes: list[Any]) -> None:
    where = given(values)
    fn = read(text, where).fn
    for name, slope, expected in zip(values, point.evaluate(gradient(fn, list(values)), where)[1:], slopes, strict=True):
        assert close(slope, expected), (name, slope)
        assert close(tensors.jacobian(fn, where, name), expected), (name, tensors.jacobian(fn, where, name))


def test_at_a_contraction_a_structural_zero_becomes_the_number() -> None:
    """`sum` keeps it; `@` makes 0 of it, and 0 times inf is NaN."""
    where = given({"v": [0, 4]})
    kept = point.evaluate(gradient(read("sum(where(v > 0, sqrt(v), 0))", where).fn, ["v"]), where)[1]
    lost = point.evaluate(gradient(read("[0, 1] @ sqrt(v)", where).fn, ["v"]), where)[1]
    assert close(kept, [0, 0.25])
    assert close(lost, [NAN, 0.25])


PLACES = [("v[k]", 3.0), ("v[k]", -4.0), ("v[k]", 0.5), ("v[k]", NAN), ("cross_entropy(v, k)", 3.0), ("cross_entropy(v, k)", -1.0)]


@pytest.mark.parametrize(("text", "k"), PLACES, ids=[f"{t} {k}" for t, k in PLACES])
def test_a_place_that_is_not_there_is_an_error_of_evaluation(text: str, k: float) -> None:
    values = {"v": np.ones(3), "k": k}
    with pytest.raises(AutodiffError) as failure:
        point.evaluate(read(text, values).fn, values)
    assert failure.value.diagnostic.exit is Exit.EVALUATION
    assert failure.value.diagnostic.labels[0].span.text == text


def test_a_gradient_of_a_million_entries_forms_nothing_larger() -> None:
    """Every node of the gradient of `sum(v**2)` is as large as v or one number."""
    v = np.zeros(1_000_000)
    fn = compile(gradient(read("sum(v**2)", {"v": v}).fn, ["v"])).fn
    assert {node.type.shape for node in fn.nodes} == {(), (1_000_000,)}
    assert len(fn.nodes) < 12
