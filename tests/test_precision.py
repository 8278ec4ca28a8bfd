"""`--precision`: decimals in, so many right digits out, for every command, format and source of values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from mpmath import mp

from autodiff_cli.constants import Digits
from autodiff_cli.data.decimals import decimal, shortest
from autodiff_cli.report import all_finite, machine, people
from console import autodiff

if TYPE_CHECKING:
    from pathlib import Path

HALF = "1.6487212707001281468486507878141635716537761007101480115750793116406610211942156086327765200563666430028666377563077970046711669"


@pytest.mark.parametrize("digits", [1, 5, 17, 50, 100])
def test_so_many_right_digits(digits: int) -> None:
    """exp(1/2), rounded."""
    found = autodiff("eval", "exp(1/2)", "--precision", str(digits)).out.strip()
    with mp.workdps(130):
        assert found == mp.nstr(mp.mpf(HALF), digits)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0.1*3", "0.3"),
        ("0.1 + 0.2 - 0.3", "0.0"),
        ("1/3", "0.3333333333333333333333333"),
        ("2**100", "1.267650600228229401496703e+30"),
        ("10**40/3", "3.333333333333333333333333e+39"),
        ("3 > 2", "1.0"),
        ("1e-400", "1.0e-400"),
        ("pi", "3.141592653589793238462643"),
    ],
)
def test_literals_are_decimals(text: str, found: str) -> None:
    assert autodiff("eval", text, "--precision", "25").out.strip() == found


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["x", "--x", "0.1"], "0.1"),
        (["x", "x=0.1"], "0.1"),
        (["x", "--set", "x=0.1"], "0.1"),
        (["x", "--x", "1/3"], "0.33333333333333333333"),
        (["x", "--x", "0.12345678901234567890123"], "0.12345678901234567890"),
        (["sum(v)", "--v", "[0.1, 0.2]"], "0.3"),
        (["sum(v)", "--v", "linspace(0.1, 0.3, 3)"], "0.6"),
        (["v[1,0]", "--v", "[[0.1, 0.2], [0.3, 0.4]]"], "0.3"),
        (["v[0]", "--v", "[1/3, 2]"], "0.33333333333333333333"),
        (["x", "--x", "@number.json"], "0.12345678901234567890"),
        (["v[1]", "--v", "@list.json"], "0.2"),
        (["v[1]", "--v", "@table.csv"], "0.12345678901234567890"),
        (["v[0]", "--v", "@doubles.npy"], "0.1000000000000000055511"),
        (["x + y", "--set", "@params.json"], "0.3"),
        (["1.0 if c else 2.0", "--c", "true"], "1.0"),
    ],
)
def test_values_are_decimals(words: list[str], value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they are given; what a binary file holds is float64."""
    (tmp_path / "number.json").write_text("0.12345678901234567890123")
    (tmp_path / "list.json").write_text("[0.1, 0.2]")
    (tmp_path / "params.json").write_text('{"x": 0.1, "y": 0.2, "z": "text"}')
    (tmp_path / "table.csv").write_text("v\n0.1\n0.12345678901234567890123\n")
    np.save(tmp_path / "doubles.npy", np.array([0.1, 0.2]))
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        found = autodiff("eval", *words, "--precision", "22", "--format", "plain").out.strip()
    assert found.startswith(value[:20]), (found, value)


@pytest.mark.parametrize(
    ("words", "document"),
    [
        (["grad", "x*y**2"], {"value": "0.004", "gradient": {"x": "0.04", "y": "0.04"}}),
        (["grad", "x**3", "--order", "2"], {"value": "0.001", "derivatives": {"x": ["0.03", "0.6"]}}),
        (["grad", "x**3", "--elasticity"], {"value": "0.001", "gradient": {"x": "0.03"}, "elasticity": {"x": "3.0"}}),
        (["jac", "[x*y, x + y]"], {"value": ["0.02", "0.3"], "jacobian": {"x": ["0.2", "1.0"], "y": ["0.1", "1.0"]}}),
        (["hess", "x*y**2"], {"hessian": {"x": {"x": "0.0", "y": "0.4"}, "y": {"x": "0.4", "y": "0.2"}}}),
        (["jvp", "x*y", "--tangent", "x=0.1"], {"value": "0.02", "tangent": "0.02"}),
        (["vjp", "x*y"], {"value": "0.02", "cotangent": {"x": "0.2", "y": "0.1"}}),
        (["hvp", "x*y", "--tangent", "x=0.1"], {"value": "0.02", "product": {"x": "0.0", "y": "0.1"}}),
    ],
)
def test_every_command(words: list[str], document: dict[str, Any]) -> None:
    """JSON prints all digits as numbers."""
    values = [word for name, text in (("x", "0.1"), ("y", "0.2")) if name in words[1] for word in (f"--{name}", text)]
    done = autodiff(*words, *values, "--precision", "40", "--json")
    found = json.loads(done.out, parse_float=str)
    assert {key: found[key] for key in document} == document, done


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "tsv", "space", "markdown", "latex", "sh"])
def test_formats(form: str) -> None:
    """The digits are all there."""
    assert "0.33333333333333333333333333" in autodiff("grad", "x/3", "--x", "1", "--precision", "26", "--format", form).out


