"""Loss and gradient of a network and of a Gaussian mixture, and 100 steps of Adam, against PyTorch (eager, CPU) and HIPS autograd.

    python benchmarks/tensors.py [--threads 1,2] [--rounds 30]

Everything is float64. For every number of threads one process measures all of them in turn, in rounds, so that a busy
moment hits all alike; each is first checked to give the same loss. A peer that the interpreter does not have is named.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[[], float]
    Values = dict[str, Any]

SOURCE = Path(__file__).parent.parent / "src"
OURS = "autodiff"
MLP = "cross_entropy(relu(X @ W1 + b1) @ W2 + b2, y)"
MIXTURE = (
    "Q = tril(L, -1) + exp(q)[:, :, None]*eye(10)\n"
    'z = einsum("kij,nkj->nki", Q, X[:, None, :] - mu)\n'
    "sum(logsumexp(alpha + sum(q, axis=1) - 0.5*sum(z**2, axis=2), axis=1)) - 1000*logsumexp(alpha)"
)
RATE, STEPS = 1e-3, 100


class Case(NamedTuple):
    """What is measured, how often a round, and at most how many times the time of each peer."""

    title: str
    calls: int
    runs: dict[str, Callable[[], Run]]
    most: dict[str, float]


def network() -> Values:
    import numpy as np

    random = np.random.default_rng(0)
    return {
        "X": random.standard_normal((1024, 64)), "y": random.integers(0, 10, 1024).astype(float), "W1": random.standard_normal((64, 128)) / 8,
        "b1": np.zeros(128), "W2": random.standard_normal((128, 10)) / 11, "b2": np.zeros(10),
    }  # fmt: skip


def mixture() -> Values:
    import numpy as np

    random = np.random.default_rng(0)
    n, d, k = 1000, 10, 25
    return {
        "X": random.standard_normal((n, d)), "alpha": random.standard_normal(k), "mu": random.standard_normal((k, d)),
        "q": 0.1 * random.standard_normal((k, d)), "L": 0.1 * random.standard_normal((k, d, d)),
    }  # fmt: skip


# --- ours --------------------------------------------------------------------------------------------


def ours(text: str, values: Values, wrt: list[str]) -> Any:
    """The loss, ready to run again and again."""
    from autodiff_cli import api
    from autodiff_cli.diagnostics import Source
    from autodiff_cli.optimise.loss import Loss

    return Loss(api.understand(Source("expression", text), values).fn, wrt, values)


def our_gradient(text: str, values: Values, wrt: list[str]) -> Run:
    loss = ours(text, values, wrt)
    return lambda: float(loss.whole()[0])


def our_adam() -> Run:
    from autodiff_cli.optimise import Settings, minimise

    loss = ours(MLP, network(), ["W1", "b1", "W2", "b2"])
    start, settings = loss.x.copy(), Settings("adam", RATE, steps=STEPS)

    def run() -> float:
        loss.x[:] = start
        return minimise(loss, settings, lambda _steps, _loss: None).loss

    return run


# --- PyTorch -----------------------------------------------------------------------------------------


def torch_parameters(values: Values, names: list[str]) -> list[Any]:
    import torch

    return [torch.tensor(values[name], requires_grad=True) for name in names]


def torch_network(values: Values) -> tuple[list[Any], Callable[[], Any]]:
    import torch

    x, y = torch.tensor(values["X"]), torch.tensor(values["y"]).long()
    w1, b1, w2, b2 = parameters = torch_parameters(values, ["W1", "b1", "W2", "b2"])
    return parameters, lambda: torch.nn.functional.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, y)


def torch_mixture(values: Values) -> tuple[list[Any], Callable[[], Any]]:
    import torch

    x = torch.tensor(values["X"])
    alpha, mu, q, low = parameters = torch_parameters(values, ["alpha", "mu", "q", "L"])

    def loss() -> Any:
        factor = torch.tril(low, -1) + torch.diag_embed(torch.exp(q))
        z = torch.einsum("kij,nkj->nki", factor, x[:, None, :] - mu)
        inner = alpha + q.sum(1) - 0.5 * (z**2).sum(2)
        return torch.logsumexp(inner, 1).sum() - len(x) * torch.logsumexp(alpha, 0)

    return parameters, loss


def torch_gradient(make: Callable[[Values], Any], values: Values) -> Run:
    parameters, loss = make(values)

    def run() -> float:
        for p in parameters:
            p.grad = None
        value = loss()
        value.backward()
        return float(value.detach())

    return run


def torch_adam() -> Run:
    import torch

    parameters, loss = torch_network(network())
    starts = [p.detach().clone() for p in parameters]

    def run() -> float:
        with torch.no_grad():
            for p, start in zip(parameters, starts, strict=True):
                p.copy_(start)
        optimizer = torch.optim.Adam(parameters, lr=RATE)
        for _ in range(STEPS):
            optimizer.zero_grad()
            value = loss()
            value.backward()
            optimizer.step()
        return float(loss().detach())

    return run


# --- HIPS autograd -----------------------------------------------------------------------------------


def hips(loss: Callable[..., Any], values: Values, wrt: list[str]) -> Run:
    from autograd import value_and_grad

    both = value_and_grad(loss, argnum=tuple(range(len(wrt))))
    return lambda: float(both(*[values[name] for name in wrt])[0])


def hips_network() -> Run:
    import autograd.numpy as np

    values = network()
    rows, classes = np.arange(1024), values["y"].astype(int)

    def loss(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        z = np.maximum(values["X"] @ w1 + b1, 0) @ w2 + b2
        most = np.max(z, axis=1, keepdims=True)
        return np.mean((np.log(np.sum(np.exp(z - most), axis=1, keepdims=True)) + most)[:, 0] - z[rows, classes])

    return hips(loss, values, ["W1", "b1", "W2", "b2"])


def hips_mixture() -> Run:
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    values = mixture()

    def loss(alpha: Any, mu: Any, q: Any, low: Any) -> Any:
        factor = low * np.tril(np.ones((10, 10)), -1) + np.exp(q)[:, :, None] * np.eye(10)
        z = np.einsum("kij,nkj->nki", factor, values["X"][:, None, :] - mu)
        inner = alpha + np.sum(q, axis=1) - 0.5 * np.sum(z**2, axis=2)
        return np.sum(logsumexp(inner, axis=1)) - 1000 * logsumexp(alpha)

    return hips(loss, values, ["alpha", "mu", "q", "L"])


CASES = [
    Case(
        "MLP 64-128-10, batch 1,024: loss and gradient", 10,
        {
            OURS: lambda: our_gradient(MLP, network(), ["W1", "b1", "W2", "b2"]),
            "PyTorch": lambda: torch_gradient(torch_network, network()),
            "HIPS autograd": hips_network,
        },
        {"PyTorch": 1.0, "HIPS autograd": 1.0},
    ),
    Case(
        "Gaussian mixture, d=10, K=25, n=1,000: log-likelihood and gradient", 10,
        {
            OURS: lambda: our_gradient(MIXTURE, mixture(), ["alpha", "mu", "q", "L"]),
            "PyTorch": lambda: torch_gradient(torch_mixture, mixture()),
            "HIPS autograd": hips_mixture,
        },
        {"PyTorch": 1.0, "HIPS autograd": 1.0},
    ),
    Case("that MLP: 100 steps of Adam", 1, {OURS: our_adam, "PyTorch": torch_adam}, {"PyTorch": 1.2}),
]  # fmt: skip


def measure(case: Case, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every call, in rounds; peers that are missing or give another loss are left out."""
    runs: dict[str, Run] = {}
    for name, make in case.runs.items():
        try:
            run = make()
        except ImportError:
            print(f"  {name} is missing (dependency group `bench`)")
            continue
        value, right = run(), runs[OURS]() if runs else None
        if right is not None and abs(value - right) > 1e-9 * abs(right):
            print(f"  {name} gives {value!r}, and we {right!r}: left out")
            continue
        runs[name] = run
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            for _ in range(case.calls):
                start = time.perf_counter()
                run()
                times[name].append((time.perf_counter() - start) * 1e3)
    return times


