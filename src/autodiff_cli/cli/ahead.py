"""A call in; what its rows need is loaded by a thread while the expression is read, where rows are sure to come."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arguments import Call


KNOWN = ("pi", "e", "inf", "nan", "if", "else", "and", "or", "not", "True", "False")
MAKERS = {"def", "for"}  # they make names of their own


def ahead(call: Call) -> None:
    """Begin to load NumPy and polars if the call has files or axes, or if something is piped in and a name has no value."""
    if call.extras or "data" in call.options or "sweep" in call.options or _piped(call):
        from threading import Thread

        Thread(target=load, daemon=True, name="autodiff-load").start()


def _piped(call: Call) -> bool:
    from stat import S_ISFIFO, S_ISREG, S_ISSOCK

    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return (S_ISFIFO(mode) or S_ISREG(mode) or S_ISSOCK(mode)) and "no-stdin" not in call.options and _unbound(call)


def _unbound(call: Call) -> bool:
    """Whether the text has a name that is given no value, as far as its words tell; no more than a guess."""
    from re import findall

    text = call.expression or "-"
    if text == "-" or text[0] == "@" or call.sets or any(given.text == "@-" for given in call.given):
        return False
    words = set(findall(r"[^\W\d]\w*(?!\w|\s*[(=])", text))
    known = {*[given.name for given in call.given], *findall(r"[^\W\d]\w*(?=\s*=)", text), *KNOWN}
    return not words & MAKERS and bool(words - known)


def load() -> None:
    """Load what rows need, and see to it that Ctrl-C still ends a wait."""
    import signal

    import numpy as np
    import polars as pl

    del np, pl
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)  # polars handles Ctrl-C so that a wait goes on after it