def test_beyond_the_range_of_float64() -> None:
    done = autodiff("grad", "exp(x)", "--x", "2000", "--precision", "20", "--json", "--strict")
    assert json.loads(done.out, parse_float=str) == {"value": "3.8811801942843685765e+868", "gradient": {"x": "3.8811801942843685765e+868"}}
    assert (done.code, done.err) == (0, "")


def test_what_is_not_finite_or_not_sure_is_told() -> None:
    done = autodiff("eval", "1/x", "--x", "0", "--precision", "20", "--strict", "--json")
    assert (json.loads(done.out)["value"], done.code) == ("Infinity", 1)
    assert "1 / 0 is inf" in done.err
    done = autodiff("eval", "sin(pi)", "--precision", "20")
    assert done.out == "0.0\n"
    assert "`value` is taken for 0" in done.err
    assert "kink" in autodiff("grad", "abs(x)", "--x", "0", "--precision", "20").err


def test_rows(tmp_path: Path) -> None:
    """Cells are decimals; the other cells stay as they are."""
    path = tmp_path / "a.csv"
    path.write_text('x,id\n0.1,"a,b"\n0.12345678901234567890123,00\n,c\n')
    done = autodiff("grad", "3*x", str(path), "--precision", "30")
    assert done.out.splitlines() == [
        "x,id,value,d_x", '0.1,"a,b",0.3,3.0', "0.12345678901234567890123,00,0.37037036703703703670369,3.0", ",c,,",
    ]  # fmt: skip
    done = autodiff("grad", "3*x", str(path), "--precision", "30", "--format", "ndjson", "--only")
    assert done.out.splitlines()[1] == '{"value":0.37037036703703703670369,"d_x":3.0}'
    assert "0.7" in autodiff("eval", "x*7", "--sweep", "x=0:1:0.1", "--precision", "20", "--format", "table").out
    done = autodiff("grad", "x*sum(v)", "--precision", "20", stdin='{"x":0.1,"v":[0.1,0.2]}\n{"x":0.3,"v":[1]}\n')
    assert '"value":0.03,"d_x":0.3,"d_v":[0.1,0.1]' in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["eval", "x", "--precision", "0"], "`0` is not a whole number above 0"),
        (["eval", "x", "--precision", "-3"], "`-3` is not a whole number above 0"),
        (["eval", "x", "--precision", "ten"], "`ten` is not a whole number above 0"),
        (["eval", "x", "--precision", "20000"], "up to 10,000"),
        (["eval", "x", "--precision", "20", "--digits", "3"], "do not go together"),
        (["eval", "x", "--precision", "20", "--rescue", "always"], "do not go together"),
        (["grad", "x", "--precision", "20", "--stats"], "do not go together"),
        (["eval", "x", "--precision", "20", "--format", "npy"], "npy holds float64"),
        (["eval", "x", "--precision", "20", "-o", "x.parquet"], "parquet holds float64"),
        (["minimize", "x**2", "--precision", "20"], "`--precision` is"),
        (["graph", "x", "--precision", "20"], "`--precision` is"),
        (["eval", "x", "--rescue", "maybe"], "`--rescue` cannot be `maybe`"),
    ],
)
def test_bad_lines(words: list[str], said: str) -> None:
    done = autodiff(*words, "--x", "1")
    assert done.code == 2
    assert said in done.err, done
    assert "^" in done.err


def test_numbers_of_many_digits() -> None:
    """As text, and as the float64 next to it."""
    number = Digits("0.1234567890123456789")
    assert number == 0.1234567890123456789
    assert (machine(number), people(number, 3), people(Digits("2.0"), 3)) == ("0.1234567890123456789", "0.1234567890123456789", "2")
    assert all_finite(Digits("1e400"))
    assert not all_finite(Digits("inf"))
    assert str(Digits("nan")) == "NaN"


