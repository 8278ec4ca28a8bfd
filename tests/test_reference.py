"""What the reference says of a function is true: its rules are text of the language and give what the engine gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from autodiff_cli import api
from autodiff_cli.diagnostics import Source
from autodiff_cli.emit import reference
from autodiff_cli.ops import FUNCTIONS, OPS

if TYPE_CHECKING:
    from autodiff_cli.op import Op

KNOWN = {"base": 3.0, "beta": 1.3, "alpha": 1.2, "slope": 0.2, "min": -1.0, "max": 0.5, "n": 2.0, "k": 0.0, "h": 0.3, "condition": True}
BINOM = {"n": 5.5, "k": 1.7}
SHOWN = {op.name: op for op in reference.shown() if op.rule in reference.BY_PARTIALS and op.name != "not"}
PLACES = (0.21, 0.38, 0.83)


def evaluate(text: str, values: dict[str, float]) -> float:
    lowered = api.understand(Source("text", text), values)
    return float(api.answer(api.value(lowered), {name: values[name] for name in lowered.free}).entries[0].value)


def call(op: Op) -> tuple[str, list[str]]:
    """A call with a variable for every argument, and their names."""
    names = [p.name for p in op.parameters if not (p.variadic or isinstance(p.default, str) or p.name in {"axis", "keepdims"})]
    names = ["x", "y"][: len(op.d)] if op.infix and op.call is None else ["x", "y"] if op.name in {"max", "min"} else names
    names = [name for name in names if not (op.name == "round" and name == "n")]
    if op.infix and op.call is None:
        return f"{names[0]} {op.infix.symbol} {names[1]}" if len(names) == 2 else f"{op.infix.symbol}{names[0]}", names
    return f"{op.name}({', '.join(names)})", names


def point(op: Op, names: list[str], place: float) -> dict[str, float]:
    """Values inside the domain."""
    values = {}
    intervals = op.sample or ((-2.0, 2.0),)
    if not isinstance(intervals[0], tuple):
        intervals = (intervals,)
    for k, name in enumerate(names):
        low, high = intervals[min(k, len(intervals) - 1)]
        known = BINOM if op.name == "binom" else KNOWN
        values[name] = known.get(name, low + (high - low) * ((place + 0.31 * k) % 1))
    return values


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("place", PLACES)
def test_a_rule_is_text_that_gives_the_derivative(name: str, place: float) -> None:
    op = SHOWN[name]
    text, names = call(op)
    values = point(op, names, place)
    for argument, rule in reference.derivative(op):
        if rule == "none" or rule.startswith("#"):
            continue
        lowered = api.understand(Source("text", text), values)
        assert argument in lowered.free, (rule, argument)
        found = api.answer(api.gradient(lowered, [argument]), values).entries[1].value
        assert math.isclose(evaluate(rule, values), found, rel_tol=1e-9, abs_tol=1e-13), (argument, rule, values)


@pytest.mark.parametrize("name", SHOWN)
def test_a_rule_names_no_op_that_the_language_does_not_have(name: str) -> None:
    hidden = {op.name for op in OPS.values() if op.hidden} - {"name", "real"}
    for rule in dict(reference.derivative(SHOWN[name])).values():
        assert not [op for op in hidden if f"{op}(" in rule and op not in FUNCTIONS], rule


def test_every_example_has_a_result() -> None:
    assert [f.name for f in reference.entries() if not f.result] == []


def test_one_broken_entry_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OPS["sin"], "example", "sin(broken")
    monkeypatch.setattr(OPS["cos"], "d", ())
    found = {f.name: f for f in reference.entries()}
    assert found["sin"].result == ""
    assert found["tan"].result == "1"


def test_domains_are_not_all_numbers_where_a_function_has_poles() -> None:
    poles = "tan sec csc cot csch coth gamma lgamma digamma trigamma polygamma factorial beta betaln binom zeta pow ndtri".split()
    assert [name for name in poles if OPS[name].domain == ""] == []
