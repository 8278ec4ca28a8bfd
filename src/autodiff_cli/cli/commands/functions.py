"""`autodiff functions`: what the language knows, from the op table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ...diagnostics import did_you_mean
from ..arguments import usage

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The table of all functions, or one in detail."""
    name = call.expression
    if call.extras:
        raise usage(call, call.extras[0], "extra-word", "one name at a time", hint=f"autodiff functions {name}")
    if name is not None and name not in api.known():
        near = did_you_mean(name, api.known())
        raise usage(
            call, call.place, "unknown-function", f"there is no function `{name}`", label=f"did you mean `{near}`?" if near else "",
            hint=f"autodiff functions {near}" if near else "`autodiff functions` lists all",
        )  # fmt: skip
    report = api.functions(name)
    watch.mark("functions")
    return report