def test_decimals() -> None:
    assert decimal(" 0.10 ", 0.1) == "0.10"
    assert decimal("true", True) is True
    assert decimal("[0.1, 2]", np.array([0.1, 2])).tolist() == ["0.1", "2"]
    assert decimal("[true, false]", np.array([True, False])).tolist() == [True, False]
    assert shortest(np.array([0.1, 2])).tolist() == ["0.1", "2.0"]


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("1//0.1", "10.0"), ("1%0.1", "0.0"), ("0.9//0.3", "3.0"), ("-0.3//0.1", "-3.0"), ("fmod(0.3, 0.1)", "0.0"), ("floor(0.1*30)", "3.0"),
        ("0.1*3 == 0.3", "1.0"), ("round(2.675, 2)", "2.68"), ("1e-60 % 1", "1.0e-60"), ("floor(-1e-40)", "-1.0"), ("1e30 % 0.1", "0.0"),
        ("0.75//0.1", "7.0"), ("7.5 % -2", "-0.5"), ("sigmoid(3000) - 1", "-1.3078390189212504379e-1303"),
        ("1 - tanh(1000)**2", "1.0306143491844598609e-868"), ("sqrt(1 + 1e-400**2) - 1", "5.0e-801"),
        ("erfinv(1 - 1e-1000)", "47.93894640426451069"), ("erfcinv(1e-1000)", "47.93894640426451069"), ("log(1 - (1 - 1e-5000))", "-11512.92546497022842"),
        ("log(1 + exp(-2000))", "2.5765358729611496522e-869"), ("atan2(1e-1000, -1) - pi", "-1.0e-1000"), ("cos(0) - 1", "0.0"),
        ("betainc(1e4, 1e4, 0.5)", "0.5"), ("jn(1e5, 10)", "3.5434397964704505355e-386677"), ("1e400*2", "2.0e+400"),
        ("gammainc(1e6, 1e6)", "0.50013298076"),
    ],
)  # fmt: skip
def test_decimals_are_exact_and_what_is_tiny_is_not_0(text: str, truth: str) -> None:
    done = autodiff("eval", text, "--precision", "20")
    assert (done.out.strip()[: len(truth)], done.err) == (truth, "")


@pytest.mark.parametrize(("name", "sign"), [("airyai", "-"), ("airybi", "+")])
def test_airy_functions_far_out(name: str, sign: str) -> None:
    assert (
        autodiff("eval", f"{name}(1e100)", "--precision", "20").out.strip().partition("e")[2].startswith(f"{sign}28952965460216788510075")
    )


@pytest.mark.parametrize("text", ["sin(pi)", "erfinv(1 - 1e-9000)", "(1 + 1e-9000) - 1"])
def test_what_may_be_something_else_is_told(text: str) -> None:
    assert "note[unsettled]" in autodiff("eval", text, "--precision", "20").err


@pytest.mark.parametrize("text", ["sin(10**1000000)", "sin(exp(exp(20)))"])
def test_angles_without_end(text: str) -> None:
    done = autodiff("eval", text, "--precision", "20")
    assert done.out == "NaN\n"
    assert "note[large-angle]" in done.err


def test_what_is_said_is_about_digits() -> None:
    assert "1 / 0 is inf" in autodiff("grad", "1/(3*x - 0.3)", "x=0.1", "--precision", "20").err
    hilbert = str([[f"1/{i + j + 1}" for j in range(12)] for i in range(12)]).replace("'", "")
    assert autodiff("eval", f"det(inv({hilbert}))", "--precision", "20").err == ""


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["grad", "sum(v**2)/3"], '{"v":[0.1,0.2]}\n', '"d_v":[0.0666666666666666666666666666667,0.133333333333333333333333333333]'),
        (["eval", "[x/3, x/7]"], '{"x":0.1}\n', "[0.0333333333333333333333333333333,0.0142857142857142857142857142857]"),
        (["jac", "[x/3, x/7]"], "x\n0.1\n", "0.333333333333333333333333333333,0.142857142857142857142857142857"),
        (["jvp", "x**2", "--tangent", "x=1/7"], "x\n0.1\n", "0.0285714285714285714285714285714"),
        (["hvp", "x**3", "--tangent", "x=1/7"], "x\n0.1\n", "0.0857142857142857142857142857143"),
        (["vjp", "[x**2, x]", "--cotangent", "[1/7, 1]"], "x\n0.1\n", "1.02857142857142857142857142857"),
        (["jvp", "sum(v**2)", "--tangent", "v=[1/7, 0]"], '{"v":[0.1,0.2]}\n', "0.0285714285714285714285714285714"),
    ],
)
def test_rows_keep_all_digits(words: list[str], stdin: str, said: str) -> None:
    assert said in autodiff(*words, "--precision", "30", stdin=stdin).out


