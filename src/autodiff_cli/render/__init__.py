"""A `Report` in, the text of one format out; `FORMATS` is the list of them, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..report import Report


class Format(NamedTuple):
    """Where a format is written, and the suffixes of files that ask for it."""

    module: str
    function: str
    suffixes: tuple[str, ...] = ()


class View(NamedTuple):
    """How people want to see it: significant digits, colour, and the columns of the terminal (0: no limit)."""

    digits: int = 12
    color: bool = False
    width: int = 0


FORMATS: dict[str, Format] = {
    "table": Format("table", "table", (".txt",)),
    "plain": Format("plain", "plain"),
    "json": Format("json", "json", (".json",)),
    "ndjson": Format("json", "ndjson", (".ndjson", ".jsonl")),
    "csv": Format("separated", "csv", (".csv",)),
    "tsv": Format("separated", "tsv", (".tsv", ".tab")),
    "space": Format("separated", "space"),
    "markdown": Format("markdown", "markdown", (".md",)),
    "latex": Format("latex", "latex", (".tex",)),
    "sh": Format("sh", "sh", (".sh",)),
    "dot": Format("plain", "plain", (".dot", ".gv")),
    "text": Format("plain", "plain"),
}


def render(report: Report, name: str, view: View) -> str:
    """The report in the format called `name`."""
    from importlib import import_module

    chosen = FORMATS[name]
    function = getattr(import_module("." + chosen.module, __name__), chosen.function)
    return function(report, view)  # type: ignore[no-any-return]  # every function of the table gives text
