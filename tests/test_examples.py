"""Every program of examples/: value and gradient against a second opinion, forward against reverse, second order where there is one."""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from mpmath import mp
from scipy.optimize import brentq

import tensors
from autodiff_cli.api import understand
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import Source
from autodiff_cli.run import point
from console import ROOT, autodiff

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff_cli.lower import Lowered

FOLDER = ROOT / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ad"))
RANDOM = np.random.default_rng(5)
Values = dict[str, Any]
Answer = tuple[float, dict[str, Any]]


# --- where a second opinion comes from ---------------------------------------------------------------------------


def by_autograd(function: Callable[..., Any], *wrt: str) -> Callable[[Values], Answer]:
    """The same function over HIPS autograd's arrays."""

    def answer(values: Values) -> Answer:
        slopes = {n: autograd.grad(lambda v, n=n: function(**{**values, n: v}))(values[n]) for n in wrt}
        return float(function(**values)), slopes

    return answer


def by_differences(function: Callable[..., float], *wrt: str) -> Callable[[Values], Answer]:
    """The same function in plain Python, and central differences of it."""

    def answer(values: Values) -> Answer:
        slopes = {}
        for n in wrt:
            above, below = (function(**{**values, n: values[n] + step}) for step in (1e-5, -1e-5))
            slopes[n] = (above - below) / 2e-5
        return function(**values), slopes

    return answer


# --- the same again, written down by hand --------------------------------------------------------------------------


def postage(weight: float, distance: float) -> Answer:
    if weight <= 1:
        price, slope = 4.5, 0.0
    elif weight <= 5:
        price, slope = (9.5 + 1.5 * (weight - 3.5), 1.5) if weight > 3.5 else (4.5 + 2 * (weight - 1), 2.0)
    else:
        price, slope = 12 + weight**2 / 10, weight / 5
    if distance > 100:
        factor = 1 + math.log(distance / 100)
        return price * factor, {"weight": slope * factor, "distance": price / distance}
    return price - (distance < 10), {"weight": slope, "distance": 0.0}


def pendulum(angle: float, friction: float) -> float:
    def force(x: float, v: float) -> float:
        return -math.sin(x) - friction * v

    x, v, h = angle, 0.0, 0.001
    for _ in range(10_000):
        x1, v1 = v, force(x, v)
        x2, v2 = v + h / 2 * v1, force(x + h / 2 * x1, v + h / 2 * v1)
        x3, v3 = v + h / 2 * v2, force(x + h / 2 * x2, v + h / 2 * v2)
        x4, v4 = v + h * v3, force(x + h * x3, v + h * v3)
        x, v = x + h / 6 * (x1 + 2 * x2 + 2 * x3 + x4), v + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
    return v**2 / 2 + 1 - math.cos(x)


def rnn(s: Any, W: Any, U: Any, V: Any) -> Any:
    h, loss = anp.zeros(2), 0.0
    for k in range(len(s) - 1):
        h = anp.tanh(W @ h + U * s[k])
        loss = loss + (V @ h - s[k + 1]) ** 2
    return loss / (len(s) - 1)


def lstm(xs: Any, W: Any, b: Any) -> Any:
    def sigmoid(x: Any) -> Any:
        return 1 / (1 + anp.exp(-x))

    n = len(b) // 4
    h, c = anp.zeros(n), anp.zeros(n)
    for x in xs:
        gates = anp.dot(W, anp.concatenate([h, x])) + b
        write, keep, say = sigmoid(gates[:n]), sigmoid(gates[n : 2 * n]), sigmoid(gates[2 * n : 3 * n])
        c = keep * c + write * anp.tanh(gates[3 * n :])
        h = say * anp.tanh(c)
    return anp.sum(h**2)


def determinant(A: Any) -> Answer:
    value = float(np.linalg.det(A))
    return value, {"A": value * np.linalg.inv(A).T}


def mixture(data: Any, weights: Any, means: Any, widths: Any) -> Any:
    shares = anp.exp(weights) / anp.sum(anp.exp(weights))
    total = 0.0
    for x in data:
        bells = anp.exp(-(((x - means) / anp.exp(widths)) ** 2) / 2) / anp.exp(widths) / anp.sqrt(2 * anp.pi)
        total = total - anp.log(anp.sum(shares * bells))
    return total


def lloyd(points: Any, centres: Any) -> Answer:
    """One step of Lloyd's: every centre goes to the mean of its points, and then every point has its nearest centre again."""

    def nearest(centres: Any) -> Any:
        return np.argmin([np.sum((points - c) ** 2, axis=1) for c in centres], axis=0)

    count, before = len(centres), nearest(centres)
    means = np.array([points[before == k].mean(axis=0) for k in range(count)])
    after = nearest(means)
    apart = points - means[after]
    pull = np.array([apart[after == k].sum(axis=0) / (before == k).sum() for k in range(count)])
    return float(np.sum(apart**2)), {"points": 2 * (apart - pull[before]), "centres": np.zeros(centres.shape)}


