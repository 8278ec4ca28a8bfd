"""The main job starts at once: what it imports, on the command line as users type it."""

from __future__ import annotations

import os
import subprocess
import sys

from console import ROOT

MAIN = ("grad", "x*y+x**2", "--x", "2", "--y", "3")
HEAVY = {"numpy", "scipy", "rich", "polars", "mpmath", "typer"}
SLOW = {"json", "decimal", "difflib", "dataclasses", "importlib.metadata", "importlib.resources", "asyncio", "unittest"}
DUMP = "import sys; from autodiff_cli.cli.main import main; code = main(); sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"


def imported(*words: str) -> tuple[str, set[str]]:
    """What a command prints into a pipe and which modules it has loaded."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", DUMP, *words], capture_output=True, text=True, env=env, check=True)
    return done.stdout, set(done.stderr.split())


def test_the_main_job_imports_nothing_heavy() -> None:
    out, modules = imported(*MAIN)
    assert out == "value\td_x\td_y\n10.0\t7.0\t2.0\n"
    assert not modules & HEAVY


def test_the_main_job_imports_only_the_command_that_runs() -> None:
    _, modules = imported("eval", "x**2", "--x", "2")
    assert {m for m in modules if ".commands." in m} == {"autodiff_cli.cli.commands.eval"}


def test_our_own_modules_import_nothing_slow() -> None:
    """What Lark loads by itself does not count."""
    loaded = subprocess.run([sys.executable, "-c", "import sys, lark; print(*sys.modules)"], capture_output=True, text=True, check=True)
    _, modules = imported(*MAIN)
    assert not (modules - set(loaded.stdout.split())) & SLOW
