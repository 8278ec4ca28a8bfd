"""The shape of the code: imports point one way, pieces can be seen whole, and the op table is the only list of ops."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from autodiff_cli.ops import FUNCTIONS, OPS
from console import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ROOT / "src" / "autodiff_cli"
LAYERS = [
    ("diagnostics",), ("types", "constants"), ("op",), ("graph",), ("ops",), ("derive",), ("series",), ("syntax",), ("lower",), ("simplify",), ("program",), ("run",),
    ("sparsity",), ("notes",), ("optimise",), ("data",), ("cells", "coordinates"), ("report",), ("emit", "render"),
    ("api", "checking", "precise", "rescue", "directional", "equality", "formula", "wording", "matrices", "rolling", "rowwise", "training", "tracing"),
    ("cli",),
]  # fmt: skip
ALIASES = {"regions": "derive", "compiled": "api", "__main__": "cli", "__init__": "diagnostics"}
HEAVY = {"numpy", "scipy", "rich", "polars", "mpmath", "json", "decimal", "difflib", "inspect", "dataclasses", "importlib", "typer"}
ARRAYS = (
    "run/arrays",
    "run/loops_array",
    "run/kernels_array",
    "run/kernels_fill",
    "run/memory",
    "run/repeated",
    "run/steps",
    "optimise/",
)  # imported where arrays are
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 320, 40


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").as_posix()


def layer(name: str) -> int:
    """The place of a module of ours in the order of imports."""
    top = name.replace("/", ".").partition(".")[0]
    top = ALIASES.get(top, "syntax" if top.startswith("syntax") else top)
    return next(k for k, names in enumerate(LAYERS) if top in names)


def imports(path: Path) -> list[str]:
    """The modules of ours that a module imports when it runs, at its top or later."""
    found: list[str] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checked = {
        id(n) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for n in ast.walk(node)
    }
    depth = len(path.relative_to(SOURCE).parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == depth and id(node) not in checked:
            found += [node.module or alias.name for alias in node.names]
    return [name for name in found if (SOURCE / name.split(".")[0]).is_dir() or (SOURCE / f"{name.split('.')[0]}.py").exists()]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    mine = layer(name_of(path))
    late = {module for module in imports(path) if layer(module) > mine}
    assert not late


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_heavy_is_imported_at_the_top(path: Path) -> None:
    if name_of(path) == "cli/app":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom) and not node.level]
    allowed = {"numpy"} if name_of(path).startswith(ARRAYS) else set()
    assert not (HEAVY - allowed) & {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_pieces_can_be_seen_whole(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_MODULE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_comes_in_and_out(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_the_op_table_is_the_only_list_of_ops() -> None:
    """A list, tuple, set, dict or text of eight or more op names is a second list; kernels are the one that must be."""
    known = set(OPS) | set(FUNCTIONS)
    allowed = ("ops/", "run/kernels", "run/digits")
    for path in MODULES:
        if name_of(path).startswith(allowed):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert len(listed(node) & known) < 8, (name_of(path), sorted(listed(node) & known))


def listed(node: ast.AST) -> set[str]:
    """The words of a display of constants, or of a text with no sentence in it."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return {str(item.value) for item in node.elts if isinstance(item, ast.Constant)}
    if isinstance(node, ast.Dict):
        return {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return set(re.findall(r"[a-z_0-9]+", node.value))
    return set()