def report(case: Case, times: dict[str, list[float]]) -> None:
    """Every ratio with both its numbers, by minimum and by median."""
    print(f"  {OURS} min, median: {min(times[OURS]):.3f}, {statistics.median(times[OURS]):.3f} ms")
    for name, theirs in times.items():
        if name == OURS:
            continue
        pairs = [(f(times[OURS]), f(theirs)) for f in (min, statistics.median)]
        shown = ", ".join([f"{a:.3f}/{b:.3f} ms = {a / b:.2f}" for a, b in pairs])
        holds = pairs[0][0] <= case.most[name] * pairs[0][1]
        print(f"  {OURS} / {name:14s} min, median: {shown}  ({'holds' if holds else 'misses'}: at most {case.most[name]:g})")


def memory() -> None:
    """What the gradient of a million squares holds."""
    import numpy as np

    from autodiff_cli.derive import gradient
    from autodiff_cli.graph import Fn, Graph
    from autodiff_cli.ops.linear import add_up
    from autodiff_cli.program import compile as compiled
    from autodiff_cli.run import point
    from autodiff_cli.run.meter import Meter
    from autodiff_cli.types import Type

    graph, kind, meter = Graph(), Type("real", (1_000_000,)), Meter()
    fn = Fn(graph, [("v", kind)], [add_up(graph.param("v", kind) ** 2, (0,))], ["value"])
    program = compiled(gradient(fn, ["v"]))
    point.run(program, {"v": np.linspace(0, 1, 1_000_000)}, meter)
    meter.ran(program.fn, 1)
    print(f"gradient of sum(v**2), a million entries of 8 bytes: {meter.line()}")


def child(threads: int, rounds: int) -> None:
    sys.path.insert(0, str(SOURCE))
    try:
        import torch

        torch.set_num_threads(threads)
    except ImportError:
        pass
    print(f"threads: {threads}")
    for case in CASES:
        print(f" {case.title}")
        report(case, measure(case, rounds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--threads", default=",".join(map(str, dict.fromkeys((1, cores)))), help="numbers of threads, for us and for the peers"
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(int(asked.threads), asked.rounds)
        return 0
    for threads in asked.threads.split(","):
        environ = {**os.environ, **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), threads)}
        command = [sys.executable, __file__, "--child", "--threads", threads, "--rounds", str(asked.rounds)]
        code = subprocess.run(command, env=environ, check=False).returncode
        if code:
            return code
    sys.path.insert(0, str(SOURCE))
    memory()
    return 0


if __name__ == "__main__":
    sys.exit(main())
