"""Every array function at random shapes: against NumPy, autograd and differences, first and second order, forward and reverse.

A text of the language means what it means in Python with NumPy, so the text itself is its own reference.
"""

from __future__ import annotations

import re
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

import oracle
import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.graph import Fn, Graph
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.run import floats, point
from autodiff_cli.types import Type
from programs import read

SEEDS = range(3)

# the text and the axes of its variables: letters are sizes drawn at random, digits are sizes.
# P and Q are positive, S is symmetric and positive definite, K are places, the others any numbers.
TABLE = """
sum(X)                                  | X:nm
sum(X, axis=0)                          | X:nm
sum(T, axis=(0, 2))                     | T:nmk
sum(X, axis=-1, keepdims=True)*X        | X:nm
mean(X)                                 | X:nm
mean(T, axis=1)                         | T:nmk
var(X, axis=0)                          | X:3m
var(X, ddof=1)                          | X:3m
std(X, axis=1)                          | X:n3
std(v, ddof=1)                          | v:4
prod(X)                                 | X:nm
prod(X, axis=0)                         | X:nm
prod(v)                                 | v:5
max(X)                                  | X:nm
max(X, axis=0)                          | X:nm
min(X, axis=1, keepdims=True)*X         | X:nm
amax(X, axis=0) - amin(X, axis=0)       | X:nm
max(X, b)                               | X:nm b:m
min(X, 0.1)                             | X:nm
maximum(X, b) - minimum(X, b)           | X:nm b:m
sort(v)                                 | v:n
sort(X, axis=0)                         | X:nm
argmax(v)*v                             | v:n
argmin(X, axis=1)*ones(2)[0]*X[0, 0]    | X:nm
any(X > 0.2, axis=0)*X                  | X:nm
all(X > -1)*X                           | X:nm
norm(X)                                 | X:nm
norm(X, axis=1)                         | X:nm
norm(v, ord=1)                          | v:n
norm(v, ord=inf)                        | v:n
norm(v, ord=3)                          | v:n
dot(v, w)                               | v:n w:n
dot(X, Y)                               | X:nm Y:mk
inner(X, Y)                             | X:nm Y:km
outer(v, w)                             | v:n w:m
cross(v, w)                             | v:3 w:3
cross(X, Y)                             | X:n3 Y:n3
matmul(X, Y)                            | X:nm Y:mk
X @ Y                                   | X:nm Y:mk
X @ v                                   | X:nm v:m
v @ X                                   | v:n X:nm
v @ w                                   | v:n w:n
T @ X                                   | T:knm X:mj
T @ U                                   | T:knm U:kmj
T @ v                                   | T:knm v:m
einsum("ij,jk->ik", X, Y)               | X:nm Y:mk
einsum("ij,j->i", X, v)                 | X:nm v:m
einsum("ii->i", A)                      | A:nn
einsum("ii", A)                         | A:nn
einsum("ij->ji", X)                     | X:nm
einsum("ij,ij->", X, Y)                 | X:nm Y:nm
einsum("i,j,k->kij", v, w, u)           | v:n w:m u:k
einsum("bij,bjk->bik", T, U)            | T:knm U:kmj
einsum("ij,ik,j->k", X, Y, v)           | X:nm Y:nk v:m
trace(X @ Y)                            | X:nm Y:mn
det(A)                                  | A:33
det(A)                                  | A:22
det(A)*A                                | A:44
det(A)                                  | A:11
inv(A)                                  | A:33
inv(S)                                  | S:nn
solve(A, v)                             | A:33 v:3
solve(S, X)                             | S:nn X:nm
slogdet(S)[1]                           | S:nn
slogdet(A)                              | A:33
logdet(S)                               | S:nn
cholesky(S)                             | S:nn
transpose(X)*1                          | X:nm
transpose(T, 2, 0, 1)                   | T:nmk
X.T @ X                                 | X:nm
reshape(X, 3, -1)                       | X:3m
reshape(T, n0*2, 3)*1                   | T:n23
ravel(X)                                | X:nm
concatenate([v, w])                     | v:n w:m
concatenate([X, Y], axis=1)             | X:nm Y:nk
stack([v, w])                           | v:n w:n
stack([X, Y, X], axis=2)                | X:nm Y:nm
[v, w]                                  | v:n w:n
[[x, y], [y, 1]]                        | x: y:
diag(v)                                 | v:n
diag(X)                                 | X:nm
tril(X)                                 | X:nm
triu(X, 1)                              | X:nm
tril(T, -1)                             | T:knm
eye(n0) @ X                             | X:nm
zeros(2, 3) + x                         | x:
ones(3)*x                               | x:
full((2, 3), x)                         | x:
full(3, x)                              | x:
arange(5)*x                             | x:
arange(1, 2, 0.25)*x                    | x:
linspace(0, 1, 7)*x                     | x:
linspace(x, y, 5)                       | x: y:
randn(3, seed=1)*x                      | x:
rand(2, 2, seed=4)*x                    | x:
cumsum(X, axis=1)                       | X:nm
cumsum(X)                               | X:nm
cumprod(v)                              | v:n
cumprod(X, axis=0)                      | X:nm
diff(v)                                 | v:4
diff(X, n=2, axis=0)                    | X:4m
where(X > 0, X, sin(X))                 | X:nm
where(X > 0, v, 0)                      | X:nm v:m
X if X < b else b**2                    | X:nm b:m
X if x > 0 else X**2                    | X:nm x:
shape(X)[0]*X                           | X:nm
len(X)*X                                | X:nm
trapezoid(v)                            | v:4
trapezoid(v, dx=0.5)                    | v:4
trapezoid(v, w)                         | v:4 w:4
trapezoid(X, axis=0)                    | X:3m
interp(x, [-9, 0, 9], v)                | x: v:3
interp(X, [-9, 0, 9], [1, 2, 4])        | X:nm
polyval(v, x)                           | v:n x:
polyval(v, X)                           | v:3 X:nm
softmax(X)                              | X:nm
softmax(X, axis=0)                      | X:nm
log_softmax(X)                          | X:nm
log_softmax(v)                          | v:n
logsumexp(X)                            | X:nm
logsumexp(X, axis=1)                    | X:nm
logsumexp(X, axis=0, keepdims=True)*X   | X:nm
mse(X, Y)                               | X:nm Y:nm
mse(X, b, reduction="sum")              | X:nm b:m
mae(X, Y)                               | X:nm Y:nm
mae(x, y)                               | x: y:
huber(X, Y)                             | X:nm Y:nm
huber(X, 0.1, delta=0.5, reduction="none") | X:nm
cross_entropy(X, [2, 0])                | X:23
cross_entropy(v, 1)                     | v:3
cross_entropy(X, Y)                     | X:nm Y:nm
cross_entropy(X, [1, 0, 1], axis=0)     | X:23
cross_entropy(T, [[1, 0], [0, 1]], axis=1) | T:222
nll(X, [2, 0], reduction="none")        | X:23
nll(X, Y)                               | X:nm Y:nm
binary_cross_entropy(P/9, Q/9)          | P:nm Q:nm
binary_cross_entropy_with_logits(X, P/9) | X:nm P:nm
X + b                                   | X:nm b:m
c*r                                     | c:n1 r:1m
x*X - X/y                               | x: y: X:nm
P**b                                    | P:nm b:m
X**2 + X**3                             | X:nm
X[0]                                    | X:nm
X[-1, 0]                                | X:nm
X[1:, ::-1]                             | X:3m
X[::2, None, 0]                         | X:4m
T[..., 0]                               | T:nmk
v[[2, 0, 0]]                            | v:4
X[[0, 2], [1, 1]]                       | X:33
X[:, [1, 0, 1]]                         | X:n2
X[[True, False, True]]                  | X:3m
X[argmax(v)]                            | X:nm v:n
v[K]                                    | v:4 K:
X[:, K]**2                              | X:n4 K:
X[K]                                    | X:4m K:n
X[:, K]                                 | X:n4 K:km
""".strip().splitlines()
ROWS = [tuple(part.strip() for part in line.rsplit("|", 1)) for line in TABLE]


