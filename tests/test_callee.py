"""Functions with a derivative of their own: the rule is used in both modes, at every order, in loops, over arrays, and is never lost."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodiff_cli.derive import gradient, linearity
from autodiff_cli.ops import OPS
from autodiff_cli.ops.arithmetic import select
from autodiff_cli.ops.structured import Callee, call, loop
from autodiff_cli.program import compile
from autodiff_cli.run import digits, floats, point
from autodiff_cli.run.kernels_float import kernel
from console import autodiff
from loops import body, derived, first, function, real, rows_are_points, same, total
from programs import tangents

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff_cli.graph import Expr, Fn

sin, cos, sqrt, exp, name_ = (OPS[n] for n in ("sin", "cos", "sqrt", "exp", "name"))
POINT = {"x": 0.7, "y": 1.3}


def value() -> Fn:
    return function(lambda a, b: sin(a) * b, "a0", "a1")


def by_partials(scale: float = 1) -> Callee:
    return Callee("f", value(), (function(lambda a, b: cos(a) * b * scale, "a0", "a1"), function(lambda a, b: sin(a) * scale, "a0", "a1")))


def by_pullback(scale: float = 1) -> Callee:
    return Callee("f", value(), None, function(lambda ct, a, b: [ct * cos(a) * b * scale, ct * sin(a) * scale], "ct", "a0", "a1"))


def ruled(callee: Callee, a: Any, b: Any) -> Any:
    return call(callee, [a, b])


USES: dict[str, Callable[[Callable[[Any, Any], Any]], Callable[..., Any]]] = {
    "once": lambda f: lambda x, y: f(x * y, y) ** 2,
    "within itself": lambda f: lambda x, y: f(f(x, y), x),
    "in a loop": lambda f: lambda x, y: first(loop(body(lambda z, k: f(z, k) + z / 2, (1, 1)), 5, [x], [y])),
    "in an arm": lambda f: lambda x, y: select(x < y, f(x, y), x),
}


@pytest.mark.parametrize("make", [by_partials, by_pullback])
@pytest.mark.parametrize("use", USES)
def test_a_right_rule_changes_nothing(use: str, make: Callable[..., Callee]) -> None:
    callee, build = make(), USES[use]
    ruled = function(build(lambda a, b: call(callee, [a, b])), *POINT)
    plain = function(build(lambda a, b: sin(a) * b), *POINT)
    for ours, theirs in zip(derived(ruled, list(POINT)), derived(plain, list(POINT)), strict=True):
        same(floats.evaluate(ours, POINT), floats.evaluate(theirs, POINT))
        same([float(v) for v in digits.evaluate(ours, POINT, 30)], floats.evaluate(theirs, POINT))
        rows_are_points(ours, {"x": np.array([0.7, 1.9, -0.3])}, {"y": 1.3})


@pytest.mark.parametrize("make", [by_partials, by_pullback])
@pytest.mark.parametrize("use", USES)
def test_a_wrong_rule_is_seen_at_every_order(use: str, make: Callable[..., Callee]) -> None:
    """A rule that is wrong by 1.0001 changes value's derivatives of both orders, in both modes alike."""
    names = list(POINT)
    right, wrong = [function(USES[use](partial(ruled, make(scale))), *names) for scale in (1, 1.0001)]
    assert floats.evaluate(right, POINT) == floats.evaluate(wrong, POINT)
    first_order = [
        [floats.evaluate(mode, POINT)[1:] for mode in (gradient(fn, names), tangents(fn, tuple(names)))] for fn in (right, wrong)
    ]
    assert first_order[1][0] == pytest.approx(first_order[1][1], rel=1e-13)
    assert all(abs(w / r - 1) > 5e-5 for r, w in zip(first_order[0][0], first_order[1][0], strict=True))
    second = [gradient(gradient(wrong, names).only(1), names), tangents(gradient(wrong, names).only(1), tuple(names))]
    second += [gradient(tangents(wrong, tuple(names)).only(1), names), tangents(tangents(wrong, tuple(names)).only(1), tuple(names))]
    found = [floats.evaluate(fn, POINT) for fn in second]
    for a, b in pairwise(found):
        assert a == pytest.approx(b, rel=1e-12)
    assert found[0][1] != pytest.approx(floats.evaluate(gradient(gradient(right, names).only(1), names), POINT)[1], rel=5e-5)


