"""The cheap gradient: what value and gradient cost beside the value alone, in one process.

Baur and Strassen (1983) bound the ratio of operations; this prints the ratio of times, and for
every op alone the number of steps of value and gradient.
"""

from __future__ import annotations

import random

from fastest import best

from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import Source
from autodiff_cli.graph import Fn, Graph
from autodiff_cli.lower import lower
from autodiff_cli.ops import OPS
from autodiff_cli.program import compile
from autodiff_cli.run import floats
from autodiff_cli.syntax import parse

TERMS = 1_000
VARIABLES = 50


def sum_of_products() -> tuple[float, float]:
    """Seconds for the value, and for value and gradient, of a sum of 1,000 terms."""
    draw = random.Random(0)
    terms = [f"x{draw.randrange(VARIABLES)}*sin(0.71*x{draw.randrange(VARIABLES)})" for _ in range(TERMS)]
    source = Source("expression", "+".join(terms))
    fn = lower(parse(source), source).fn
    point = {name: draw.uniform(-1, 1) for name, _ in fn.params}
    value, both = compile(fn), compile(gradient(fn, [name for name, _ in fn.params]))
    return best(lambda: floats.run(value, point), 30), best(lambda: floats.run(both, point), 30)


def steps(name: str) -> int:
    """Steps of value and gradient of one op over fresh variables."""
    op = OPS[name]
    graph = Graph()
    arity = max(len(op.d), 2 if op.variadic else 1) if op.rule != "composite" else len(op.parameters)
    inputs = [graph.param(f"x{k}") for k in range(arity)]
    fn = Fn(graph, [(f"x{k}", p.type) for k, p in enumerate(inputs)], [op(*inputs)], ["value"])
    return sum(len(run.steps) for run in compile(gradient(fn, [p for p, _ in fn.params])).runs)


def main() -> None:
    value, both = sum_of_products()
    print(f"sum of {TERMS} terms: value {value * 1e3:.2f} ms, value and gradient {both * 1e3:.2f} ms, ratio {both / value:.2f}")
    plain = [name for name, op in OPS.items() if op.rule in ("elementwise", "composite") and op.kind == "real" and not op.hidden]
    counted = sorted(((steps(name), name) for name in plain if _differentiable(name)), reverse=True)
    print("most steps of value and gradient of one op:", ", ".join(f"{name} {count}" for count, name in counted[:10]))


def _differentiable(name: str) -> bool:
    op = OPS[name]
    return all(callable(d) for d in op.d) and not any(p.static for p in op.parameters)


if __name__ == "__main__":
    main()
