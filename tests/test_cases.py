"""Console blocks of README.md, docs and tests/cases are tests: a `$` line, then what it prints; `UPDATE_GOLDEN=1` rewrites them.

stdout comes first, then stderr, then the exit code in brackets where it is not 0.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from console import ROOT, console

FILES = [*sorted(Path(__file__).parent.glob("cases/*.md")), *sorted(ROOT.glob("docs/*.md")), *ROOT.glob("README.md")]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def play(block: re.Match[str]) -> str:
    """The block with what its commands print now."""
    lines = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
    assert lines, block[0]
    return "```console\n" + "".join([f"$ {line}\n{console(line)}" for line in lines]) + "```"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_console_blocks_print_what_they_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text(encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        played = BLOCK.sub(play, text)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(played, encoding="utf-8")
    assert played.splitlines() == text.splitlines() or os.environ.get("UPDATE_GOLDEN")
