"""The pages are complete and current: what is generated is made anew, and every command, option, format and code is on a page."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

import pytest

from autodiff_cli.cli.options import OPTIONS, spellings
from autodiff_cli.cli.table import COMMANDS
from autodiff_cli.diagnostics import Exit
from autodiff_cli.emit import reference
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.render import FORMATS
from console import ROOT
from pages import PAGES, SOURCE, current

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
ERRORS = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ENTRY = re.compile(r"^### `([^`]+)`\n\n(.+)\n\nDo: (.+)\n", re.MULTILINE)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_what_is_generated_is_current(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fresh = current(text)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(fresh, encoding="utf-8")
    assert fresh.splitlines() == text.splitlines() or os.environ.get("UPDATE_GOLDEN")


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
        assert "://" in target or (path.parent / target).exists(), target


def test_every_function_is_described_with_an_example() -> None:
    for name, op in FUNCTIONS.items():
        assert op.doc, name
        assert op.example, name
        assert any(word in op.example for word in (op.name, *op.aliases, op.infix.symbol if op.infix else op.name)), name


def test_every_function_is_on_the_page_of_functions() -> None:
    page = (ROOT / "docs" / "functions.md").read_text(encoding="utf-8")
    for function in reference.entries(None):
        assert f"| `{function.usage}`" in page, function.name
        assert all(f"`{alias}`" in page for alias in function.aliases), function.name


def test_every_command_and_option_is_on_a_page() -> None:
    for name in COMMANDS:
        assert f"`{name}`" in CLI, name
    for name in OPTIONS:
        for text in spellings(name):
            assert re.search(rf"`{text}[ `=]", CLI), text


def test_every_format_and_exit_code_is_on_a_page() -> None:
    for name in FORMATS:
        assert f"`{name}`" in CLI, name
    for code in Exit:
        assert f"\n| {int(code)} | " in CLI, code


def test_every_error_code_is_on_a_page_with_what_to_do() -> None:
    described = ENTRY.findall(ERRORS)
    names = [name for name, _, _ in described]
    assert names == re.findall(r"^### `(.+)`$", ERRORS, re.MULTILINE)
    assert len(set(names)) == len(names)
    found = codes()
    assert sorted(found - set(names)) == [], "describe these in docs/errors.md"
    assert sorted(set(names) - found) == [], "these are of no message"


def codes() -> set[str]:
    """Every code that a diagnostic of the source can have."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    common = {name: place for tree in trees for name, place in makers(tree) if not name.startswith("_")}
    found = {code for tree in trees for code in mentioned(tree, common | dict(makers(tree)))}
    choices = {f"unknown-{name}" for name, option in OPTIONS.items() if option.choices or name == "format"}
    return {code for code in found if CODE.fullmatch(code)} | choices


def makers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The functions and tuples that take a code, and at which place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            names = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        else:
            continue
        if "code" in names:
            yield node.name, names.index("code")


def mentioned(tree: ast.Module, places: dict[str, int]) -> Iterator[str]:
    """The texts that stand where a code is wanted, or are assigned to a name `code`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > places.get(node.func.id, len(node.args)):
            yield from texts(node.args[places[node.func.id]])
        elif isinstance(node, ast.Assign) and "code" in [
            n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
        ]:
            yield from texts(node.value)


def texts(node: ast.expr) -> Iterator[str]:
    """The constants of an expression; what a text with braces is made of is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, ast.JoinedStr | ast.Compare | ast.Call):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from texts(child)
