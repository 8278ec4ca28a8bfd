"""What a forward and a backward pass were, step by step: the names, formulas and values that every format tells them by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..diagnostics import Span
    from ..graph import Fn
    from ..report import Value
    from .formulas import Formula, Slope


class Turn(NamedTuple):
    """One turn of a loop: its number, and the names and values that it starts (backward: ends) with."""

    number: int
    values: tuple[tuple[str, Value], ...]


class Forward(NamedTuple):
    """One operation: `value` is None where it did not run."""

    name: str
    operation: Formula | str
    op: str
    arguments: tuple[str, ...]
    value: Value | None
    remark: str
    span: Span | None
    turns: tuple[Turn, ...] = ()


class Backward(NamedTuple):
    """What a step gave back to one of its arguments: `rule` over its cotangent, the local partial (its formula and its value)
    where there is one, the amount, and the argument's sum before it and with it. `counts` is false for a structural zero.
    """

    step: str
    to: str
    rule: Formula | Slope | str
    local: Formula | None
    partial: Value | None
    amount: Value
    before: Value | None
    total: Value
    counts: bool
    first: bool
    remark: str
    span: Span | None
    turns: tuple[Turn, ...] = ()


class Passes(NamedTuple):
    """`steps` and `shares` are how many there are; `forward` and `backward` those that are told, None where others are left out.

    `value` is the name and the value of the result, `seed` the cotangent that the backward pass starts with, `fn` what has
    value and gradient as its results.
    """

    inputs: tuple[tuple[str, Value], ...]
    forward: tuple[Forward | None, ...]
    value: tuple[str, Value]
    seed: Value
    backward: tuple[Backward | None, ...]
    gradient: tuple[tuple[str, Value], ...]
    steps: int
    shares: int
    fn: Fn


def said(formula: Formula | Slope | str | None) -> str | None:
    """The text of a formula."""
    return formula if formula is None or isinstance(formula, str) else formula.text()


def document(passes: Passes) -> dict[str, Any]:
    """The steps for machines: inputs, operations, the cotangent that the backward pass starts with, and every share."""
    seed = [] if not passes.value[0] else [{"pass": "backward", "step": passes.value[0], "to": passes.value[0], "sum": passes.seed}]
    return {
        "steps": [
            *[{"pass": "input", "name": name, "value": value} for name, value in passes.inputs],
            *[_forward(step) for step in passes.forward if step],
            *seed,
            *[_backward(share) for share in passes.backward if share],
        ]
    }


def _forward(step: Forward) -> dict[str, Any]:
    found: dict[str, Any] = {
        "pass": "forward", "name": step.name, "operation": said(step.operation), "op": step.op, "arguments": list(step.arguments),
        "value": step.value, "ran": step.value is not None, **_source(step.span),
    }  # fmt: skip
    return found | _more(step)


def _backward(share: Backward) -> dict[str, Any]:
    found: dict[str, Any] = {
        "pass": "backward", "step": share.step, "to": share.to, "rule": said(share.rule), "formula": said(share.local), "partial": share.partial,
        "adds": share.amount, "sum": share.total, "counts": share.counts, **_source(share.span),
    }  # fmt: skip
    return found | _more(share)


def _source(span: Span | None) -> dict[str, Any]:
    return {"source": span.text, "start": span.start, "end": span.end} if span else {"source": None}


def _more(step: Forward | Backward) -> dict[str, Any]:
    """What only some steps have: a remark, and the turns of a loop."""
    remark = {"remark": step.remark} if step.remark else {}
    return remark | ({"turns": [{"turn": turn.number, **dict(turn.values)} for turn in step.turns]} if step.turns else {})
