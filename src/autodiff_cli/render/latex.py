"""A point as a LaTeX tabular, a line a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import sheet

if TYPE_CHECKING:
    from ..report import Report
    from . import View

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: "\\" + c for c in "&%$#_{}"}
WORDS = {"NaN": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}


def latex(report: Report, view: View) -> str:
    """The single results as a first line, then a line a variable."""
    single, header, lines = sheet(report, view.digits)
    width = max(len(header), 2)
    rows = [[_word(name), _number(value)] for name, value in single]
    rows += [[_word(cell) for cell in header]] if header else []
    rows += [[_word(line[0]), *map(_number, line[1:])] for line in lines]
    body = "".join([" & ".join(row + [""] * (width - len(row))) + r" \\" + "\n" for row in rows])
    return "\\begin{tabular}{l" + "r" * (width - 1) + "}\n" + body + "\\end{tabular}\n"


def _word(text: str) -> str:
    return "".join([SPECIAL.get(c, c) for c in text])


def _number(text: str) -> str:
    digits, mark, exponent = text.partition("e")
    return f"${digits} \\times 10^{{{int(exponent)}}}$" if mark else f"${WORDS.get(text, text)}$" if text else ""
