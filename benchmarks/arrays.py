"""Value and gradient over rows in memory: rows per second of the arrays kernels beside what an expert would write.

Every peer runs in a child of its own, turn by turn, and the best of the turns counts: pinned to one core and timed by the
processor's clock, or on all cores by the clock on the wall. A peer that is not installed is left out with a line. JAX may live in another Python: `python arrays.py PYTHON`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 4_000_000
TURNS, REPEATS = 3, 5
SMOOTH = "sin(x*y)*exp(-x**2)+log(1+y**2)*sqrt(x)"
CHEAP = ("sqrt(x)*y", "x*y")
DEAR = ("sin(log(x))*exp(-x*y)+erf(sqrt(x))*tanh(y)+log(x)**3", "x*y")
BRANCHES = "{} if x > 0 else {}"

# The loop, and the same with cos in a loop of its own: where sin and cos have one argument, gcc calls the scalar sincos.
LOOP = """
#include <math.h>
void run(long n, const double *restrict x, const double *restrict y, double *restrict v, double *restrict dx, double *restrict dy) {
  for (long i = 0; i < n; i++) {
    double a = x[i], b = y[i], s = sin(a*b), c = cos(a*b), e = exp(-a*a), u = 1 + b*b, l = log(u), q = sqrt(a);
    v[i] = s*e + l*q; dx[i] = c*e*b - 2*a*s*e + 0.5*l/q; dy[i] = c*e*a + 2*b/u*q;
  }
}
"""
APART = """
#include <math.h>
#define B 1024
void run(long n, const double *restrict x, const double *restrict y, double *restrict v, double *restrict dx, double *restrict dy) {
  double k[B];
  for (long j = 0; j < n; j += B) {
    long m = n - j < B ? n - j : B;
    for (long i = 0; i < m; i++) k[i] = cos(x[j+i]*y[j+i]);
    for (long i = j; i < j + m; i++) {
      double a = x[i], b = y[i], s = sin(a*b), c = k[i-j], e = exp(-a*a), u = 1 + b*b, l = log(u), q = sqrt(a);
      v[i] = s*e + l*q; dx[i] = c*e*b - 2*a*s*e + 0.5*l/q; dy[i] = c*e*a + 2*b/u*q;
    }
  }
}
"""
JAX = """
import os, sys, time
{pin}
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp, numpy as np
draw = np.random.default_rng(0)
x, y = jnp.array(draw.uniform(0.1, 3, {rows})), jnp.array(draw.uniform(-3, 3, {rows}))
f = lambda x, y: jnp.sin(x*y)*jnp.exp(-x**2) + jnp.log(1 + y**2)*jnp.sqrt(x)
run = jax.jit(jax.vmap(jax.value_and_grad(f, (0, 1))))
times = []
for _ in range({repeats} + 1):
    start = time.{clock}(); jax.block_until_ready(run(x, y)); times.append(time.{clock}() - start)
print(min(times[1:]))
"""


def inputs(low: float) -> tuple[Any, Any]:
    """The columns: x from `low` to 3, y from -3 to 3."""
    import numpy as np

    draw = np.random.default_rng(0)
    return draw.uniform(low, 3, ROWS), draw.uniform(-3, 3, ROWS)


def ours(text: str, low: float = 0.1, wrt: tuple[str, ...] = ("x", "y")) -> Callable[[], Any]:
    """Value and gradient of a text, into arrays that are there."""
    import numpy as np

    from autodiff_cli.derive import gradient
    from autodiff_cli.diagnostics import Source
    from autodiff_cli.lower import lower
    from autodiff_cli.program import compile
    from autodiff_cli.run import arrays
    from autodiff_cli.syntax import parse

    source = Source("expression", text)
    bound = arrays.bind(compile(gradient(lower(parse(source), source).fn, wrt)), wrt, {})
    columns = dict(zip(("x", "y"), inputs(low), strict=True))
    out = [np.zeros(ROWS) if result is None else None for result in bound.results]
    return lambda: bound(columns, ROWS, out)


def by_hand(block: int) -> Callable[[], Any]:
    """The hand-derived formulas in NumPy: shared subterms, blocks, no temporary arrays."""
    import numpy as np

    x, y = inputs(0.1)
    out = [np.zeros(ROWS) for _ in range(3)]
    work = [np.empty(block) for _ in range(7)]
    mul, add, sub, div = np.multiply, np.add, np.subtract, np.divide

    def run() -> None:
        for i in range(0, ROWS, block):
            a, b = x[i : i + block], y[i : i + block]
            v, dx, dy = (o[i : i + block] for o in out)
            s, c, e, u, l, q, t = (w[: len(a)] for w in work)
            mul(a, b, t), np.sin(t, s), np.cos(t, c)
            np.square(a, e), np.negative(e, e), np.exp(e, e), mul(s, e, s), mul(c, e, c)
            np.square(b, u), add(u, 1.0, u), np.log(u, l), np.sqrt(a, q)
            mul(l, q, t), add(t, s, v)
            div(l, q, l), mul(l, 0.5, l), mul(s, a, s), mul(s, 2.0, s), sub(l, s, l), mul(c, b, t), add(l, t, dx)
            mul(q, 2.0, q), mul(q, b, q), div(q, u, q), mul(c, a, c), add(c, q, dy)

    return run


def in_c(text: str) -> Callable[[], Any]:
    """A loop in C, built with all that gcc has."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(text)
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([shutil.which("gcc") or "gcc", *flags, "-o", library, source, "-lmvec", "-lm"], check=True)
        loop = ctypes.CDLL(str(library)).run
    arrays = [*inputs(0.1), *[np.zeros(ROWS) for _ in range(3)]]
    places = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    return lambda: (loop(ctypes.c_long(ROWS), *places), arrays)


