"""Rows: the whole command against programs that an expert would write by hand, with the derivative already worked out.

    python benchmarks/rows.py [--command autodiff] [--rounds 5] [--rows 1000000 5000000] [--columnar 10000000] [--pipe 20000000]

Every round runs each program once, each time from the next one on, so that a busy moment hits all alike; the first round warms
the caches and checks the results against the script's. The script reads with polars, evaluates formulas derived by hand with
NumPy, shared subterms by hand, and writes with polars. Peers that are not installed (group `bench`, Miller) are named as missing.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXPRESSION = "sin(x*y)*exp(-x**2)+log(1+y**2)*sqrt(x)"
MOST = {1_000_000: 1.35, 5_000_000: 1.2}
MEMORY = 300
OURS, SCRIPT = "autodiff", "polars and NumPy, by hand"
MAKE = """
import sys
import numpy as np, polars as pl
draw, rows = np.random.default_rng(0), int(sys.argv[1])
table = pl.DataFrame({"x": draw.uniform(0.1, 3, rows).round(6), "y": draw.uniform(-2, 2, rows).round(6)})
for path in sys.argv[2:]:
    kind = path.rpartition(".")[2]
    getattr(table, {"csv": "write_csv", "ndjson": "write_ndjson", "parquet": "write_parquet", "arrow": "write_ipc"}[kind])(path)
"""
BY_HAND = """
import sys
import numpy as np, polars as pl
table = pl.read_csv(sys.argv[1])
x, y = table["x"].to_numpy(), table["y"].to_numpy()
xy, g, r, e = x * y, 1 + y * y, np.sqrt(x), np.exp(-x * x)
s, c, l = np.sin(xy) * e, np.cos(xy) * e, np.log(g)
table.with_columns(value=s + l * r, d_x=c * y - 2 * x * s + l * 0.5 / r, d_y=c * x + 2 * y / g * r).write_csv(sys.argv[2])
"""
JAX = """
import sys
import jax, jax.numpy as jnp, pandas as pd
jax.config.update("jax_enable_x64", True)
table = pd.read_csv(sys.argv[1])
f = lambda x, y: jnp.sin(x * y) * jnp.exp(-x**2) + jnp.log(1 + y**2) * jnp.sqrt(x)
value, (dx, dy) = jax.jit(jax.vmap(jax.value_and_grad(f, argnums=(0, 1))))(table["x"].to_numpy(), table["y"].to_numpy())
table.assign(value=value, d_x=dx, d_y=dy).to_csv(sys.argv[2], index=False)
"""
MILLER = """
xy = $x * $y; g = 1 + $y * $y; r = sqrt($x); e = exp(-$x * $x);
s = sin(xy) * e; c = cos(xy) * e; l = log(g);
$value = s + l * r; $d_x = c * $y - 2 * $x * s + l * 0.5 / r; $d_y = c * $x + 2 * $y / g * r;
"""
AWK = """
BEGIN { FS = OFS = ","; OFMT = CONVFMT = "%.17g" }
NR == 1 { print $0, "value", "d_x", "d_y"; next }
{ x = $1; y = $2; xy = x * y; g = 1 + y * y; r = sqrt(x); e = exp(-x * x); s = sin(xy) * e; c = cos(xy) * e; l = log(g)
  print $0, s + l * r, c * y - 2 * x * s + l * 0.5 / r, c * x + 2 * y / g * r }
"""
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
with open(sys.argv[1], "w") as said:
    said.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
"""


def interpreter(command: str) -> str:
    """The Python that a console script names in its first line."""
    first = Path(command).read_bytes().split(b"\n", 1)[0].decode(errors="replace")
    return first[2:].strip() if first.startswith("#!/") and "python" in first else sys.executable


def programs(command: str, python: str, source: str, out: str) -> dict[str, list[str]]:
    """Each program with its arguments; those that write to stdout do so through a shell."""
    found = {OURS: [command, "grad", EXPRESSION, source, "-o", out], SCRIPT: [python, "-c", BY_HAND, source, out]}
    if subprocess.run([python, "-c", "import jax, pandas"], capture_output=True, check=False).returncode == 0:
        found["JAX and pandas"] = [python, "-c", JAX, source, out]
    if miller := shutil.which("mlr"):
        found["Miller, by hand"] = ["sh", "-c", '"$0" --csv put "$1" "$2" > "$3"', miller, MILLER, source, out]
    if awk := shutil.which("mawk") or shutil.which("awk"):
        found["awk, by hand"] = ["sh", "-c", '"$0" "$1" "$2" > "$3"', awk, AWK, source, out]
    for name in sorted({"JAX and pandas", "Miller, by hand"} - set(found)):
        print(f"  missing: {name}")
    return found


