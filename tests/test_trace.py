"""The trace: its cotangents are those of `grad` to the digit, its formulas say what its numbers are, its layouts tell all of it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

import oracle
import random_programs
import strategies
import test_tensors
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.emit.passes import Backward, Passes, document, said
from autodiff_cli.emit.steps import barred
from autodiff_cli.emit.telling import passes
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.run import point as at_a_point
from console import ROOT, autodiff
from programs import read, same
from test_random_arrays import seeds, texts_of, values_of

if TYPE_CHECKING:
    from autodiff_cli.graph import Fn

CASES = oracle.cases()
NETWORK = "h = tanh(W1 @ x + b1); y = W2 @ h + b2; mean((y - t)**2)"
VALUES = ("W1=[[1,2],[3,-4]]", "x=[1,0.5]", "b1=[0.1,0.2]", "W2=[[0.5,1]]", "b2=[0]", "t=[1]")
WORDLESS = ("0 elsewhere", "∂", "…", "place(", "take_along(", "arglargest", "argsort(", "back through", "cofactor(")


def told(fn: Fn, values: dict[str, Any], names: list[str]) -> Passes:
    """A whole trace, which is held to agree with itself and with `grad`."""
    found = passes(fn, values, names)
    shares = [share for share in found.backward if share]
    if not fn.nodes[fn.outs[0]].type.shape:
        expected = at_a_point.evaluate(gradient(fn, names), values)
        assert same(found.value[1], expected[0])
        assert all(same(slope, e) for (_, slope), e in zip(found.gradient, expected[1:], strict=True)), (found.gradient, expected)
    last = {share.to: share.total for share in shares if share.counts}
    for name, slope in found.gradient:
        if name in last and not any(name in step.name for step in found.forward if step):
            assert same(last[name], slope), name
    for share in shares:
        if share.counts and not share.first and share.before is not None and not hasattr(share.total, "shape"):
            assert same(share.before + share.amount, share.total), share
    return found


def explained(found: Passes) -> None:
    """Every number is what its formula gives at the numbers of the names in it, cotangents among them."""
    values: dict[str, Any] = dict(found.inputs) | {s.name: math.nan if s.value is None else s.value for s in found.forward if s}
    last = {share.to: share.total for share in found.backward if share} | {found.value[0]: found.seed}
    bars = {f"bar_{name}": total for name, total in last.items()}
    for step in found.forward:
        if step and step.value is not None and step.op != "loop":
            said_of(str(said(step.operation)), values, step.value)
    for share in found.backward:
        if share and share.counts:
            said_of(readable(str(said(share.rule)), list(last)), values | bars, share.amount)
            if share.local is not None and share.partial is not None:
                said_of(share.local.text(), values, share.partial)


def readable(text: str, names: list[str]) -> str:
    """A formula with names that the language takes for its cotangents."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(barred(name), f"bar_{name}")
    return text


def said_of(text: str, values: dict[str, Any], number: Any) -> None:
    """Whether a text, if it is one of the language, has this value, or one that is stretched to it; 0/0 is where a convention says 0."""
    if not any(mark in text for mark in WORDLESS):
        found, number = np.broadcast_arrays(np.asarray(worth(text, values), float), np.asarray(number, float))
        found = np.where(np.isnan(found) & (number == 0), 0, found)
        assert np.allclose(found, number, rtol=1e-7, atol=1e-9, equal_nan=True), (text, found, number)


def worth(text: str, values: dict[str, Any]) -> Any:
    """The value of a formula."""
    fn = read(text, values).fn
    return at_a_point.evaluate(fn, values)[0]


@pytest.mark.parametrize("case", CASES, ids=[case.op.name for case in CASES])
def test_every_op(case: oracle.Case) -> None:
    names = [case.names[k] for k in case.smooth]
    for xs in oracle.points(case, 2)[-2:]:
        explained(told(case.fn, dict(zip(case.names, xs, strict=True)), names))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_the_example_of_every_function(function: Any) -> None:
    fn = read(function.example).fn
    assert same(passes(fn, {}, []).value[1], at_a_point.evaluate(fn, {})[0])


@given(strategies.expressions, strategies.points)
def test_random_expressions(text: str, point: dict[str, float]) -> None:
    told(read(text, point).fn, {name: point[name] for name in read(text, point).free}, list(read(text, point).free))


@given(random_programs.texts(), strategies.points)
def test_random_programs(text: str, point: dict[str, float]) -> None:
    try:
        lowered = read(text, point)
        names = [name for name in lowered.free if name not in lowered.statics]
        gradient(lowered.fn, names)
    except AutodiffError:
        return
    told(lowered.fn, {name: point[name] for name in lowered.free}, names)


