"""Command lines run for tests: in this process where there is no need of a shell; stdout, stderr and the exit code out."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from autodiff_cli.cli.main import main

ROOT = Path(__file__).parent.parent
QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\$`]|\\.)*\"")
SHELL = frozenset("|<>;&$`*?~\\(")


class Outcome(NamedTuple):
    """What a command line left: its two streams and its exit code."""

    out: str
    err: str
    code: int

    def __str__(self) -> str:
        return self.out + self.err + (f"[{self.code}]\n" if self.code else "")


def console(line: str) -> Outcome:
    """Run a line as typed after the prompt."""
    if line.startswith("autodiff ") and not SHELL & set(QUOTED.sub("", line)):
        return autodiff(*shlex.split(line)[1:])
    return shell(line)


def autodiff(*words: str, stdin: str = "") -> Outcome:
    """Run the program in this process."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    finally:
        sys.stdin = before
    return Outcome(out.getvalue(), err.getvalue(), int(code))


def shell(line: str, **environ: str) -> Outcome:
    """Run a line in bash, where `autodiff` is this project's."""
    path = os.environ["PATH"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHON": sys.executable, "PATH": path, **environ}
    text = f'autodiff() {{ "$PYTHON" -m autodiff_cli "$@"; }}\n{line}\n'
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, env=env, check=False, encoding="utf-8")
    return Outcome(done.stdout, done.stderr, done.returncode)
