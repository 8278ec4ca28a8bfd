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
from autodiff_cli.derive.recorded import recorded
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.emit.naming import barred
from autodiff_cli.emit.passes import Backward, Passes, document, said
from autodiff_cli.emit.telling import Telling, passes
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
WORDLESS = ("0 elsewhere", "∂", "…", "place(", "take_along(", "arglargest", "argsort(", "back through", "cofactor(", "the other entries")


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


@pytest.mark.parametrize(
    ("text", "values", "absent"),
    [
        ("grad(softmax(v)[0], v)", {"v": np.array([1.0, 2])}, ["guard", "isfinite", "True", "any("]),
        ("grad(log(x), x)", {"x": 2.0}, ["guard", "v2"]),
        ("grad(max(v), v)[0]", {"v": np.array([1.0, 2])}, ["isnan", "guard"]),
    ],
)
def test_a_derivative_in_a_program_has_no_steps_for_what_is_not_there(text: str, values: dict[str, Any], absent: list[str]) -> None:
    """NaN, infinities and selections that are off; the slopes are those of `grad`."""
    done = autodiff("trace", text, *[f"{name}={value.tolist() if hasattr(value, 'tolist') else value}" for name, value in values.items()])
    assert done.code == 0
    assert [word for word in absent if word in done.out] == []


def test_a_derivative_that_hangs_on_a_condition_keeps_it() -> None:
    """With what is switched off read over, the derivative would be another number."""
    fn = read("grad(sqrt(x) if x > 0 else 0, x)", {"x": 0.0}).fn
    assert passes(fn, {"x": 0.0}, ["x"]).gradient == (("x", 0.0),)


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


