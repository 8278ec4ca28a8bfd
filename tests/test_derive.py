"""Derivatives at ordinary and at singular points, in both directions and of second order."""

from __future__ import annotations

import math

import pytest
from mpmath import mp

import programs
from autodiff_cli.derive import gradient, taylor
from autodiff_cli.program import compile
from autodiff_cli.run import point

NAN, INF = math.nan, math.inf

# text, point, value and gradient as language.md's section on kinks and zeros has them
POINTS = [
    ("x*y+x**2", {"x": 2, "y": 3}, [10, 7, 2]),
    ("max(sqrt(x*x+y*y), 1e-10)", {"x": 0, "y": 0}, [1e-10, 0, 0]),
    ("sqrt(x) if x > 0 else 0", {"x": 0}, [0, 0]),
    ("where(d==0, 0, n/d)", {"n": 2, "d": 0}, [0, 0, 0]),
    ("where(t>=0, k*log(t), 0)", {"k": 1.5, "t": -1}, [0, 0, 0]),
    ("where(x==0, 0, x*sqrt(x))", {"x": 0}, [0, 0]),
    ("where(g<1, g, sqrt(g))", {"g": 0}, [0, 1]),
    ("where(s<0, 1/(2-s), log(s+1))", {"s": -1}, [1 / 3, 1 / 9]),
    ("4.0 if x == 2 else x**2", {"x": 2}, [4, 0]),
    ("s = sqrt(x); s if x > 0 else 0", {"x": 0}, [0, 0]),
    ("where(x==0, 1+x/2+x**2/6, expm1(x)/x)", {"x": 0}, [1, 0.5]),
    ("max(t, 0)", {"t": 0}, [0, 0.5]),
    ("max(t, 0) + min(t, 0)", {"t": 0}, [0, 1]),
    ("max(p, 1)", {"p": NAN}, [NAN, NAN]),
    ("max(1, p, q)", {"p": NAN, "q": 3}, [NAN, NAN, 0]),
    ("max(z, z)", {"z": -3}, [-3, 1]),
    ("max(a, b, c)", {"a": 1, "b": 1, "c": 1}, [1, 1 / 3, 1 / 3, 1 / 3]),
    ("abs(k)", {"k": 0}, [0, 0]),
    ("relu(x)", {"x": 0}, [0, 0]),
    ("sqrt(relu(x))", {"x": -10}, [0, 0]),
    ("clip(p, 0, 1)", {"p": 0}, [0, 1]),
    ("clip(p, 0, 50)", {"p": NAN}, [NAN, NAN]),
    ("log(x)", {"x": -4}, [NAN, NAN]),
    ("sqrt(x)**2", {"x": 0}, [0, NAN]),
    ("0*x + 1", {"x": NAN}, [NAN, 0]),
    ("x**1", {"x": INF}, [INF, 1]),
    ("n/n", {"n": 0}, [NAN, NAN]),
    ("n/n", {"n": 3}, [1, 0]),
    ("0/x", {"x": 0}, [NAN, 0]),
    ("x**y", {"x": -2, "y": 3}, [-8, 12, NAN]),
    ("a/b", {"a": 1e-200, "b": 1e-200}, [1, 1e200, -1e200]),
    ("a/b", {"a": 1e200, "b": 1e200}, [1, 1e-200, -1e-200]),
    ("tanh(a)", {"a": 20}, [1, 1.6993417021166355e-17]),
    ("detach(x)*x", {"x": 3}, [9, 3]),
    ("a < b", {"a": 1, "b": 2}, [1, 0, 0]),
    ("(x > 0)*x", {"x": 2}, [2, 1]),
    ("x and y", {"x": 2, "y": 3}, [3, 0, 1]),
    ("x or y", {"x": 2, "y": 3}, [2, 1, 0]),
    ("x if x > 1 and x < 3 or x > 5 else 2*x", {"x": 4}, [8, 2]),
    ("fmod(m, n)", {"m": -23, "n": 4}, [-3, 1, 5]),
    ("atan(r)", {"r": INF}, [math.pi / 2, 0]),
]


@pytest.mark.parametrize(("text", "point", "expected"), POINTS, ids=[f"{t} @ {p}" for t, p, _ in POINTS])
def test_gradients_in_both_directions(text: str, point: dict[str, float], expected: list[float]) -> None:
    """Value and gradient, by reverse and by forward mode."""
    point = {name: float(v) for name, v in point.items()}
    for found in (programs.reverse(text, point), programs.forward(text, point)):
        assert len(found) == len(expected)
        assert all(map(programs.alike, found, expected)), found


