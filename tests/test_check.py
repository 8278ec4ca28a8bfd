"""`check`: every op and program passes, a rule that is wrong by a little does not, kinks and ill-conditioned points are told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from mpmath import mp

import oracle
import programs
import strategies
import test_random_arrays
from autodiff_cli.api import differentiable, understand
from autodiff_cli.checking import checked, exact
from autodiff_cli.checking.differences import slope
from autodiff_cli.checking.report import ILL, report
from autodiff_cli.checking.witness import witness
from autodiff_cli.diagnostics import Source
from console import ROOT, autodiff

CASES = [case for case in oracle.cases() if case.smooth]
W = np.random.default_rng(5).normal(size=(8, 4)) / 2
# Each example at a point; long ones with fewer turns.
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "activations": ({"x": 0.5}, {}),
    "branches": ({"weight": 3.0, "distance": 120.0}, {}),
    "bundle": (
        {
            "turn": np.array([0.1, -0.2, 0.3]), "place": np.array([0.1, 0.2, -4]), "f": 500.0, "k": np.array([0.01, 0.001]),
            "middle": np.array([320.0, 240]), "point": np.array([0.3, 0.4, 1]), "seen": np.array([341.0, 285]),
        },
        {},
    ),
    "implicit": ({"a": 2.0}, {}),
    "kmeans": ({"points": np.array([[0.0, 0], [0, 1], [4, 4], [5, 4]]), "centres": np.array([[0.0, 0], [5, 5]])}, {}),
    "lstm": ({"xs": np.array([[1.0, 0], [0, 1]]), "W": W, "b": np.array([0.0, 0, 1, 1, 0, 0, 0, 0])}, {}),
    "minors": ({"A": np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])}, {}),
    "mixture": (
        {
            "data": np.array([-1.2, -0.8, 0.1, 2.9]), "weights": np.zeros(2), "means": np.array([-1.0, 3]), "widths": np.zeros(2),
        },
        {},
    ),
    "newton": ({"a": 2.0}, {}),
    "particle": ({"w": 0.5}, {"range(8)": "range(1)", "h = 0.1": "h = 2"}),
    "rnn": (
        {"s": np.array([0, 0.5, 0.8, 0.9]), "W": np.array([[0.1, -0.2], [0.3, 0.2]]), "U": np.array([0.5, -0.4]), "V": np.array([1, 0.7])}, {},
    ),
    "runge_kutta": ({"angle": 1.0, "friction": 0.1}, {"0.001, 10_000": "0.1, 20"}),
    "saddle": ({"a": 0.5, "start": 1.0}, {"range(30)": "range(5)", "range(40)": "range(5)"}),
    "straight_through": ({"v": np.array([0.2, 0.7, 1.4]), "w": np.array([1.0, 2, 3])}, {}),
}  # fmt: skip
WRONG = "def f(x):\n    return x**2\n\n@derivative(f)\ndef _(x):\n    return {}*x\n\nf(x)*y"
PULLED = "def f(v):\n    return v**3\n\n@pullback(f)\ndef _(ct, v):\n    return {}*ct*v**2\n\nsum(f(v))"


def run(text: str, values: dict[str, Any], name: str = "expression") -> Any:
    lowered = understand(Source(name, text), values)
    return checked(lowered.fn, values, differentiable(lowered))


@pytest.mark.parametrize("case", CASES, ids=[case.op.name for case in CASES])
def test_every_op_passes(case: oracle.Case) -> None:
    """At the corners of its sample intervals (but where arguments coincide) and inside."""
    names = [case.names[k] for k in case.smooth]
    for xs in oracle.points(case, 2):
        if len(set(xs)) == len(xs):
            assert checked(case.fn, dict(zip(case.names, xs, strict=True)), names).passed, xs


def test_every_example_is_here() -> None:
    assert sorted(EXAMPLES) == sorted(path.stem for path in (ROOT / "examples").glob("*.ad"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_passes(name: str) -> None:
    values, shorter = EXAMPLES[name]
    text = Path(ROOT / "examples" / f"{name}.ad").read_text(encoding="utf-8")
    for long, short in shorter.items():
        assert long in text
        text = text.replace(long, short)
    found = run(text, values, f"{name}.ad")
    assert found.passed, [line for line in found.lines if line.verdict == "fail"]


@settings(deadline=None)
@given(strategies.expressions, strategies.points)
def test_finite_gradients_are_near_or_told_to_be_ill_conditioned(text: str, point: dict[str, float]) -> None:
    """Within 1e-9 of 50 digits, or `check` says how ill-conditioned it is; it never fails."""
    found = checked(programs.read(text, point).fn, point, list(point))
    assert found.passed, (text, point, found)
    for line in found.lines:
        if math.isfinite(line.reverse):
            exact = float(line.exact)
            assert abs(line.reverse - exact) <= 1e-9 * abs(exact) or line.grown > ILL, (text, point, line)


@settings(deadline=None)
@given(test_random_arrays.texts_of, test_random_arrays.seeds)
def test_random_arrays_pass(text: str, seed: int) -> None:
    """Whatever adds up to 0 in exact arithmetic and to a rounding in float64."""
    values = test_random_arrays.values_of(seed)
    fn = programs.read(f"sum(({text}) + 0*X)", values).fn
    found = checked(fn, values, [name for name, _ in fn.params])
    assert found.passed, [line for line in found.lines if line.verdict == "fail"]


def test_small_derivatives_of_long_iterations_pass() -> None:
    """Newton's method forgets where it started, but for 1e-90 of it in digits and for noise in float64: neither is 0."""
    (line,) = run("x = a\nfor k in range(8):\n    x = x - (x*x - 2)/(2*x)\nx", {"a": 1.5}).lines
    assert line.verdict == "pass"
    assert 0 < abs(line.exact) < 1e-60
    assert line.error > 1e9


