"""Rows through a program with loops: the columns of a program in, its results over rows out, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Expr, Fn
from ..ops.structured import loop_
from . import tensors
from .point import evaluate
from .slim import slim, used_results

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..program import Program
    from .meter import Meter

    Value = float | bool

ROWS, WIDE = 16384, 131072  # of a block; where turns keep nothing, it may be wide


class Looped:
    """A program with the names of its columns and the values of its other inputs, for any number of blocks.

    `results` holds, for each result, the number that all rows have, or None where it is an array; `meter` is told of the memory.
    """

    __slots__ = ("_columns", "_program", "_rows", "_values", "meter", "results")

    def __init__(self, program: Program, columns: Collection[str], values: Mapping[str, Value]) -> None:
        self._program, self._columns, self._values = program, frozenset(columns), dict(values)
        self.meter: Meter | None = None
        self._rows = WIDE if _light(program) else ROWS
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
        types = [np.dtype(float if kind == "real" else bool) for kind in kinds]
        found: list[Any] = [r if r is not None else w for r, w in zip(self.results, wanted, strict=True)]
        if not rows:
            return [np.empty(0, t) if f is None else f for f, t in zip(found, types, strict=True)]
        step = self._rows
        for start in range(0, rows, step):
            part = {name: column[start : start + step] for name, column in columns.items()}
            if self.meter:
                self.meter.again()
            results = tensors.run(self._program, {**self._values, **part}, self._columns, self.meter)
            for k, value in enumerate(results):
                if found[k] is None and _made_here(value, rows, types[k]) and all(value is not other for other in found):
                    found[k] = value
                elif self.results[k] is None:
                    found[k] = np.empty(rows, types[k]) if found[k] is None else found[k]
                    found[k][start : start + step] = value
        return found


def _made_here(value: Any, rows: int, type: Any) -> bool:
    """Whether an array holds all rows, in memory of its own."""
    return getattr(value, "shape", None) == (rows,) and value.dtype == type and value.base is None


def _light(program: Program) -> bool:
    """Whether every loop is arithmetic on numbers, and keeps nothing from turn to turn."""
    from .loops_array_planned import plain

    needed = [slim(step.attr, used_results(program)[step.slot]) for run in program.runs for step in run.steps if step.op is loop_]
    return not any(one.kept or one.saved for one in needed) and all(map(plain, needed))
