"""A `Report` in, the text or bytes of one format out; `FORMATS` is the list of them, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..report import people

if TYPE_CHECKING:
    from ..report import Report, Value


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

    def show(self, value: Value) -> str:
        """A number or an array, with this many digits."""
        return people(value, self.digits)


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
    "parquet": Format("tables", "parquet", (".parquet", ".pq")),
    "arrow": Format("tables", "arrow", (".arrow", ".ipc", ".feather")),
    "npy": Format("arrays", "npy", (".npy",)),
    "npz": Format("arrays", "npz", (".npz",)),
    "dot": Format("plain", "plain", (".dot", ".gv")),
    "svg": Format("picture", "svg", (".svg",)),
    "png": Format("picture", "png", (".png",)),
    "pdf": Format("picture", "pdf", (".pdf",)),
    "mermaid": Format("plain", "plain", (".mmd", ".mermaid")),
    "text": Format("plain", "plain"),
    "html": Format("plain", "plain", (".html", ".htm")),
}
PASSES = {"table": "passes", "plain": "passes", "markdown": "passes", "latex": "passes_latex"}  # what tells a trace


def render(report: Report, name: str, view: View) -> str | bytes:
    """The report in the format called `name`; bytes for formats that are no text."""
    from importlib import import_module

    chosen = FORMATS[name]
    module = PASSES[name] if report.passes is not None and name in PASSES else chosen.module
    function = getattr(import_module("." + module, __name__), chosen.function)
    return function(report, view)  # type: ignore[no-any-return]  # every function of the table gives text or bytes
