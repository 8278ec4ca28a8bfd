"""Functions that run many times in the same memory, and over rows in the graph: against one run at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensors
from autodiff_cli.derive import along, gradient, hvp
from autodiff_cli.derive.rows import over_rows, reduced
from autodiff_cli.program import compile
from autodiff_cli.run import point
from autodiff_cli.run.meter import Meter
from autodiff_cli.run.repeated import Repeated
from programs import read
from test_tensors import EVERY, moving, near

if TYPE_CHECKING:
    from autodiff_cli.graph import Fn

COUNT = 3


def first_order(text: str, values: dict[str, Any]) -> tuple[Fn, dict[str, Any]]:
    """Value and gradient of the text, its entries weighed, and the values with the weights."""
    fn = read(text, values).fn
    weights = np.random.default_rng(3).normal(size=np.shape(point.evaluate(fn, values)[0]))
    return gradient(tensors.weighed(fn, 0), moving(fn, values)), {**values, tensors.E: weights}


def repeated(fn: Fn, values: dict[str, Any], fixed: set[str]) -> list[Any]:
    """The results of the second call; the first one is at other values, in the same memory."""
    names = [name for name, _ in fn.params]
    run = Repeated(fn, {name: values[name] for name in names if name in fixed})
    for scale in (0.7, 1.0):
        for name in run.inputs:
            run.inputs[name][...] = values[name] if name == "K" else np.asarray(values[name]) * scale
        found = run()
    return [np.copy(x) for x in found]


@pytest.mark.parametrize(("text", "values"), EVERY)
def test_memory_that_is_used_again_changes_nothing(text: str, values: dict[str, Any]) -> None:
    fn, point_values = first_order(text, values)
    expected = point.evaluate(fn, point_values)
    for fixed in (set(), {tensors.E, *list(values)[1:]}, {tensors.E, *list(values)[:1]}):
        for found, right in zip(repeated(fn, point_values, fixed), expected, strict=True):
            assert near(found, right, 1e-13)


@pytest.mark.parametrize(("text", "values"), EVERY)
def test_rows_at_once_are_one_row_at_a_time(text: str, values: dict[str, Any]) -> None:
    """Value and derivatives, whichever of the variables have rows."""
    fn, one = first_order(text, values)
    random = np.random.default_rng(4)
    for varying in ({*one}, {tensors.E, next(iter(values))}, {tensors.E, *list(values)[1:]}, {tensors.E}):
        many = {name: stacked(name, value, random) if name in varying else value for name, value in one.items()}
        found = point.evaluate(over_rows(fn, varying, COUNT), many)
        for k in range(COUNT):
            row = point.evaluate(fn, {name: value[k] if name in varying else value for name, value in many.items()})
            for all_rows, right in zip(found, row, strict=True):
                assert near(all_rows[k], right, 1e-12)


def stacked(name: str, value: Any, random: np.random.Generator) -> Any:
    """Rows of values that are like this one."""
    rows = [value] + [np.asarray(value) * random.uniform(0.8, 1.2) if name != "K" else value for _ in range(COUNT - 1)]
    return np.array(rows, float)


SHAPES = {"w": np.array([0.5, -1.0, 2.0]), "x": np.arange(12.0).reshape(4, 3) / 7, "y": np.array([1.0, 0.0, 1.0, 0.0])}


def test_the_derivative_over_rows_is_that_of_the_mean() -> None:
    text, names = "bce_with_logits(w @ x, y)", {"x", "y"}
    fn = read(text, {"w": SHAPES["w"], "x": SHAPES["x"][0], "y": 1.0}).fn
    value, slope = point.evaluate(gradient(reduced(fn, names, 4, "mean"), ["w"]), SHAPES)
    each = [point.evaluate(gradient(fn, ["w"]), {**SHAPES, "x": x, "y": float(y)}) for x, y in zip(SHAPES["x"], SHAPES["y"], strict=True)]
    assert near(value, np.mean([v for v, _ in each]), 1e-15)
    assert near(slope, np.mean([d for _, d in each], axis=0), 1e-15)
    assert not any(
        node.type.shape == (4, 3) and node.op.name == "mul"
        for node in compile(gradient(reduced(fn, names, 4, "mean"), ["w"])).fn.nodes[-3:]
    )


def test_only_one_arm_runs_where_one_number_decides() -> None:
    text = "sum(v) if a > 0 else v[K]*log(a)"
    fn = read(text, {"v": np.ones(3), "a": 1.0, "K": 7.0}).fn
    run = Repeated(fn, {})
    run.inputs["v"][...], run.inputs["K"][...] = np.ones(3), 7.0
    run.inputs["a"][...] = 2.0
    assert run() == [3.0]
    run.inputs["a"][...], run.inputs["K"][...] = -1.0, 2.0
    assert np.isnan(run()[0])


def test_what_is_off_stays_off() -> None:
    """NaN and inf of an arm that was not selected reach nothing, in memory that was used before too."""
    values = {"v": np.array([-1.0, 0.0, 2.0]), "W": np.ones((3, 3))}
    fn = gradient(read("sum(W @ where(v > 0, sqrt(v)*log(v), 1/(v - 2)**2)) + sum(max(sqrt(v*v), 1e-10))", values).fn, ["v", "W"])
    for found, right in zip(repeated(fn, values, set()), point.evaluate(fn, values), strict=True):
        assert np.array_equal(found, right, equal_nan=True)
    assert np.isfinite(point.evaluate(fn, values)[1]).all()


@pytest.mark.parametrize(("text", "values"), [p for p in EVERY if str(p.id).endswith("0")])
def test_hessian_times_a_vector(text: str, values: dict[str, Any]) -> None:
    """One push over a pull, by all variables together."""
    fn = read(text, values).fn
    names = moving(fn, values)
    total, random = tensors.weighed(fn, 0), np.random.default_rng(5)
    outer = {**values, tensors.E: random.normal(size=np.shape(point.evaluate(fn, values)[0]))}
    directions = {name: random.normal(size=np.shape(values[name])) for name in names}
    found = point.evaluate(hvp(total, names), {**outer, **{along(name): d for name, d in directions.items()}})
    first, step = gradient(total, names), 1e-6
    above, below = (point.evaluate(first, {**outer, **{n: values[n] + s * step * d for n, d in directions.items()}}) for s in (1, -1))
    for k in range(len(names)):
        assert near(found[1 + len(names) + k], (np.asarray(above[1 + k]) - np.asarray(below[1 + k])) / (2 * step), 1e-5)


def test_the_gradient_of_a_million_squares_holds_two_arrays() -> None:
    v = np.linspace(0, 1, 1_000_000)
    meter = Meter()
    fn = compile(gradient(read("sum(v**2)", {"v": v}).fn, ["v"]))
    assert np.array_equal(point.run(fn, {"v": v}, meter)[1], 2 * v)
    assert meter.peak == 2 * v.nbytes
    run = Repeated(fn.fn, {}, {"v": v})
    assert np.array_equal(run()[1], 2 * v)
    assert run.bytes <= 2 * v.nbytes + 64


def test_what_is_stretched_stays_small() -> None:
    """One number that stands for many entries is one number till every entry is needed, in kernels of every kind."""
    for text in ("sum(lambertw(full(50, a)))", "sum(jn(2, full((5, 9), a)))", "prod(softplus(full(3, a)))", "sum(W @ sinc(full(4, a)))"):
        values = {"a": 0.7} | ({"W": np.ones((3, 4))} if "W" in text else {})
        fn = gradient(read(text, values).fn, ["a"])
        for found, right in zip(repeated(fn, values, set()), point.evaluate(fn, values), strict=True):
            assert near(found, right, 1e-13)
    run = Repeated(gradient(read("sum(lambertw(full(1000000, a)))", {"a": 0.7}).fn, ["a"]), {})
    assert run.bytes < 1000


def test_memory_is_given_on() -> None:
    """A long chain of steps takes no more memory than its widest place."""
    v = np.ones(1000)
    fn = read("+".join(["sum(" + "sin(" * 20 + "v" + ")" * 20 + ")"] * 3), {"v": v}).fn
    run = Repeated(fn, {}, {"v": v})
    run()
    assert run.bytes <= 2 * v.nbytes + 64
    meter = Meter()
    point.run(compile(fn), {"v": v}, meter)
    assert meter.peak <= 3 * v.nbytes
