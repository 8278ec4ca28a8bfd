"""A call and its program in; the names that are differentiated by out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import Exit, error
from .arguments import usage

if TYPE_CHECKING:
    from ..lower import Lowered
    from .arguments import Call
    from .prepare import Prepared


def wrt(call: Call, ready: Prepared) -> list[str]:
    """The names that are differentiated by: those of `--wrt`, else every variable that is neither static nor a condition.

    Over all rows at once, they are what all rows have: values that are given.
    """
    asked: Any = call.options.get("wrt")
    columns = (*ready.missing, *ready.idle) if "reduce" in call.options else ()
    if asked is None:
        return [name for name in (*api.differentiable(ready.lowered), *ready.unused) if name not in columns]
    for name in asked:
        _check_wrt(call, ready, name)
        if name in columns:
            raise usage(
                call, call.places["wrt"], "column-wrt", f"`{name}` is a column, and over all rows at once there is no one derivative by it",
                hint="without `--reduce` there is one for every row",
            )  # fmt: skip
    if len(set(asked)) < len(asked):
        raise usage(call, call.places["wrt"], "given-twice", "`--wrt` names a variable twice")
    return list(asked)


def _check_wrt(call: Call, ready: Prepared, name: str) -> None:
    from ..diagnostics import did_you_mean
    from ..ops.losses import class_numbers

    lowered, place = ready.lowered, call.places["wrt"]
    if name in lowered.statics:
        raise error("static-wrt", f"`{name}` is static here, so it has no derivative", lowered.statics[name], "used here", exit=Exit.USAGE)
    known = [*lowered.free, *lowered.assigned, *ready.unused]
    if name not in known:
        from .mentions import unknown_name

        near = did_you_mean(name, known)
        others = [other for other in known if other not in lowered.statics and not _condition(lowered, other)]
        hint = None if near or not others else f"--wrt {','.join(others)}"
        raise unknown_name(call, ready, place, name, hint, f"did you mean `{near}`?" if near else "")
    if _condition(lowered, name):
        raise usage(call, place, "condition-wrt", f"`{name}` is a condition, so it has no derivative")
    if name in class_numbers(lowered.fn):
        raise usage(call, place, "no-derivative", f"`{name}` holds class numbers, which have no derivative")


def _condition(lowered: Lowered, name: str) -> bool:
    """Whether a name holds a condition."""
    params = dict(lowered.fn.params)
    return params[name].kind == "bool" if name in params else name in lowered.conditions
