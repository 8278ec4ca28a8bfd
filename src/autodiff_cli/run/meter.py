"""What a gradient takes: the most memory that arrays took at once, its nodes, its sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph import Fn

UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


class Meter:
    """Told of arrays as they come and go: `peak` is the most bytes there were at once; memory that two arrays look at counts once."""

    __slots__ = ("held", "nodes", "now", "peak", "sweeps")

    def __init__(self) -> None:
        self.now = self.peak = self.nodes = self.sweeps = 0
        self.held: dict[int, int] = {}

    def add(self, value: Any) -> None:
        """The value is there from now on."""
        owner = _owner(value)
        if owner is not None:
            count = self.held[id(owner)] = self.held.get(id(owner), 0) + 1
            self.now += owner.nbytes if count == 1 else 0
            self.peak = max(self.peak, self.now)

    def drop(self, value: Any) -> None:
        """The value is not looked at any more."""
        owner = _owner(value)
        if owner is not None:
            self.held[id(owner)] -= 1
            if not self.held[id(owner)]:
                del self.held[id(owner)]
                self.now -= owner.nbytes

    def again(self) -> None:
        """What was there before is gone: another block of rows comes."""
        self.held.clear()
        self.now = 0

    def saw(self, size: int) -> None:
        """So many bytes were there at once."""
        self.peak = max(self.peak, size)

    def ran(self, fn: Fn, sweeps: int) -> None:
        """So often this function ran."""
        self.nodes, self.sweeps = len(fn.nodes), sweeps

    def line(self, what: str | None = None) -> str:
        """All of it on one line; `what` ran instead of sweeps."""
        size = next((f"{self.peak / unit:.1f} {name}" for unit, name in UNITS if self.peak >= unit), f"{self.peak} bytes")
        return f"stats: peak {size} in arrays, {self.nodes:,} nodes, {what or f'{self.sweeps:,} sweep' + 's' * (self.sweeps != 1)}"


def _owner(value: Any) -> Any:
    """The array whose memory an array looks at; None for a number."""
    if not getattr(value, "shape", ()):
        return None
    while getattr(value.base, "shape", None) is not None:
        value = value.base
    return value
