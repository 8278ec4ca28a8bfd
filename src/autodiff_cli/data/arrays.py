"""Nested lists, `.npy`, `.npz` and tables of numbers in; NumPy arrays of float64 or of conditions out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, Source, Span, did_you_mean, error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    Array = Any

NPY, ZIP, NO_MEMBERS = b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06"
MOST_AXES = 32
WORDS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
}
PLURAL = {"c": "complex numbers", "S": "texts", "U": "texts", "O": "objects", "V": "records", "M": "dates", "m": "durations"}


def nested(found: list[Any], name: str) -> Array:
    """The array of a nested list of a JSON document; `name` is what the document is called."""
    import numpy as np

    shape: list[int] = []
    level: list[Any] = found
    sizes = [len(found)]
    while len(shape) < MOST_AXES:
        shape.append(sizes[0])
        if not any(type(item) is list for item in level):
            break
        sizes = [len(item) if type(item) is list else -1 for item in level]
        if min(sizes) != max(sizes):
            raise _ragged(sizes, shape, name)
        level = [leaf for item in level for leaf in item]
    kinds = set(map(type, level))
    if kinds == {bool}:
        return np.array(level, dtype=bool).reshape(shape)
    if not kinds <= {float, int, bool}:
        level = [_leaf(item, k, shape, name) for k, item in enumerate(level)]
    try:
        return np.array(level, dtype=float).reshape(shape)
    except OverflowError:
        return np.array([float(str(item)) for item in level]).reshape(shape)


def _leaf(item: Any, k: int, shape: list[int], name: str) -> float:
    if isinstance(item, bool | int | float):
        return item
    if isinstance(item, str) and item in WORDS:
        return WORDS[item]
    what = (
        "null" if item is None else "an object" if isinstance(item, dict) else "a list" if isinstance(item, list) else f"the text `{item}`"
    )
    raise error("not-a-number", f"`{name}` holds {what} at {_place(k, shape)}", exit=Exit.DATA)


def _ragged(sizes: list[int], shape: list[int], name: str) -> AutodiffError:
    k = next(k for k, size in enumerate(sizes) if size != sizes[0])
    here, there = (f"{_place(j, shape)} {'is one number' if size < 0 else f'has {size}'}" for j, size in ((k, sizes[k]), (0, sizes[0])))
    return error("ragged-list", f"the lists in `{name}` have unlike lengths: {here}, {there}", exit=Exit.DATA)


def _place(k: int, shape: list[int]) -> str:
    """The k-th entry of an array as an index: [1][0]."""
    found = ""
    for size in reversed(shape):
        k, rest = divmod(k, size)
        found = f"[{rest}]{found}"
    return found


def numbers(found: Array, name: str) -> Any:
    """An array that was read, as float64 or conditions; without axes, as one number."""
    kind = found.dtype.kind
    if kind in PLURAL:
        raise error("wrong-dtype", f"`{name}` holds {PLURAL[kind]} (dtype {found.dtype}), and numbers are wanted", exit=Exit.DATA)
    if not found.shape:
        return bool(found) if kind == "b" else float(found)
    return found if kind == "b" else found.astype(float, order="C", copy=False)


def load(source: str | BinaryIO, name: str) -> Any:
    """What `numpy.load` reads: an array, or the members of a `.npz`; nothing that runs code."""
    from warnings import catch_warnings, simplefilter
    from zipfile import BadZipFile

    import numpy as np

    try:
        if isinstance(source, str) and not _start(source).startswith((NPY, ZIP, NO_MEMBERS)):
            raise _refused(EOFError(), name)
        with catch_warnings():
            simplefilter("ignore")
            return np.load(source, allow_pickle=False)
    except OSError as problem:
        raise error("unreadable", f"`{name}` cannot be read: {(problem.strerror or str(problem)).lower()}", exit=Exit.DATA) from None
    except (ValueError, EOFError, SyntaxError, MemoryError, BadZipFile) as problem:
        raise _refused(problem, name) from None


def _start(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(NPY))


def _refused(problem: Exception, name: str) -> AutodiffError:
    if "pickle" in str(problem):
        hint = "numpy.save(FILE, array.astype(float)) writes numbers; pickled objects can run code, and are never read"
        return error("pickled", f"`{name}` holds pickled objects", hint=hint, exit=Exit.DATA)
    return error("broken-array", f"`{name}` is no whole .npy or .npz file", exit=Exit.DATA)


def npy(path: str) -> Any:
    """The array of a `.npy` file."""
    return numbers(load(path, path), path)


def member(path: str, name: str, shown: str) -> Any:
    """One array of a `.npz` file."""
    found = load(path, path)
    known = _members(found, path)
    if name not in known:
        near = did_you_mean(name, known) if name else None
        message = f"`{path}` has no array `{name}`" if name else f"`{path}` holds several arrays by name"
        notes = (f"it has {', '.join(f'`{k}`' for k in known)}" if known else "it is empty",)
        guess = near or (known[0] if known else None)
        raise error("no-member", message, notes=notes, hint=guess and f"{shown} @{path}:{guess}", exit=Exit.DATA)
    return _read(found, name, path)


def _members(found: Any, path: str) -> list[str]:
    if not hasattr(found, "files"):
        raise error("broken-array", f"`{path}` holds one array, and no names", hint="a file of one array is called .npy", exit=Exit.DATA)
    return list(found.files)


def _read(found: Any, name: str, path: str) -> Any:
    from zipfile import BadZipFile

    try:
        array = found[name]
    except (ValueError, EOFError, SyntaxError, MemoryError, BadZipFile) as problem:
        raise _refused(problem, f"{path}:{name}") from None
    if not hasattr(array, "dtype"):
        raise error("broken-array", f"`{path}:{name}` is no array", exit=Exit.DATA)
    return numbers(array, f"{path}:{name}")


def members(path: str) -> Mapping[str, Any]:
    """Every array of a `.npz` file; one that holds no numbers is the error to raise where it is used."""
    found = load(path, path)
    values: dict[str, Any] = {}
    for name in _members(found, path):
        try:
            values[name] = _read(found, name, path)
        except AutodiffError as problem:
            values[name] = problem
    return values


def stream(data: bytes) -> Any:
    """The array of a `.npy` that came on stdin."""
    from io import BytesIO

    if data.startswith(ZIP):
        raise error("broken-array", "stdin holds a .npz, whose arrays have names", hint="write it to a file: @all.npz:name", exit=Exit.DATA)
    return numbers(load(BytesIO(data), "stdin"), "stdin")


def table(path: str, mark: str) -> Array:
    """The matrix of a table of numbers, with or without a header; a single column is a vector."""
    import csv

    import numpy as np

    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=mark)
            rows = [(reader.line_num, row) for row in reader if row]
    except OSError as problem:
        raise error("unreadable", f"`{path}` cannot be read: {(problem.strerror or str(problem)).lower()}", exit=Exit.DATA) from None
    except (UnicodeDecodeError, csv.Error) as problem:
        raise error("broken-table", f"`{path}` is no table of numbers: {problem}", exit=Exit.DATA) from None
    if rows and not all(is_number(cell) or not cell.strip() for cell in rows[0][1]):
        rows = rows[1:]
    if not rows:
        raise error("empty", f"`{path}` has no numbers", exit=Exit.DATA)
    try:
        found = np.array([row for _, row in rows], dtype=float)
    except ValueError:
        raise _bad_cell(rows, path, mark) from None
    return found[:, 0] if found.shape[1] == 1 else found


def _bad_cell(rows: list[tuple[int, list[str]]], path: str, mark: str) -> AutodiffError:
    width = len(rows[0][1])
    for line, row in rows:
        source = Source(path, mark.join(row), line)
        if len(row) != width:
            return error(
                "ragged-row",
                f"this row has {len(row)} cell{'s' * (len(row) != 1)}, and the first one has {width}",
                Span(source, 0, len(source.text)),
                exit=Exit.DATA,
            )
        start = 0
        for cell in row:
            if not is_number(cell):
                what = f"`{cell}` is no number" if cell.strip() else "a cell is empty"
                return error(
                    "not-a-number",
                    what,
                    Span(source, start, start + len(cell)),
                    hint="an array has a number everywhere; nan is one",
                    exit=Exit.DATA,
                )
            start += len(cell) + 1
    return error("broken-table", f"`{path}` is no table of numbers", exit=Exit.DATA)


def is_number(cell: str) -> bool:
    """Whether a text is one number, as Python reads it."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
