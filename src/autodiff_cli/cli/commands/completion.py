"""`autodiff completion`: the script for a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import Exit, error
from ...report import Report
from ..completion import SHELLS, script

if TYPE_CHECKING:
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The text that the shell reads with `source`."""
    shell = call.expression
    if shell not in SHELLS or call.extras:
        hint = "autodiff completion bash, zsh or fish"
        raise error("unknown-shell", f"there is no completion for `{shell}`" if shell else "for which shell?", hint=hint, exit=Exit.USAGE)
    text = script(shell)
    watch.mark("completion")
    return Report("completion", text=text)
