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
from typing import Any, NamedTuple

from autodiff_cli.cli.main import main

PEAK = """
def peak():
    # ru_maxrss would also count what the process was made from
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
"""
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


class Stream(io.TextIOWrapper):
    """A stream in memory; `terminal` says what it claims to be."""

    def __init__(self, text: str = "", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8", newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        """What was written."""
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined,no-any-return]  # bytes in memory


def autodiff(*words: str, stdin: str | None = None, terminal: bool = False) -> Outcome:
    """Run the program in this process, by default with a terminal for stdin."""
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    before = sys.stdin
    sys.stdin = Stream(stdin or "", terminal=stdin is None)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    finally:
        sys.stdin = before
    return Outcome(out.text(), err.text(), int(code))


def start(*words: str, **streams: Any) -> subprocess.Popen[bytes]:
    """The program as a process with pipes."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen([sys.executable, "-m", "autodiff_cli", *words], env=env, bufsize=0, **{**pipes, **streams})


def shell(line: str, **environ: str) -> Outcome:
    """Run a line in bash, where `autodiff` is this project's."""
    path = os.environ["PATH"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHON": sys.executable, "PATH": path, **environ}
    text = f'autodiff() {{ "$PYTHON" -m autodiff_cli "$@"; }}\n{line}\n'
    done = subprocess.run(
        ["bash", "-c", text], capture_output=True, text=True, env=env, check=False, encoding="utf-8", stdin=subprocess.DEVNULL
    )
    return Outcome(done.stdout, done.stderr, done.returncode)