def clocked(command: list[str], stdin: str | None = None) -> tuple[float, int]:
    """Seconds from start to end of a process, and its peak memory in megabytes."""
    start = time.perf_counter()
    with open(stdin or os.devnull, "rb") as source, subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def agree(ours: str, theirs: str, rows: int = 1000) -> bool:
    """Whether the first rows of two outputs are the same numbers."""
    with open(ours, encoding="utf-8") as a, open(theirs, encoding="utf-8") as b:
        for _, left, right in zip(range(rows), a, b, strict=False):
            for cell, other in zip(left.split(","), right.split(","), strict=True):
                if cell != other and not math.isclose(float(cell), float(other), rel_tol=1e-9, abs_tol=1e-12):
                    return False
    return True


def compare(command: str, python: str, folder: str, rows: int, rounds: int) -> bool:
    """CSV in, CSV out: seconds of each program and the ratio of ours to the script's; false if it is too high."""
    source, out = f"{folder}/in.csv", f"{folder}/out.csv"
    subprocess.run([python, "-c", MAKE, str(rows), source], check=True)
    print(f"CSV, {rows:,} rows of two columns, {EXPRESSION}")
    every = programs(command, python, source, out)
    times: dict[str, list[float]] = {name: [] for name in every}
    kept: dict[str, str] = {}
    for name, line in every.items():
        clocked(line)
        kept[name] = shutil.copy(out, f"{folder}/{len(kept)}.csv")
        if not agree(kept[name], kept[OURS]):
            sys.exit(f"{name} has other results")
    for turn in range(rounds):
        names = list(every)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            times[name].append(clocked(every[name])[0])
    for name, seconds in times.items():
        print(f"  {name:<28} {min(seconds):7.2f} s, median {statistics.median(seconds):7.2f} s, {rows / min(seconds):12,.0f} rows/s")
    ratio = min(times[OURS]) / min(times[SCRIPT])
    print(f"  ratio to the script {ratio:.2f}, of medians {statistics.median(times[OURS]) / statistics.median(times[SCRIPT]):.2f}")
    return ratio <= MOST.get(rows, math.inf)


def rates(command: str, python: str, folder: str, rows: int, kinds: list[str]) -> None:
    """Rows a second of each format, in and out."""
    subprocess.run([python, "-c", MAKE, str(rows), *[f"{folder}/in.{kind}" for kind in kinds]], check=True)
    for kind in kinds:
        line = [command, "grad", EXPRESSION, f"{folder}/in.{kind}", "-o", f"{folder}/out.{kind}"]
        seconds, peak = min(clocked(line) for _ in range(3))
        print(f"{kind:<8} {rows:12,} rows  {seconds:7.2f} s {rows / seconds:12,.0f} rows/s, {peak} MB")


def memory(command: str, rows: int) -> bool:
    """Peak memory of a long pipe; false if it is too high."""
    feed = f"(echo x,y; yes 1.25,2.5 | head -n {rows}) | "
    seconds, _ = clocked(["sh", "-c", feed + "cat"])
    with tempfile.NamedTemporaryFile("r") as said:
        line = ["sh", "-c", feed + '"$@"', "sh", sys.executable, "-c", PEAK, said.name, command, "grad", EXPRESSION]
        took, _ = clocked(line)
        peak = int(said.read())
    print(f"a pipe of {rows:,} rows: {took:.2f} s (the producer alone {seconds:.2f} s), {peak} MB, to stay under {MEMORY}")
    return peak <= MEMORY


def main() -> None:
    """Print all figures; end with 1 if one is too high."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--command", default="autodiff")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 5_000_000])
    options.add_argument("--objects", type=int, default=1_000_000)
    options.add_argument("--columnar", type=int, default=10_000_000)
    options.add_argument("--pipe", type=int, default=20_000_000)
    chosen = options.parse_args()
    command = shutil.which(chosen.command) or sys.exit(f"there is no command {chosen.command}")
    python = interpreter(command)
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(command, python, folder, rows, chosen.rounds) for rows in chosen.rows]
        rates(command, python, folder, chosen.objects, ["ndjson"])
        rates(command, python, folder, chosen.columnar, ["parquet", "arrow"])
        good.append(memory(command, chosen.pipe))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