@given(texts_of, seeds)
def test_random_arrays(text: str, seed: int) -> None:
    values = values_of(seed)
    fn = read(f"sum(({text}) + 0*X)", values).fn
    explained(told(fn, values, [name for name, _ in fn.params]))
    told(read(text, values).fn, values, [])


@pytest.mark.parametrize(("text", "values"), test_tensors.EVERY[::3])
def test_every_array_function(text: str, values: dict[str, Any]) -> None:
    fn = read(f"sum({text})", values).fn if read(text, values).fn.nodes[read(text, values).fn.outs[0]].type.shape else read(text, values).fn
    explained(told(fn, values, test_tensors.moving(fn, values)))


def test_formulas_of_an_expression() -> None:
    values = {"x": 1.5, "y": -0.5, "z": 0.25}
    explained(told(read("max(x, y)*sin(z)/x + relu(y) + exp(-x**2)*tanh(x*y) - atan2(x, z)**3", values).fn, values, list(values)))


def shares_of(found: Passes, step: str) -> list[Backward]:
    return [share for share in found.backward if share and share.step == step]


def test_the_branch_that_was_not_taken() -> None:
    found = told(read("sqrt(x) if x > 0 else -x", {"x": -4.0}).fn, {"x": -4.0}, ["x"])
    assert [(s.name, s.remark) for s in found.forward if s and s.remark] == [("v2", "not run"), ("v4", "v1 is false: v3 is taken")]
    assert [(s.to, s.counts) for s in shares_of(found, "v4")] == [("v2", False), ("v3", True)]
    assert shares_of(found, "v2") == []


def test_where_nothing_is_handed_on() -> None:
    found = told(read("detach(x)*x + floor(x)", {"x": 2.5}).fn, {"x": 2.5}, ["x"])
    assert [s.remark for s in found.backward if s and not s.counts] == [
        "floor hands nothing on: a structural zero", "detach hands nothing on: a structural zero",
    ]  # fmt: skip


def test_ties_have_no_formula() -> None:
    found = told(read("max(x, y)", {"x": 2.0, "y": 2.0}).fn, {"x": 2.0, "y": 2.0}, ["x", "y"])
    assert [(s.local, s.partial, said(s.rule)) for s in found.backward if s] == [
        (None, 0.5, "v̄1*∂v1/∂x"), (None, 0.5, "v̄1*∂v1/∂y"),
    ]  # fmt: skip
    assert found.forward[0]
    assert found.forward[0].remark == "on a kink or a jump"


def test_a_rule_of_ones_own() -> None:
    text = "def f(x):\n    return x**2\n@derivative(f)\ndef _(x):\n    return 2*x\nf(x)*y"
    (share,) = shares_of(told(read(text, {"x": 3.0, "y": 5.0}).fn, {"x": 3.0, "y": 5.0}, ["x", "y"]), "v1")
    assert (said(share.rule), share.partial, share.amount, share.remark) == ("v̄1*(2*x)", 6.0, 30.0, "by the rule of f")


def test_turns_of_a_loop() -> None:
    """Newton's square root: what each turn starts with, and on the way back ends with."""
    text = "r = 1\nwhile abs(r*r - a) > 1e-12:\n    r = (r + a/r)/2\nr"
    found = told(read(text, {"a": 2.0}).fn, {"a": 2.0}, ["a"])
    (step,), (share,) = found.forward, found.backward
    assert step
    assert share
    r = [dict(turn.values)["r"] for turn in step.turns]
    assert r[:3] == [1.0, 1.5, 1.4166666666666665]
    bars = [dict(turn.values)["r"] for turn in share.turns]
    assert bars[-1] == 1.0
    for before, here, after in zip(bars, r[1:], bars[1:], strict=False):
        assert math.isclose(before, after * (1 - 2 / here**2) / 2, rel_tol=1e-6, abs_tol=1e-15)


def test_through_time() -> None:
    """A recurrent network reads as on paper: products with the state, which several steps read, and no change of shape."""
    text = (ROOT / "examples" / "rnn.ad").read_text(encoding="utf-8")
    values = {"s": np.array([0, 0.5, 0.8]), "W": np.array([[0.1, -0.2], [0.3, 0.2]]), "U": np.array([0.5, -0.4]), "V": np.array([1, 0.7])}
    found = told(read(text, values).fn, values, ["W", "U", "V"])
    explained(found)
    formulas = [str(said(share.rule)) for share in found.backward if share] + [str(said(step.operation)) for step in found.forward if step]
    assert "outer(v̄15, v8)" in formulas
    assert "W @ v8" in formulas
    assert not any("None" in formula or "reshape" in formula for formula in formulas)


def test_what_a_loop_scans() -> None:
    text = "s = 0\nfor v in x*linspace(0, 1, 70):\n    s = s + v*v\ns"
    found = told(read(text, {"x": 2.0}).fn, {"x": 2.0}, ["x"])
    assert [said(share.rule) for share in found.backward if share and share.step == "the loop"] == ["back through the loop"]