def reprojection(turn: Any, place: Any, f: Any, k: Any, middle: Any, point: Any, seen: Any) -> Any:
    x = point - place
    angle = anp.sqrt(anp.sum(turn**2))
    axis = turn / angle
    x = anp.cos(angle) * x + anp.sin(angle) * anp.cross(axis, x) + (1 - anp.cos(angle)) * anp.dot(axis, x) * axis
    flat = x[:2] / x[2]
    r2 = anp.sum(flat**2)
    return anp.sum((f * (1 + k[0] * r2 + k[1] * r2**2) * flat + middle - seen) ** 2)


def saddle(a: float, start: float) -> Answer:
    """At the best y = a*x/4 the value is x**2*(1 + a**2/8) + x."""
    bent = 1 + a**2 / 8
    return -1 / (4 * bent), {"a": a / 16 / bent**2, "start": 0.0}


def steered(w: float) -> Answer:
    """Where the flight ends at 0, by bisection."""

    def miss(w: float) -> float:
        x, y, u, v, h = 0.0, 8.0, 0.75, 0.0, 0.1
        while y + h * v > 0:
            far, near = math.hypot(x - 10, y - 10 + w) ** 3, math.hypot(x - 10, y) ** 3
            p, q = -(x - 10) / far - (x - 10) / near, -(y - 10 + w) / far - y / near
            x, y, u, v = x + h * u, y + h * v, u - h * p, v - h * q
        return x - u * y / v

    return brentq(miss, w - 0.35, w - 0.15, xtol=1e-13), {}


def activations(x: float) -> Answer:
    bell = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return max(x, 0) + x * float(mp.ncdf(x)), {"x": (x >= 0) + float(mp.ncdf(x)) + x * bell}


def straight(v: Any, w: Any) -> Answer:
    return float(w @ np.round(v) + np.sum(np.round(v) ** 2)), {"v": w + 2 * np.round(v), "w": np.round(v)}


def lambert(a: float) -> Answer:
    w = float(mp.lambertw(a))
    return w * w, {"a": 2 * w * w / (a * (1 + w))}


# --- the table -------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """An example at a point, who else knows its value and gradient, how close they are."""

    name: str
    values: Values
    opinion: Callable[[Values], Answer]
    rel: float = 1e-12


SEQUENCE = np.array([0, 0.5, 0.8, 0.9, 0.7])
NET = {"s": SEQUENCE, "W": np.array([[0.1, -0.2], [0.3, 0.2]]), "U": np.array([0.5, -0.4]), "V": np.array([1, 0.7])}
MEMORY = {"xs": np.array([[1.0, 0], [0, 1], [1, 1]]), "W": RANDOM.normal(size=(8, 4)), "b": RANDOM.normal(size=8)}
CLOUD = {
    "data": np.array([-1.2, -0.8, 0.1, 2.9, 3.3]),
    "weights": np.array([0.2, 0]),
    "means": np.array([-1, 3.0]),
    "widths": np.array([0, 0.1]),
}
CAMERA = {
    "turn": np.array([0.1, -0.2, 0.3]), "place": np.array([0.1, 0.2, -4]), "f": 500.0, "k": np.array([0.01, 0.001]),
    "middle": np.array([320.0, 240]), "point": np.array([0.3, 0.4, 1]), "seen": np.array([341.0, 285]),
}  # fmt: skip
POINTS = {"points": RANDOM.normal(size=(12, 2)), "centres": RANDOM.normal(size=(3, 2))}
CASES = [
    *[Case("branches", {"weight": w, "distance": d}, lambda v: postage(**v)) for w in (0.5, 2.0, 4.0, 7.0) for d in (5.0, 50.0, 120.0)],
    *[Case("newton", {"a": a}, lambda v: (math.sqrt(v["a"]), {"a": 0.5 / math.sqrt(v["a"])}), 1e-7) for a in (0.01, 1.0, 2.0, 1e6)],
    Case("runge_kutta", {"angle": 1.0, "friction": 0.1}, by_differences(pendulum, "angle", "friction"), 1e-8),
    Case("rnn", NET, by_autograd(rnn, "s", "W", "U", "V")),
    Case("lstm", MEMORY, by_autograd(lstm, "xs", "W", "b")),
    *[Case("minors", {"A": RANDOM.normal(size=(n, n))}, lambda v: determinant(**v), 1e-10) for n in (1, 3, 7)],
    Case("mixture", CLOUD, by_autograd(mixture, "data", "weights", "means", "widths")),
    Case("kmeans", POINTS, lambda v: lloyd(**v)),
    Case("bundle", CAMERA, by_autograd(reprojection, *CAMERA)),
    Case("saddle", {"a": 0.5, "start": 1.0}, lambda v: saddle(**v), 1e-9),
    Case("particle", {"w": 0.0}, lambda v: steered(**v), 1e-10),
    *[Case("activations", {"x": x}, lambda v: activations(**v)) for x in (-0.7, 0.0, 0.5, 3.0)],
    Case("straight_through", {"v": np.array([0.2, 0.7, 1.4]), "w": np.array([1.0, 2, 3])}, lambda v: straight(**v)),
    *[Case("implicit", {"a": a}, lambda v: lambert(**v)) for a in (0.1, 2.0, 50.0)],
]
IDS = [f"{case.name}-{k}" for k, case in enumerate(CASES)]