def test_a_rule_survives_expanding_compiling_and_pickling() -> None:
    fn = function(lambda x, y: call(by_partials(2), [x, y]), *POINT)
    compile(fn)
    again = pickle.loads(pickle.dumps(fn))  # noqa: S301 (our own)
    for each in (fn, again):
        assert floats.evaluate(gradient(each, ["x"]), POINT)[1] == pytest.approx(2 * np.cos(0.7) * 1.3)
    assert "call" not in [node.op.name for node in compile(fn).fn.nodes]


def test_the_same_call_is_made_once() -> None:
    fn = function(lambda x, y: call(by_partials(), [x, y]) + call(by_partials(), [x, y]), *POINT)
    assert [node.op.name for node in fn.nodes].count("call") == 1


def test_calls_nest_deeply_without_recursion() -> None:
    callee = Callee("f0", function(sin, "a"), (function(cos, "a"),))
    for k in range(1, 300):
        callee = Callee(f"f{k}", function(lambda a, c=callee: call(c, [a]) + 1, "a"), (function(lambda a, c=callee: call(c, [a]), "a"),))
    fn = function(lambda x: call(callee, [x]), "x")
    assert floats.evaluate(fn, {"x": 0.0}) == [299.0]
    assert floats.evaluate(gradient(fn, ["x"]), {"x": 0.0}) == [299.0, 298.0]


def test_a_rule_at_a_singular_point_stays_off_where_it_is_off() -> None:
    root = Callee("root", function(sqrt, "a"), (function(lambda a: 0.5 / sqrt(a), "a"),))
    back = Callee("root", function(sqrt, "a"), None, function(lambda ct, a: ct * 0.5 / sqrt(a), "ct", "a"))
    for callee in (root, back):
        fn = function(lambda x, c=callee: select(x > 0, call(c, [x]), 0), "x")
        assert floats.evaluate(gradient(fn, ["x"]), {"x": 0.0}) == [0.0, 0.0]
        assert floats.evaluate(tangents(fn, ("x",)), {"x": 0.0}) == [0.0, 0.0]


def softmax_like(v: Expr, k: Expr) -> Any:
    return exp(v * k) / (total(exp(v * k)) + 1)


def pulled_back(ct: Expr, v: Expr, k: Expr) -> list[Expr]:
    """The transpose of the derivative of `softmax_like`, written by hand."""
    s = softmax_like(v, k)
    inner = s * (ct - total(ct * s))
    return [inner * k, total(inner * v)]


def test_a_pullback_over_arrays() -> None:
    types: list[Any] = [("v", real(3)), "k"]
    callee = Callee("s", function(softmax_like, *types), None, function(pulled_back, ("ct", real(3)), *types))
    values = {"v": np.array([0.3, -0.8, 0.5]), "k": 1.7}

    def weights(e: Any) -> Any:
        return total(e * e * sin(e))

    ruled = function(lambda v, k: weights(call(callee, [v, k])), *types)
    plain = function(lambda v, k: weights(softmax_like(v, k)), *types)
    for ours, theirs in zip(derived(ruled, list(values)), derived(plain, list(values)), strict=True):
        same(point.evaluate(ours, values), point.evaluate(theirs, values))
        rows_are_points(ours, {"k": np.array([1.7, -0.4])}, {"v": values["v"]})


def test_partials_over_arrays_are_summed_over_what_was_stretched() -> None:
    types: list[Any] = [("v", real(3)), "k"]

    def stretched(v: Any, k: Any) -> Any:
        return v * k * k

    callee = Callee(
        "m",
        function(stretched, *types),
        (function(lambda v, k: v.graph.broadcast(k * k, (3,)), *types), function(lambda v, k: 2 * v * k, *types)),
    )
    values = {"v": np.array([0.3, -0.8, 0.5]), "k": 1.7}
    ruled = function(lambda v, k: total(sin(call(callee, [v, k]))), *types)
    plain = function(lambda v, k: total(sin(stretched(v, k))), *types)
    for ours, theirs in zip(derived(ruled, list(values)), derived(plain, list(values)), strict=True):
        same(point.evaluate(ours, values), point.evaluate(theirs, values))
        rows_are_points(ours, {"k": np.array([1.7, -0.4])}, {"v": values["v"]})


