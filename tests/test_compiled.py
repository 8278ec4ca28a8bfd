"""The object for Python users: numbers, rows, shapes, conditions, pickles and the errors of wrong calls."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import autodiff_cli
from autodiff_cli.diagnostics import AutodiffError


def test_a_point() -> None:
    f = autodiff_cli.compile("x*y + x**2")
    assert f.names == f.wrt == ("x", "y")
    assert (f.value(x=2, y=3), f.grad(x=2, y=3), f.value_and_grad(x=2, y=3)) == (10.0, {"x": 7.0, "y": 2.0}, (10.0, {"x": 7.0, "y": 2.0}))


def test_rows() -> None:
    f = autodiff_cli.compile("x*y + 3*x", wrt="x")
    x = np.arange(4.0)
    assert f.value(x=x, y=2).tolist() == (5 * x).tolist()
    assert f.grad(x=x, y=2)["x"].tolist() == [5.0] * 4
    assert f.value(x=x[::2], y=np.array([1, 2])).tolist() == [0.0, 10.0]


def test_static_values_and_shapes() -> None:
    f = autodiff_cli.compile("sum(W*x) + round(k, n)", W=(2,), n=1)
    assert (f.names, f.wrt) == (("W", "x", "k"), ("W", "x", "k"))
    assert f.value(W=np.array([1.0, 2.0]), x=3.0, k=0.26) == pytest.approx(9.3)
    over = f.grad(W=np.array([[1.0, 2.0], [3.0, 4.0]]), x=np.array([3.0, 5.0]), k=0.0)
    assert (over["W"].tolist(), over["x"].tolist(), over["k"].tolist()) == ([[3.0, 3.0], [5.0, 5.0]], [3.0, 7.0], [0.0, 0.0])


def test_conditions() -> None:
    f = autodiff_cli.compile("x if p else -x")
    assert (f.grad(x=2, p=True), f.grad(x=2, p=False)) == ({"x": 1.0}, {"x": -1.0})
    assert f.grad(x=np.ones(2), p=np.array([True, False]))["x"].tolist() == [1.0, -1.0]


def test_it_can_be_sent_away() -> None:
    f: Any = pickle.loads(pickle.dumps(autodiff_cli.compile("a*x**n", wrt=["x"], n=3)))  # noqa: S301 (our own pickle)
    assert repr(f) == "compile('a*x**n', wrt=['x'], n=3)"
    assert f.grad(a=2.0, x=1.0) == {"x": 6.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autodiff_cli.compile("x +"), "."),
        (lambda: autodiff_cli.compile("speed*2").value(sped=1), "no variable `sped`"),
        (lambda: autodiff_cli.compile("x*y").value(x=1), "`y` has no value"),
        (lambda: autodiff_cli.compile("x", wrt="z").grad(x=1), "no variable `z`"),
        (lambda: autodiff_cli.compile("x*y").value(x=np.ones(2), y=np.ones(3)), "`x` has 2 rows and `y` has 3"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(AutodiffError, match=message):
        call()


def test_the_module_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'compute'"):
        autodiff_cli.compute  # noqa: B018 (it is the asking that fails)
