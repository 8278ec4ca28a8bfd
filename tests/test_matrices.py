"""Jacobians, Hessians and products: every way to one matrix gives the same, with as many products as the pattern needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import programs
import random_programs
import strategies
import test_data
from autodiff_cli import api, directional, matrices
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.program import compile
from autodiff_cli.report import flat, nested
from autodiff_cli.run import tensors

if TYPE_CHECKING:
    from autodiff_cli.api import Task
    from autodiff_cli.report import Report

Array = Any
Point = dict[str, Any]
ROSENBROCK = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"
CHAIN = [f"100*(x{i + 1} - x{i}**2)**2 + (1 - x{i})**2" for i in range(39)]


def ran(task: Task, values: Point, rescue: str = "never") -> Report:
    return api.answer(task, values, rescue=rescue)


def products(task: Task) -> int:
    """How many products the task says it takes."""
    return int(str(task.effort).split(maxsplit=1)[0].replace(",", ""))


def jacobian(text: str, values: Point, **options: Any) -> Report:
    return ran(matrices.jacobian(programs.read(text, values), list(values), **options), values)


def hessian(text: str, values: Point, **options: Any) -> Report:
    return ran(matrices.hessian(programs.read(text, values), list(values), **options), values)


def whole(report: Report) -> Array:
    """The matrix of a report, from its coordinates or from its blocks."""
    if report.matrix is not None:
        rows, columns, values, down, across = report.matrix
        found = np.zeros((down.size, across.size))
        found[rows, columns] = values
        return found
    document = nested(report)
    if report.command == "hess":
        names = list(document["hessian"])
        sizes = {name: np.size(document["gradient"][name]) for name in names}
        return np.block([[np.reshape(document["hessian"][a][b], (sizes[a], sizes[b])) for b in names] for a in names])
    size = np.size(document["value"])
    return np.concatenate([np.reshape(block, (size, -1)) for block in document["jacobian"].values()], axis=1)


def same(a: Array, b: Array, rel: float = 1e-9) -> bool:
    """Equal where both are finite, and not finite in the same places."""
    good = np.isfinite(a)
    return bool((good == np.isfinite(b)).all() and np.allclose(a[good], b[good], rel, 1e-12))


def test_a_hessian_of_names_is_that_of_the_textbook() -> None:
    report = hessian("x**2*y + sin(y)", {"x": 2.0, "y": 0.5})
    assert whole(report) == pytest.approx(np.array([[1.0, 4.0], [4.0, -math.sin(0.5)]]))
    assert flat(report)[0] == ["value", "d_x", "d_y", "d2_x_x", "d2_x_y", "d2_y_y"]


def test_entries_of_arrays_have_names_and_pairs_stand_once() -> None:
    values = {"v": np.array([1.0, 2.0]), "w": 3.0}
    assert flat(hessian("sum(v**3)*w", values))[0][4:] == ["d2_v_0_v_0", "d2_v_0_v_1", "d2_v_1_v_1", "d2_v_0_w", "d2_v_1_w", "d2_w_w"]
    assert flat(jacobian("v*w", values))[0][2:] == ["d0_v_0", "d0_v_1", "d1_v_0", "d1_v_1", "d0_w", "d1_w"]
    assert flat(jacobian("outer(v, v)*w", values))[0][4:8] == ["d0_0_v_0", "d0_0_v_1", "d0_1_v_0", "d0_1_v_1"]
    assert flat(jacobian("sum(v)*w", values))[0] == ["value", "d_v_0", "d_v_1", "d_w"]


def test_a_mixed_block_is_mirrored_whole() -> None:
    values = {"a": np.arange(1.0, 3.0), "M": np.arange(1.0, 7.0).reshape(2, 3)}
    report = nested(hessian("sum(a@M**2*a[0])", values))
    assert np.shape(report["hessian"]["a"]["M"]) == (2, 2, 3)
    assert np.shape(report["hessian"]["M"]["a"]) == (2, 3, 2)
    assert np.array_equal(report["hessian"]["M"]["a"], np.moveaxis(report["hessian"]["a"]["M"], 0, 2))


# --- sparsity ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (ROSENBROCK, 3),
        ("sum(x**3)", 1),
        ("sum(x)", 0),
        ("sum(sin(x))*x[0]", 2),
        ("sum(x[:-2]*x[1:-1]*x[2:])", 5),
        ("sum(x*cumsum(x))", 9),
        ("sum(x)**2", 9),
        ("sum(reshape(x, (3, 3))**2@[1, 2, 3])", 1),
        ("sum(prod(reshape(x, (3, 3)), axis=1))", 3),
        ("sum(stack([x[0]*x[1], x[2]*x[3]]))", 2),
        ("sum(concatenate([x[:3]**2, x[3:]**3]))", 1),
        ("sum(max(x, 0)**2 + where(x > 1, x**2, 0)) + sum(floor(x))*sum(x)", 1),
        ("sum(x[[0, 1, 2]]*x[[3, 4, 5]])", 2),
        ("sum((reshape(x, (3, 3))@[[1, 0, 0], [0, 1, 0], [0, 0, 1]])**2)", 3),
        ("sum(log(sum(exp(reshape(x, (3, 3))), axis=1)))", 3),
        ("sum(norm(reshape(x, (3, 3)), axis=0))", 3),
    ],
)
def test_a_hessian_takes_as_many_products_as_its_pattern_needs(text: str, count: int) -> None:
    """And is that of one product a variable, mirrored exactly."""
    values = {"x": np.linspace(0.5, 2.5, 9)}
    task = matrices.hessian(programs.read(text, values), ["x"])
    assert products(task) <= count
    found, sparse = whole(ran(task, values)), whole(hessian(text, values, sparse=True))
    assert np.array_equal(found, sparse)
    assert np.array_equal(found, found.T)
    columns = []
    for k in range(9):
        unit = {"x": np.eye(9)[k]}
        columns.append(nested(ran(directional.hvp(programs.read(text, values), ["x"], unit), values))["product"]["x"])
    assert same(found, np.array(columns).T)


@pytest.mark.parametrize(
    ("text", "count", "mode"),
    [
        ("x[1:]*x[:-1]**2", 2, "forward"),
        ("x**2", 1, "forward"),
        ("sum(x**2)", 1, "reverse"),
        ("[x[0]*x[1]*x[2], sum(x)]", 2, "reverse"),
        ("outer(x, [1, 2])", 1, "forward"),
        ("cumsum(x)", 9, "forward"),
        ("x[::-1]*x", 2, "forward"),
        ("[sum(x), x[0], x[1]]", 2, "reverse"),
        ("floor(x)", 0, "forward"),
    ],
)
def test_a_jacobian_takes_the_cheaper_mode(text: str, count: int, mode: str) -> None:
    values = {"x": np.linspace(0.5, 2.5, 9)}
    task = matrices.jacobian(programs.read(text, values), ["x"])
    assert (products(task), f"in {mode} mode" in str(task.effort)) == (count, True), task.effort
    found = whole(ran(task, values))
    for options in ({"mode": "forward"}, {"mode": "reverse"}, {"sparse": True}, {"sparse": True, "mode": "reverse"}):
        assert same(found, whole(jacobian(text, values, **options))), options


def test_names_are_coloured_like_entries() -> None:
    """The chain over 40 names and over one array: 3 products, the same numbers."""
    point = np.linspace(-1, 1, 40)
    names = {f"x{i}": float(x) for i, x in enumerate(point)}
    task = matrices.hessian(programs.read(" + ".join(CHAIN), names), list(names))
    assert products(task) == 3
    assert same(whole(ran(task, names)), whole(hessian(ROSENBROCK, {"x": point})))


def test_an_arrow_takes_two_products() -> None:
    """One variable meets all others: a star colouring reads its row from its own product."""
    names = {f"x{i}": 1.0 + i for i in range(12)}
    text = "x0*(" + " + ".join(f"x{i}**2" for i in range(1, 12)) + ")"
    task = matrices.hessian(programs.read(text, names), list(names))
    assert products(task) == 2
    found = whole(ran(task, names))
    assert found[0, 1:] == pytest.approx(2 * np.arange(2.0, 13.0))
    assert np.array_equal(found, found.T)


def test_a_thousand_variables_of_rosenbrock() -> None:
    from scipy.optimize import rosen_hess

    point = np.linspace(-1, 1, 1000)
    task = matrices.hessian(programs.read(ROSENBROCK, {"x": point}), ["x"], sparse=True)
    assert products(task) == 3
    assert whole(ran(task, {"x": point})) == pytest.approx(rosen_hess(point))


def test_a_band_of_a_hundred_thousand_rows() -> None:
    point = np.linspace(1, 2, 100_000)
    task = matrices.jacobian(programs.read("x[1:]*x[:-1]**2", {"x": point}), ["x"], sparse=True)
    assert products(task) == 2
    matrix = ran(task, {"x": point}).matrix
    assert matrix is not None
    assert len(matrix.values) == 199_998
    assert matrix.values[::2] == pytest.approx(2 * point[1:] * point[:-1])
    assert matrix.values[1::2] == pytest.approx(point[:-1] ** 2)


# --- structural zeros ----------------------------------------------------------------------------------------


def test_a_seed_that_is_not_there_meets_no_infinity() -> None:
    """The other entries of a block have derivatives that are infinite or NaN."""
    values = {"v": np.array([0.0, 1.0, 4.0])}
    for mode in ("forward", "reverse"):
        assert whole(jacobian("[sqrt(v[0]) + v[1], v[2]]", values, mode=mode)).tolist() == [[math.inf, 1.0, 0.0], [0.0, 0.0, 1.0]]
        assert whole(jacobian("sum(sqrt(v))*[1, 2]", values, mode=mode))[:, 1:].tolist() == [[0.5, 0.25], [1.0, 0.5]]
    found = whole(hessian("sum(sqrt(v))", values))
    assert found.tolist() == [[-math.inf, 0.0, 0.0], [0.0, -0.25, 0.0], [0.0, 0.0, -0.03125]]


def test_a_direction_of_zero_meets_no_infinity() -> None:
    values = {"v": np.array([0.0, 1.0]), "x": 0.0}
    lowered = programs.read("sum(sqrt(v)) + sqrt(x)", values)
    assert nested(ran(directional.jvp(lowered, {"v": np.array([0.0, 1.0]), "x": 0.0}), values))["tangent"] == 0.5


def test_a_named_value_counts_with_what_depends_on_it() -> None:
    """`--wrt h,x` where h depends on x: the derivative by x goes through h, as that of a gradient does."""
    values = {"x": 2.0}
    lowered = programs.read("h = x**2\nh*x", values, ("h", "x"))
    assert whole(ran(matrices.hessian(lowered, ["h", "x"]), values)).tolist() == [[0.0, 1.0], [1.0, 12.0]]
    for mode in ("forward", "reverse"):
        assert whole(ran(matrices.jacobian(lowered, ["h", "x"], mode=mode), values)).tolist() == [[2.0, 12.0]]


# --- products ------------------------------------------------------------------------------------------------

TEXTS = ("x*y*[1, 2]", "[sin(x)*y, x/y, x + y**2]", "outer(v, v)*x + y", "v**2*x", "x**2*y", "sum(v**3)*x*y")
VALUES: Point = {"x": 0.7, "y": -1.3, "v": np.array([0.5, 2.0])}


@pytest.mark.parametrize("text", TEXTS)
def test_products_are_those_of_the_matrix(text: str) -> None:
    names = [name for name in VALUES if name in text]
    values = {name: VALUES[name] for name in names}
    lowered = programs.read(text, values)
    matrix = whole(jacobian(text, values))
    direction = {name: np.cos(np.arange(np.size(v)) + k).reshape(np.shape(v)) for k, (name, v) in enumerate(values.items())}
    seeds = {name: v if v.shape else float(v) for name, v in direction.items()}
    tangent = nested(ran(directional.jvp(lowered, seeds), values))["tangent"]
    assert np.ravel(tangent) == pytest.approx(matrix @ np.concatenate([v.ravel() for v in direction.values()]))
    shape = np.shape(nested(ran(api.value(lowered), values))["value"])
    weights = np.sin(1.0 + np.arange(matrix.shape[0])).reshape(shape)
    found = nested(ran(directional.vjp(lowered, names, weights if shape else float(weights)), values))["cotangent"]
    assert np.concatenate([np.ravel(found[name]) for name in names]) == pytest.approx(weights.ravel() @ matrix)


# --- rows, and random expressions ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["x**2*y + sin(y)", "[x*y, x/y]", "sum(v*x)*y**2", "v*x + y"])
def test_rows_are_points(text: str) -> None:
    fixed = {"v": VALUES["v"]} if "v" in text else {}
    xs, ys = np.array([0.5, 1.5, -2.0]), np.array([2.0, 0.25, 1.0])
    lowered = programs.read(text, {**fixed, "x": 0.0, "y": 0.0})
    tasks = [matrices.jacobian(lowered, ["x", "y", *fixed])]
    tasks += [matrices.hessian(lowered, ["x", "y", *fixed])] if not lowered.fn.nodes[lowered.fn.outs[0]].type.shape else []
    for task in tasks:
        rows = tensors.run(compile(task.fn), {**fixed, "x": xs, "y": ys}, frozenset({"x", "y"}))
        for k in range(3):
            point = [entry.value for entry in ran(task, {**fixed, "x": float(xs[k]), "y": float(ys[k])}).entries]
            for many, one in zip(rows, point, strict=True):
                assert np.allclose(many[k] if np.ndim(many) > np.ndim(one) else many, one, 1e-12, 1e-12)


@given(strategies.expressions, strategies.points)
def test_every_way_to_a_random_matrix_is_the_same(text: str, point: dict[str, float]) -> None:
    """Hessian of names, symmetric, against that of two pushes; the Jacobian of two values forward, reverse and sparse."""
    found = whole(hessian(text, point))
    assert np.array_equal(found, found.T, equal_nan=True)
    assert np.array_equal(found, whole(hessian(text, point, sparse=True)), equal_nan=True)
    expected = np.array(programs.hessian(text, point))
    assert (np.isfinite(found) | ~np.isfinite(expected) | ~np.isfinite(expected.T)).all()
    both = np.isfinite(found) & np.isfinite(expected)
    assert np.allclose(found[both], expected[both], 1e-6, 1e-6), (text, point)
    pair = f"[{text}, ({text})*x]"
    forward, reverse, sparse = [whole(jacobian(pair, point, **o)) for o in ({"mode": "forward"}, {"mode": "reverse"}, {"sparse": True})]
    assert np.array_equal(np.isfinite(forward), np.isfinite(reverse)), (text, point)
    both = np.isfinite(forward)
    assert np.allclose(forward[both], reverse[both], 1e-8, 1e-9), (text, point)
    assert np.array_equal(np.isfinite(sparse), both)


ARRAY_TEXTS = (
    "x[1:]*x[:-1]", "x*sum(x)", "sin(x[::2])", "max(x, 0)", "where(x > 0, x**2, -x)", "stack([x, x**2])", "cumsum(x)", "x[::-1]*x", "x[0]*x",
    "concatenate([x[2:], x[:2]])*x", "x@[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]", "reshape(x, (2, 3))@x[:3]", "sort(x)*x",
    "softmax(x)", "outer(x[:2], x[2:4])", "exp(x)/sum(exp(x))",
)  # fmt: skip


@given(st.sampled_from(ARRAY_TEXTS), st.sampled_from(ARRAY_TEXTS), st.integers(0, 10**6))
def test_every_way_to_a_random_matrix_of_arrays_is_the_same(a: str, b: str, seed: int) -> None:
    """Forward, reverse, coloured, whole: all one; and the Hessian of the sum against one product a variable."""
    point = {"x": np.random.default_rng(seed).standard_normal(6)}
    text = f"u = {a}\nw = {b}\nconcatenate([ravel(u), ravel(w)*ravel(u)[0]])"
    forward, reverse, sparse = [whole(jacobian(text, point, **o)) for o in ({"mode": "forward"}, {"mode": "reverse"}, {"sparse": True})]
    assert same(forward, reverse)
    assert same(forward, sparse)
    total = f"u = {a}\nw = {b}\nsum(u)*sum(w**2)"
    found, lowered = whole(hessian(total, point)), programs.read(total, point)
    assert np.array_equal(found, found.T)
    columns = [nested(ran(directional.hvp(lowered, ["x"], {"x": row}), point))["product"]["x"] for row in np.eye(6)]
    assert same(found, np.array(columns).T, 1e-8)


def test_a_hessian_is_of_one_number() -> None:
    for make in (matrices.hessian, lambda lowered, names: directional.hvp(lowered, names, {"x": 1.0})):
        with pytest.raises(AutodiffError, match="and a Hessian is of one number"):
            make(programs.read("[x, 2*x]", {"x": 1.0}), ["x"])


# --- what troubled users of other tools ------------------------------------------------------------------------

CASES = test_data.POINTS


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_cases_hold_in_both_modes_and_coloured(case: dict[str, Any]) -> None:
    """First derivatives by `jac` forward and reverse, second ones by `hess` whole and sparse."""
    point = {name: test_data.quantity(v) for name, v in case["inputs"].items()}
    expected = {name: test_data.quantity(v) for name, v in case["expect_value"].items() if name != "f"}
    lowered, rel = programs.read(case["expr"], point), case.get("rel", 1e-10)
    pairs = {key: tuple(key.split(",")) for key in expected if "," in key}
    names = list(dict.fromkeys([name for pair in pairs.values() for name in pair])) or list(expected)
    if pairs:
        found = nested(ran(matrices.hessian(lowered, names), point, "auto"))["hessian"]
        assert all(test_data.close(found[a][b], expected[key], rel) for key, (a, b) in pairs.items())
    elif case["order"] == 1:
        for mode in ("forward", "reverse"):
            found = nested(ran(matrices.jacobian(lowered, names, mode=mode), point, "auto"))["jacobian"]
            assert all(test_data.close(found[name], expected[name], rel) for name in names), (mode, found, expected)


# --- loops -----------------------------------------------------------------------------------------------------

LOOPS = {
    "t = 0\nfor i in range(39):\n    t += 100*(x[i+1] - x[i]**2)**2 + (1 - x[i])**2\nt": 3,
    "t = 0\nfor i in range(38):\n    t += x[i]*x[i+1]*x[i+2]\nt": 5,
    "t = 0\nfor v in x:\n    t += sin(v)*v\nt": 1,
    "t = 0\nfor i in range(20):\n    for j in range(2):\n        t += x[2*i + j]**3*x[2*i]\nt": 3,
    "t = 1\nfor i in range(40):\n    t = t*x[i]\nt": 40,
    "t = 0\nk = 0\nwhile k < 39:\n    t += x[k]*x[k+1]\n    k += 1\nt": 40,
    "t = 0\nfor i in range(39):\n    if x[i] > 1:\n        t += x[i]*x[i+1]\nt": 6,
}


@pytest.mark.parametrize(("text", "count"), LOOPS.items())
def test_loops_are_gone_through_turn_by_turn(text: str, count: int) -> None:
    values = {"x": np.linspace(0.8, 1.2, 40)}
    lowered = programs.read(text, values)
    task = matrices.hessian(lowered, ["x"], sparse=True)
    assert products(task) <= count
    found = whole(ran(task, values))
    assert np.array_equal(found, found.T)
    directions = np.random.default_rng(1).standard_normal((3, 40))
    for row in directions:
        assert nested(ran(directional.hvp(lowered, ["x"], {"x": row}), values))["product"]["x"] == pytest.approx(found @ row)


@given(random_programs.texts(), random_programs.points)
def test_random_programs(text: str, point: dict[str, float]) -> None:
    """Hessian against one product a variable, Jacobian forward against reverse, where all of it is finite."""
    lowered = random_programs.accepted(text, point)
    assume(not lowered.fn.nodes[lowered.fn.outs[0]].type.shape)
    found, columns = whole(hessian(text, point)), []
    for name in point:
        columns.append(list(nested(ran(directional.hvp(lowered, list(point), {name: 1.0}), point))["product"].values()))
    expected = np.array(columns)
    assert np.array_equal(found, found.T, equal_nan=True)
    assume(np.isfinite(found).all() and np.isfinite(expected).all() and np.abs(expected).max() < 1e6)
    assert np.allclose(found, expected, 1e-6, 1e-6)
    forward, reverse = [whole(jacobian(text, point, mode=mode)) for mode in ("forward", "reverse")]
    assert np.allclose(forward, reverse, 1e-8, 1e-9)
