"""The names of stages as they end in, a line of timings out (for `-v`)."""

from __future__ import annotations

from time import perf_counter


class Watch:
    """Collects how long each stage took."""

    __slots__ = ("last", "stages")

    def __init__(self) -> None:
        self.last = perf_counter()
        self.stages: list[tuple[str, float]] = []

    def mark(self, stage: str) -> None:
        """The stage called so ends now."""
        now = perf_counter()
        self.stages.append((stage, now - self.last))
        self.last = now

    def line(self) -> str:
        """All stages on one line, in milliseconds."""
        parts = [f"{stage} {seconds * 1e3:.1f} ms" for stage, seconds in self.stages]
        return "time: " + ", ".join([*parts, f"total {sum(seconds for _, seconds in self.stages) * 1e3:.1f} ms"])
