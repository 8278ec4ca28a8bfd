"""A call of `jvp`, `vjp` or `hvp` in; the direction or the weights that `--tangent` and `--cotangent` give out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import api
from ..diagnostics import AutodiffError, Diagnostic, Exit, did_you_mean
from ..directional import ones
from ..syntax.words import normalise
from .arguments import placed, usage
from .exact import seed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..report import Value
    from .arguments import Call
    from .prepare import Prepared


MOST = 6  # names that a hint lists


def tangent(call: Call, ready: Prepared, known: Sequence[str]) -> dict[str, Value]:
    """The direction by name; a name is one of `known`, which may have one."""
    from ..data.values import pairs, value

    if "tangent" not in call.options:
        message = f"`autodiff {call.command}` is along a direction, and `--tangent` gives it"
        raise AutodiffError(Diagnostic("no-tangent", message, hint=_instead(ready, known), exit=Exit.USAGE))
    place = call.places["tangent"]
    found: dict[str, Value] = {}
    with placed(call, place):
        for text in call.options["tangent"]:
            for typed, written in pairs(text, "--tangent"):
                name = normalise(typed)
                if name in found:
                    raise usage(call, place, "given-twice", f"`--tangent` gives `{name}` twice")
                _check(call, ready, name, known)
                found[name] = seed(call, written, value(written, f"--tangent {name}="))
    return found


def _check(call: Call, ready: Prepared, name: str, known: Sequence[str]) -> None:
    if name in known:
        return
    place, lowered = call.places["tangent"], ready.lowered
    if name in lowered.statics:
        raise usage(call, place, "static-wrt", f"`{name}` is static here, so nothing has a derivative along it")
    if name in lowered.free and dict(lowered.fn.params)[name].kind == "bool":
        raise usage(call, place, "condition-wrt", f"`{name}` is a condition, so nothing has a derivative along it")
    if name in lowered.free:
        raise usage(call, place, "unlike-options", f"`{name}` is not among the names of `--wrt`", hint=f"--wrt {','.join([*known, name])}")
    if name in lowered.assigned:
        message = f"`{name}` is computed by the program, and a direction is one of what is given from outside"
        raise usage(call, place, "unknown-wrt", message, hint=_instead(ready, known))
    from .mentions import unknown_name

    near = did_you_mean(name, known)
    raise unknown_name(call, ready, place, name, None if near else _instead(ready, known), f"did you mean `{near}`?" if near else "")


def _instead(ready: Prepared, known: Sequence[str]) -> str | None:
    """A direction of ones, as it is typed."""
    types = dict(ready.lowered.fn.params)
    shapes = {name: types[name].shape if name in types else getattr(ready.unused.get(name), "shape", ()) for name in known[:MOST]}
    return f"--tangent {','.join([f'{name}={ones(shape)}' for name, shape in shapes.items()])}" if known else None


def cotangent(call: Call) -> Value | None:
    """The weights of the entries of the value, if they are given."""
    if "cotangent" not in call.options:
        return None
    from ..data.values import value

    with placed(call, call.places["cotangent"]):
        return seed(call, call.options["cotangent"], value(call.options["cotangent"], "--cotangent"))


@contextmanager
def fitting(call: Call, name: str) -> Iterator[None]:
    """An error about a shape is about the option that gives what has it."""
    if name not in call.places:
        yield
        return
    with placed(call, call.places[name]):
        yield


def moving(ready: Prepared) -> list[str]:
    """The variables that a direction may have."""
    return [*api.differentiable(ready.lowered), *ready.unused]
