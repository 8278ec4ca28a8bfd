"""Names of files (or `-`) in; `Rows` out, whatever the format.

`open_rows(sources, used=names)` finds the format, reads the header and the first rows, and gives a `Rows`: `columns` (the input's, as they
stand), `places` (where the used ones are), `kinds` ("real" or "bool" of each used name), `format`, `delimiter`, `headed`, `latin`, and,
by iteration, `Block`s. While it is read, `bad` counts rows that `on_error` let pass, and `first` is what was wrong with the first of them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Exit, did_you_mean, error
from . import faults
from .plan import OnError, Plan, place, places
from .ragged import Ragged
from .records import Dialect
from .stream import Feed, open_path, open_stdin, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..diagnostics import AutodiffError
    from .block import Block

SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".ipc": "arrow", ".feather": "arrow", ".npy": "npy",
}  # fmt: skip
FORMATS = {"csv", "tsv", "json", "ndjson", "jsonl", "space", "parquet", "arrow", "npy"}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"\x93NUMPY": "npy"}
MARKS = {"csv": ",", "tsv": "\t", "space": " "}
MARKED = (*MAGIC, b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"PK\x03\x04")
PACKED = (".gz", ".zst", ".zstd")
UNNAMED = {"tab": "\t", "\\t": "\t"}
HELD = 1 << 16


class Rows:
    """The rows of all sources, in order."""

    __slots__ = ("columns", "delimiter", "format", "headed", "held", "latin", "notes", "places", "plan", "reader", "sources")

    def __init__(self, sources: list[Source], plan: Plan) -> None:
        self.sources = sources
        self.plan = plan
        self.notes: list[Diagnostic] = []
        try:
            self._begin(sources[0])
        except BaseException:
            self.close()
            raise

    def _begin(self, source: Source) -> None:
        self.reader = source.open(self.plan, self.notes)
        self.columns: tuple[str, ...] = self.reader.columns
        self.plan.take(self.columns, source.name)
        self.format = source.format
        self.delimiter = source.mark
        self.headed: bool = getattr(self.reader, "headed", True)
        self.latin: bool = getattr(self.reader, "latin", False)
        self.places = places(self.columns, self.plan.used, source.name)
        self.held = self._ahead()

    @property
    def kinds(self) -> dict[str, str]:
        """Of each used name, "real" or "bool"."""
        return {name: kind or "real" for name, kind in self.plan.kinds.items()}

    @property
    def shapeless(self) -> bool:
        """Whether the cells of used columns may have several shapes: some so far are arrays, or all of a column are missing."""
        return bool(self.plan.arrays) or None in self.plan.kinds.values()

    @property
    def bad(self) -> int:
        return self.plan.bad

    @property
    def first(self) -> AutodiffError | None:
        return self.plan.first

    def __iter__(self) -> Iterator[Block]:
        return self.held

    def close(self) -> None:
        """Read no further."""
        for source in self.sources:
            source.close()

    def place(self, name: str) -> int:
        """Where the column of a name is, for columns that no expression uses; an error if it is not there."""
        at = place(self.columns, name, self.sources[0].name)
        if at is None:
            raise faults.no_column([name], self.columns, self.sources[0].name)
        return at

    def _ahead(self) -> Iterator[Block]:
        """All blocks, of which so many are read now as it takes to know the kind of each used column."""
        blocks = self._blocks()
        held: list[Block] = []
        failure: list[BaseException] = []
        while None in self.plan.kinds.values() and sum(block.count for block in held) < HELD:
            try:
                block = next(blocks, None)
            except Exception as problem:  # noqa: BLE001 (raised again after the rows before it)
                failure.append(problem)
                break
            if block is None:
                break
            held.append(block)
        if failure and not held:
            raise failure[0]
        return _held_first(held, blocks, failure, self.plan)

    def _blocks(self) -> Iterator[Block]:
        for source in self.sources:
            try:
                yield from self._reader(source).blocks()
            finally:
                source.close()

    def _reader(self, source: Source) -> Any:
        if source is self.sources[0]:
            return self.reader
        reader = source.open(self.plan, self.notes)
        if reader.columns != self.columns and source.format not in {"json", "ndjson"}:
            raise faults.unlike(source.name, reader.columns, self.sources[0].name, self.columns)
        return reader


def _held_first(held: list[Block], blocks: Iterator[Block], failure: list[BaseException], plan: Plan) -> Iterator[Block]:
    import numpy as np

    for block in held:
        for name, kind in plan.kinds.items():
            if kind == "bool" and block.values[name].dtype != bool:
                column = block.values[name]
                block.values[name] = column.astype(bool) if isinstance(column, Ragged) else np.zeros(block.count, bool)
        yield block
    for problem in failure:
        raise problem
    yield from blocks


class Source:
    """One input before and after it is opened."""

    __slots__ = ("feed", "format", "mark", "name", "path", "slow", "spool", "stdin")

    def __init__(self, path: str, form: str | None, mark: str | None, stdin: Any, slow: Callable[[], None] | None) -> None:
        self.path = path
        self.name = "stdin" if path == "-" else path
        self.format = form or ""
        self.mark = mark or ""
        self.stdin = stdin
        self.slow = slow
        self.feed: Feed | None = None
        self.spool: Any = None

    def open(self, plan: Plan, notes: list[Diagnostic]) -> Any:
        """A reader; its columns are known."""
        self.feed = feed = open_stdin(self.stdin, self.slow) if self.path == "-" else open_path(self.path)
        self.format = self.format or SUFFIXES.get(_suffix(self.path), "") or _sniff(feed)
        self.format = {"jsonl": "ndjson"}.get(self.format, self.format)
        if self.format in MARKS:
            from .text import TextReader

            self.mark = self.mark or (MARKS[self.format])
            return TextReader(feed, Dialect(self.mark, space=self.format == "space"), plan)
        if self.format in {"json", "ndjson"}:
            from .documents import DocumentReader
            from .objects import LineReader

            return LineReader(feed, plan) if self.format == "ndjson" else DocumentReader(feed, plan)
        from .columnar import ArrayReader, TableReader

        if not feed.peek():
            raise faults.empty(self.name, plan.used)
        return ArrayReader(feed, plan) if self.format == "npy" else TableReader(self._on_disk(feed, notes), self.name, self.format, plan)

    def _on_disk(self, feed: Feed, notes: list[Diagnostic]) -> str:
        """The path of a file that can be read anywhere: what comes through a pipe, or is packed, is written to one first."""
        if self.path != "-" and os.path.isfile(self.path) and not self.path.endswith(PACKED):
            return self.path
        from tempfile import NamedTemporaryFile

        self.spool = NamedTemporaryFile(prefix="autodiff-", suffix=f".{self.format}")  # noqa: SIM115 (it lives as long as the source)
        while data := feed.take():
            self.spool.write(data)
        self.spool.flush()
        notes.append(
            Diagnostic(
                "spooled",
                f"{self.name} is {self.format}, which is read from its end: it was written to a temporary file first",
                severity="note",
                exit=Exit.DONE,
            )
        )
        return str(self.spool.name)

    def close(self) -> None:
        if self.feed is not None:
            self.feed.stop()
            self.feed = None
        if self.spool is not None:
            self.spool.close()


def open_rows(  # noqa: PLR0913 (the options of the command line, by name)
    sources: Sequence[str], *, used: Sequence[str], format: str | None = None, delimiter: str | None = None, header: bool | None = None,
    columns: Sequence[str] | None = None, on_error: OnError = "fail", stdin: Any = None, slow: Callable[[], None] | None = None,
    offered: Sequence[str] = (),
) -> Rows:  # fmt: skip
    """The rows of these files; `slow` is called once when stdin gives nothing for two seconds. Names of `offered` are used where they are columns."""
    if format is not None and format not in FORMATS:
        near = did_you_mean(format, FORMATS)
        raise error(
            "format",
            f"`{format}` is no format that can be read: {', '.join(sorted(FORMATS))}",
            hint=near and f"--from {near}",
            exit=Exit.USAGE,
        )
    mark = _mark(delimiter)
    form = format or ("csv" if mark else None)
    if stdin is None:
        import sys

        stdin = sys.stdin.buffer
    found = [path for source in sources for path in _expand(source)]
    plan = Plan(used, on_error, header=header, columns=columns, offered=offered)
    return Rows([Source(path, form, mark, stdin, slow) for path in found], plan)


def _mark(delimiter: str | None) -> str | None:
    mark = UNNAMED.get(delimiter or "", delimiter)
    if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\n\r'):
        raise error("delimiter", f"`{delimiter}` is no single ASCII character", hint="--delimiter ';'", exit=Exit.USAGE)
    return mark


def _expand(source: str) -> list[str]:
    if source == "-" or os.path.exists(source) and not os.path.isdir(source):
        return [source]
    if os.path.isdir(source):
        raise error("directory", f"`{source}` is a directory", hint=f"the files in it: '{source.rstrip('/')}/*.csv'", exit=Exit.DATA)
    from glob import glob

    found = sorted(path for path in glob(source, recursive=True) if not os.path.isdir(path))
    if found:
        return found
    if any(mark in source for mark in "*?["):
        raise error("no-file", f"no file is called like `{source}`", exit=Exit.DATA)
    folder, name = os.path.split(source)
    near = did_you_mean(name, os.listdir(folder or ".")) if os.path.isdir(folder or ".") else None
    raise error("no-file", f"there is no file `{source}`", hint=near and f"did you mean `{os.path.join(folder, near)}`?", exit=Exit.DATA)


def _suffix(path: str) -> str:
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in PACKED else suffix


def _sniff(feed: Feed) -> str:
    """The format by the first bytes."""
    head = feed.peek(lambda data: told(data, MARKED))
    known = next((form for magic, form in MAGIC.items() if head.startswith(magic)), None)
    if known:
        return known
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise error(
            "utf-16", f"`{feed.name}` is UTF-16, which is not read", hint="iconv -f UTF-16 -t UTF-8 FILE | autodiff …", exit=Exit.DATA
        )
    if head.startswith(b"PK\x03\x04"):
        raise error(
            "zip",
            f"`{feed.name}` is a zip archive (npz, xlsx, …), which is not read as rows",
            hint="save it as csv, parquet or npy",
            exit=Exit.DATA,
        )
    while not (start := feed.waiting.removeprefix(b"\xef\xbb\xbf").lstrip()) and feed.more():
        pass
    if start.startswith(b"["):
        return "json"
    while b"\n" not in start and feed.more():
        start = feed.waiting.removeprefix(b"\xef\xbb\xbf").lstrip()
    return _sniff_line(start.split(b"\n", 1)[0].strip())


def _sniff_line(line: bytes) -> str:
    if line.startswith(b"{"):
        import json

        try:
            return "ndjson" if isinstance(json.loads(line), dict) else "json"
        except ValueError:
            return "json"
        except RecursionError:
            return "ndjson"
    if b"\t" in line:
        return "tsv"
    return "space" if b"," not in line and b'"' not in line and b";" not in line and (b" " in line or line.startswith(b"#")) else "csv"
