"""Blocks and results in; Parquet, Arrow and npy out."""

from __future__ import annotations

from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error
from .encode import result_columns
from .ragged import Ragged
from .target import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from .block import Block
    from .target import Target


def table(
    block: Block,
    columns: Sequence[str],
    names: Sequence[str],
    results: Mapping[str, Any],
    missing: NDArray[Any] | None,
    places: Mapping[str, int],
) -> pl.DataFrame:
    """The input's columns, the used ones as the numbers they are, then the results."""
    import polars as pl

    theirs = []
    if columns:
        used = {at: name for name, at in places.items()}
        theirs = [_column(cells, block, used.get(at)).alias(columns[at]) for at, cells in enumerate(block.frame())]
    return pl.DataFrame([*theirs, *result_columns(block, names, results, missing)])


def _column(cells: pl.Series, block: Block, name: str | None) -> pl.Series:
    import polars as pl

    if name is None or cells.dtype != pl.String:
        return cells
    gap = block.gaps.get(name)
    if isinstance(block.values[name], Ragged):
        return _lists(cells, block.values[name], gap)
    values = pl.Series(block.values[name])
    return values if gap is None else values.set(pl.Series(gap), None)


def _lists(cells: pl.Series, column: Ragged, gap: NDArray[Any] | None) -> pl.Series:
    """A column of vectors as lists; arrays with more axes, or of several depths, as the text they came in."""
    import polars as pl

    if not column.flat:
        return cells
    missing = [False] * len(column) if gap is None else gap.tolist()
    return pl.Series([None if no else cell.tolist() for cell, no in zip(column, missing, strict=True)], dtype=pl.List(pl.Float64))


class TableSink:
    """Parquet or Arrow: polars writes in a thread of its own, and is given a table at a time."""

    __slots__ = ("columns", "ended", "failure", "form", "names", "only", "places", "queue", "schema", "target", "thread")

    def __init__(self, target: Target, form: str, columns: Sequence[str], names: Sequence[str], places: Mapping[str, int]) -> None:
        self.target = target
        self.form = form
        self.columns = columns
        self.names = names
        self.places = places
        self.queue: Queue[pl.DataFrame | None] = Queue(2)
        self.thread: Thread | None = None
        self.schema: Any = None
        self.ended = False
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Nothing is written before the types are known."""

    def put(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None) -> None:
        self._put(table(block, self.columns, self.names, results, missing, self.places))

    def _put(self, frame: pl.DataFrame) -> None:
        self.schema = self.schema or frame.schema
        for name, kind in self.schema.items():
            if kind.is_nested() != frame.schema[name].is_nested():
                message = f"column `{name}` holds lists in some rows only, and a column of {self.form} has one type"
                raise error("unlike-shapes", message, hint="leave the input's columns out: --only", exit=Exit.DATA)
        if self.thread is None:
            self.thread = Thread(target=self._run, args=(frame.schema,), name="autodiff-table")
            self.thread.start()
        self.queue.put(frame)
        if self.failure is not None:
            raise self.failure

    def finish(self) -> None:
        import polars as pl

        if self.thread is None:
            self._put(pl.DataFrame(schema={**dict.fromkeys(self.columns, pl.String), **dict.fromkeys(self.names, pl.Float64)}))
        self._join()
        if self.failure is not None:
            raise self.failure
        self.target.finish()

    def abort(self) -> None:
        self._join()
        self.target.abort()

    def _join(self) -> None:
        if self.thread is not None:
            self.queue.put(None)
            self.thread.join()

    def _run(self, schema: Any) -> None:
        from polars.io.plugins import register_io_source

        try:
            frames = register_io_source(lambda *_: self._frames(schema), schema=schema)
            write = frames.sink_parquet if self.form == "parquet" else frames.sink_ipc
            write(self.target.beside or self.target.file())
        except Exception as problem:  # noqa: BLE001 (polars raises its own kinds; `put` and `finish` say it)
            self.failure = _failure(self.target.name, problem)
        while self.failure is not None and self._next() is not None:
            pass

    def _next(self) -> pl.DataFrame | None:
        """The next table, None at the end and ever after."""
        frame = None if self.ended else self.queue.get()
        self.ended = frame is None
        return frame

    def _frames(self, schema: Any) -> Iterator[pl.DataFrame]:
        while (frame := self._next()) is not None:
            yield frame if frame.schema == schema else frame.cast(dict(schema))


def _failure(name: str, problem: Exception) -> Exception:
    """What polars said, as what it means: a reader that left, or an output that cannot be written."""
    said = str(problem).split("\n", 1)[0]
    if "broken pipe" in said.lower():
        return BrokenPipeError(32, said)
    return unwritable(name, problem if isinstance(problem, OSError) else OSError(5, said))


class ArraySink:
    """npy: rows of float64. How many there are stands at its start, so they wait in a temporary file."""

    __slots__ = ("columns", "names", "places", "rows", "spool", "target", "width")

    def __init__(self, target: Target, columns: Sequence[str], names: Sequence[str], places: Mapping[str, int]) -> None:
        self.target = target
        self.columns = columns
        self.names = names
        self.places = places
        from tempfile import TemporaryFile

        self.spool = TemporaryFile()  # noqa: SIM115 (it lives as long as the sink)
        self.rows = 0
        self.width = len(columns) + len(names)

    def start(self) -> None:
        """All is written at the end."""

    def put(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None) -> None:
        import polars as pl

        frame = table(block, self.columns, self.names, results, missing, self.places)
        for cells in frame:
            if not (cells.dtype.is_numeric() or cells.dtype == pl.Boolean):
                raise error(
                    "not-a-number",
                    f"column `{cells.name}` is not numbers, which npy holds",
                    hint="leave the input's columns out: --only",
                    exit=Exit.DATA,
                )
        array = frame.cast(pl.Float64).fill_null(float("nan")).to_numpy(order="c")
        self.rows += len(array)
        self.spool.write(array.data)

    def finish(self) -> None:
        import io

        from numpy.lib import format as npy

        head = io.BytesIO()
        shape = (self.rows,) if self.width == 1 else (self.rows, self.width)
        npy.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
        self.target.write(head.getvalue())
        self.spool.seek(0)
        while data := self.spool.read(1 << 20):
            self.target.write(data)
        self.spool.close()
        self.target.finish()

    def abort(self) -> None:
        self.spool.close()
        self.target.abort()
