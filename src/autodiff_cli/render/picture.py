"""DOT in, a picture out: drawn by Graphviz's `dot`, or by the package graphviz-pure where there is none."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from ..report import Report
    from . import View

PROGRAMS = ("dot", "graphviz-pure")
DRAWS = {"graphviz-pure": ("svg", "png")}
SECONDS = 60
DATE = re.compile(rb"/(Creation|Mod)Date \(D:[^)]*\)")
INSTALL = "install Graphviz (apt install graphviz, brew install graphviz), or pip install 'autodiff-cli[draw]'; --format dot needs neither"
FEWER = "--max-nodes 100 folds more; --format dot leaves the drawing to you"


def svg(report: Report, _view: View) -> bytes:
    """The picture for pages."""
    return _drawn(report, "svg")


def png(report: Report, _view: View) -> bytes:
    """The picture in pixels, fine enough for print."""
    return _drawn(report, "png")


def pdf(report: Report, _view: View) -> bytes:
    """The picture for paper, with no date in it: the same graph is the same bytes."""
    return DATE.sub(lambda date: b" " * len(date[0]), _drawn(report, "pdf"))


def _drawn(report: Report, form: str) -> bytes:
    """What the program draws of the text of a report; an error that says what to do where it draws nothing."""
    import subprocess

    program = _program(form)
    size = ["-Gdpi=144"] if form == "png" else []
    try:
        done = subprocess.run(  # noqa: S603 (a program of Graphviz)
            [program, f"-T{form}", *size], input=(report.text or "").encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        message = f"`{os.path.basename(program)}` has drawn nothing in {SECONDS} seconds"
        raise error("slow-drawing", message, hint=FEWER, exit=Exit.DATA) from None
    except OSError as problem:
        raise _failed(program, str(problem.strerror).lower()) from None
    if done.returncode or not done.stdout:
        raise _failed(program, done.stderr.decode("utf-8", "replace").strip().partition("\n")[0] or f"it ended with {done.returncode}")
    return done.stdout


def _failed(program: str, why: str) -> AutodiffError:
    return error("no-drawing", f"`{os.path.basename(program)}` drew nothing: {why}", hint=FEWER, exit=Exit.DATA)


def _program(form: str) -> str:
    """The first program that draws the format, on the path or beside Python."""
    from shutil import which

    path = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
    for name in PROGRAMS:
        found = which(name, path=path) if form in DRAWS.get(name, (form,)) else None
        if found:
            return found
    only = "" if form in DRAWS["graphviz-pure"] else f", and only Graphviz itself draws {form}"
    raise error("no-graphviz", f"nothing here draws {form}: there is no `dot`{only}", hint=INSTALL, exit=Exit.DATA)