def program(name: str, values: Values) -> Lowered:
    path = FOLDER / f"{name}.ad"
    return understand(Source(path.name, path.read_text(encoding="utf-8")), values)


def near(a: Any, b: Any, rel: float) -> bool:
    return bool(np.allclose(a, b, rtol=rel, atol=rel))


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_value_and_gradient_are_those_of_a_second_opinion(case: Case) -> None:
    value, slopes = case.opinion(case.values)
    found = point.evaluate(gradient(program(case.name, case.values).fn, list(slopes)), case.values)
    assert near(found[0], value, case.rel)
    for (name, slope), mine in zip(slopes.items(), found[1:], strict=True):
        assert near(mine, slope, case.rel), name


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_forward_is_reverse(case: Case) -> None:
    fn = program(case.name, case.values).fn
    found = point.evaluate(gradient(fn, list(case.values)), case.values)
    for name, mine in zip(case.values, found[1:], strict=True):
        direction = RANDOM.normal(size=np.shape(mine))
        assert near(np.sum(mine * direction), tensors.forward(fn, case.values, name, direction), 1e-9), name


# the Hessian by one variable; of kmeans and straight_through it is that of their rules, which is shown below
SECOND = {"bundle": "turn", "implicit": "a", "lstm": "b", "minors": "A", "mixture": "means", "newton": "a", "rnn": "W", "saddle": "a"}


@pytest.mark.parametrize("name", SECOND)
def test_second_order_is_the_difference_of_the_first(name: str) -> None:
    case = next(c for c in reversed(CASES) if c.name == name)
    variable = SECOND[name]
    fn = program(name, case.values).fn
    found = tensors.hessian(fn, case.values, variable)
    direction = RANDOM.normal(size=np.shape(case.values[variable]))
    rank = direction.ndim
    assert near(np.tensordot(found, direction, rank), np.tensordot(direction, found, rank), 1e-9), "symmetric"
    slope = tensors.difference(gradient(fn, [variable]), case.values, variable, direction, 1, 1e-5)
    assert near(np.tensordot(found, direction, rank), slope, 1e-5)


def test_the_rule_of_a_root_holds_at_every_order() -> None:
    """The square of Lambert's W, from its Taylor series."""
    out = autodiff("grad", f"@{FOLDER / 'implicit.ad'}", "a=2", "--order", "4", "--format", "plain").out.split()
    for k, text in enumerate(out):
        with mp.workdps(40):
            assert near(float(text), float(mp.diff(lambda a: mp.lambertw(a) ** 2, 2, k)), 1e-12), k


def test_a_rule_of_ones_own_is_differentiated_as_it_is_written() -> None:
    """The second derivative of `my_relu` is that of its partial, of `my_gelu` that of the formula."""
    out = autodiff("grad", f"@{FOLDER / 'activations.ad'}", "x=0.5", "--order", "3", "--format", "plain").out.split()
    bell = math.exp(-0.125) / math.sqrt(2 * math.pi)
    assert near([float(text) for text in out[2:]], [bell * 1.75, bell * (0.5**3 - 4 * 0.5)], 1e-12)


def test_minors_that_come_up_again_are_made_once() -> None:
    """The columns of a minor are a subset of 12, so there are 2**12 calls and not 12! products."""
    values = {"A": RANDOM.normal(size=(12, 12))}
    lowered = program("minors", values)
    value, slopes = determinant(**values)
    found = point.evaluate(gradient(lowered.fn, ["A"]), values)
    assert near(found[0], value, 1e-10)
    assert near(found[1], slopes["A"], 1e-9)
    assert lowered.calls["minor"] == 4096


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_python_with_a_line_to_run(name: str) -> None:
    """Its text is Python's syntax, and it says how it is run; that line works."""
    text = (FOLDER / f"{name}.ad").read_text(encoding="utf-8")
    ast.parse(text)
    line = re.search(r"^#     autodiff (.*)$", text, re.MULTILINE)
    assert line is not None
    assert max(map(len, text.splitlines())) <= 140


def test_every_example_has_a_second_opinion() -> None:
    assert sorted({case.name for case in CASES}) == NAMES
