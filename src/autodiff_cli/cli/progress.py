"""How far a long run is: steps and losses, or rows, in; one line of stderr that is written over; only on a terminal and after a second."""

from __future__ import annotations

import sys
from time import monotonic

FIRST, EVERY = 1.0, 0.1


class Progress:
    """Told of every step or block of rows; writes now and then."""

    __slots__ = ("due", "shown", "start", "stream")

    def __init__(self, *, seen: bool = True) -> None:
        self.stream = sys.stderr if seen and sys.stderr is not None and sys.stderr.isatty() else None
        self.start = monotonic()
        self.due = self.start + FIRST
        self.shown = False

    def step(self, steps: int, loss: float) -> None:
        """So many steps are made, and this is the loss after them."""
        if self._due():
            self._write(f"\rstep {steps:,}  loss {loss:.6g}\x1b[K")

    def rows(self, count: int) -> None:
        """So many rows are done."""
        if self._due():
            self._write(f"\r{count:,} rows  {count / (monotonic() - self.start):,.0f} rows/s\x1b[K")

    def _due(self) -> bool:
        if self.stream is None or monotonic() < self.due:
            return False
        self.due = monotonic() + EVERY
        self.shown = True
        return True

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
