"""Blocks of rows with arrays in; the rows of each shape together out, and what was found for them put back into the order of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..data.ragged import Ragged
from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..data.block import Block

    Array = Any
    Results = Mapping[str, Array]
    Shape = tuple[int, ...]
    Shapes = tuple[Shape, ...]


class Part(NamedTuple):
    """Rows of a block whose cells have these shapes, in the order of the columns, and their values; `rows` None are all."""

    shapes: Shapes
    rows: Array | None
    block: Block
    columns: dict[str, Array]


def parts(block: Block, columns: Sequence[str]) -> Iterator[Part]:
    """The rows of each shape; rows with a missing cell have none, and are in no part."""
    given = [block.values[name] for name in columns]
    if block.missing is not None and block.missing.all():
        return
    if not any(isinstance(column, Ragged) for column in given):
        yield Part(((),) * len(columns), None, block, dict(zip(columns, given, strict=True)))
        return
    for rows in by_shape(given, block.missing):
        whole = len(rows) == block.count
        part = block if whole else block.take(rows)
        shapes, dense = shaped({name: part.values[name] for name in columns}, slice(None))
        yield Part(tuple(shapes.values()), None if whole else rows, part, dense)


def kept(part: Part, rows: Array) -> Part:
    """These rows of a part, given by their places in it."""
    columns = {name: column[rows] for name, column in part.columns.items()}
    return Part(part.shapes, rows if part.rows is None else part.rows[rows], part.block.take(rows), columns)


def by_shape(columns: Sequence[Array], missing: Array | None = None) -> list[Array]:
    """The places of the rows of each shape, in the order of their first rows; `missing` marks rows that have none."""
    import numpy as np

    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        if isinstance(column, Ragged):
            mixed = code * len(column.shapes) + column.codes
            code = np.unique(mixed, return_inverse=True)[1]
    if missing is not None:
        code = np.where(missing, -1, code)
    order = np.argsort(code, kind="stable")
    edges = np.flatnonzero(np.diff(code[order])) + 1
    return sorted([rows for rows in np.split(order, edges) if len(rows) and code[rows[0]] >= 0], key=lambda rows: int(rows[0]))


def shaped(columns: Mapping[str, Array], rows: Any) -> tuple[dict[str, Shape], dict[str, Array]]:
    """The shape that the cells of each column have in these rows, all of one shape, and the columns as arrays of them."""
    found = {name: column[rows] for name, column in columns.items()}
    shapes = {name: column.shape(0) if isinstance(column, Ragged) else () for name, column in found.items()}
    return shapes, {name: column.dense() if isinstance(column, Ragged) else column for name, column in found.items()}


def misfit(problem: AutodiffError, place: Any, shapes: Mapping[str, Shape], *, fitted: bool) -> AutodiffError:
    """A program that has no meaning for the shapes of a row: where that is; the data's fault, where other rows fitted."""
    found = problem.diagnostic
    listed = ", ".join([f"`{name}` has shape {shape}" if shape else f"`{name}` is one number" for name, shape in shapes.items()])
    notes = (f"in {place}, {listed}", *found.notes)
    return AutodiffError(found._replace(notes=notes, exit=Exit.DATA if fitted else found.exit))


def otherwise(wrt: Sequence[str], first: Sequence[str]) -> AutodiffError:
    """Rows in which a variable is static, and rows in which it is not: their derivatives are by other names."""
    both = [name for name in first if name in wrt]
    names = ", ".join([f"`{name}`" for name in (*first, *wrt) if name not in both])
    message = f"{names} {'is' if ',' not in names else 'are'} static in some rows and not in others"
    return error("static-wrt", message, hint=f"--wrt {','.join(both)}" if both else None)


def together(found: Sequence[tuple[Array | None, int, Results]], names: Sequence[str], count: int) -> dict[str, Array]:
    """Results of the rows of each shape, with their places and how many there are, as columns of all rows; NaN where there are none."""
    if len(found) == 1 and found[0][0] is None:
        return dict(found[0][2])
    return {name: _merged([(rows, many, results[name]) for rows, many, results in found], count) for name in names}


def _merged(pieces: Sequence[tuple[Any, int, Array]], count: int) -> Array:
    import numpy as np

    shapes = {np.shape(piece)[1:] for _, _, piece in pieces}
    if len(shapes) == 1:
        exact = any(getattr(getattr(piece, "dtype", None), "kind", "") == "O" for _, _, piece in pieces)  # numbers of many digits
        merged = np.full((count, *shapes.pop()), np.nan, object if exact else float)
        for rows, _, piece in pieces:
            merged[rows] = piece
        return merged
    cells: list[Any] = [np.nan] * count
    for rows, many, piece in pieces:
        for row, cell in zip(rows, np.broadcast_to(piece, many) if not np.ndim(piece) else piece, strict=True):
            cells[row] = cell
    return Ragged.of(cells)