def both_by_hand(dear: bool) -> Callable[[], Any]:  # noqa: FBT001 (one of two programs)
    """Both branches over all rows and `where`, by hand in NumPy, in blocks."""
    import numpy as np
    from scipy.special import erf

    x, y = inputs(-3.0)
    out = [np.zeros(ROWS) for _ in range(3)]

    def cheap_arm(a: Any, b: Any) -> tuple[Any, Any, Any]:
        q = np.sqrt(a)
        return q * b, 0.5 / q * b, q

    def dear_arm(a: Any, b: Any) -> tuple[Any, Any, Any]:
        l, e, q, t = np.log(a), np.exp(-a * b), np.sqrt(a), np.tanh(b)
        s, c, f = np.sin(l) * e, np.cos(l) * e, erf(q)
        slope = 1.1283791670955126 * np.exp(-a) * (0.5 / q) * t
        return s + f * t + l * l * l, c / a - b * s + slope + 3.0 * l * l / a, f / np.cosh(b) ** 2 - a * s

    def run() -> None:
        for i in range(0, ROWS, 8192):
            a, b = x[i : i + 8192], y[i : i + 8192]
            yes = a > 0
            with np.errstate(all="ignore"):
                arm = (dear_arm if dear else cheap_arm)(a, b)
            for o, u, v in zip(out, arm, (a * b, b, a), strict=True):
                o[i : i + 8192] = np.where(yes, u, v)

    return run


def branches(pair: tuple[str, str]) -> Callable[[], Any]:
    """A conditional: the first text where x > 0, else the second."""
    return ours(BRANCHES.format(*pair), -3.0)


def blindly(pair: tuple[str, str]) -> Callable[[], Any]:
    """Both branches as two programs of ours over all rows, and nothing chosen."""
    runs = [ours(text, -3.0) for text in pair]
    return lambda: [run() for run in runs]


PEERS: dict[str, Callable[[], Callable[[], Any]]] = {
    "ours": lambda: ours(SMOOTH),
    "numpy, blocks of 8192": lambda: by_hand(8192),
    "numpy, blocks of 16384": lambda: by_hand(16384),
    "numpy, blocks of 32768": lambda: by_hand(32768),
    "C loop": lambda: in_c(LOOP),
    "C loop, sin and cos apart": lambda: in_c(APART),
    "cheap branch": lambda: branches(CHEAP),
    "cheap branch, both blindly": lambda: blindly(CHEAP),
    "cheap branch, numpy where": lambda: both_by_hand(dear=False),
    "dear branch": lambda: branches(DEAR),
    "dear branch, both blindly": lambda: blindly(DEAR),
    "dear branch, numpy where": lambda: both_by_hand(dear=True),
}
CORES = " on all cores"


def child(name: str) -> None:
    """The best time of a peer, in seconds."""
    clock = time.perf_counter if name.endswith(CORES) else time.process_time
    if not name.endswith(CORES) and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    run = PEERS[name.removesuffix(CORES)]()
    times = []
    for _ in range(REPEATS + 1):
        start = clock()
        run()
        times.append(clock() - start)
    print(min(times[1:]))


def once(name: str, python: str) -> float | None:
    """One turn of a peer; None where it is not installed."""
    if name.startswith("jax"):
        pin = "" if name.endswith(CORES) else "os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})"
        clock = "perf_counter" if name.endswith(CORES) else "process_time"
        command = [python, "-c", JAX.format(pin=pin, clock=clock, rows=ROWS, repeats=REPEATS)]
    elif name.startswith("C ") and not shutil.which("gcc"):
        return None
    else:
        command = [sys.executable, __file__, "--child", name]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode and not name.startswith("jax"):
        raise SystemExit(found.stderr)
    return float(found.stdout.split()[-1]) if not found.returncode else None


def main() -> None:
    """All peers in turn, then the ratios."""
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    names = [*PEERS, "jax", "ours" + CORES, "jax" + CORES]
    best: dict[str, float] = {}
    for _ in range(TURNS):
        for name in names:
            seconds = once(name, python)
            if seconds is not None:
                best[name] = min(seconds, best.get(name, seconds))
    for name in names:
        print(
            f"{name:28s} {best[name] * 1e9 / ROWS:7.2f} ns a row, {ROWS / best[name] / 1e6:6.1f} M rows/s"
            if name in best
            else f"{name:28s} is not installed"
        )
    report(best)


def report(best: dict[str, float]) -> None:
    """The ratios that are wanted."""
    hand = min(seconds for name, seconds in best.items() if name.startswith("numpy"))
    rate(best, "ours", hand, "the best NumPy by hand", "at least 0.9")
    for peer, wanted in (("jax", "at least 1.3"), ("C loop", "at least 0.6"), ("C loop, sin and cos apart", "at least 0.6")):
        if peer in best:
            rate(best, "ours", best[peer], peer, wanted)
    if "jax" + CORES in best:
        rate(best, "ours" + CORES, best["jax" + CORES], "jax" + CORES, "at least 1")
    for kind, wanted in (("cheap", "at most 1.2"), ("dear", "below 1")):
        for other in ("both blindly", "numpy where"):
            name = f"{kind} branch"
            print(f"{name}: {best[name] / best[f'{name}, {other}']:.2f} times the cost of {other} (wanted {wanted})")


def rate(best: dict[str, float], name: str, seconds: float, peer: str, wanted: str) -> None:
    """One ratio of speeds."""
    print(f"{name}: {seconds / best[name]:.2f} times the rows/s of {peer} (wanted {wanted})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
    else:
        main()
