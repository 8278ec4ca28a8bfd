"""Rows through a program with loops: the columns of a program in, its results over rows out, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Expr, Fn
from . import tensors
from .point import evaluate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..program import Program
    from .meter import Meter

    Value = float | bool

ROWS = 16384


class Looped:
    """A program with the names of its columns and the values of its other inputs, for any number of blocks.

    `results` holds, for each result, the number that all rows have, or None where it is an array; `meter` is told of the memory.
    """

    __slots__ = ("_columns", "_program", "_values", "meter", "results")

    def __init__(self, program: Program, columns: Collection[str], values: Mapping[str, Value]) -> None:
        self._program, self._columns, self._values = program, frozenset(columns), dict(values)
        self.meter: Meter | None = None
        rows, fn = tensors.rows_of(program, self._columns), program.fn
        same = [k for k, o in enumerate(fn.outs) if not rows.of[o]]
        alone = Fn(fn, fn.params, [Expr(fn, fn.outs[k]) for k in same], [fn.names[k] for k in same])  # type: ignore[arg-type]  # a frozen graph
        found = evaluate(alone, {**dict.fromkeys(columns, 0.0), **values}) if same else []
        known = dict(zip(same, found, strict=True))
        self.results: tuple[Value | None, ...] = tuple([known.get(k) for k in range(len(fn.outs))])

    def __call__(self, columns: Mapping[str, Any], rows: int, out: Sequence[Any] | None = None, threads: int | None = None) -> list[Any]:  # noqa: ARG002 (as rows without loops)
        """One entry a result: an array of `rows` entries, or the number that all rows have. `out` are arrays to write into, None to have one made."""
        import numpy as np

        fn = self._program.fn
        kinds = [fn.nodes[o].type.kind for o in fn.outs]
        wanted = [None] * len(kinds) if out is None else out
        found: list[Any] = [
            r if r is not None else np.empty(rows, float if kind == "real" else bool) if w is None else w
            for r, kind, w in zip(self.results, kinds, wanted, strict=True)
        ]
        for start in range(0, rows, ROWS):
            part = {name: column[start : start + ROWS] for name, column in columns.items()}
            if self.meter:
                self.meter.again()
            results = tensors.run(self._program, {**self._values, **part}, self._columns, self.meter)
            for into, r, value in zip(found, self.results, results, strict=True):
                if r is None:
                    into[start : start + ROWS] = value
        return found
