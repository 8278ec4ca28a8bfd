"""Two expressions are one function, or there is a point where they differ; never a false yes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.emit.derivation import alone
from autodiff_cli.equality import Verdict, compare
from autodiff_cli.equality.answer import answer
from autodiff_cli.equality.points import points
from autodiff_cli.formula import expressions
from console import autodiff
from programs import read
from strategies import expressions as texts

SAME = [
    ("(x + 1)**2", "x**2 + 2*x + 1"),
    ("sin(x)**2 + cos(x)**2", "1"),
    ("exp(x)*exp(y)", "exp(x + y)"),
    ("0.1*3*x", "0.3*x"),
    ("log(exp(x))", "x"),
    ("sqrt(x**2)", "abs(x)"),
    ("x + 0*y", "x"),
    ("max(x, y)", "x if x > y else y"),
    ("tanh(x)", "(exp(x) - exp(-x))/(exp(x) + exp(-x))"),
    ("1/(1 + exp(-x))", "sigmoid(x)"),
    ("x < y", "not x >= y"),
    ("[x + y, x]", "[y + x, x]"),
    ("sqrt(1 - x**2)", "sqrt((1 - x)*(1 + x))"),
    ("log(x - 10)", "log(2*x - 20) - log(2)"),
    ("s = 0\nfor k in range(3):\n    s += x**k\ns", "1 + x + x**2"),
    ("zeta(x)", "zeta(x, 1)"),
    ("pi", "acos(-1)"),
]
DIFFERENT = [
    ("x**2", "x**3", "value"),
    ("x*y", "x*y + 1e-30", "value"),
    ("sin(x)", "sin(x + 1e-20)", "value"),
    ("x/x", "1", "domain"),
    ("sqrt(x)**2", "x", "domain"),
    ("log(x**2)", "2*log(x)", "domain"),
    ("asin(sin(x))", "x", "value"),
    ("detach(x)*x", "x*x", "slope"),
    ("x < 1", "x <= 1", "value"),
    ("[x, y]", "[y, x]", "value"),
    ("[x, y]", "x + y", "value"),
    ("x if x < 400 else 0", "x", "value"),
    ("pi", "22/7", "value"),
    ("log(x)", "log(-x)", "domain"),
]


def verdict(a: str, b: str, values: dict[str, Any] | None = None, seed: int = 0) -> Verdict:
    return compare(read(a, values), read(b, values), values or {}, seed)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same(a: str, b: str) -> None:
    found = verdict(a, b)
    assert found.difference is None
    assert found.points >= (1 if not found.wrt and "x" not in a else 8)


@pytest.mark.parametrize(("a", "b", "kind"), DIFFERENT)
def test_not_the_same(a: str, b: str, kind: str) -> None:
    for one, other in ((a, b), (b, a)):
        found = verdict(one, other).difference
        assert found is not None
        assert found.kind == kind


def test_a_kink_where_only_the_slopes_differ_is_said() -> None:
    found = verdict("max(x, 0)", "relu(x)")
    assert found.difference is None
    assert found.at_kink is not None
    assert found.at_kink.point == {"x": 0}


def test_values_that_are_given_are_fixed() -> None:
    assert verdict("x**a", "x*x", {"a": 2.0}).difference is None
    assert verdict("x**a", "x*x", {"a": 3.0}).difference is not None
    assert verdict("x*a", "0.1*x", {"a": 0.1}).difference is None
    assert verdict("x*2", "x + x", {"x": 7.0}).points == 1


def test_arrays_and_conditions_by_value() -> None:
    import numpy as np

    v = np.array([1.0, 2.0, 3.0])
    assert verdict("sum(v**2)*x", "x*dot(v, v)", {"v": v}).difference is None
    assert verdict("sum(v)*x", "x*dot(v, v)", {"v": v}).difference is not None
    assert verdict("x if b else y", "x", {"b": True}).difference is None
    assert verdict("x if b else y", "x", {"b": False}).difference is not None


def test_nothing_in_common_is_never_a_yes() -> None:
    with pytest.raises(AutodiffError) as problem:
        answer(verdict("sqrt(-1 - x**2)", "log(-2 - x**2)"))
    assert problem.value.diagnostic.code == "no-common-point"
    assert problem.value.diagnostic.exit == 1


def test_few_points_are_said() -> None:
    report = answer(verdict("sqrt(-x**2)", "-sqrt(-x**2)"))
    assert [note.code for note in report.notes] == ["slope-at-kink", "few-points"] or "few-points" in [note.code for note in report.notes]


def test_the_same_seed_takes_the_same_points() -> None:
    one, again, other = ([p.values for p in points(["x", "y"], seed, 30)] for seed in (0, 0, 1))
    assert one == again != other


@given(texts)
def test_an_expression_is_the_same_as_itself_and_its_derivative_as_its_text(text: str) -> None:
    lowered = read(text)
    if lowered.free:
        assert compare(lowered, lowered, {}).difference is None
        assert compare(lowered, read(f"({text}) + 1"), {}).difference is not None or not compare(lowered, lowered, {}).points


def test_slopes_of_simplified_texts() -> None:
    one = "exp(-x**2)*sin(x)/(1 + x**2)"
    lowered = read(one)
    (text,) = alone(expressions(lowered.fn, ["x"])[0])
    assert verdict(text, f"deriv({one}, x)").difference is None


def test_the_command() -> None:
    assert autodiff("same", "x*2", "x + x").code == 0
    assert (
        autodiff("same", "x*2", "x", "--json").out
        == '{"same": false, "counterexample": {"x": 1.0}, "values": [2.0, 1.0], "gradients": [{"x": 2.0}, {"x": 1.0}]}\n'
    )
    assert autodiff("same", "x*2", "x").code == 1
    assert autodiff("same", "x*2", "y +").code == 3
    assert autodiff("same", "x*2").code == 2