def drawn(text: str, axes: str, seed: int) -> tuple[str, dict[str, Any]]:
    """The text with the sizes it asks for, and values of its variables."""
    random = np.random.default_rng([seed, *map(ord, text)])
    sizes: dict[str, int] = {}
    values: dict[str, Any] = {}
    for name, letters in (part.split(":") for part in axes.split()):
        shape = tuple(int(c) if c.isdigit() else sizes.setdefault(c, int(random.integers(1, 5))) for c in letters)
        entries = random.normal(size=shape)
        if name in "PQ":
            entries = random.uniform(0.5, 4.0, size=shape)
        if name == "K":
            entries = random.integers(0, 2, size=shape).astype(float)
        if name == "S":
            entries = entries @ entries.T + 2 * np.eye(len(entries))
        values[name] = entries if shape else float(entries)
    return text.replace("n0", str(sizes.get("n"))), values


EVERY = [pytest.param(*drawn(text, axes, seed), id=f"{text} | {axes} {seed}") for text, axes in ROWS for seed in SEEDS]


def moving(fn: Fn, values: dict[str, Any]) -> list[str]:
    """The variables that the function reads and that are no places."""
    return [name for name in values if name in dict(fn.params) and name != "K"]


def near(found: Any, expected: Any, rel: float) -> bool:
    """Of one shape, and equal within `rel` of the largest entry."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return found.shape == expected.shape and bool(np.abs(found - expected).max(initial=0.0) <= rel * size)


@pytest.mark.parametrize(("text", "values"), EVERY)
def test_forward_reverse_and_differences_agree(text: str, values: dict[str, Any]) -> None:
    fn = read(text, values).fn
    random = np.random.default_rng(7)
    weights = random.normal(size=np.shape(point.evaluate(fn, values)[0]))
    names = moving(fn, values)
    reverse = point.evaluate(gradient(tensors.weighed(fn, 0), names), {**values, tensors.E: weights})
    for name, slope in zip(names, reverse[1:], strict=True):
        direction = random.normal(size=np.shape(values[name]))
        pushed = tensors.forward(fn, values, name, direction)
        assert np.shape(slope) == np.shape(values[name])
        assert near(pushed, tensors.difference(fn, values, name, direction), 1e-6)
        assert near(np.sum(slope * direction), np.sum(pushed * weights), 1e-12)


@pytest.mark.parametrize(("text", "values"), EVERY)
def test_second_order_by_both_modes_and_differences_agree(text: str, values: dict[str, Any]) -> None:
    """Push over pull, pull over pull, and differences of the gradient."""
    fn = read(text, values).fn
    random = np.random.default_rng(8)
    outer = {**values, tensors.E: random.normal(size=np.shape(point.evaluate(fn, values)[0]))}
    names = moving(fn, values)
    first = gradient(tensors.weighed(fn, 0), names)
    for k, name in enumerate(names, 1):
        weights, direction = (random.normal(size=np.shape(values[name])) for _ in range(2))
        inner = _renamed(first, k, outer, weights)
        pushed = tensors.forward(inner, {**outer, "@w": weights}, name, direction)
        pulled = point.evaluate(gradient(inner, [name]), {**outer, "@w": weights})[1]
        found = np.sum(tensors.difference(first, outer, name, direction, k) * weights)
        assert near(pushed, found, 1e-5)
        assert near(np.sum(pulled * direction), pushed, 1e-11)


def _renamed(fn: Fn, k: int, values: dict[str, Any], weights: Any) -> Fn:
    """The sum of result k times weights of a name of their own."""
    from autodiff_cli.ops.linear import add_up

    graph, outs, _ = fn.only(k).open()
    w = graph.param("@w", Type("real", np.shape(weights)))
    assert set(dict(fn.params)) <= set(values)
    total = add_up(outs[0] * w, tuple(range(np.ndim(weights))))
    return Fn(graph, (*fn.params, ("@w", w.type)), [total], ["total"])


def _two(reduce: Any, pair: Any) -> Any:
    """`max` and `min`: of several arguments entry by entry, of one over axes."""
    return lambda x, *more, **axis: pair(x, *more) if more else reduce(x, **axis)


def _norm(x: Any, ord: Any = 2, axis: Any = None) -> Any:
    x = anp.ravel(x) if axis is None else x
    return anp.max(anp.abs(x)) if ord == np.inf else anp.sum(anp.abs(x) ** ord, axis=axis) ** (1 / ord)


def _logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return anp.log(anp.sum(anp.exp(x), axis=axis, keepdims=keepdims))


def _averaged(x: Any, reduction: str = "mean") -> Any:
    return {"mean": anp.mean, "sum": anp.sum, "none": lambda y: y}[reduction](x)


def _likelihood(scores: Any, targets: Any, axis: int = -1, reduction: str = "mean") -> Any:
    if np.shape(targets) != np.shape(scores):
        classes = np.shape(scores)[axis]
        targets = np.moveaxis(np.eye(classes)[np.array(targets)], -1, axis)
    return _averaged(-anp.sum(targets * scores, axis=axis), reduction)


def _log_softmax(x: Any, axis: int = -1) -> Any:
    return x - _logsumexp(x, axis, keepdims=True)


def _huber(x: Any, y: Any, delta: float = 1, reduction: str = "mean") -> Any:
    r = x - y
    return _averaged(anp.where(anp.abs(r) <= delta, r**2 / 2, delta * (anp.abs(r) - delta / 2)), reduction)


PYTHON: dict[str, Any] = {
    **{name: getattr(anp, name) for name in FUNCTIONS if hasattr(anp, name)},
    **{name: getattr(anp.linalg, name) for name in ("det", "inv", "solve", "cholesky")},
    "binary_cross_entropy": lambda p, t: anp.mean(-t * anp.log(p) - (1 - t) * anp.log(1 - p)),
    "binary_cross_entropy_with_logits": lambda z, t: anp.mean(anp.log(1 + anp.exp(z)) - z * t),
    "cholesky": lambda S: anp.linalg.cholesky((S + S.T) / 2),
    "cross_entropy": lambda z, t, axis=-1: _likelihood(_log_softmax(z, axis), t, axis),
    "full": lambda shape, x: x * np.ones(shape),
    "huber": _huber,
    "inf": np.inf,
    "len": lambda x: float(len(x)),
    "linspace": lambda a, b, n: a + (b - a) * np.arange(n) / (n - 1),
    "log_softmax": _log_softmax,
    "logdet": lambda S: anp.linalg.slogdet(S)[1],
    "logsumexp": _logsumexp,
    "mae": lambda x, y: anp.mean(anp.abs(x - y)),
    "max": _two(anp.max, anp.maximum),
    "maximum": anp.maximum,
    "min": _two(anp.min, anp.minimum),
    "minimum": anp.minimum,
    "mse": lambda x, y, reduction="mean": _averaged((x - y) ** 2, reduction),
    "nll": _likelihood,
    "norm": _norm,
    "polyval": lambda p, x: sum(c * x ** (len(p) - 1 - k) for k, c in enumerate(p)),
    "rand": lambda *shape, seed: np.random.default_rng(seed).random(shape),
    "randn": lambda *shape, seed: np.random.default_rng(seed).standard_normal(shape),
    "reshape": lambda x, *shape: anp.reshape(x, shape),
    "slogdet": lambda A: anp.array(list(anp.linalg.slogdet(A))),
    "softmax": lambda x, axis=-1: anp.exp(_log_softmax(x, axis)),
    "zeros": lambda *shape: np.zeros(shape),
    "transpose": lambda x, *axes: anp.transpose(x, axes or None),
    "trapezoid": lambda y, x=None, dx=1, axis=-1: np.trapezoid(y, x, dx=dx, axis=axis),
}
ALONE = (  # what autograd has no derivative of, or a wrong one
    " if ", "X[[True", "X[argmax(v)]", "[[x", "cross(X", "cumprod", "diag(X)", '"ii', "interp", "ord=inf", "sort(X", "trapezoid", "tril(T", "triu", "where(X > 0, v",
)  # fmt: skip


def _python(text: str, values: dict[str, Any]) -> Any:
    listed = re.sub(r"^(\[.*\])$", r"stack(\1)", text) if "[[x" not in text else text
    places = {"K": np.asarray(values["K"]).astype(int)} if "K" in values else {}
    return eval(listed, {**PYTHON, **values, **places})  # noqa: S307 (the texts of the table)


@pytest.mark.parametrize(("text", "values"), EVERY)
def test_values_are_those_of_numpy(text: str, values: dict[str, Any]) -> None:
    if " if " in text:
        left, condition, right = re.split(r" if | else ", text)
        text = f"where({condition}, {left}, {right})"
    assert near(point.evaluate(read(text, values).fn, values)[0], _python(text, values), 1e-12)


@pytest.mark.parametrize(("text", "values"), [p for p in EVERY if not any(word in str(p.values[0]) for word in ALONE)])
def test_gradients_are_those_of_autograd(text: str, values: dict[str, Any]) -> None:
    fn = read(text, values).fn
    names = moving(fn, values)
    weights = np.random.default_rng(9).normal(size=np.shape(point.evaluate(fn, values)[0]))
    found = point.evaluate(gradient(tensors.weighed(fn, 0), names), {**values, tensors.E: weights})
    for name, slope in zip(names, found[1:], strict=True):

        def total(x: Any, name: str = name) -> Any:
            return anp.sum(weights * _python(text, {**values, name: x}))

        assert near(slope, autograd.grad(total)(values[name]), 1e-11)


def test_the_table_has_every_array_function() -> None:
    written = set(re.findall(r"[a-z_]+", " ".join(text for text, _ in ROWS)))
    arrays = {op.name for op in FUNCTIONS.values() if op.rule not in ("elementwise", "composite", "structured")}
    assert not arrays - written


@pytest.mark.parametrize("case", oracle.cases(), ids=lambda case: case.op.name)
def test_every_op_works_entry_by_entry_on_matrices(case: oracle.Case) -> None:
    """Value and partials over a matrix are those of each entry."""
    columns = np.array(oracle.points(case, 8)).T
    columns = columns[:, : 2 * (columns.shape[1] // 2)]
    shape = (2, columns.shape[1] // 2)
    graph = Graph()
    inputs = [graph.param(name, Type("real", shape)) for name in case.names]
    matrix = Fn(graph, [(name, x.type) for name, x in zip(case.names, inputs, strict=True)], [case.op(*inputs, attr=case.attr)], ["value"])
    names = [case.names[k] for k in case.smooth]
    found = point.evaluate(
        gradient(tensors.weighed(matrix, 0), names),
        {**dict(zip(case.names, columns.reshape(-1, *shape), strict=True)), tensors.E: np.ones(shape)},
    )
    each = [floats.evaluate(gradient(case.fn, names), dict(zip(case.names, column, strict=True))) for column in columns.T.tolist()]
    for slope, expected in zip(found[1:], np.array(each, float).T[1:], strict=True):
        assert np.allclose(slope.ravel(), expected, rtol=1e-11, atol=1e-300, equal_nan=True)
    values = point.evaluate(matrix, dict(zip(case.names, columns.reshape(-1, *shape), strict=True)))[0]
    assert np.allclose(values.ravel(), np.array(each, float)[:, 0], rtol=1e-11, atol=1e-300, equal_nan=True)
