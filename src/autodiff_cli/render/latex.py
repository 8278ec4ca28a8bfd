"""A point as a LaTeX tabular, a line a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import sheet

if TYPE_CHECKING:
    from ..report import Report, Value
    from . import View

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: "\\" + c for c in "&%$#_{}"}
WORDS = {"NaN": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}


def latex(report: Report, view: View) -> str:
    """The single results as a first line, then a line a variable."""
    if report.text is not None:
        return report.text + "\n"
    single, header, lines = sheet(report, lambda value: _value(value, view))
    width = max(len(header), 2)
    rows = [[_word(name), value] for name, value in single]
    rows += [[_word(cell) for cell in header]] if header else []
    rows += [[_word(line[0]), *line[1:]] if report.listing is None else [*map(_cell, line)] for line in lines]
    body = "".join([" & ".join(row + [""] * (width - len(row))) + r" \\" + "\n" for row in rows])
    return "\\begin{tabular}{l" + "r" * (width - 1) + "}\n" + body + "\\end{tabular}\n"


def _word(text: str) -> str:
    return "".join([SPECIAL.get(c, c) for c in text])


def _cell(text: str) -> str:
    """A cell of a row: a number or a text."""
    return (
        f"${_number(text)}$" if text in WORDS or text[-1:].isdigit() and text.replace("e", "").strip("+-.0123456789") == "" else _word(text)
    )


def _value(value: Value, view: View) -> str:
    """A number, or a matrix of the package amsmath; a large array is what people's other formats show of it."""
    found = math(value, view)
    return found.removeprefix(r"\text{").removesuffix("}") if found.startswith(r"\text{") else f"${found}$"


def math(value: Value, view: View) -> str:
    """The same within a formula."""
    if isinstance(value, bool):
        return rf"\text{{{str(value).lower()}}}"
    text = view.show(value)
    if not hasattr(value, "shape"):
        return _number(text)
    if not text.startswith("["):
        return rf"\text{{{_word(text).replace('…', chr(92) + 'ldots')}}}"
    rows = [[_number(cell.strip()) for cell in row.strip(" []").split(",")] for row in text.replace("],", "]").split("\n")]
    return r"\begin{bmatrix}" + r" \\ ".join([" & ".join(row) for row in rows]) + r"\end{bmatrix}"


def _number(text: str) -> str:
    digits, mark, exponent = text.partition("e")
    return f"{digits} \\times 10^{{{int(exponent)}}}" if mark else WORDS.get(text, text)