def test_a_loop_that_did_not_run_is_not_run_for_the_trace() -> None:
    text = "s = x\nif x > 5:\n    while True:\n        s = s/2\ns"
    found = told(read(text, {"x": 2.0}).fn, {"x": 2.0}, ["x"])
    assert [(step.name, step.remark, step.turns) for step in found.forward if step and step.value is None] == [("s", "not run", ())]
    assert [(share.to, share.counts) for share in found.backward if share] == [("s", False), ("x", True)]


def test_an_unused_variable_has_derivative_zero() -> None:
    done = autodiff("trace", "x*y", "x=2", "y=3", "q=4")
    assert done.out.endswith("d_x = 3\nd_y = 2\nd_q = 0\n")
    assert "does not use `q`" in done.err


def test_a_function_of_a_program_is_traced() -> None:
    done = autodiff("trace", "def f(a, b): return a*b", "--call", "f", "a=2", "b=3")
    assert "v1 = a*b = 6" in done.out


def test_names() -> None:
    """The program's names where it gives one once, else v1, v2, … or another letter where those are taken."""
    fn = read("a = x*y; b = a + x; b = b*b; b + v1", {"x": 1.0, "y": 2.0, "v1": 3.0}).fn
    found = told(fn, {"x": 1.0, "y": 2.0, "v1": 3.0}, ["x", "y", "v1"])
    assert [step.name for step in found.forward if step] == ["a", "w1", "w2", "w3"]


def test_a_long_trace_folds() -> None:
    fn = read("+".join(f"sin({k}*x)" for k in range(2, 102))).fn
    found = passes(fn, {"x": 0.5}, ["x"], 10)
    assert found.forward.count(None) == found.backward.count(None) == 1
    assert len(found.forward) == 11
    assert found.steps == 299
    whole = passes(fn, {"x": 0.5}, ["x"])
    assert None not in whole.forward
    assert (found.backward[0], found.backward[-1].total) == (whole.backward[0], whole.backward[-1].total)  # type: ignore[union-attr]  # not folded
    assert (
        "… 289 more: --max-steps 299 shows them"
        in autodiff("trace", "+".join(f"sin({k}*x)" for k in range(2, 102)), "x=0.5", "--max-steps", "10").out
    )


def test_a_deep_one_is_told() -> None:
    found = passes(read("+".join(["x*x"] * 1 + ["x"] * 30_000)).fn, {"x": 1.0}, ["x"], 6)
    assert found.gradient == (("x", 30_002.0),)


def test_json_is_the_gradient_step_by_step() -> None:
    steps = json.loads(autodiff("trace", NETWORK, *VALUES, "--json").out)["steps"]
    slopes = json.loads(autodiff("grad", NETWORK, *VALUES, "--json").out)["gradient"]
    last = {step["to"]: step["sum"] for step in steps if "to" in step}
    assert {name: last[name] for name in slopes} == slopes
    text = NETWORK
    assert all(text[step["start"] : step["end"]] == step["source"] for step in steps if step.get("source"))
    assert document(passes(read("x").fn, {"x": 2.0}, ["x"]))["steps"][0] == {"pass": "input", "name": "x", "value": 2.0}


@pytest.mark.parametrize("layout", ["table", "plain", "markdown", "latex"])
@pytest.mark.parametrize("text", ["x*y + x**2", "sqrt(x) if x > 9 else -y", "[x, y, x*y]", "x > y", "2", "y"])
def test_every_layout_tells_every_step(layout: str, text: str) -> None:
    values = ["x=2", "y=3"] if "x" in text else ["y=3"] if "y" in text else []
    done = autodiff("trace", text, *values, "--format", layout, "-q")
    assert done.code == 0
    assert done.err == ""
    assert done.out.strip()
    assert layout in {"table", "latex"} or all(f"{part} = " in done.out for part in ("v1",) if text != "y")


def test_the_source_is_underlined_on_a_terminal() -> None:
    done = autodiff("trace", "x*y+x**2", "x=2", "y=3", "--color", "always", terminal=True)
    assert "\x1b[4mx*y\x1b[0m\x1b[2m+x**2" in done.out
    plain = autodiff("trace", "x*y+x**2", "x=2", "y=3", "--color", "never", terminal=True)
    assert "\x1b" not in plain.out
    assert "source" in plain.out


def test_examples_are_traced() -> None:
    text = (ROOT / "examples" / "branches.ad").read_text(encoding="utf-8")
    values = {"weight": 3.0, "distance": 120.0}
    found = told(read(text, values).fn, values, ["weight", "distance"])
    assert any(step and step.remark == "not run" for step in found.forward)
    assert np.isclose(found.value[1], 8.5 * (1 + math.log(1.2)))
