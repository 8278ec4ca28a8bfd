"""A call with `--precision` in; its values as they were written, and the answer in so many digits, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError
from .arguments import usage
from .form import form
from .prepare import given_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..api import Task
    from ..report import Report, Value
    from .arguments import Call
    from .prepare import Prepared
    from .watch import Watch

DOUBLES = ("npy", "npz", "parquet", "arrow")
UNLIKE = {
    "digits": "says how many digits are shown",
    "rescue": "computes every number with digits",
    "reduce": "is about points, or rows one by one",
    "stats": "keeps no count of memory and sweeps",
}


def check(call: Call, name: str) -> None:
    """Words that have no meaning beside `--precision`, and a format that holds float64 only."""
    for other, why in UNLIKE.items():
        if other in call.options:
            raise usage(call, call.places[other], "unlike-options", f"`--{other}` and `--precision` do not go together: the latter {why}")
    if name in DOUBLES:
        place = call.places.get("format", call.places.get("o", call.places["precision"]))
        raise usage(
            call, place, "unlike-options", f"{name} holds float64, and `--precision` is about more digits",
            hint="--format json or --format csv keeps them all",
        )  # fmt: skip


def precise(call: Call, ready: Prepared, task: Task, watch: Watch) -> Report:
    """The answer at a point, with as many digits as `--precision` says."""
    from ..precise import answer

    check(call, form(call))
    return answer(task, exact_values(call, ready.values), ready.values, call.options["precision"], watch.mark)


def over_rows(call: Call, ready: Prepared, rows: Any, name: str) -> Any:
    """What computes rows with as many digits."""
    from ..rowwise.precise import Precise

    check(call, name)
    return Precise(exact_values(call, ready.values), rows.places, call.options["precision"])


def beforehand(call: Call, values: Mapping[str, Any]) -> Any:
    """What decides conditions and counts that are known before the graph is made, for a call that means decimals."""
    from ..run.decided import Decided
    from ..types import Type

    known = {name: value for name, value in values.items() if not isinstance(value, Type)}
    if "precision" in call.options:
        return Decided(exact_values(call, known), call.options["precision"])
    from ..equality.numbers import DIGITS, decimals

    return Decided({name: decimals(value) for name, value in known.items()}, DIGITS)


def exact_values(call: Call, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of names as they were written; `values` are their float64, or types of what has no value yet."""
    from ..data import decimals
    from ..data.values import params

    digits = call.options["precision"]
    found = {g.name: decimals.decimal(g.text, values[g.name], digits) for g in given_values(call) if g.name in values}
    for text, _ in call.sets:
        if text.startswith("@"):
            filed = {name: value for name, value in params(text[1:]).items() if not isinstance(value, AutodiffError) and name in values}
            found |= decimals.params(text[1:], filed)
    return {name: found.get(name, value) for name, value in values.items()}


def seed(call: Call, text: str, value: Value) -> Value:
    """A direction or a weight, of which `value` is the float64: with `--precision` as `Digits`, as they were typed."""
    if "precision" not in call.options or isinstance(value, bool):
        return value
    from ..data import decimals
    from ..precise import written
    from ..run.settled import FAR

    exact = decimals.decimal(text, value, call.options["precision"])
    typed = isinstance(exact, str)
    return written(exact, len(exact) if typed else max(2 * FAR, 4 * call.options["precision"]))
