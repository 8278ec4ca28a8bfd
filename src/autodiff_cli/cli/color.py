"""Whether a stream gets colour: `--color`, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def wanted(choice: str, stream: Any, environ: Mapping[str, str] | None = None) -> bool:
    """Colour on this stream?"""
    environ = os.environ if environ is None else environ
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    forced = environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return terminal(stream) and environ.get("TERM") != "dumb"


def terminal(stream: Any) -> bool:
    """Whether the stream is a terminal."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError, OSError):
        return False


def unicode(stream: Any) -> bool:
    """Whether the stream shows more than ASCII; `LC_ALL=C` asks for no more."""
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return False
    try:
        "┌─│".encode(getattr(stream, "encoding", None) or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def width() -> int:
    """The columns of the terminal that stdout is."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80
