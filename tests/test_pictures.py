"""The pictures of the pages are what the tool draws: `UPDATE_GOLDEN=1` draws them anew with the system's `dot`.

A page has the command in an `sh` block: `autodiff graph … -o docs/pictures/NAME.svg`. Where `dot` puts things is its own affair;
what is compared is every text and every edge of the drawing.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from console import ROOT, shell

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"]
DRAWN = re.compile(r"^(autodiff graph .*) -o (docs/pictures/\S+\.svg)$", re.MULTILINE)
WRITTEN = re.compile(r"^\$ (printf '[^']*' > \S+\.ad)", re.MULTILINE)
PICTURES = [(page, *found) for page in PAGES for found in DRAWN.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "command", "file"), PICTURES, ids=[file for _, _, file in PICTURES])
def test_pictures_are_current(page: Path, command: str, file: str, tmp_path: Path) -> None:
    programs = "; ".join(WRITTEN.findall(page.read_text(encoding="utf-8"))) or "true"
    drawing = shell(f"cd {tmp_path}; {programs}; {command}")
    assert drawing.code == 0, drawing.err
    target = ROOT / file
    if os.environ.get("UPDATE_GOLDEN") and shutil.which("dot"):
        target.parent.mkdir(exist_ok=True)
        made = shell(f"cd {tmp_path}; {programs}; {command} -o picture.svg")
        assert made.code == 0, made.err
        shutil.copy(tmp_path / "picture.svg", target)
    svg = target.read_text(encoding="utf-8")
    shown = {html.unescape(text).replace("\xa0", " ").strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)}
    for label in re.findall(r'label="((?:[^"\\]|\\.)*)"', drawing.out):
        for line in re.split(r"\\[nlr]", label):
            text = html.unescape(re.sub(r"\\(.)", r"\1", line)).strip()
            assert not text or text in shown, text
    assert svg.count('class="edge"') == len(re.findall(r"^ +\w+ -> \w+", drawing.out, re.MULTILINE))


def test_every_picture_is_of_a_page() -> None:
    there = {f"docs/pictures/{path.name}" for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    shown = {
        f"docs/pictures/{name}" for page in PAGES for name in re.findall(r"pictures/([\w-]+\.svg)\)", page.read_text(encoding="utf-8"))
    }
    assert there == shown
