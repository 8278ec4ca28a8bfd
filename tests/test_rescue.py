"""Where float64 breaks down on the way, the numbers are right all the same; where there is none, it stays NaN or infinite."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import programs
from autodiff_cli.derive import gradient
from autodiff_cli.program import compile
from autodiff_cli.rescue import again, lost, note, repaired
from autodiff_cli.run.point import evaluate, watched
from console import autodiff

RIGHT: list[tuple[str, dict[str, Any], list[float]]] = [
    ("log(1+exp(a))", {"a": 800.0}, [800, 1]),
    ("log1p(exp(a))", {"a": 1e5}, [1e5, 1]),
    ("exp(u**2)*erfc(u)", {"u": 30.0}, [0.018795888861416751, -0.00062583541050748407]),
    ("sqrt(exp(-2*x))", {"x": 800.0}, [0, 0]),
    ("exp(-x)*exp(x)", {"x": 800.0}, [1, 0]),
    ("1+exp(-x)*exp(x-300)*exp(299)", {"x": 800.0}, [1 + math.exp(-1), 0]),
    ("log(exp(x)+exp(y))", {"x": 1000.0, "y": 1000.0}, [1000 + math.log(2), 0.5, 0.5]),
    ("exp(x)/(1+exp(x))", {"x": 1000.0}, [1, 0]),
    ("sqrt(x*x+y*y)", {"x": 3e200, "y": 4e200}, [5e200, 0.6, 0.8]),
    ("sqrt(x*x+y*y)", {"x": 3e-200, "y": 4e-200}, [5e-200, 0.6, 0.8]),
    ("gamma(x)/gamma(x-1)", {"x": 200.0}, [199, 1]),
    ("exp(-740)*exp(x)", {"x": 740.0}, [1, 1]),
    ("x**400/y**399", {"x": 10.0, "y": 10.0}, [10, 400, -399]),
]
TRUE = ["log(x)", "1/x", "x/x", "sqrt(x-1)", "asin(x+2)", "x**(-2)", "0*log(x)", "exp(1/x)"]


@pytest.mark.parametrize(("text", "values", "truth"), RIGHT, ids=[f"{text} at {values}" for text, values, _ in RIGHT])
def test_right_where_float64_breaks_down(text: str, values: dict[str, float], truth: list[float]) -> None:
    fn = gradient(programs.read(text).fn, list(values))
    results, odd = watched(compile(fn), values)
    assert odd
    found, notes = repaired(fn, values, list(values), results)
    assert [float(x) for x in found] == pytest.approx(truth, rel=1e-14, abs=1e-300)
    assert [n.code for n in notes] == ["rescued"] * len(notes)
    assert notes
    assert notes[0].labels


@pytest.mark.parametrize("text", TRUE)
def test_true_singularities_stay(text: str) -> None:
    fn = gradient(programs.read(text).fn, ["x"])
    results = evaluate(fn, {"x": 0.0})
    assert again(fn, {"x": 0.0}, results) is None


@pytest.mark.parametrize(
    ("text", "x"), [("x**2", 0.0), ("max(x-1, 0)", 1.0), ("sin(x)", 0.0), ("sigmoid(x)", -800.0), ("exp(x)", -800.0), ("floor(x)", 0.5)]
)
def test_zeros_that_are_right_are_left_alone(text: str, x: float) -> None:
    fn = gradient(programs.read(text).fn, ["x"])
    results = evaluate(fn, {"x": x})
    assert again(fn, {"x": x}, results) is None


def test_arrays() -> None:
    v = np.array([1000.0, 1000.0])
    fn = gradient(programs.read("log(sum(exp(v)))", {"v": v}).fn, ["v"])
    results, odd = watched(compile(fn), {"v": v})
    assert odd
    found = again(fn, {"v": v}, results)
    assert found is not None
    value, slope = found
    assert value == pytest.approx(1000 + math.log(2), rel=1e-15)
    assert slope.tolist() == [0.5, 0.5]


def test_loops() -> None:
    """A sum of exponentials, in a loop on data."""
    text = "s = 0\nfor k in range(3):\n    s += exp(x + k)\nlog(s)"
    fn = gradient(programs.read(text).fn, ["x"])
    found = again(fn, {"x": 800.0}, evaluate(fn, {"x": 800.0}))
    assert found == pytest.approx([800 + math.log(1 + math.e + math.e**2), 1], rel=1e-15)


def test_a_program_that_takes_too_long_stays_as_it_is() -> None:
    fn = programs.read("s = 0\nfor k in range(100000):\n    s += exp(x + k)\nlog(s)").fn
    assert again(fn, {"x": 800.0}, evaluate(fn, {"x": 800.0})) is None


def test_the_node_is_named_also_where_nothing_is_infinite() -> None:
    values = {"x": 800.0}
    fn = programs.read("1+exp(-x)*exp(x-300)*exp(299)").fn
    found = lost(fn, values)
    assert found is not None
    site = found[0].fn.sites[found[2]]
    assert site is not None
    assert site.span.text == "exp(-x)"
    new = again(fn, values, evaluate(fn, values))
    assert new is not None
    assert "exp(-800) is 0 in float64" in note(fn, values, [], evaluate(fn, values), new)[0].labels[0].text


def test_commands() -> None:
    """A point, rows, and what is switched off."""
    line = ["grad", "log(1+exp(a))", "--a", "800", "--json"]
    done = autodiff(*line)
    assert json.loads(done.out) == {"value": 800.0, "gradient": {"a": 1.0}}
    assert "softplus(a)" in done.err
    assert autodiff(*line, "--strict").code == 0
    never = autodiff(*line, "--rescue", "never")
    assert json.loads(never.out)["value"] == "Infinity"
    assert "not finite" in never.err
    assert json.loads(autodiff("hess", *line[1:]).out)["hessian"] == {"a": {"a": 0.0}}


def test_rows_up_to_a_thousand(tmp_path: Any) -> None:
    """More than 1,000 such rows stay as they are, unless it is asked for."""
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "".join(f"{710 + k}\n" for k in range(1200)))
    done = autodiff("eval", "log(1+exp(a))", str(path))
    assert done.out.count("inf") == 200
    assert "1,000 rows are computed with more digits" in done.err
    assert "200 rows more may need it" in done.err
    assert "inf" not in autodiff("eval", "log(1+exp(a))", str(path), "--rescue", "always").out
    assert autodiff("eval", "log(1+exp(a))", str(path), "--rescue", "never").out.count("inf") == 1200


@pytest.mark.parametrize(
    ("text", "x", "right"),
    [
        ("5 if isinf(exp(x)) else exp(x)/exp(x)", 800.0, [5, 0]),
        ("where(isnan(exp(x)/exp(x)), 7, 8)", 800.0, [7, 0]),
        ("isinf(exp(x))*x", 800.0, [800, 1]),
        ("sign(exp(-x))", 800.0, [0, 0]),
        ("5 if exp(-x) == 0 else x", 800.0, [5, 0]),
    ],
)
def test_what_a_program_decides_stays(text: str, x: float, right: list[float]) -> None:
    fn = gradient(programs.read(text).fn, ["x"])
    results = evaluate(fn, {"x": x})
    assert again(fn, {"x": x}, results) is None
    assert results == right


def test_entries_that_are_not_chosen_stay() -> None:
    v = np.array([1.0, 800.0])
    fn = programs.read("where(isinf(exp(v)), 5, exp(v)/exp(v))", {"v": v}).fn
    assert again(fn, {"v": v}, evaluate(fn, {"v": v})) is None


def test_constants_of_rules_are_exact() -> None:
    fn = gradient(programs.read("(erf(y)/y)*exp(x)/exp(x)").fn, ["y"])
    values = {"x": 800.0, "y": 1e-3}
    found = again(fn, values, evaluate(fn, values))
    assert found
    assert found[1] == pytest.approx(-0.00075225232671216942, rel=1e-15)


def test_overflow_in_a_long_loop() -> None:
    done = autodiff("grad", "s = 1\nfor i in range(400):\n    s = s*x\nfor i in range(400):\n    s = s/x\ns", "x=10", "--json")
    assert json.loads(done.out) == {"value": 1.0, "gradient": {"x": 0.0}}
