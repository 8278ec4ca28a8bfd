"""`autodiff functions`: what the language knows, from the op table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import api
from ...syntax.meant import spelled
from ...syntax.words import symbol
from ..arguments import usage
from ..form import form

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The table of all functions, or some in detail."""
    names = []
    for place in [call.place, *call.extras] if call.expression is not None else []:
        name = symbol(call.words[place])
        if name not in api.known():
            word = name.rpartition(".")[2]
            near = word if word in api.known() else spelled(word, api.known())
            raise usage(
                call, place, "unknown-function", f"there is no function `{name}`", label=f"did you mean `{near}`?" if near else "",
                hint=f"autodiff functions {near}" if near else "`autodiff functions` lists all",
            )  # fmt: skip
        names.append(name)
    report = api.functions(names, people=form(call) in ("table", "markdown"))
    watch.mark("functions")
    return report
