r"""The two passes of a trace in; LaTeX of the package amsmath out: a block `align*` for the inputs, the way forward and the way back."""

from __future__ import annotations

from re import split
from typing import TYPE_CHECKING

from ..emit.latex import escaped, variable
from ..emit.naming import MACRON, OVERLINE, barred
from .latex import math
from .passes import folded, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..emit.formulas import Formula, Slope
    from ..emit.passes import Backward, Forward, Passes
    from ..report import Report
    from . import View


def latex(report: Report, view: View) -> str:
    """One line a step: its name, its formula, its value."""
    passes: Passes = report.passes
    inputs = [f"{variable(name)} &= {math(value, view)}" for name, value in passes.inputs]
    ahead = [line for step in passes.forward for line in _forward(passes, step, view)]
    seed = [rf"{_bar(passes.value[0])} &= {math(passes.seed, view)}"] if passes.backward else []
    back = [line for share in passes.backward for line in _backward(passes, share, view)]
    slopes = [rf"\frac{{\partial f}}{{\partial {variable(name)}}} &= {math(value, view)}" for name, value in passes.gradient]
    return "\n".join([_block(lines) for lines in (inputs, ahead, seed + back, slopes) if lines])


def _block(lines: Sequence[str]) -> str:
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def _forward(passes: Passes, step: Forward | None, view: View) -> list[str]:
    if step is None:
        return [_text(folded(passes.steps, len(passes.forward) - 1))]
    value = "" if step.value is None else f" &&= {math(step.value, view)}"
    line = f"{variable(step.name)} &= {_formula(step.operation)}{value}{_remark(step.remark)}"
    return [line, *map(_text, turns(step, view.show))]


def _backward(passes: Passes, share: Backward | None, view: View) -> list[str]:
    if share is None:
        return [_text(folded(passes.shares, len(passes.backward) - 1))]
    sign = "=" if share.first else r"\mathrel{+}="
    rule = _formula(share.rule) if share.counts else "0"
    line = f"{_bar(share.to)} &{sign} {rule} &&= {math(share.total, view)}{_remark(share.remark)}"
    return [line, *map(_text, turns(share, view.show))]


def _formula(formula: Formula | Slope | str) -> str:
    return _words(formula) if isinstance(formula, str) else formula.latex()


def _bar(name: str) -> str:
    return variable(barred(name))


def _remark(text: str) -> str:
    return f" && {_words(text)}" if text else ""


def _text(line: str) -> str:
    return f"& {_words(line.strip())}"


def _words(text: str) -> str:
    """Words as they are, the names of cotangents among them as mathematics."""
    parts = split(rf"(\w{MACRON}[\d_]*|(?:[^{OVERLINE}]{OVERLINE})+\d*)", text)
    return "".join([variable(part) if k % 2 else rf"\text{{{escaped(part)}}}" for k, part in enumerate(parts) if part])
