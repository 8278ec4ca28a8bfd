"""The loss while it gets smaller: steps and losses in, one line of stderr that is written over; only on a terminal and after a second."""

from __future__ import annotations

import sys
from time import monotonic

FIRST, EVERY = 1.0, 0.1


class Progress:
    """Told of every step; writes now and then."""

    __slots__ = ("due", "shown", "stream")

    def __init__(self) -> None:
        self.stream = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self.due = monotonic() + FIRST
        self.shown = False

    def step(self, steps: int, loss: float) -> None:
        """So many steps are made, and this is the loss after them."""
        if self.stream is None or monotonic() < self.due:
            return
        self.due = monotonic() + EVERY
        self.shown = True
        self._write(f"\rstep {steps:,}  loss {loss:.6g}\x1b[K")

    def done(self) -> None:
        """Take the line away."""
        if self.shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            if self.stream is not None:
                self.stream.write(text)
                self.stream.flush()
        except (OSError, ValueError):
            self.stream = None
