"""Arithmetic of many digits: the op table against mpmath's own differentiation, arrays, loops, and digits that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp

import oracle
import programs
from autodiff_cli.derive import gradient
from autodiff_cli.ops.arithmetic import detach
from autodiff_cli.program import compile
from autodiff_cli.run import digits, point
from autodiff_cli.run.settled import entries, settled

CASES = [case for case in oracle.cases() if case.op is not detach]
MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
VECTOR = np.array([0.3, -0.7, 1.2])
WANTED = 100
ARRAYS = [
    "sum(A @ v)", "det(A)", "sum(inv(A))", "sum(solve(A, v))", "logdet(A)", "sum(cholesky(A))", "norm(v)", "norm(v, 3)", "logsumexp(v)",
    "max(v)", "min(v)", "sum(sort(v)*[1, 2, 3])", "sum(cumsum(v)**2)", "prod(v)", "sum(A[0]*v)", "std(v)", "sum(softmax(v)*v)",
    "argmax(v)*sum(v)", "sum(where(v > 0, v**2, 3*v))", "sum([x**2 for x in v])", "sum(A[:, 1:]**2)", "sum(A.T @ A)", "mean(v*v)",
    "sum(concatenate([v, v**2])[1:4])", "dot(v, v)/sum(v)", "sum(outer(v, v)*A)", "trace(A @ A)", "sum(v[[0, 0, 2]]**2)",
    "h = zeros(3)\nfor x in v:\n    h = tanh(A @ h + x)\nsum(h**2)", "s = 0\nfor k in range(5):\n    s += sum(v)**k\ns",
    "x = sum(v)\nwhile x < 10:\n    x = x*2\nx", "sum(v) if max(v) > 1 else prod(v)",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.op.name for case in CASES])
def test_gradients_of_100_digits(case: oracle.Case) -> None:
    """Every op inside its sample intervals, against `mp.diff` of its value."""
    names = [case.names[k] for k in case.smooth]
    for xs in oracle.points(case, 1)[-1:]:
        values = dict(zip(case.names, xs, strict=True))
        found = digits.evaluate(gradient(case.fn, names), values, WANTED)[1:]
        with mp.workdps(WANTED):
            for k, slope in zip(case.smooth, found, strict=True):
                orders = tuple([int(j == k) for j in range(len(xs))])
                truth = mp.diff(lambda *ys: oracle.true_value(case, *ys), tuple(map(mp.mpf, xs)), orders)
                assert abs(slope - truth) <= abs(truth) * mp.mpf(10) ** -(WANTED - 15) + mp.mpf(10) ** -WANTED, (xs, k)


@pytest.mark.parametrize("text", ARRAYS)
def test_arrays_and_loops(text: str) -> None:
    """Values and gradients over arrays are those of float64, as far as that goes."""
    values: dict[str, Any] = {name: value for name, value in (("A", MATRIX), ("v", VECTOR)) if name in text}
    fn = gradient(programs.read(text, values).fn, list(values))
    for found, exact in zip(point.evaluate(fn, values), digits.evaluate(fn, values), strict=True):
        assert np.allclose(np.asarray(found, float), np.asarray(exact, float), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("text", ["det(A)", "sum(inv(A))", "sum(solve(A, v))", "sum(A @ v)", "logdet(A)", "norm(v)", "logsumexp(v)"])
def test_arrays_have_every_digit(text: str) -> None:
    """The gradient by an entry against differences of the value, 60 digits."""
    values: dict[str, Any] = {name: value for name, value in (("A", MATRIX), ("v", VECTOR)) if name in text}
    fn, (name, value) = programs.read(text, values).fn, next(iter(values.items()))
    slope = digits.evaluate(gradient(fn, [name]), values, 60)[1].flat[1]

    def moved(x: Any) -> Any:
        fresh = value.astype(object)
        fresh.flat[1] = x
        return digits.evaluate(fn, {**values, name: fresh}, mp.dps)[0]

    with mp.workdps(60):
        assert abs(slope - mp.diff(moved, mp.mpf(value.flat[1]))) < mp.mpf(10) ** -50


def test_singular_matrices() -> None:
    """Cofactors at any rank; no inverse."""
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    fn = programs.read("det(A)", {"A": singular}).fn
    value, slope = digits.evaluate(gradient(fn, ["A"]), {"A": singular})
    assert value == 0
    assert np.asarray(slope, float).tolist() == [[4, -2], [-2, 1]]
    assert all(mp.isnan(x) for x in entries(digits.evaluate(programs.read("inv(A)", {"A": singular}).fn, {"A": singular})[0]))


def test_places_that_are_not_there() -> None:
    """The same error as over float64."""
    values = {"v": VECTOR, "k": 7.0}
    with pytest.raises(Exception, match="there is no entry 7"):
        digits.evaluate(programs.read("v[k]", values).fn, values)


def test_texts_are_decimals_and_literals_too() -> None:
    fn = programs.read("0.1*x").fn
    assert mp.nstr(digits.evaluate(fn, {"x": "0.1"})[0], 40) == "0.01"
    with mp.workdps(60):
        assert digits.evaluate(fn, {"x": 0.1}, doubles=True)[0] == mp.mpf(0.1) ** 2


@pytest.mark.parametrize(
    ("text", "x", "truth"),
    [
        ("(1 - cos(x))/x**2", "1e-30", lambda x: mp.mpf(1) / 2 - x**2 / 24),
        ("exp(x) - 1 - x", "1e-40", lambda x: x**2 / 2 + x**3 / 6),
        ("x/(exp(x) - 1)", "1e-200", lambda x: 1 - x / 2),
        ("log(1 + exp(-x))", "800", lambda x: mp.log1p(mp.exp(-x))),
        ("sqrt(x**2 + 1) - x", "1e50", lambda x: 1 / (mp.sqrt(x**2 + 1) + x)),
        ("sin(x)", "1e30", mp.sin),
    ],
)
def test_digits_that_are_said_are_right(text: str, x: str, truth: Any) -> None:
    """Whatever cancels, 40 digits are asked for and 40 are right."""
    found = settled(programs.read(text).fn, {"x": x}, 40)
    assert not found.open
    with mp.workdps(400):
        exact = truth(mp.mpf(x))
        assert abs(found.results[0] - exact) <= abs(exact) * mp.mpf(10) ** -41


def test_zeros_that_never_settle_are_told() -> None:
    assert settled(programs.read("sin(pi)").fn, {}, 30).open == [0]
    assert settled(programs.read("x - x").fn, {"x": "0.1"}, 30).open == []


def test_few_bits_keep_their_inputs() -> None:
    """Steps are rounded to so many bits, and inputs are not."""
    program = compile(programs.read("x*1.5").fn)
    slots = digits.trace(program, {"x": 1 + 2.0**-52}, bits=20)
    assert slots[program.fn.outs[0]] == mp.mpf("1.5")
    assert slots[program.params[0][0]] > 1
