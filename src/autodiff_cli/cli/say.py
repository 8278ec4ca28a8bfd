"""A diagnostic in; its message on stderr, now."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..diagnostics import Diagnostic


def say(diagnostic: Diagnostic, words: Sequence[str]) -> None:
    """Write the message; `words` are the command line, which may ask for colour."""
    from ..render.message import ascii_only, draw

    text = draw(diagnostic, color.wanted(_color_choice(words), sys.stderr)) if color.unicode(sys.stderr) else ascii_only(diagnostic)
    if sys.stderr is not None:
        try:
            sys.stderr.write(text if text.endswith("\n") else text + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            sys.stderr = None


def _color_choice(words: Sequence[str]) -> str:
    """What `--color` says, even on a command line that cannot be read."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word == "--color" and after in ("always", "never"):
            return after
        if word in ("--color=always", "--color=never"):
            return word[8:]
    return "auto"
