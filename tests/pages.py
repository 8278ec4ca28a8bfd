"""The generated parts of the pages: a page in, the same page with what stands between its markers made from the tables.

`UPDATE_GOLDEN=1 pytest tests/test_docs.py` writes them.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from autodiff_cli.cli.options import OPTIONS, spellings
from autodiff_cli.cli.table import COMMANDS
from autodiff_cli.emit import reference
from autodiff_cli.ops import OPS
from autodiff_cli.render import FORMATS
from console import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodiff_cli.emit.reference import Function

SOURCE = ROOT / "src" / "autodiff_cli"
PAGES = [*sorted(ROOT.glob("docs/*.md")), *ROOT.glob("README.md")]
PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
FAMILIES = {  # the module of the op table: the title of its family
    "arithmetic": "Arithmetic and comparisons",
    "elementary": "Roots, powers, exponentials, trigonometry",
    "steps": "Parts, steps and selections",
    "stable": "Stable forms",
    "activations": "Activations",
    "special": "Error and gamma functions",
    "bessel": "Bessel, Airy, elliptic and integral functions",
    "linear": "Arrays",
    "array": "Arrays",
    "reductions": "Arrays",
    "curves": "Arrays",
    "tensor": "Products, matrices and new arrays",
    "matrix": "Products, matrices and new arrays",
    "einsum": "Products, matrices and new arrays",
    "losses": "Losses",
}


def current(page: str) -> str:
    """The page as it should be."""
    return PART.sub(lambda part: part[1] + PARTS[part[2]]() + part[3], page)


# --- functions


def functions() -> str:
    """Every function of the language by family."""
    families: dict[str, list[Function]] = {title: [] for title in FAMILIES.values()}
    modules = entered()
    for op, found in zip(reference.shown(), reference.entries(None), strict=True):
        families[FAMILIES[modules[op.name]]].append(found)
    titles = ("function", "meaning, domain", "derivative", "example")
    return "\n".join([f"## {title}\n\n{table(titles, [described(f) for f in members])}" for title, members in families.items() if members])


def entered() -> dict[str, str]:
    """The module that enters each op, read from its text: the first argument of a call that is not in a function."""
    found = {}
    for module in FAMILIES:
        path = SOURCE / "ops" / f"{module}.py"
        names = _first_arguments(path.read_text(encoding="utf-8")) if path.exists() else ()
        found.update({name: module for name in names if name in OPS})
    return found


def _first_arguments(text: str) -> Iterator[str]:
    for statement in ast.parse(text).body:
        calls = () if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ast.walk(statement)
        for node in calls:
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def described(function: Function) -> str:
    """One line: how it is called, what it means and where, its derivative, an example with its result."""
    calls = " ".join([code(function.usage), *[code(name) for name in function.aliases]])
    where = "" if function.domain == reference.ALWAYS else f"; {function.domain}"
    alone = len(function.derivative) == 1
    shown = {name: rule if rule == "none" else code(rule) for name, rule in function.derivative.items()}
    rules = "<br>".join([rule if alone else f"{name}: {rule}" for name, rule in shown.items()])
    example = f"{code(function.example)} is {code(reference.result(function.example))}"
    return f"| {cell(calls)} | {cell(function.doc + where)} | {cell(rules)} | {cell(example)} |"


# --- the command line


def commands() -> str:
    """Every command: what it does and an example."""
    lines = [f"| {code(name)} | {c.takes} | {c.summary} | {cell(code(c.example))} |" for name, c in COMMANDS.items()]
    return table(("command", "then", "does", "example"), lines)


def options() -> str:
    """Every option, and which commands take it."""
    lines = []
    for name, option in OPTIONS.items():
        takers = [command for command, described in COMMANDS.items() if name in described.options]
        spelled = ", ".join([code(f"{text} {option.metavar}".strip()) for text in spellings(name)])
        lines.append(f"| {spelled} | {cell(option.help)} | {'all' if len(takers) == len(COMMANDS) else ', '.join(takers)} |")
    return table(("option", "meaning", "commands"), lines)


def formats() -> str:
    """Every format, the commands that write it and the suffixes that ask for it."""
    lines = []
    for name, form in FORMATS.items():
        takers = [command for command, described in COMMANDS.items() if name in (*described.formats, *described.auto)]
        lines.append(f"| {code(name)} | {', '.join(takers)} | {' '.join([code(s) for s in form.suffixes])} |")
    return table(("format", "written by", "suffixes"), lines)


def table(titles: tuple[str, ...], lines: list[str]) -> str:
    """A table of Markdown."""
    return "\n".join([f"| {' | '.join(titles)} |", "|" + "---|" * len(titles), *lines]) + "\n"


def code(text: str) -> str:
    """Text as it is typed."""
    return f"``{text}``" if "`" in text else f"`{text}`"


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return text.replace("|", "\\|")


PARTS: dict[str, Callable[[], str]] = {"functions": functions, "commands": commands, "options": options, "formats": formats}
