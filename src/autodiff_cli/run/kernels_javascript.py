"""Kernels of JavaScript: an op, its attribute and texts of its arguments in, the text that computes it out; the float64 of `run.floats`."""

from __future__ import annotations

import re
from functools import cache
from os.path import splitext
from typing import TYPE_CHECKING, Any

from .floats import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Op

FORMS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}",
    "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}", "eq": "{0} === {1}", "ne": "{0} !== {1}", "not": "!{0}",
    "isnan": "{0} !== {0}", "isfinite": "{0} - {0} === 0", "isinf": "Math.abs({0}) === Infinity",
    "name": "{0}", "detach": "{0}", "real": "Number({0})", "guard": "{1} === {1} ? {0} : NaN", "select": "{0} ? {1} : {2}",
}  # fmt: skip
COMPARED = frozenset(
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh exp expm1 floor hypot log log10 log1p log2 sin sinh sqrt tan tanh trunc".split()
)
CONSTANTS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN", "True": "true", "False": "false"}
OPTIONAL = ("round",)  # their attribute may be None


@cache
def script() -> str:
    """The functions that `Math` does not have."""
    with open(splitext(__file__)[0] + ".js", encoding="utf-8") as file:
        return file.read()


@cache
def names() -> frozenset[str]:
    """The ops that are functions of the script."""
    return frozenset(re.findall(r"^kernels\.(\w+) = ", script(), re.MULTILINE))


def literal(text: str) -> str:
    """The float64 of a constant, as JavaScript writes it."""
    found = repr(named(text))
    return CONSTANTS.get(found, found)


def call(op: Op, attr: Any, args: Sequence[str]) -> str | None:
    """An op over texts of its arguments; None where JavaScript has no such function."""
    name = op.name
    if name in FORMS:
        return FORMS[name].format(*args)
    if name in COMPARED:
        return f"Math.{name}({', '.join(args)})"
    if name not in names():
        return None
    from json import dumps

    static = [] if attr is None and name not in OPTIONAL else [dumps(attr)]
    return f"kernels.{name}({', '.join([*static, *args])})"
