"""Rows and names of results in; a `Writer` out, which takes blocks with their results and writes them while the next are computed.

`open_writer(rows, names, path, form)`, then `write(block, results)` for each block: `results` has an array (or one number) for each name, and rows
where `block.missing` is true are written without. `close` ends the output, `abort` leaves a file that was promised whole unwritten.
A reader that has left is a `BrokenPipeError`, untouched; a disk that is full an `AutodiffError`.
"""

from __future__ import annotations

import os
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, did_you_mean, error
from . import faults
from .encode import Objects, Separated
from .open import MARKS, PACKED, SUFFIXES
from .tables import ArraySink, TableSink
from .target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .block import Block
    from .groups import Groups
    from .open import Rows
    from .sweep import Sweep

TEXTS = {"csv", "tsv", "space", "plain", "json", "ndjson"}
BINARY = {"parquet", "arrow", "npy"}
OURS = {**SUFFIXES, ".txt": "space", ".dat": "space"}


class Writer:
    """Writes in a thread; what went wrong there is raised by the next call."""

    __slots__ = ("failure", "queue", "sink", "thread")

    def __init__(self, sink: Any) -> None:
        self.sink = sink
        self.failure: BaseException | None = None
        self.queue: Queue[Any] = Queue(2)
        self.thread = Thread(target=self._run, daemon=True, name="autodiff-output")
        self.thread.start()

    def write(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None = None) -> None:
        """Write a block with its results; `missing` marks rows without any, `block.missing` if it is not given."""
        self._check()
        self.queue.put((block, results, block.missing if missing is None else missing))

    def close(self) -> None:
        """Everything is there: end the output, and put the file in its place."""
        self._join()
        if self.failure is not None:
            self.sink.abort()
            raise self.failure
        try:
            self.sink.finish()
        except BaseException:
            self.sink.abort()
            raise

    def abort(self) -> None:
        """Give up: stdout keeps what it has, a file does not appear."""
        self._join()
        self.sink.abort()

    def _check(self) -> None:
        if self.failure is not None:
            self.abort()
            raise self.failure

    def _join(self) -> None:
        self.queue.put(None)
        self.thread.join()

    def _run(self) -> None:
        self._try(self.sink.start)
        while (job := self.queue.get()) is not None:
            if self.failure is None:
                self._try(self.sink.put, *job)

    def _try(self, step: Callable[..., None], *job: Any) -> None:
        try:
            step(*job)
        except BaseException as problem:  # noqa: BLE001 (raised by the next call)
            self.failure = problem


class TextSink:
    """A text format on its way to its target."""

    __slots__ = ("encoder", "target")

    def __init__(self, encoder: Any, target: Target) -> None:
        self.encoder = encoder
        self.target = target

    def start(self) -> None:
        if head := self.encoder.head():
            self.target.write(head)

    def put(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None) -> None:
        self.target.write(self.encoder.body(block, results, missing))

    def finish(self) -> None:
        if tail := self.encoder.tail():
            self.target.write(tail)
        self.target.finish()

    def abort(self) -> None:
        self.target.abort()


def output_format(asked: str | None, path: str | None, read: str) -> str:
    """What rows are written as: as asked for, else by the suffix of the file, else as they were read (csv for what is no text)."""
    if asked and asked != "auto":
        return asked
    if path is None or path == "-":
        return read if read in TEXTS else "csv"
    stem, suffix = os.path.splitext(path.lower())
    suffix = os.path.splitext(stem)[1] if suffix in PACKED else suffix
    if suffix in OURS:
        return OURS[suffix]
    raise error("format", f"`{path}` does not say by its name what to write", hint="say it: --format csv", exit=Exit.USAGE)


def open_writer(  # noqa: PLR0913 (the options of the command line, by name)
    rows: Rows | Sweep | Groups, names: Sequence[str], path: str | None = None, form: str = "csv", *, only: bool = False, header: bool = True,
    delimiter: str | None = None, stdout: Any = None,
) -> Writer:  # fmt: skip
    """A writer of these results after the columns of `rows`."""
    if form not in TEXTS | BINARY:
        near = did_you_mean(form, TEXTS | BINARY)
        raise error("format", f"rows are not written as `{form}`", hint=near and f"--format {near}", exit=Exit.USAGE)
    columns = () if only or form == "plain" else rows.columns
    check_names(columns, names)
    target = Target(path, [source.path for source in rows.sources if source.path != "-"], stdout)
    try:
        sink = _sink(rows, names, form, columns, target, header=header and form != "plain", mark=delimiter)
    except BaseException:
        target.abort()
        raise
    return Writer(sink)


def _sink(  # noqa: PLR0913 (as above)
    rows: Rows | Sweep | Groups, names: Sequence[str], form: str, columns: Sequence[str], target: Target, *, header: bool, mark: str | None
) -> Any:
    if form in BINARY:
        if target.handle is not None and os.isatty(target.handle):
            raise error("terminal", f"{form} is not written to a terminal", hint=f"-o FILE.{form}", exit=Exit.USAGE)
        return ArraySink(target, columns, names, rows.places) if form == "npy" else TableSink(target, form, columns, names, rows.places)
    only = not columns and (form == "plain" or bool(rows.columns))
    if form in {"json", "ndjson"}:
        return TextSink(Objects(columns, names, rows.places, only=only, array=form == "json"), target)
    same = form == rows.format and rows.delimiter
    mark = mark or same or MARKS.get(form, " ")
    return TextSink(Separated(mark, columns, names, only=only, header=header, latin=rows.latin), target)


def check_names(columns: Sequence[str], names: Sequence[str]) -> None:
    """Every column of the output has a name of its own."""
    both = [name for name in names if name in columns]
    if both:
        raise faults.taken(both)
    double = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if double:
        raise error(
            "column-taken", f"two results would be called `{double[0]}`", hint="rename ours: --name g --prefix dg_", exit=Exit.USAGE
        )
