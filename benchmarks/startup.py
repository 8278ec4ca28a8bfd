"""Start-up of the installed command: the main job into a pipe, against bare Python and against the same gradient by peers.

    python benchmarks/startup.py [--command autodiff] [--python PYTHON] [--runs 30]

Every round runs each of them once, each time from the next one on, so that a busy moment hits all alike; the first round
warms the caches and checks the results. A peer that the interpreter does not have (group `bench`) is named as missing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MAIN = ("grad", "x*y+x**2", "--x", "2", "--y", "3")
RESULT = ["10.0", "7.0", "2.0"]
MOST = 9.5
OURS, BARE = "autodiff", "python -c pass"
PEERS = {
    "CasADi": """
import casadi
x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
f = x * y + x**2
run = casadi.Function("run", [x, y], [f, *casadi.vertsplit(casadi.gradient(f, casadi.vertcat(x, y)))])
print(*[float(v) for v in run(2, 3)])
""",
    "HIPS autograd": """
from autograd import value_and_grad
value, slopes = value_and_grad(lambda x, y: x * y + x**2, argnum=(0, 1))(2.0, 3.0)
print(float(value), *[float(d) for d in slopes])
""",
    "SymPy": """
import sympy
x, y = sympy.symbols("x y")
f = x * y + x**2
point = {x: 2, y: 3}
print(*[float(g.subs(point)) for g in (f, f.diff(x), f.diff(y))])
""",
}


def clocked(command: list[str], environ: dict[str, str]) -> tuple[float, str | None]:
    """Milliseconds from start to end of a process that writes into a pipe, and what it wrote; None where it failed."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ, check=False)
    took = (time.perf_counter() - start) * 1e3
    return took, None if done.returncode else done.stdout.decode()


def interpreter(command: str) -> str:
    """The Python that a console script names in its first line."""
    first = Path(command).read_bytes().split(b"\n", 1)[0].decode(errors="replace")
    return first[2:].strip() if first.startswith("#!/") and "python" in first else sys.executable


def measure(commands: dict[str, list[str]], runs: int) -> dict[str, list[float]]:
    """Interleaved times of those that give the right result."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    works = {}
    for name, command in commands.items():
        _, out = clocked(command, environ)
        if name == BARE or out is not None and out.split()[-3:] == RESULT:
            works[name] = command
    times: dict[str, list[float]] = {name: [] for name in works}
    for k in range(runs):
        for name in (*list(works)[k % len(works) :], *list(works)[: k % len(works)]):
            times[name].append(clocked(works[name], environ)[0])
    return times


def report(times: dict[str, list[float]]) -> None:
    """Every ratio with both its numbers, by minimum and by median."""
    ours = times[OURS]
    for name, theirs in times.items():
        if name == OURS:
            continue
        pairs = [(f(ours), f(theirs)) for f in (min, statistics.median)]
        shown = ", ".join([f"{a:.1f}/{b:.1f} ms = {a / b:.2f}" for a, b in pairs])
        ratio = pairs[0][0] / pairs[0][1]
        target, held = (f"at most {MOST}", ratio <= MOST) if name == BARE else ("below 1", ratio < 1)
        print(f"{OURS} / {name:14s} min, median: {shown}  ({target}: {'held' if held else 'missed'})")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="autodiff", help="the installed command (found on PATH)")
    parser.add_argument("--python", help="the interpreter for bare Python and the peers (that of the command)")
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args()
    command = shutil.which(asked.command)
    if command is None:
        parser.error(f"`{asked.command}` is not on PATH: install the wheel first")
    python = asked.python or interpreter(command)
    commands = {OURS: [command, *MAIN], BARE: [python, "-c", "pass"]}
    times = measure(commands | {name: [python, "-c", script] for name, script in PEERS.items()}, asked.runs)
    if OURS not in times:
        parser.error(f"`{command}` did not print {' '.join(RESULT)}")
    report(times)
    missing = [name for name in PEERS if name not in times]
    if missing:
        print(f"missing in {python}: {', '.join(missing)} (dependency group `bench`)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