WHILE = "n = 0\nt = 0\nwhile t < 1:\n    t += 0.1\n    n += 1\nn"
NEWTON = "r = 1\nwhile abs(r*r - a) > 1e-30:\n    r = (r + a/r)/2\nr"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["1 if 0.1*3 == 0.3 else 2"], "1"),
        (["if 0.1*3 == 0.3:\n    y = 1\nelse:\n    y = 2\ny"], "1"),
        (["1 if x*3 == 0.3 else 2", "x=0.1"], "1"),
        (["1 if 1e17 + 5 > 1e17 else 0"], "1"),
        (["1 if 1e-30 + 1 > 1 else 0"], "1"),
        (["1 if 3*x == 1 else 0", "x=1/3"], "1"),
        (["1 if 0.1*3 in [0.3, 5] else 2"], "1"),
        (["where(0.1*3 == 0.3, 1, 2)"], "1"),
        ([WHILE], "10"),
        (["t = 0\nn = 0\nfor k in range(20):\n    if t >= 1: break\n    t += 0.1\n    n += 1\nn"], "10"),
        (["def f(t, n):\n    return n if t >= 1 else f(t + 0.1, n + 1)\nf(0, 0)"], "10"),
        (["sum([1 for k in range(n/0.1)])", "n=0.3"], "3"),
        (["sum([1 for k in range(3*n)])", "n=1/3"], "1"),
        (["sum([3, 1, 2][[True, 0.1*3 == 0.3, False]])"], "4"),
        (["v[0.1*30]", "v=[1,2,3,4]"], "4"),
        (["0*norm([1,2], ord=1.1) + (1 + 2**1.1)**(1/1.1) - norm([1,2], ord=1.1)"], "0"),
        (["3*arange(0, 1, 1/3)[1]"], "1"),
        (["3*var([1, 2, 4], ddof=1/3)"], "5.25"),
        (["x", "--x", "1 if 0.1*3 == 0.3 else 2"], "1"),
    ],
)
def test_what_is_known_beforehand_is_decided_with_the_digits(words: list[str], value: str) -> None:
    """Conditions, loops, recursion, counts, places and static arguments, as the same in a data loop."""
    done = autodiff("eval", *words, "--precision", "40")
    assert done.code == 0, done.err
    assert mp.mpf(done.out.strip()) == mp.mpf(value)


def test_a_count_that_is_not_whole_in_decimals_is_none() -> None:
    """Though its float64 is."""
    assert "must be a whole number" in autodiff("eval", "sum([1 for k in range(3 + 1e-20)])", "--precision", "40").err
    assert autodiff("eval", "sum([1 for k in range(3 + 1e-20)])").out == "3.0\n"


@pytest.mark.parametrize("command", ["eval", "grad"])
@pytest.mark.parametrize("a", ["2", "3", "9"])
def test_a_tolerance_below_float64(command: str, a: str) -> None:
    """A point is no worse than a row: nothing asks float64, in which the loop does not end."""
    done = autodiff(command, NEWTON, f"a={a}", "--precision", "40", "--csv")
    rows = autodiff(command, NEWTON, "--sweep", f"a={a}", "--precision", "40", "--csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == rows.out.splitlines()[-1].partition(",")[2]
    with mp.workdps(50):
        assert abs(mp.mpf(done.out.splitlines()[-1].split(",")[0]) - mp.sqrt(a)) < mp.mpf("1e-30")


def test_a_tolerance_below_float64_over_arrays() -> None:
    text = "r = ones(2)\nwhile max(abs(r*r - a)) > 1e-30:\n    r = (r + a/r)/2\nsum(r)"
    done = autodiff("grad", text, "a=[4,9]", "--precision", "40", "--json")
    assert (done.code, done.err) == (0, "")
    assert [float(x) for x in json.loads(done.out)["gradient"]["a"]] == [0.25, 1 / 6]


@pytest.mark.parametrize(
    ("text", "x", "said"),
    [
        ("abs(3*x - 0.3)", "0.1", "-3 below and 3 above"),
        ("abs(3*x - 1)", "1/3", "-3 below and 3 above"),
        ("x // 0.1", "0.3", "jumps from 2 to 3"),
    ],
)
def test_kinks_are_those_of_decimals(text: str, x: str, said: str) -> None:
    assert said in autodiff("grad", text, f"x={x}", "--precision", "30").err


def test_arrays_of_conditions() -> None:
    assert autodiff("eval", "[x, 2] > 1.5", "x=1", "--precision", "30", "--json").out == '{"value": [0.0, 1.0]}\n'