SECOND = [
    ("max(x, 0)**2", {"x": 0}, [[0.5]]),
    ("relu(x)**2", {"x": 0}, [[0]]),
    ("relu(1-m)**2", {"m": 0.25}, [[2]]),
    ("abs(t)", {"t": 0}, [[0]]),
    ("x*y", {"x": 5, "y": 2}, [[0, 1], [1, 0]]),
    ("x**2*y**2*p**2", {"x": 1.5, "y": 2, "p": 3}, [[72, 108, 72], [108, 40.5, 54], [72, 54, 18]]),
    ("(1-x)**2 + 100*(y-x**2)**2", {"x": 0, "y": 0}, [[2, 0], [0, 200]]),
    ("where(x==0, 1+x/2+x**2/6, expm1(x)/x)", {"x": 0}, [[1 / 3]]),
    ("logaddexp(a, b)", {"a": 0, "b": 900}, [[0, 0], [0, 0]]),
    ("log(x)", {"x": -4}, [[NAN]]),
    ("3*x - 7", {"x": 1.5}, [[0]]),
]


@pytest.mark.parametrize(("text", "point", "expected"), SECOND, ids=[f"{t} @ {p}" for t, p, _ in SECOND])
def test_second_derivatives(text: str, point: dict[str, float], expected: list[list[float]]) -> None:
    """The Hessian, by push over pull."""
    found = programs.hessian(text, {name: float(v) for name, v in point.items()})
    assert all(programs.alike(a, b) for row, want in zip(found, expected, strict=True) for a, b in zip(row, want, strict=True)), found


def test_order_ten_stays_small() -> None:
    """Repeated push does not double the graph: order 10 of exp(sin(x)), its value, and its node count."""
    fn = programs.read("exp(sin(x))").fn
    series = taylor(fn, "x", 10)
    with mp.workdps(40):
        exact = mp.diffs(lambda x: mp.exp(mp.sin(x)), 1, 10)
        for found, want in zip(programs.derivatives("exp(sin(x))", "x", 10, {"x": 1.0}), exact, strict=True):
            assert found == pytest.approx(float(want), rel=1e-12)
    assert len(compile(series).fn.nodes) == 272


def test_order_ten_of_a_quotient() -> None:
    """The n-th derivative of 1/(1+x) is (-1)^n n!/(1+x)^(n+1)."""
    series = taylor(programs.read("1/(1+x)").fn, "x", 10)
    wanted = [(-1) ** n * math.factorial(n) / 2 ** (n + 1) for n in range(11)]
    assert [float(v) for v in point.evaluate(series, {"x": 1.0})] == pytest.approx(wanted, rel=1e-14)
    assert len(compile(series).fn.nodes) == 635


def test_a_branch_runs_once_and_only_where_it_is_taken() -> None:
    """Forward and reverse share a branch's work, and the other branch does not run."""
    from autodiff_cli.run import floats

    fn = gradient(programs.read("exp(sin(x)) if x > 0 else cosh(x)*sinh(x)").fn, ["x"])
    ran = floats.trace(compile(fn), {"x": 1.0})
    names = [compile(fn).fn.nodes[i].op.name for i in ran]
    assert names.count("exp") == 1
    assert names.count("sin") == 1
    assert not {"cosh", "sinh"} & set(names)


def test_shared_work_is_one_node() -> None:
    """The derivative of a diamond meets the forward nodes: one sine, one cosine, one exponential."""
    fn = gradient(programs.read("sin(t)*exp(sin(t)) + sin(t)**2").fn, ["t"])
    names = [node.op.name for node in compile(fn).fn.nodes]
    assert [names.count(n) for n in ("sin", "cos", "exp")] == [1, 1, 1]


def test_a_name_that_is_differentiated_by_is_its_own_variable() -> None:
    """`a = x` makes a second variable, also while it holds the same value."""
    from autodiff_cli.run import floats

    fn = programs.read("a = x; x*a", {"x": 3.0}, ("a", "x")).fn
    assert floats.evaluate(gradient(fn, ["a"]), {"x": 3.0}) == [9.0, 3.0]
    assert floats.evaluate(gradient(fn, ["x"]), {"x": 3.0}) == [9.0, 6.0]
