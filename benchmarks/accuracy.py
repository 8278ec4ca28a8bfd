"""How far every op is from the truth: the worst error of value and first partials over its sample interval.

In units in the last place of max(|f|, |x f'|), against mpmath with 50 digits. `python benchmarks/accuracy.py [POINTS] [OP …]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import oracle
from autodiff_cli.ops.entry import zero

LIMIT = 8


def worst(case: oracle.Case, count: int) -> tuple[float, float, tuple[float, ...], tuple[float, ...]]:
    """The worst error of the value and of a partial, and where each is."""
    value = partial = (0.0, ())
    for xs in oracle.points(case, count):
        found = oracle.float_results(case, xs)
        value = max(value, (oracle.ulps(found[0], oracle.true_partial(case, xs), oracle.scale(case, xs)), xs))
        for k, d in zip(case.smooth, found[1:], strict=True) if zero not in case.op.d else ():
            partial = max(partial, (oracle.ulps(d, oracle.true_partial(case, xs, k), oracle.scale(case, xs, k)), xs))
    return value[0], partial[0], value[1], partial[1]


def main(count: int = 20, *names: str) -> None:
    """Print one line an op, or one for each of `names`."""
    print(f"{'op':14}{'value':>8}{'partial':>9}")
    for case in oracle.cases():
        if names and case.op.name not in names:
            continue
        value, partial, at, partial_at = worst(case, int(count))
        where = f"   value worst at {at}, partial worst at {partial_at}" if max(value, partial) > LIMIT else ""
        print(f"{case.op.name:14}{value:8.1f}{partial:9.1f}{where}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])  # type: ignore[arg-type]  # the count is read as a number