def test_a_wrong_rule_in_a_long_iteration_fails() -> None:
    """Also where next to nothing is left of its derivative."""
    rule = "def half(x):\n    return x/2\n\n@derivative(half)\ndef _(x):\n    return {}\n\n"
    body = "x = a\nfor k in range(200):\n    x = half(x)\nx"
    assert run(rule.format("0.5") + body, {"a": 1.0}).passed
    assert not run(rule.format("0.50005") + body, {"a": 1.0}).passed


def test_what_rounding_explains_may_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no run with fewer bits comes to its end, a difference is told and is no failure; a slope of the value that differs is one."""
    monkeypatch.setattr(exact, "_rounded", lambda *_: None)
    found = run("((1 + x) - 1)/x", {"x": 1e-6})
    assert [line.verdict for line in found.lines] == ["open"]
    assert found.passed
    assert [note.code for note in report([(None, found)]).notes] == ["not-determined"]
    assert run("x*y", {"x": 3.0, "y": 2.0}).lines[0].verdict == "open"


def test_slopes_that_agree_ask_for_few_values() -> None:
    """Three values of a smooth function tell, if its slope is the expected one; otherwise more are looked at."""
    asked: list[int] = []

    def cube(x: Any, digits: int) -> Any:
        asked.append(digits)
        return x**3

    assert not witness(cube, mp.mpf(2), mp.mpf(12)).bend
    assert len(asked) == 3
    assert float(witness(cube, mp.mpf(2), mp.mpf("12.0001")).slope) == 12
    assert len(asked) > 6


def test_the_sign_of_a_zero_does_not_fail() -> None:
    assert run("log(x)", {"x": -0.0}).passed


@pytest.mark.parametrize(("factor", "passes"), [("2", True), ("2.0002", False), ("2.000000002", False)])
def test_a_rule_that_is_a_little_wrong_fails(factor: str, passes: bool) -> None:  # noqa: FBT001 (a column)
    found = run(WRONG.format(factor), {"x": 3.0, "y": 2.0})
    assert found.passed == passes
    assert [rule.verdict for rule in found.rules] == ["right" if passes else "wrong"]
    assert found.lines[1].verdict == "pass"


@pytest.mark.parametrize(("factor", "passes"), [("3", True), ("3.0003", False)])
def test_a_pullback_that_is_a_little_wrong_fails(factor: str, passes: bool) -> None:  # noqa: FBT001 (a column)
    assert run(PULLED.format(factor), {"v": np.array([1.0, 2.0])}).passed == passes


@pytest.mark.parametrize(
    ("body", "rule", "values", "said"),
    [
        (
            "sin(a)",
            "ct",
            "v=[1,2]",
            "by entry [0] of its argument 1 it gives 1 for entry [0] of the value, and the derivative of the body is 0.540302305868",
        ),
        (
            "a**2",
            "ct*[2, 3]*a",
            "v=[1,2]",
            "by entry [1] of its argument 1 it gives 6 for entry [1] of the value, and the derivative of the body is 4",
        ),
        ("sum(a**3)", "ct*2*a", "v=[[1,2],[3,4]]", "by entry [0, 0] of its argument 1 it gives 2, and the derivative of the body is 3"),
        (
            "[a, a**2]",
            "ct[0] + ct[1]*3*a",
            "v=3",
            "by its argument 1 it gives 9 for entry [1] of the value, and the derivative of the body is 6",
        ),
    ],
)
def test_a_wrong_rule_of_arrays_is_told_entry_by_entry(body: str, rule: str, values: str, said: str) -> None:
    text = f"def f(a):\n    return {body}\n@pullback(f)\ndef _(ct, a):\n    return {rule}\nsum(f(v))".replace(
        "sum(f(v))", "f(v)" if "sum" in body else "sum(f(v))"
    )
    assert said in autodiff("check", text, values).err


def test_a_wrong_rule_inside_of_a_loop_or_of_a_function() -> None:
    """Also where it is not the program itself that calls it."""
    outer = WRONG.replace("f(x)*y", "def g(x):\n    return f(x) + 1\n\ng(x)*y")
    assert not run(outer.format("2.0002"), {"x": 3.0, "y": 2.0}).passed
    looped = WRONG.replace("f(x)*y", "s = x\nfor k in range(3):\n    s = f(s)\ns*y")
    assert run(looped.format("2"), {"x": 1.1, "y": 2.0}).passed
    assert not run(looped.format("2.0002"), {"x": 1.1, "y": 2.0}).passed


@pytest.mark.parametrize(
    ("text", "values", "bend"),
    [
        ("abs(x)", {"x": 0.0}, "kink"),
        ("max(x, 1)", {"x": 1.0}, "kink"),
        ("relu(x) + y", {"x": 0.0, "y": 1.0}, "kink"),
        ("floor(x)", {"x": 2.0}, "jump"),
        ("x if x < 1 else 2*x", {"x": 1.0}, "jump"),
        ("norm(v)", {"v": np.zeros(2)}, "kink"),
        ("x**2", {"x": 0.0}, ""),
        ("x*abs(x)", {"x": 0.0}, ""),
        ("cos(x)", {"x": 0.0}, ""),
    ],
)
def test_kinks_are_told_and_do_not_fail(text: str, values: dict[str, Any], bend: str) -> None:
    found = run(text, values)
    assert found.passed
    assert found.lines[0].bend.bend == bend
    assert found.lines[0].verdict == ("kink" if bend else "pass")


def test_what_passes_no_derivative_is_held() -> None:
    found = run("detach(x)*x + round(x)", {"x": 3.25})
    assert found.passed
    assert found.lines[0].difference.value == pytest.approx(3.25)


@pytest.mark.parametrize("text", ["(1 - cos(x))/x**2", "((1 + x) - 1)/x", "exp(x)*0 + sin(1/x**2)"])
def test_ill_conditioned_points_pass_and_are_told(text: str) -> None:
    found = run(text, {"x": 1e-6})
    notes = report([(None, found)]).notes
    assert found.passed
    assert [note.code for note in notes] == ["ill-conditioned"]


def test_differences_say_how_far_they_may_be_off() -> None:
    for f, slope_of, x in ((math.sin, math.cos, 1.0), (math.exp, math.exp, -3.0), (math.log, lambda x: 1 / x, 1e-3)):
        found = slope(f, x)
        assert abs(found.value - slope_of(x)) <= 10 * found.error + 1e-12 * abs(slope_of(x))
        assert found.error < 1e-8 * abs(slope_of(x))


def test_a_witness_needs_no_rule() -> None:
    found = witness(lambda x, _: x**3, 2)
    assert float(found.slope) == 12
    assert not found.bend


# --- the command ---------------------------------------------------------------------------------------------


def test_json() -> None:
    done = autodiff("check", "x*sin(y)", "--x", "2", "--y", "3", "--json")
    found = json.loads(done.out)
    assert list(found) == ["passed", "checks"]
    assert [one["variable"] for one in found["checks"]] == ["x", "y"]
    assert list(found["checks"][0])[:6] == ["variable", "reverse", "forward", "difference", "exact", "error"]
    assert found["checks"][0]["error"] < 1
    assert done.code == 0


def test_rows_name_the_worst() -> None:
    text = "def f(x):\n    return x*x\n\n@derivative(f)\ndef _(x):\n    return 2*x if x < 5 else 2.1*x\n\nf(x)"
    done = autodiff("check", text, stdin="x\n1\n2\n7\n3\n")
    assert done.code == 1
    assert "stdin, line 4" in done.out
    assert "wrong" in done.err


def test_against(tmp_path: Path) -> None:
    """The columns of another program: right, rounded to few digits, wrong."""
    path = tmp_path / "theirs.csv"
    path.write_text("x,y,value,d_x\n1,2,0.909297,0.909297\n2,1,1.682942,0.841471\n")
    assert autodiff("check", "x*sin(y)", "--against", str(path)).code == 0
    path.write_text("x,y,value,d_x\n1,2,0.909297,0.909297\n2,1,1.682942,0.841571\n")
    done = autodiff("check", "x*sin(y)", "--against", str(path), "--json")
    assert done.code == 1
    found = json.loads(done.out)["checks"]
    assert [one["verdict"] for one in found] == ["pass", "fail"]
    assert "`d_x` in " in done.err
    assert "line 3" in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["x*y", "--x", "1"], 2, "no value for `y`"),
        (["[x, 2*x]", "--x", "1"], 3, "a check is of one number"),
        (["x**2", "--x", "1", "--against", "missing.csv"], 4, "missing.csv"),
        (["x**2", "--against", "-"], 2, "takes a file"),
        (["x**2", "--x", "1", "--precision", "9"], 2, "neither an option"),
        (["y = 2*x; y**2", "--x", "1", "--wrt", "y"], 2, "assigned in the program"),
        (["1 + 2"], 2, "there is no variable to differentiate by"),
        (["1 if b else 0", "b=true"], 2, "there is no variable to differentiate by"),
    ],
)
def test_bad_lines(words: list[str], code: int, said: str) -> None:
    done = autodiff("check", *words)
    assert done.code == code, done
    assert said in done.err


@pytest.mark.parametrize(
    ("text", "x", "truth"),
    [
        ("erf(x)/x", 1e-3, "-0.00075225232671216942375"),
        ("erf(x)/x*pi", 1e-3, "-0.0023632703832447803510"),
        ("sind(x)", 1e-3, "0.017453292517285007302"),
    ],
)
def test_constants_of_rules_are_exact(text: str, x: float, truth: str) -> None:
    """π of a rule is π, and π of the text is its float64, in one program too."""
    line = run(text, {"x": x}).lines[0]
    assert line.verdict == "pass"
    with mp.workdps(40):
        assert abs(line.exact / mp.mpf(truth) - 1) < 1e-18


@pytest.mark.parametrize(("body", "slope"), [("2*x", 2), ("x", 1), ("-x", -1), ("x*1", 1), ("x + 1", 1), ("2*x + 1", 2), ("3", 0)])
def test_rules_of_straight_bodies_are_looked_at(body: str, slope: int) -> None:
    found = run(f"def f(x):\n    return {body}\n\n@derivative(f)\ndef _(x):\n    return {slope + 0.0002}\n\nf(x)*3", {"x": 2.0})
    assert [rule.verdict for rule in found.rules] == ["wrong"]
    assert not found.passed


def test_a_wrong_rule_in_a_loop_is_named_and_not_used() -> None:
    text = (
        "def f(x):\n    return x**2\n\n@derivative(f)\ndef _(x):\n    return 2.0002*x\n\ns = 0\nfor i in range(20):\n    s = s + f(x*i)\ns"
    )
    found = run(text, {"x": 1.5})
    assert [rule.verdict for rule in found.rules] == ["wrong"]
    assert float(found.lines[0].exact) == 7410
    assert not found.passed


@pytest.mark.parametrize(
    ("text", "values", "bend"),
    [
        ("log(x**2) - 2*log(x)", {"x": 3.0}, ""),
        ("sin(2*x) - 2*sin(x)*cos(x)", {"x": 3.0}, ""),
        ("mean(v - mean(v))", {"v": np.array([1.0, 2.0, 4.0])}, ""),
        ("(x-1)**7 - (x**7-7*x**6+21*x**5-35*x**4+35*x**3-21*x**2+7*x-1)", {"x": 1.01}, ""),
        ("sin(x)", {"x": 1e300}, ""),
        ("sign(x)", {"x": 0.0}, "jump"),
        ("heaviside(x, 0.3)", {"x": 0.0}, "jump"),
        ("where(x > 0, sqrt(x), 0)", {"x": 0.0}, "kink"),
    ],
)
def test_smooth_points_and_jumps_are_told_apart(text: str, values: dict[str, Any], bend: str) -> None:
    line = run(text, values).lines[0]
    assert line.verdict == ("kink" if bend else "pass")
    assert (line.bend.bend if line.bend else "") == bend
    if "sqrt" in text:
        assert line.bend
        assert (float(line.bend.below), float(line.bend.above)) == (0, float("inf"))


@pytest.mark.parametrize("text", ["1/x", "x**-1", "log(x)", "sqrt(x)"])
@pytest.mark.parametrize("x", [1e-320, 5e-324])
def test_the_smallest_numbers(text: str, x: float) -> None:
    assert run(text, {"x": x}).passed


def test_each_mode_by_its_own_steps() -> None:
    """Forward cancels where reverse does not; noise of what is 0 is 0."""
    assert run("gelu(x)/x", {"x": 1e-3}).passed
    assert all(line.exact == 0 for line in run("sum(softmax(v))", {"v": np.array([1.0, 2.0, 3.0])}).lines)


def test_many_entries_are_sampled() -> None:
    done = autodiff("check", "sum(v**2)", "v=linspace(0,1,400)")
    assert done.code == 0
    assert "of the 400 entries of `v` 16 are checked in all ways" in done.err


def test_kinks_of_other_rows_are_told() -> None:
    done = autodiff("check", "abs(x) + x*sin(x)", stdin="x\n1\n0\n0\n2\n")
    assert "on a kink in stdin, line 3" in done.err
    assert "2 rows are on one" in done.err


def test_a_bad_cell_has_no_hint_that_check_lacks() -> None:
    done = autodiff("check", "x**2", stdin="x\n1\nabc\n")
    assert done.code == 4
    assert "--on-error" not in done.err


def test_against_looks_at_every_cell(tmp_path: Path) -> None:
    """An empty cell hides no other one; nothing to compare is no pass; arrays; a table without a header."""
    path = tmp_path / "theirs.csv"
    path.write_text("x,y,value,d_x\n1,2,0.909297,\n2,1,,0.7\n")
    done = autodiff("check", "x*sin(y)", "--against", str(path), "--json")
    assert (done.code, [one["verdict"] for one in json.loads(done.out)["checks"]]) == (1, ["pass", "fail"])
    path.write_text("x,y,value,d_x\n1,2,,\n")
    assert autodiff("check", "x*sin(y)", "--against", str(path)).code == 1
    path.write_text("1,2,0.909297\n")
    assert "wanted: `x`, `y`, `value`, `d_x`, `d_y`" in autodiff("check", "x*sin(y)", "--against", str(path)).err
    rows = tmp_path / "theirs.ndjson"
    rows.write_text('{"v":[1,2],"value":5,"d_v":[2,4]}\n{"v":[1,3,1],"value":11,"d_v":[2,6,3]}\n')
    done = autodiff("check", "sum(v**2)", "--against", str(rows), "--json")
    assert [(one["variable"], one["verdict"]) for one in json.loads(done.out)["checks"] if one["verdict"] == "fail"] == [("d_v_2", "fail")]


COUNTING = "t = 0*x\nn = 0\nwhile t < 1:\n    t += x\n    n += 1\nn*x"


@pytest.mark.parametrize(
    ("text", "x", "slope", "said"),
    [
        ("x if x + 1e-17 > x else 2*x", 1.0, 2, "false in float64, true with 50 digits"),
        ("x if (x + 1e-17 > x and x > 0) else 2*x", 1.0, 2, "false in float64, true with 50 digits"),
        ("x if sum([x, 2*x]) == 0.3 else 2*x", 0.1, 2, ""),
        (COUNTING, 0.1, 11, "11 turns in float64, 10 with 50 digits"),
        (COUNTING, 0.125, 8, ""),
        (COUNTING.replace("n += 1", "n += x").replace("n*x", "n"), 0.1, 11, "11 turns in float64, 10 with 50 digits"),
    ],
)
def test_where_rounding_decides_the_way_of_float64_is_taken(text: str, x: float, slope: float, said: str) -> None:
    """By the exact derivative too; and it is told, where the two ways are apart."""
    found = run(text, {"x": x})
    assert found.passed
    assert float(found.lines[0].exact) == pytest.approx(slope, rel=1e-14)
    assert [label.text for label in found.apart.labels] == [said] if found.apart else not said
