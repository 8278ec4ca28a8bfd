"""Long and deep inputs as a user sends them: wall time and peak memory of the whole command, per length."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (10_000, 100_000)


def terms(count: int) -> str:
    draw = random.Random(0)
    return "+".join(f"x{draw.randrange(50)}*sin(x{draw.randrange(50)}*0.71)" for _ in range(count))


CASES = {
    "sum of terms": (terms, SIZES),
    "parentheses": (lambda n: "(" * n + "x0" + ")" * n, SIZES),
    "unary minuses": (lambda n: "-" * n + "x0", SIZES),
    "nested calls": (lambda n: "sin(" * n + "x0" + ")" * n, (2_000, 20_000)),
    "nested conditionals": (lambda n: "x0 if x1 > 2 else (" * n + "x0" + ")" * n, (2_000, 20_000)),
}


def measure(text: str) -> tuple[float, float]:
    """Seconds and peak megabytes of `grad` on the text as a program file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "long.ad")
        file.write_text(text)
        point = [f"x{k}={0.01 * k + 0.3}" for k in range(50)]
        command = [sys.executable, "-m", "autodiff_cli", "grad", f"@{file}", *point, "--format", "json", "-q"]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    for name, (write, sizes) in CASES.items():
        first = None
        for size in sizes:
            seconds, peak = measure(write(size))
            ratio = "" if first is None else f", {seconds / first:.1f} times the time of a tenth"
            first = seconds
            print(f"{name:20s} {size:7d}: {seconds:6.2f} s, peak so far {peak:6.0f} MB{ratio}")


if __name__ == "__main__":
    main()
