"""Sparse Hessians and Jacobians beside the gradient, and beside `jax.hessian` and CasADi: both times of every ratio, from one run.

    python benchmarks/derivatives.py [PYTHON-WITH-JAX [PYTHON-WITH-CASADI]]

The Hessian is that of the Rosenbrock function of 1,000 variables, over array slices, over an array's entries in a loop, over entries
written out one by one, and over 1,000 names, each also as it is written, where the terms of the sum are not rolled into arrays; the
Jacobian is a band of 100,000 rows. What the pattern, the colouring and the seeds take counts as compiling.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fastest import best

from autodiff_cli import api, matrices
from autodiff_cli.diagnostics import Source
from autodiff_cli.program import compile
from autodiff_cli.rolling import given
from autodiff_cli.run import point

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff_cli.api import Task

N, ROWS = 1_000, 100_000
SLICES = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"
LOOP = f"t = 0\nfor i in range({N - 1}):\n    t += 100*(x[i+1] - x[i]**2)**2 + (1 - x[i])**2\nt"
ENTRIES = " + ".join(f"100*(x[{i + 1}] - x[{i}]**2)**2 + (1 - x[{i}])**2" for i in range(N - 1))
NAMES = " + ".join(f"100*(x{i + 1} - x{i}**2)**2 + (1 - x{i})**2" for i in range(N - 1))
BAND = "x[1:]*x[:-1]**2"
JAX = f"""
import time, jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
f = lambda x: jnp.sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)
x = jnp.linspace(-1, 1, {N})
def best(call, repeats=20):
    times = []
    for _ in range(repeats):
        start = time.perf_counter(); jax.block_until_ready(call(x)); times.append(time.perf_counter() - start)
    return min(times)
start = time.perf_counter(); grad = jax.jit(jax.value_and_grad(f)); hess = jax.jit(jax.hessian(f)); jax.block_until_ready((grad(x), hess(x)))
print(time.perf_counter() - start, best(grad), best(hess))
"""
CASADI = f"""
import time, casadi as ca, numpy as np
def best(call, repeats=20):
    times = []
    for _ in range(repeats):
        start = time.perf_counter(); call(x); times.append(time.perf_counter() - start)
    return min(times)
start = time.perf_counter()
v = ca.SX.sym("x", {N})
f = ca.sum1(100*(v[1:] - v[:-1]**2)**2 + (1 - v[:-1])**2)
h, g = ca.hessian(f, v)
hess, grad = ca.Function("h", [v], [f, g, h]), ca.Function("g", [v], [f, g])
x = ca.DM(np.linspace(-1, 1, {N}))
grad(x), hess(x)
print(time.perf_counter() - start, best(grad), best(hess))
"""


def ready(text: str, values: dict[str, Any], make: Callable[..., Task], **options: Any) -> tuple[float, float, Task]:
    """Seconds to make a task ready (what is read and lowered not counted), seconds of one run of it, and the task."""
    lowered = api.understand(Source("expression", text), values)
    start = time.perf_counter()
    task = make(lowered, list(values), **options)
    program, inputs = compile(task.fn), given(task, values)
    point.run(program, inputs)
    made = time.perf_counter() - start
    return made, best(lambda: point.run(program, inputs)), task


def hessian(title: str, text: str, values: dict[str, Any], words: list[str]) -> None:
    """The Hessian beside the gradient, in this process and as commands; then as the text is written, if the commands run it otherwise."""
    lowered = api.understand(Source("expression", text), values)
    inside(title, text, values, partial(matrices.hessian, together=True), together=True)
    commands("-o h.npz", ["grad", *words, "-o", "g.npz"], ["hess", *words, "-o", "h.npz"])
    if api.gradient(lowered, list(values), together=True).plain:
        inside(f"{title}, as written", text, values, matrices.hessian)


def inside(title: str, text: str, values: dict[str, Any], make: Callable[..., Task], of: str | None = None, **options: Any) -> None:
    """A matrix beside the gradient, in this process."""
    _, gradient, slopes = ready(of or text, values, api.gradient, **options)
    made, matrix, task = ready(text, values, make, sparse=True)
    print(f"{title}: {task.effort}, {len(slopes.fn.needs()):,} and {len(task.fn.needs()):,} nodes")
    print(
        f"  in process: gradient {gradient * 1e3:.3f} ms, matrix {matrix * 1e3:.3f} ms, ratio {matrix / gradient:.2f}; ready in {made * 1e3:.0f} ms"
    )


def commands(title: str, gradient: list[str], matrix: list[str]) -> None:
    """The same as commands, by turns, the fastest of five each."""
    found: dict[str, list[float]] = {"gradient": [], "matrix": []}
    for _ in range(5):
        for name, words in (("gradient", gradient), ("matrix", matrix)):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-m", "autodiff_cli", *words], check=True, stdout=subprocess.DEVNULL)
            found[name].append(time.perf_counter() - start)
    first, second = (min(times) for times in found.values())
    print(f"  as a command ({title}): gradient {first * 1e3:.0f} ms, matrix {second * 1e3:.0f} ms, ratio {second / first:.2f}")


def peer(name: str, script: str, python: str) -> None:
    """What another program takes for the same gradient and Hessian, in a process of its own."""
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip().splitlines() or ['it did not run'])[-1]}")
        return
    made, gradient, matrix = map(float, done.stdout.split())
    print(
        f"{name}: gradient {gradient * 1e3:.3f} ms, Hessian {matrix * 1e3:.3f} ms, ratio {matrix / gradient:.2f}; ready in {made * 1e3:.0f} ms"
    )


def main() -> None:
    x, band = np.linspace(-1, 1, N), np.linspace(1, 2, ROWS)
    names = {f"x{i}": float(v) for i, v in enumerate(x)}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.save("x.npy", x)
        np.save("band.npy", band)
        Path("names.json").write_text(json.dumps(names), encoding="utf-8")
        Path("names.ad").write_text(NAMES, encoding="utf-8")
        for title, text in (("slices", SLICES), ("a loop", LOOP), ("entries", ENTRIES)):
            Path("program.ad").write_text(text, encoding="utf-8")
            hessian(f"Rosenbrock of {N:,}, {title}", text, {"x": x}, ["@program.ad", "--x", "@x.npy"])
        hessian(f"Rosenbrock of {N:,}, names", NAMES, dict(names), ["@names.ad", "--set", "@names.json"])
        inside(f"a band of {ROWS:,} rows", BAND, {"x": band}, matrices.jacobian, of=f"sum({BAND})")
        commands("-o j.npz", ["grad", f"sum({BAND})", "--x", "@band.npy", "-o", "g.npz"], ["jac", BAND, "--x", "@band.npy", "-o", "j.npz"])
    peer("jax.hessian, jitted", JAX, sys.argv[1] if len(sys.argv) > 1 else sys.executable)
    peer("CasADi", CASADI, sys.argv[2] if len(sys.argv) > 2 else sys.executable)


if __name__ == "__main__":
    main()
