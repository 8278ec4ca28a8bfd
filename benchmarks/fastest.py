"""What the benchmarks time with: a call in, the seconds of its fastest run out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def best(call: Callable[[], object], repeats: int = 20) -> float:
    """The fastest of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
