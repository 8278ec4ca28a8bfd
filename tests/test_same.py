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
    ("erfinv(erf(x))", "x"),
    ("atanh(tanh(x))", "x"),
    ("logit(sigmoid(x))", "x"),
    ("ndtri(ndtr(x))", "x"),
    ("x if erf(x) < 1 else 0", "x"),
]
DIFFERENT = [
    ("x**2", "x**3", "value"),
    ("x*y", "x*y + 1e-30", "value"),
    ("sin(x)", "sin(x + 1e-20)", "value"),
    ("x/x", "1", "domain"),
    ("sqrt(x)**2", "x", "domain"),
    ("log(x**2)", "2*log(x)", "domain"),
    ("asin(sin(x))", "x", "value"),
    ("atanh(cos(x))", "atanh(cos(x)) if x != 0 else 1", "domain"),
    ("detach(x)*x", "x*x", "slope"),
    ("x < 1", "x <= 1", "value"),
    ("[x, y]", "[y, x]", "value"),
    ("[x, y]", "x + y", "shape"),
    ("[x]", "x", "shape"),
    ("x < y", "[x < y]", "shape"),
    ("x if x < 400 else 0", "x", "value"),
    ("pi", "22/7", "value"),
    ("log(x)", "log(-x)", "domain"),
    ("1 if x > 0.123 else 0", "1 if x > 0.124 else 0", "value"),
    ("x if x < 1e6 else 0", "x", "value"),
    ("x if x > -1000 else 0", "x", "value"),
    ("x if x < 3.7 or x > 3.71 else 0", "x", "value"),
    ("x if x**3 < 41.7 or x**3 > 41.8 else 0", "x", "value"),
    ("1 if x*y == 6 else 0", "0", "value"),
    ("1 if x + y == 17.25 else 0", "0", "value"),
    ("sin(x)*1e-55 + x", "x", "value"),
    ("1/(1 + exp(-1000*x))", "heaviside(x)", "value"),
    ("sqrt(x) if x > 0 else 0", "sqrt(max(x, 0)) + (0 if x < 250 else x - 250)", "value"),
]
ROUNDING = [
    ("gamma(x)*gamma(1 - x)", "pi/sin(pi*x)"),
    ("tan(pi*x)", "tanpi(x)"),
    ("1/sinpi(x)", "1/sin(pi*x)"),
    ("floor(sin(pi*x)**2 + cos(pi*x)**2)", "1"),
    ("1 if sin(x)**2 + cos(x)**2 >= 1 else 0", "1"),
    ("sqrt(sin(x)**2 + cos(x)**2 - 1)", "0"),
]
ARRAYS = [("sum(softmax(v))", "1"), ("inv(A) @ A", "eye(2)"), ("A @ inv(A) @ v", "v"), ("sum(v) - v[0]", "v[1]")]


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


@pytest.mark.parametrize(("a", "b"), ROUNDING)
def test_rounding_is_no_difference(a: str, b: str) -> None:
    assert verdict(a, b).difference is None
    assert verdict(b, a).points >= 8


@pytest.mark.parametrize(("a", "b"), ARRAYS)
def test_rounding_of_arrays_is_no_difference(a: str, b: str) -> None:
    import numpy as np

    values = {"v": np.array([1.0, 2.0]), "A": np.array([[1.0, 2.0], [3.0, 4.0]])}
    found = [read(text, {name: value for name, value in values.items() if name in text}) for text in (a, b)]
    assert compare(found[0], found[1], values).difference is None


def test_values_beyond_float64_are_said_with_their_exponent() -> None:
    assert autodiff("same", "1/(1+exp(-1000*x))", "heaviside(x)").out == "not the same, at x=-1: values 5.07595889755e-435 and 0\n"


def test_what_differs_after_many_digits_is_said() -> None:
    assert autodiff("same", "sum(exp(v))", "sum(exp(v)) + 1e-70", "v=[1,2,3]").out.endswith(", which differ by 1e-70\n")


def test_matrices_are_shown_in_rows() -> None:
    assert autodiff("same", "A+1", "A", "A=[[1,2],[3,4]]").out.endswith(": values [[2, 3], [4, 5]] and [[1, 2], [3, 4]]\n")


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


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        ("n = 0\nt = 0\nwhile t < 1:\n    t += 0.1\n    n += 1\nn*x", "10*x", []),
        ("x if 0.1*3 == 0.3 else 2*x", "x", []),
        ("sum([x for k in range(n/0.1)])", "3*x", ["n=0.3"]),
    ],
)
def test_what_is_known_beforehand_is_decided_in_decimals(a: str, b: str, values: list[str]) -> None:
    """As everything else is that is compared: 0.1*3 is 0.3."""
    assert autodiff("same", a, b, *values).code == 0