RULE = "def f(a):\n    return a**2\n@pullback(f)\ndef _(ct, a):\n    {}\nf(x)"
COUNTED = "n = 0\n    while n < a:\n        {}\n        n += 1\n    return ct"
NESTED = "n = 0\n    t = 0\n    while n < a:\n        m = 0\n        while m < n:\n            t += ct*m\n            m += 1\n        n += 1\n    return ct + t"


@pytest.mark.parametrize(
    ("rule", "slope"),
    [
        ("return ct*2*a", 6), ("return -ct/a", -1 / 3), ("return 0", 0), ("return 0*ct", 0), ("return ct*2 if a > 0 else -ct", 2),
        ("return where(a > 0, ct, 0)", 1), ("return grad(ct*a**3, a)", 27), ("return sum([ct, 2*ct])*a", 9), ("return deg2rad(ct)*180/pi", 1),
        ("return solve([[2, 0], [0, 1]], [ct, ct])[0]", 0.5), ("return einsum('i,i', [ct, ct], [a, 1])", 4), ("return interp(a, [0, 5], [0, ct])", 0.6),
        ("for k in range(40):\n        ct = ct*a/3\n    return ct", 1), (COUNTED.format("ct = ct*2"), 8), (NESTED, 2),
        (COUNTED.format("ct = ct*2\n        if n > 0: ct = -ct"), 8),
    ],
)  # fmt: skip
def test_a_linear_pullback_has_a_forward_mode(rule: str, slope: float) -> None:
    """Also with loops in it, as long as the cotangent does not count their turns."""
    text = RULE.format(rule)
    assert float(autodiff("jvp", text, "x=3", "--tangent", "x=1", "--csv").out.split(",")[-1]) == pytest.approx(slope, rel=1e-12)
    assert float(autodiff("grad", text, "x=3", "--csv").out.split(",")[-1]) == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize(
    ("rule", "culprit"),
    [
        ("return ct*2*a + 1", "ct*2*a + 1"), ("return ct**2", "ct**2"), ("return clip(ct, -1, 1)", "clip(ct, -1, 1)"), ("return 1", ""),
        ("return sign(ct)", "sign(ct)"), ("return a*floor(ct)", "floor(ct)"), ("return ct*2 if ct > 0 else -ct", "ct > 0"), ("return a*detach(ct)", "detach(ct)"),
        (COUNTED.format("ct = ct*2 + 1"), ""), (COUNTED.format("ct = ct*2").replace("n < a", "n < ct"), ""), ("return silu(ct)", "silu(ct)"),
    ],
)  # fmt: skip
def test_a_pullback_that_is_not_linear_has_none(rule: str, culprit: str) -> None:
    """A constant beside the cotangent, a step of it, a power; grad takes it as it is."""
    text = RULE.format(rule)
    done = autodiff("jvp", text, "x=3", "--tangent", "x=1")
    assert done.code == 3
    assert "error[nonlinear-rule]: the rule of `f` is not linear in the cotangent, so it has no forward mode" in done.err
    assert "nonlinear-rule" in autodiff("eval", text.replace("\nf(x)", "\nderiv(f(x), x)"), "x=3").err
    assert culprit in done.err
    if culprit:
        assert "not linear in it" in done.err


def test_which_ops_are_linear_in_what() -> None:
    """What the table says, by numbers; and it has every elementwise op of two arguments that the rules of ops are made of."""
    for op, places in linearity.EACH.items():
        if op.rule == "elementwise":
            f = kernel(op, None)[1]
            for k in places:
                one, two, both = ([1.3 if j != k else x for j in range(2)] for x in (0.4, -1.7, -1.3))
                assert f(*one) + f(*two) == pytest.approx(f(*both), rel=1e-12)
