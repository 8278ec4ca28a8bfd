"""The second opinion on one op: its value by mpmath, differentiated numerically at 50 digits and more.

Everything is read from the entry: arguments, static ones from its example, the interval to sample.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any, NamedTuple

from mpmath import mp

import programs
from autodiff_cli.derive import gradient
from autodiff_cli.graph import Fn, Graph, NoDerivative, Op
from autodiff_cli.ops import OPS
from autodiff_cli.ops.entry import REALS
from autodiff_cli.run import digits, floats

DIGITS = 50


class Case(NamedTuple):
    """An op with its static arguments, over variables a0, a1, …"""

    op: Op
    attr: Any
    fn: Fn

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.fn.params]

    @property
    def smooth(self) -> list[int]:
        """The arguments that it has a derivative by."""
        d = self.op.d
        return [k for k in range(len(self.names)) if self.op.variadic or not isinstance(d[min(k, len(d) - 1)] if d else None, NoDerivative)]


def cases() -> list[Case]:
    """Every op that works entry by entry and gives a number; `where` is its own syntax."""
    found = [op for op in OPS.values() if op.rule in {"elementwise", "composite"} and op.kind == "real" and not op.hidden]
    return [_case(op) for op in found if not any(p.name == "condition" for p in op.parameters)]


def _case(op: Op) -> Case:
    nodes = programs.read(op.example).fn.nodes
    attr = next((node.attr for node in nodes if node.op is op), None)
    arity = 3 if op.variadic else sum(not p.static for p in op.parameters) if op.rule == "composite" else len(op.d)
    graph = Graph()
    inputs = [graph.param(f"a{k}") for k in range(arity)]
    return Case(op, attr, Fn(graph, [(f"a{k}", x.type) for k, x in enumerate(inputs)], [op(*inputs, attr=attr)], ["value"]))


def points(case: Case, count: int) -> list[tuple[float, ...]]:
    """The corners of the sample intervals and points between, the same every time."""
    draw = random.Random(case.op.name)  # noqa: S311 (nothing secret)
    sample: Any = case.op.sample or REALS
    intervals = [sample] * len(case.names) if isinstance(sample[0], float) else list(sample)
    inside = [tuple([draw.uniform(*interval) for interval in intervals]) for _ in range(count)]
    return [*itertools.product(*intervals), *inside]


def true_value(case: Case, *xs: Any) -> Any:
    """The value at the precision in force."""
    return digits.evaluate(case.fn, dict(zip(case.names, xs, strict=True)), mp.dps)[0]


def true_partial(case: Case, xs: tuple[float, ...], *by: int) -> Any:
    """A derivative of the value by the arguments `by`, numerically from many digits."""
    with mp.workdps(DIGITS):
        if not by:
            return true_value(case, *xs)
        orders = tuple([by.count(k) for k in range(len(xs))])
        return mp.diff(lambda *ys: true_value(case, *ys), tuple([mp.mpf(x) for x in xs]), orders)


def ulps(found: float, truth: Any, scale: Any) -> float:
    """The error in units in the last place of `scale`."""
    if found != found or math.isinf(found):
        return math.inf
    return float(abs(mp.mpf(found) - truth) / math.ulp(max(float(scale), 1e-290)))


def scale(case: Case, xs: tuple[float, ...], *by: int) -> Any:
    """max(|f|, |x f'|) of a derivative: what one unit in the last place of an argument moves it by."""
    moved = [abs(x * true_partial(case, xs, *by, k)) for k, x in enumerate(xs) if k in case.smooth]
    return max([abs(true_partial(case, xs, *by)), *moved])


def float_results(case: Case, xs: tuple[float, ...]) -> list[float]:
    """Value and partials by the arguments that have one, in floats."""
    return [
        float(v) for v in floats.evaluate(gradient(case.fn, [case.names[k] for k in case.smooth]), dict(zip(case.names, xs, strict=True)))
    ]
