"""Nodes over arrays are written in the language wherever it has words for them, and read back to the same values."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_cli.derive import gradient
from autodiff_cli.emit.arrays import FORMS
from autodiff_cli.emit.text import texts
from autodiff_cli.ops import OPS
from autodiff_cli.run import point
from programs import read, same

random = np.random.default_rng(4)
A = random.normal(size=(3, 3))
VALUES = {
    "A": A, "S": A @ A.T + np.eye(3), "T": random.normal(size=(2, 3, 4)), "X": random.normal(size=(4, 3)), "b": random.normal(size=3),
    "c": random.normal(size=(3, 1)), "k": 1.0, "v": random.normal(size=4), "x": 1.5,
}  # fmt: skip

# as it is written again, without a bracket or a stretching too many
WRITTEN = [
    "X + b",
    "c*b",
    "sum(X, axis=0)",
    "sum(T, axis=(0, 2))",
    "X.T",
    "transpose(T, 1, 0, 2)",
    "X[1:, ::-1]",
    "X[:, None, 0]",
    "X[[0, 2], [1, 1]]",
    "T[:, :, 1]",
    "v @ v",
    "X @ b",
    "b @ X.T",
    "X @ A @ b",
    "2*(X @ b)",
    "T @ X",
    "solve(A, X.T)",
    "[x, 2*x]",
    "[b, 2*b]",
    "[[x, 1], [2, x]]",
    "stack([b, b], axis=1)",
    "concatenate([b, v])",
    "concatenate([X, X], axis=1)",
    "where(X > 0, X, 0)",
    "where(x > 0, X, 0)",
    "X > 0 and X < 1 or X > 2",
    "any(X > 0, axis=1)",
    "not any(X > 0)",
    "max(X, axis=1)",
    "max(X, b)",
    "norm(X, axis=0)",
    "norm(v, ord=3)",
    "logsumexp(X, axis=1)",
    "v[k]",
    "X[:, k]",
    "sort(X)",
    "sort(X, axis=0)",
    "cumsum(X, axis=1)",
    "diag(v)",
    "diag(A)",
    "eye(3)*x",
    "det(A)*inv(A)",
    "cholesky(S)",
    "reshape(X, 2, 6)",
    "ravel(X)",
    "zeros(2, 3) + x",
    "sum(full((2, 3), x))",
    "randn(2, 3, seed=1) + b",
    "arange(5)*x",
    "-X[0]",
    "clip(X, -1, 1)",
]

# what has no words of its own is written with others
MEANT = [
    "X @ (A @ b)", "slogdet(A)[1]", "X[-1]", "X[[True, False, True, False]]", "T[..., 1]", "T @ v", "solve(A, b)", "~(X > 0)", "all(X > 0)", "argmax(X)", "X[argmax(v)]",
    "cumprod(v)", "diff(v)", "prod(X, axis=0)", "tril(A)", "triu(A, 1)", "trace(A)", "logdet(S)", "slogdet(A)", 'einsum("ij,jk->ik", X, A)',
    'einsum("ii->i", A)', "outer(v, b)", "cross(b, b + 1)", "softmax(X)", "log_softmax(X, axis=0)", "cross_entropy(X, [0, 1, 2, 1])",
    "cross_entropy(b, 1)", 'nll(X, [0, 1, 2, 1], reduction="sum")', "huber(v, 0.5)", "bce_with_logits(v, 1)", "linspace(0, 1, 5)*x",
    "interp(x, [0, 1, 2], [3, 4, 5])", "polyval(v, x)", "trapezoid(v)", "reshape(x, 1, 1)", "var(X, axis=0)", "std(v)", "mean(X > 0)", "v.shape",
    "X if x > 0 else b", "where(x > 0, 1, 2) + zeros(3)", "x*ones(3)", "(x > 0) & (X > 0)", "-(x*ones(3))",
]  # fmt: skip

# their gradients are made of ops that the language has words for
GRADIENTS = [
    "sum((X + b)**2)", "sum((c*b)**2)", "sum(X @ A @ b)", "v @ v", "sum(inv(A))", "sum(solve(A, b))", "sum(X[1:3, 0]**2)", "sum(cumsum(v)**2)",
    "sum(diff(v)**2)", "prod(v)", "var(X)", "sum(T**2, axis=(0, 1)) @ v", "sum(diag(v) @ X)", "trace(A @ A)", "sum(where(X > 0, X**2, b))",
    "mse(v, 1)", "sum(stack([b, b**2], axis=1))", "sum(concatenate([v, b])**2)", "sum(transpose(T, 1, 2, 0)**2)", "sum(reshape(X, 2, 6)**2)",
]  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_text_of_arrays_has_no_bracket_too_many(written: str) -> None:
    assert texts(read(written, VALUES).fn) == [written]


@pytest.mark.parametrize("written", [*WRITTEN, *MEANT])
def test_text_of_arrays_reads_back_to_the_same_values(written: str) -> None:
    fn = read(written, VALUES).fn
    (found,), (again,) = point.evaluate(fn, VALUES), point.evaluate(read(texts(fn)[0], VALUES).fn, VALUES)
    assert same(again, found)


@pytest.mark.parametrize("written", GRADIENTS)
def test_gradients_of_arrays_read_back(written: str) -> None:
    fn = read(written, VALUES).fn
    derivative = gradient(fn, [name for name, _ in fn.params])
    for text, found in zip(texts(derivative), point.evaluate(derivative, VALUES), strict=True):
        assert same(point.evaluate(read(text, VALUES).fn, VALUES)[0], found, 1e-14), text


def test_every_array_op_of_the_table_has_a_text() -> None:
    """Ops that only derivatives make may have none: they are said here by name."""
    unspoken = {"argsort", "cofactor", "nothing", "scatter", "scatter_along"}
    arrays = {op.name for op in OPS.values() if op.rule in ("linear", "tensor", "reduce", "leaf")}
    spoken = {op.name for op in OPS.values() if op.spell or op.name in FORMS}
    assert arrays <= spoken | unspoken
    assert not spoken & unspoken
