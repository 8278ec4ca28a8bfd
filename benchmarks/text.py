"""Derivatives as text, of 30 physics formulas: right when parsed back, and how long beside SymPy's, in one run.

Run: python benchmarks/text.py [formulas.jsonl]. SymPy has to be importable (group `bench`).
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from autodiff_cli.api import understand
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import Source
from autodiff_cli.emit.derivation import alone
from autodiff_cli.formula import expressions
from autodiff_cli.run import floats

FORMULAS = Path(__file__).parent.parent / "tests" / "data" / "feynman_sample.jsonl"


def derivatives(text: str) -> dict[str, str]:
    """The derivative by every variable as a text of its own."""
    lowered = understand(Source("formula", text), {})
    return dict(zip(lowered.free, alone(expressions(lowered.fn, lowered.free)[0]), strict=True))


def error(text: str, found: dict[str, str], values: dict[str, float]) -> float:
    """The largest relative difference between a text, parsed back, and the gradient."""
    lowered = understand(Source("formula", text), {})
    exact = floats.evaluate(gradient(lowered.fn, lowered.free), values)[1:]
    parsed = [floats.evaluate(understand(Source("derivative", one), {}).fn, values)[0] for one in found.values()]
    return max(abs(a - b) / max(abs(a), 1e-300) for a, b in zip(exact, parsed, strict=True))


def by_sympy(text: str) -> dict[str, str]:
    """SymPy's `diff`, without a further `simplify`."""
    import sympy

    names = understand(Source("formula", text), {}).free
    symbols = {name: sympy.Symbol(name) for name in names}
    known = {"arcsin": sympy.asin, "pi": sympy.pi}
    expression = sympy.sympify(text, locals={**known, **symbols})
    return {name: str(sympy.diff(expression, symbols[name])) for name in names}


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FORMULAS
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    ratios, worst, ours_all, theirs_all = [], 0.0, 0, 0
    for case in cases:
        found = derivatives(case["expr"])
        worst = max(worst, error(case["expr"], found, case["inputs"]))
        theirs = by_sympy(case["expr"])
        for name, one in found.items():
            ratios.append(len(one) / len(theirs[name]))
            ours_all, theirs_all = ours_all + len(one), theirs_all + len(theirs[name])
    print(f"{len(ratios)} derivatives of {len(cases)} formulas; parsed back: worst relative difference from grad {worst:.1e}")
    print(
        f"characters, ours / SymPy's: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, all together {ours_all}/{theirs_all} = {ours_all / theirs_all:.2f}"
    )


if __name__ == "__main__":
    main()
