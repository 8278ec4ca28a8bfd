"""Parquet, Arrow and npy in; blocks of rows with their types out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, error
from . import faults
from .block import Place
from .cells import Column, typed
from .jsonvalues import lack, lists
from .stream import BLOCK, broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import polars as pl

    from .block import Block, Style
    from .plan import Plan
    from .stream import Feed

ROWS = 1 << 16


class FramePayload:
    """Rows of a table with types."""

    __slots__ = ("_frame", "file", "latin", "start")

    def __init__(self, file: str, start: int, frame: pl.DataFrame) -> None:
        self.file = file
        self.start = start
        self._frame = frame
        self.latin = False

    def frame(self) -> pl.DataFrame:
        return self._frame

    def lines(self, style: Style) -> pl.Series | None:
        del style
        return None

    def place(self, row: int) -> Place:
        return Place(self.file, self.start + row + 1)


def blocks_of(frames: Iterator[pl.DataFrame], file: str, places: dict[str, int], plan: Plan) -> Iterator[Block]:
    """A block for each frame; its columns must be numbers or conditions where they are used."""
    start = 0
    for frame in frames:
        named = frame.rename(dict(zip(frame.columns, map(str, range(frame.width)), strict=True)))
        cells: dict[str, Column] = {}
        for name, at in places.items():
            series = named.to_series(at)
            column = lists(series, plan.kinds[name]) if series.dtype.is_nested() else typed(series)
            if column is None or plan.kinds[name] not in {None, column.kind} and column.kind:
                raise _wrong_type(file, frame.columns[at], series)
            cells[name] = column
        if frame.height:
            payload = FramePayload(file, start, named)
            yield from plan.settle(frame.height, cells, payload, {}, _faults(frame, places, payload))
        start += frame.height


def _faults(frame: pl.DataFrame, places: Mapping[str, int], payload: FramePayload) -> Callable[[str, int], AutodiffError]:
    """What says what is wrong with a cell of a column of lists."""

    def fault(name: str, row: int) -> AutodiffError:
        series, place = frame.to_series(places[name]), payload.place(row)
        value = series[row].to_list()
        found = lack(value, series.name)
        return faults.no_number(place, series.name, str(value), None, "real") if found is None else faults.no_array(place, found, None)

    return fault


class TableReader:
    """Parquet or Arrow, from a file that can be read anywhere."""

    __slots__ = ("columns", "file", "plan", "table")

    def __init__(self, path: str, file: str, form: str, plan: Plan) -> None:
        self.file = file
        self.plan = plan
        try:
            self.table = _scan(path, form)
            self.columns = tuple(self.table.collect_schema().names())
        except Exception as problem:  # noqa: BLE001 (polars raises its own kinds, and OSError, for damaged files)
            raise _damaged(file, problem) from None

    def blocks(self) -> Iterator[Block]:
        """The rows, some at a time."""
        places = self.plan.places(self.columns, self.file)
        return blocks_of(self._frames(), self.file, places, self.plan)

    def _frames(self) -> Iterator[pl.DataFrame]:
        try:
            yield from self.table.collect_batches(chunk_size=ROWS, maintain_order=True)
        except (AutodiffError, GeneratorExit):
            raise
        except Exception as problem:  # noqa: BLE001 (as above)
            raise _damaged(self.file, problem) from None


def _scan(path: str, form: str) -> pl.LazyFrame:
    import polars as pl

    if form == "parquet":
        return pl.scan_parquet(path, glob=False)
    with open(path, "rb") as file:
        streamed = not file.read(6).startswith(b"ARROW1")
    return pl.read_ipc_stream(path).lazy() if streamed else pl.scan_ipc(path)


class ArrayReader:
    """npy: two axes are rows and columns, one axis is one column, and fields are columns with their names."""

    __slots__ = ("columns", "dtype", "feed", "file", "plan", "rest", "rows", "width")

    def __init__(self, feed: Feed, plan: Plan) -> None:
        self.feed = feed
        self.file = feed.name
        self.plan = plan
        self.rows, self.dtype, self.width = self._header()
        self.columns = self._names()

    def _header(self) -> tuple[int, Any, int]:
        import io

        from numpy.lib import format as npy

        head = self.feed.peek(lambda data: len(data) >= 12 and len(data) >= 12 + int.from_bytes(data[8:12], "little") & 0xFFFFF)
        file = io.BytesIO(head)
        try:
            version = npy.read_magic(file)
            shape, backwards, dtype = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(file)
        except ValueError as problem:
            raise broken(self.file, str(problem)) from None
        if dtype.hasobject:
            raise error(
                "pickled",
                f"`{self.file}` holds Python objects, which are never unpickled",
                hint="save numbers: array.astype(float)",
                exit=Exit.DATA,
            )
        if len(shape) not in {1, 2} or backwards and len(shape) == 2 and min(shape) > 1:
            raise self._shape(shape, backwards)
        self.rest = head[file.tell() :]
        self.feed.waiting = b""
        return shape[0], dtype, shape[1] if len(shape) == 2 else 1

    def _shape(self, shape: tuple[int, ...], backwards: bool) -> AutodiffError:  # noqa: FBT001
        if backwards:
            return error(
                "array-order",
                f"`{self.file}` is stored column by column",
                hint="numpy.save(file, numpy.ascontiguousarray(array))",
                exit=Exit.DATA,
            )
        return error("array-shape", f"`{self.file}` has {len(shape)} axes, and rows need one or two", exit=Exit.DATA)

    def _names(self) -> tuple[str, ...]:
        if self.dtype.names:
            return tuple(self.dtype.names)
        names = self.plan.columns or (self.plan.used if self.width == len(self.plan.used) == 1 else None)
        if names is None:
            used = self.plan.used if len(self.plan.used) == self.width else [f"c{i + 1}" for i in range(self.width)]
            raise error(
                "no-header",
                f"`{self.file}` has {self.width} columns without names",
                hint=f"name them: --columns {','.join(used)}",
                exit=Exit.DATA,
            )
        if len(names) != self.width:
            raise faults.miscounted(self.file, names, self.width)
        return names

    def blocks(self) -> Iterator[Block]:
        """The rows, some at a time."""
        places = self.plan.places(self.columns, self.file)
        return blocks_of(self._frames(), self.file, places, self.plan)

    def _frames(self) -> Iterator[pl.DataFrame]:
        size, left, data = self.dtype.itemsize * self.width, self.rows, self.rest
        while left:
            more = self.feed.take()
            data += more
            whole = min(left, len(data) // size)
            if not more and not whole:
                raise broken(self.file, f"{left:,} of its {self.rows:,} rows are not there")
            if whole and (len(data) >= BLOCK or not more or whole == left):
                yield self._frame(data[: whole * size])
                data = data[whole * size :]
                left -= whole

    def _frame(self, data: bytes) -> pl.DataFrame:
        import numpy as np
        import polars as pl

        array = np.frombuffer(data, self.dtype)
        array = array.astype(array.dtype.newbyteorder("="))
        columns = [array[n] for n in self.columns] if self.dtype.names else list(array.reshape(-1, self.width).T)
        return pl.DataFrame({name: np.ascontiguousarray(column) for name, column in zip(self.columns, columns, strict=True)})


def _wrong_type(file: str, name: str, cells: pl.Series) -> AutodiffError:
    return error("not-a-number", f"column `{name}` of `{file}` holds {cells.dtype}, not numbers", exit=Exit.DATA)


def _damaged(file: str, problem: Exception) -> Exception:
    said = str(problem).strip().split("\n", 1)[0]
    return broken(file, said[:1].lower() + said[1:200])
