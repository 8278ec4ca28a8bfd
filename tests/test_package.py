"""What is installed: wheel, sdist and editable install all find the grammar, and say what they are."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from autodiff_cli import __version__
from console import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUN = [sys.executable, "-m", "autodiff_cli", "eval", "x**2", "--x", "3"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, the sdist and the editable wheel of this project."""
    folder = tmp_path_factory.mktemp("dist")
    script = (
        "import sys, hatchling.build as b; out = sys.argv[1]\nb.build_wheel(out); b.build_sdist(out); b.build_editable(out + '/editable')"
    )
    (folder / "editable").mkdir()
    subprocess.run([sys.executable, "-c", script, str(folder)], cwd=ROOT, check=True, capture_output=True)
    return folder


def run(at: Path, cache: Path) -> str:
    """The program as it runs from a folder of installed packages."""
    env = {**os.environ, "PYTHONPATH": str(at), "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(RUN, capture_output=True, text=True, check=True, env=env, cwd=cache).stdout


def test_the_wheel_runs_by_itself(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")  # noqa: S202 (our own wheel)
    assets = ["grammar/autodiff.lark", "emit/html/page.html", "emit/html/page.css", "emit/html/page.js", "run/kernels_javascript.js"]
    assert {f"autodiff_cli/{name}" for name in ["py.typed", *assets]} <= set(names)
    assert not [name for name in names if not name.startswith(("autodiff_cli/", f"autodiff_cli-{__version__}.dist-info/"))]
    assert run(tmp_path / "site", tmp_path) == "9.0\n"


def test_the_sdist_holds_all_that_a_wheel_and_the_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "grammar/autodiff.lark", "src/autodiff_cli/py.typed", "tests/conftest.py"} <= names


def test_an_editable_install_points_here(built: Path, tmp_path: Path) -> None:
    (wheel,) = (built / "editable").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [archive.read(name).decode().strip() for name in archive.namelist() if name.endswith(".pth")]
    assert path == str(ROOT / "src")
    assert run(ROOT / "src", tmp_path) == "9.0\n"
