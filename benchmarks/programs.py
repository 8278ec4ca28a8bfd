"""Control flow: Runge-Kutta against the same loop by peers, `while` over rows against plain NumPy, time and memory by length.

Peers come from the dependency group `bench`, and PyTorch; a missing one is named.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from fastest import best

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 2_000
LENGTHS = (2_000, 20_000, 200_000)
ROWS = 100_000
PROGRAM = """
y = y0
h = 1/{n}
for k in range({n}):
    k1 = -a*y
    k2 = -a*(y + h/2*k1)
    k3 = -a*(y + h/2*k2)
    k4 = -a*(y + h*k3)
    y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
y
"""
LOOP = """
def run(y, a, n):
    h = 1/n
    for _ in range(n):
        k1 = -a*y
        k2 = -a*(y + h/2*k1)
        k3 = -a*(y + h/2*k2)
        k4 = -a*(y + h*k3)
        y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
    return y
"""
AUTOGRAD = f"""{LOOP}
import time
from autograd import value_and_grad
f = value_and_grad(lambda v: run(v[0], v[1], {STEPS}))
import autograd.numpy as np
start = time.perf_counter()
value, slopes = f(np.array([1.0, 1.5]))
print(time.perf_counter() - start, value, *slopes)
"""
TORCH = f"""{LOOP}
import time, torch
y, a = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (1.0, 1.5))
start = time.perf_counter()
value = run(y, a, {STEPS})
value.backward()
print(time.perf_counter() - start, value.item(), y.grad.item(), a.grad.item())
"""
KEPLER = "x, d = m, 1.0\nwhile abs(d) > 1e-13:\n    d = (x - ecc*sin(x) - m)/(1 - ecc*cos(x))\n    x = x - d\nx"
NEWTON = "r = 1.0\nwhile abs(r*r - a) > 1e-12*a:\n    r = (r + a/r)/2\nr"


def ours() -> tuple[float, float]:
    """Seconds of one value and gradient in process, and of the whole command."""
    import autodiff_cli

    program = autodiff_cli.compile(PROGRAM.format(n=STEPS))
    program.value_and_grad(y0=1.0, a=1.5)
    inside = best(lambda: program.value_and_grad(y0=1.0, a=1.5), 5)
    command = [sys.executable, "-m", "autodiff_cli", "grad", PROGRAM.format(n=STEPS), "y0=1", "a=1.5", "--json"]
    return inside, best(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), 3)


def peer(name: str, script: str, inside: float, whole: float) -> None:
    """The ratios to one peer, in process and process to process."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode:
        print(f"{name}: not installed in {sys.executable}")
        return
    seconds = float(done.stdout.split()[0])
    print(f"{name}: in process {inside * 1e3:.2f} / {seconds * 1e3:.1f} ms = {inside / seconds:.4f}", end="; ")
    print(f"process to process {whole * 1e3:.0f} / {elapsed * 1e3:.0f} ms = {whole / elapsed:.3f}")


def lengths() -> None:
    """Time by number of steps, each in a process of its own, with its peak memory."""
    for n in LENGTHS:
        script = (
            "import time, resource, autodiff_cli\n"
            f"p = autodiff_cli.compile({PROGRAM.format(n=n)!r})\n"
            "start = time.perf_counter()\nvalue, slopes = p.value_and_grad(y0=1.0, a=1.5)\n"
            "print(time.perf_counter() - start, value, *slopes.values(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
        )
        seconds, value, _, slope, peak = map(
            float, subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
        )
        print(f"{n:7d} steps: {seconds * 1e3:8.1f} ms, value {value:.12g}, slope by a {slope:.12g}, peak {peak:.0f} MB")


def rows() -> None:
    """Loops over rows, each row with its own count, against plain NumPy that runs the largest count for all of them."""
    import numpy as np

    draw = np.random.default_rng(0)
    a = draw.uniform(1e-3, 1e6, ROWS)
    compare("Newton's square root", NEWTON, {"a": a}, lambda turns: root(a, turns), lambda r: np.abs(r - np.sqrt(a)) / np.sqrt(a))
    m, e = draw.uniform(0, 3, ROWS), draw.uniform(0, 0.95, ROWS)
    compare("Kepler's equation", KEPLER, {"m": m, "ecc": e}, lambda turns: anomaly(m, e, turns), lambda x: np.abs(x - e * np.sin(x) - m))


def compare(
    name: str, text: str, columns: dict[str, Any], plain: Callable[[int | None], tuple[Any, int]], error: Callable[[Any], Any]
) -> None:
    """One line: times, their ratio, and how far the results are from right."""
    import autodiff_cli

    program = autodiff_cli.compile(text)
    worst = float(error(program.value(**columns)).max())
    _, turns = plain(None)
    mine, theirs, told = [best(call, 10) for call in (lambda: program.value(**columns), lambda: plain(None), lambda: plain(turns))]
    print(
        f"{name} over {ROWS} rows, {turns} turns: {mine * 1e3:.1f} / {theirs * 1e3:.1f} ms = {mine / theirs:.2f} of plain NumPy that asks"
        f" whether a row is left; / {told * 1e3:.1f} = {mine / told:.2f} if it is told the largest count; worst error {worst:.1e}"
    )


def root(a: Any, turns: int | None) -> tuple[Any, int]:
    """All rows so often, or without a number until the last one is done."""
    r, k = a * 0 + 1, 0
    while k != turns and (turns is not None or (abs(r * r - a) > 1e-12 * a).any()):
        r, k = (r + a / r) / 2, k + 1
    return r, k


def anomaly(m: Any, e: Any, turns: int | None) -> tuple[Any, int]:
    """All rows so often, or without a number until the last one is done."""
    import numpy as np

    x, d, k = m.copy(), m * 0 + 1, 0
    while k != turns and (turns is not None or (abs(d) > 1e-13).any()):
        d = (x - e * np.sin(x) - m) / (1 - e * np.cos(x))
        x, k = x - d, k + 1
    return x, k


def main() -> None:
    inside, whole = ours()
    peer("HIPS autograd", AUTOGRAD, inside, whole)
    peer("PyTorch", TORCH, inside, whole)
    lengths()
    rows()


if __name__ == "__main__":
    main()