def test_ties_say_what_was_chosen() -> None:
    found = told(read("max(x, y)", {"x": 2.0, "y": 2.0}).fn, {"x": 2.0, "y": 2.0}, ["x", "y"])
    remark = "on a kink: 0.5 is chosen between the slopes"
    assert [(s.local, s.partial, said(s.rule), s.remark) for s in found.backward if s] == [
        (None, 0.5, "v̄1*0.5", remark), (None, 0.5, "v̄1*0.5", remark),
    ]  # fmt: skip
    assert found.forward[0]
    assert found.forward[0].remark == "on a kink or a jump"
    values = {"v": np.array([1.0, 2.0]), "w": np.array([1.0, 3.0])}
    found = told(read("sum(min(v, w))", values).fn, values, ["v"])
    assert [(said(s.rule), s.remark) for s in found.backward if s][1:] == [
        (f"{barred('u1')}*∂u1/∂v", "on a kink in some entries: there it is between the slopes")
    ]


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
    assert any(formula.startswith("outer(") for formula in formulas)
    assert any(formula.startswith("W @ ") for formula in formulas)
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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = x*y; b = a + x; b = b*b; b + v1", ["a", "b1", "b2", "w1"]),
        ("h = x; h = h*2; h = h + y; h + v1", ["h1", "h2", "w1"]),
        ("x = x*2; x = x + y; x*v1", ["x1", "x2", "w1"]),
        ("h1 = x*y; h = x + y; h = h*h; h + h1 + v1", ["h1", "w1", "h2", "w2", "w3"]),
        ("a1 = x*2; a1 = a1*y; a1 + v1", ["a1_1", "a1_2", "w1"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    """The program's names, numbered where it gives one more than once, else v1, v2, … or another letter where those are taken."""
    values = {"x": 1.0, "y": 2.0, "v1": 3.0}
    assert [step.name for step in told(read(text, values).fn, values, list(values)).forward if step] == names


LOOPS = {
    "s = x\nwhile s < 100:\n    s = s*s + 1\ngrad(s, x)": ["v1", "v2"],
    "s = 0\nfor i in range(6):\n    s = s + x*i\ngrad(s, x)*s": ["s", "v1", "v2"],
    "s = x\nfor i in range(6):\n    s = s*0.5 + 1\ngrad(s, x)*x": ["v1", "v2"],
}


@pytest.mark.parametrize("layout", ["table", "plain", "markdown", "latex", "json"])
@pytest.mark.parametrize("text", LOOPS)
def test_a_derivative_through_a_loop(layout: str, text: str) -> None:
    """What a loop had turn by turn is no step; every layout tells the rest, each row in one line."""
    assert [step.name for step in told(read(text, {"x": 2.0}).fn, {"x": 2.0}, ["x"]).forward if step] == LOOPS[text]
    done = autodiff("trace", text, "x=2", "--format", layout)
    assert done.code == 0
    if layout == "markdown":
        assert all(line.startswith(("|", "**")) and line.endswith(("|", "**")) for line in done.out.splitlines() if line)


def test_turns_are_told_once() -> None:
    text = "s = 0\np = 1\nfor i in range(6):\n    s = s + p*x\n    p = p*x\ns*p"
    found = told(read(text, {"x": 2.0}).fn, {"x": 2.0}, ["x"])
    assert [len(step.turns) for step in found.forward if step] == [6, 0, 0]


def test_a_structural_zero_has_the_shape_of_what_it_is_for() -> None:
    values = {"v": np.array([1.0, 2.0, 3.0]), "w": np.array([0.0, 1.0, 2.0])}
    found = told(read("sum(v*floor(w))", values).fn, values, ["v", "w"])
    assert [np.shape(share.total) for share in found.backward if share and share.to in values] == [(3,), (3,)]
    steps = json.loads(autodiff("trace", "sum(v*floor(w))", "v=[1,2,3]", "w=[0,1,2]", "--json").out)["steps"]
    assert [step["sum"] for step in steps if step.get("to") == "w"] == [[0.0, 0.0, 0.0]]


def test_the_first_share_starts_the_sum() -> None:
    """Also where it is a structural zero."""
    found = told(read("x*y if x > 0 else y", {"x": 1.0, "y": 2.0}).fn, {"x": 1.0, "y": 2.0}, ["x", "y"])
    assert [(share.counts, share.first, share.before) for share in found.backward if share and share.to == "y"] == [
        (False, True, None), (True, False, 0.0),
    ]  # fmt: skip


CALLS = {
    "softmax(v)[0]": "w1*(w̄1 - sum(w̄1*w1))",
    "sum(softmax(M, axis=0)[0])": "v1*(v̄1 - sum(v̄1*v1, axis=0)[None])",
    "log_softmax(v)[1]": "w̄1 - exp(w1)*sum(w̄1)",
    "logsumexp(v)": "w̄1*softmax(v)",
    "cross_entropy(v, 1)": "w̄1*(softmax(v) - where(arange(3) == 1, 1, 0))",
    "cross_entropy(M, [1, 0])": "v̄1*((softmax(M) - where(arange(2) == [1, 0][:, None], 1, 0))/2)",
    "prod(v)": "w̄1 times the product of the other entries",
    "prod(v, axis=0)": "w̄1 times the product of the other entries along axis 0",
    "mean(v)": "full((3,), w̄1/3)",
    "max(v)": "where(v == w1, w̄1/sum(v == w1), 0)",
    "sum(min(M, axis=1, keepdims=True))": "where(M == v1, v̄1/sum(M == v1, axis=1)[:, None], 0)",
    "mse(v, 2)": "w̄1*(2*(v - 2)/3)",
    'mse(v, 2, reduction="sum")': "w̄1*(2*(v - 2))",
    "bce_with_logits(v, 1)": "w̄1*((sigmoid(v) - 1)/3)",
    "sum(solve(M, [1, 2]))": "-outer(solve(M.T, v̄1), v1)",
}


@pytest.mark.parametrize("text", CALLS)
def test_a_call_is_one_step_of_the_textbook(text: str) -> None:
    values = {"v": np.array([1.0, 2.0, 0.5])} if "M" not in text else {"M": np.array([[1.0, 2.0], [3.0, 5.0]])}
    found = told(read(text, values).fn, values, list(values))
    explained(found)
    assert found.forward[0]
    assert str(said(found.forward[0].operation)) in text
    assert [str(said(share.rule)) for share in found.backward if share][-1] == CALLS[text]


@pytest.mark.parametrize(
    "text", ["def softmax(v):\n    return v*v\nsum(softmax(v))", "mse(v, v)", "mse(v, [1, 2])*softmax(v, axis=1 - 1)[0]"]
)
def test_what_is_no_such_call_is_told_step_by_step(text: str) -> None:
    values = {"v": np.array([1.0, 2.0])}
    found = told(read(text, values).fn, values, ["v"])
    explained(found)
    assert found.steps > 1


def test_calls_in_calls_and_shared_ones() -> None:
    values = {"v": np.array([1.0, 2.0]), "W": np.array([[1.0, 0.5], [0.0, 2.0]])}
    text = "h = softmax(W @ softmax(v)); mean(h) + sum(h) + mean(softmax(v*k)[0] for k in range(1, 3))"
    found = told(read(text, values).fn, values, ["v", "W"])
    explained(found)
    assert [said(step.operation) for step in found.forward if step][:3] == ["softmax(v)", "W @ w1", "softmax(w2)"]


def test_calls_in_turns_that_are_written_out() -> None:
    values = {"v": np.array([1.0, 2.0])}
    found = told(read("h = v\nfor k in range(3):\n    h = softmax(h)\nsum(h*v)", values).fn, values, ["v"])
    explained(found)
    calls = [str(said(step.operation)) for step in found.forward if step][:3]
    names = [step.name for step in found.forward if step]
    assert calls == ["softmax(v)", f"softmax({names[0]})", f"softmax({names[1]})"]


def test_only_what_a_turn_assigns_has_its_name() -> None:
    found = told(read("s = x\nfor k in range(2):\n    s = var([s, k, s*s])\ns", {"x": 2.0}).fn, {"x": 2.0}, ["x"])
    assert [step.op for step in found.forward if step and step.name.startswith("s")] == ["div"]
    assert [step.name for step in found.forward if step][-1] == "s"


def test_the_jacobian_of_a_list_is_that_of_its_entries() -> None:
    found = told(read("J = jacobian([x*y, y*y, x], x); sum(J*J)", {"x": 1.0, "y": 2.0}).fn, {"x": 1.0, "y": 2.0}, ["x", "y"])
    assert [said(step.operation) for step in found.forward if step] == ["[y, 0, 1]", "J*J", "sum(v1)"]


def test_products_with_vectors_stay_vectors() -> None:
    values = {"v": np.array([1.0, 2.0]), "M": np.array([[1.0, 2.0], [3.0, 4.0]])}
    found = told(read("solve(M, M @ v) @ M @ v", values).fn, values, ["v", "M"])
    explained(found)
    formulas = [str(said(step.operation)) for step in found.forward if step] + [str(said(share.rule)) for share in found.backward if share]
    assert not any("reshape" in formula or "None" in formula for formula in formulas), formulas


def test_latex_has_no_raw_text_in_it() -> None:
    out = autodiff("trace", "max(α*v) + sum(where(v > 1, v, ω_x))", "α=2", "v=[1,2]", "ω_x=1", "--format", "latex", "-q").out
    assert out.isascii()
    assert r"\alpha" in out
    assert r"\omega_{x}" in out
    assert "ones(2)" not in out
    loop = autodiff("trace", "s = x\nfor i in range(6):\n    s = s*0.5 + 1\ns*x", "x=2", "--format", "latex").out
    assert r"\text{after turn 6: }\bar{s}\text{ = 2}" in loop
    column = autodiff("trace", 'col("nm \\\\ a")*2', "--set", "nm \\ a=2", "--format", "latex").out
    assert r"\text{nm \textbackslash{} a}" in column


def test_a_remark_ends_no_cell() -> None:
    out = autodiff("trace", "y = x**3; grad(y*abs(x) if x > 0 or x < -1 else y, x)", "x=2", "--format", "markdown").out
    assert all(line.replace("\\|", "").count("|") in (3, 4, 5, 6) for line in out.splitlines() if line.startswith("|"))


def test_only_what_is_told_is_made() -> None:
    """A long program is traced in about the time of its gradient: no formula of a step that is left out."""
    fn = read("\n".join(["s = x", *[f"s = sin(s)*{k % 7 + 1}/4 + x" for k in range(3_000)], "s"])).fn
    telling = Telling(recorded(fn, ["x"]), {"x": 0.3}, 6)
    assert len([share for share in telling.told(["x"]).backward if share]) == 6
    assert len(telling.written) <= 12


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
