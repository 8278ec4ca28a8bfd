"""Inputs with right values: physics formulas, and troubles that users of other tools had."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import programs
import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.program import compile
from autodiff_cli.rescue import again
from autodiff_cli.run.point import evaluate, shaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_cli.graph import Fn

DATA = Path(__file__).parent / "data"
FORMULAS = [json.loads(line) for line in DATA.joinpath("feynman_sample.jsonl").read_text().splitlines()]
CASES = [json.loads(line) for line in DATA.joinpath("cases.jsonl").read_text().splitlines()]
POINTS = [case for case in CASES if not case["shell"] and case["expect_value"] is not None and case["category"] != "training-numerics"]


@pytest.mark.parametrize("case", FORMULAS, ids=[case["id"] for case in FORMULAS])
def test_physics_formulas(case: dict[str, Any]) -> None:
    """Value and every partial within 1e-12 of 60-digit arithmetic."""
    point = {name: float(v) for name, v in case["inputs"].items()}
    value, *slopes = programs.reverse(case["expr"], point)
    assert value == pytest.approx(case["value"], rel=1e-12)
    for name, slope in zip(point, slopes, strict=True):
        assert slope == pytest.approx(case["gradient"][name], rel=1e-12), name


def number(value: float | str) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value] if isinstance(value, str) else float(value)


def quantity(value: Any) -> Any:
    """A number or an array of the data."""
    return np.vectorize(number, otypes=[float])(np.array(value, dtype=object)) if isinstance(value, list) else number(value)


def needs_arrays(case: dict[str, Any]) -> bool:
    """Whether an input, a result or anything on the way to it is an array."""
    point = {name: quantity(v) for name, v in case["inputs"].items()}
    return shaped(compile(programs.read(case["expr"], point).fn).fn)


def close(found: Any, expected: Any, rel: float) -> bool:
    """Of the same shape, and 1e-10 relative or 1e-12 absolute unless the case says otherwise."""
    pairs = zip(np.ravel(found).tolist(), np.ravel(expected).tolist(), strict=True)
    return np.shape(found) == np.shape(expected) and all(programs.alike(a, b, rel, 1e-12) for a, b in pairs)


SCALARS = [case for case in POINTS if not needs_arrays(case)]
ARRAYS = [case for case in POINTS if case not in SCALARS]


@pytest.mark.parametrize("case", SCALARS, ids=[case["id"] for case in SCALARS])
def test_cases(case: dict[str, Any]) -> None:
    """The value, and the derivatives of the order that the case is about."""
    point = {name: number(v) for name, v in case["inputs"].items()}
    expected = {name: number(v) for name, v in case["expect_value"].items()}
    rel = case.get("rel", 1e-10)
    for name, value in _found(case, point, expected).items():
        assert close(value, expected[name], rel), (name, value, expected[name])


def _found(case: dict[str, Any], point: dict[str, float], expected: dict[str, float]) -> dict[str, float]:
    names = tuple(point)
    if any("," in name for name in expected):
        rows = programs.hessian(case["expr"], point)
        entries = {f"{a},{b}": rows[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
        return {"f": programs.reverse(case["expr"], point)[0], **{key: entries[key] for key in expected if key != "f"}}
    if case["order"] > 1:
        (name,) = names
        series = programs.derivatives(case["expr"], name, case["order"], point)
        return {"f": series[0], name: series[-1]}
    value, *slopes = answered(gradient(programs.read(case["expr"], point).fn, names), point)
    slope = dict(zip(names, slopes, strict=True))
    return {name: value if name == "f" else slope[name] for name in expected}


@pytest.mark.parametrize("case", ARRAYS, ids=[case["id"] for case in ARRAYS])
def test_array_cases(case: dict[str, Any]) -> None:
    """The same over arrays: derivatives by both modes, second order by push over pull, each with the shape of the case."""
    point = {name: quantity(v) for name, v in case["inputs"].items()}
    expected = {name: quantity(v) for name, v in case["expect_value"].items()}
    fn = programs.read(case["expr"], point).fn
    assert close(answered(fn, point)[0], expected.pop("f"), case.get("rel", 1e-10))
    for key, want in expected.items():
        for found in _both_ways(fn, point, key):
            assert close(found, want, case.get("rel", 1e-10)), (key, found, want)


def answered(fn: Fn, point: dict[str, Any]) -> list[Any]:
    """Results as a command gives them: right also where float64 breaks down on the way."""
    results = evaluate(fn, point)
    return again(fn, point, results) or results


def _both_ways(fn: Fn, point: dict[str, Any], key: str) -> Iterator[Any]:
    name = key.partition(",")[0]
    if np.isfinite(evaluate(fn, point)[0]).all():
        yield tensors.hessian(fn, point, name) if "," in key else tensors.jacobian(fn, point, name)
    if "," not in key and not fn.nodes[fn.outs[0]].type.shape:
        yield answered(gradient(fn, [name]), point)[1]


def test_every_case_is_taken_up() -> None:
    """Scalar and array cases are here, those of training with `minimize`; shell lines are console transcripts; the rest has no value."""
    assert len(SCALARS) > 100
    assert len(ARRAYS) > 30
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)
