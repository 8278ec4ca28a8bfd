"""A function and values in; its loss, gradient and Hessian times a vector at one flat vector of parameters out.

Over rows the loss is the mean or the sum over a batch. A batch is taken in pieces whose gradients are added up, so
memory does not grow with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..derive import along, gradient, hvp
from ..derive.rows import plain, reduced
from ..graph import Expr, Fn
from ..program import compile
from ..run import point, tensors
from ..run.repeated import Anew, repeated
from . import NotFinite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Array = Any

PIECE = 8192


class EachRow(Anew):
    """The sums over rows of a function that has a result for each row."""

    def __init__(self, fn: Fn, fixed: Mapping[str, Any], inputs: Mapping[str, Array], columns: Mapping[str, Array]) -> None:
        super().__init__(fn, fixed, {**inputs, **columns})
        self.varying, self.count = frozenset(columns), len(next(iter(columns.values())))
        of = tensors.rows_of(self.program, self.varying).of
        self.rows = [bool(of[o]) for o in self.program.fn.outs]

    def __call__(self) -> list[Any]:
        outs = tensors.run(self.program, self.values(), self.varying)
        return [np.sum(out, axis=0) if rows else self.count * out for out, rows in zip(outs, self.rows, strict=True)]


class Loss:
    """`x` are the parameters, one after another, in memory that may be shared; `parts` the same memory by name.

    `sweeps` counts, `largest` is the largest function that ran, `bad` is where it was not finite,
    `row` which row that began in, once `fault` has found it.
    """

    def __init__(
        self, fn: Fn, wrt: Sequence[str], values: Mapping[str, Any], x: Array | None = None, direction: Array | None = None
    ) -> None:  # fmt: skip
        self.fn, self.wrt = fn, tuple(wrt)
        self.fixed = {name: value for name, value in values.items() if name not in self.wrt}
        starts = [np.asarray(values[name], float) for name in self.wrt]
        self.shapes = [start.shape for start in starts]
        self.x = np.concatenate([start.reshape(-1) for start in starts]) if x is None else x
        self.gradient, self.product = np.zeros_like(self.x), np.zeros_like(self.x)
        self.direction = np.zeros_like(self.x) if direction is None else direction
        self.parts = dict(zip(self.wrt, self._split(self.x), strict=True))
        self.sweeps = 0
        self.largest = fn
        self.bad: NotFinite | None = None
        self.row: int | None = None
        self._runs: dict[Any, Any] = {}

    def _split(self, flat: Array) -> list[Array]:
        ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), self.shapes, strict=True)]

    def run(self, fn: Fn, fixed: Mapping[str, Any], more: Mapping[str, Array]) -> Any:
        """The function, ready to run at the parameters again and again."""
        self.largest = max(self.largest, compile(fn).fn, key=lambda f: len(f.nodes))
        return repeated(fn, fixed, {**self.parts, **more})

    @property
    def bytes(self) -> int:
        """The size of all arrays that are held."""
        own = {id(a): a.nbytes for a in (self.x, self.gradient, self.direction, self.product, *self.given())}
        return int(sum(own.values()) + sum(run.bytes for run in self._runs.values()))

    def given(self) -> list[Array]:
        """The arrays that came with the problem."""
        return [value for value in self.fixed.values() if hasattr(value, "nbytes")]

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is made once."""
        if key not in self._runs:
            self._runs[key] = make()
        return self._runs[key]

    def at(self, x: Array) -> tuple[float, Array]:
        """Loss and gradient over everything, at these parameters; one that is not finite is raised."""
        self.x[:] = x
        value, slope = self.whole()
        return self.finite(value, slope), slope

    def finite(self, value: float, slope: Array) -> float:
        """The loss, if it and its gradient are finite."""
        if not np.isfinite(value) or not np.isfinite(slope).all():
            raise NotFinite(value, self.x.copy())
        return value

    def whole(self) -> tuple[float, Array]:
        """Loss and gradient over everything; the gradient's memory is written again by the next call."""
        self.sweeps += 1
        outs = self.kept("gradient", lambda: self.run(gradient(self.fn, self.wrt), self.fixed, {}))()
        return outs[0], self._flat(outs[1:], self.gradient)

    def batch(self) -> tuple[float, Array]:
        """Loss and gradient over the next batch."""
        return self.whole()

    @property
    def batches(self) -> int:
        """How many batches there are in all."""
        return 1

    def times(self, x: Array, vector: Array) -> Array:
        """The Hessian at x times a vector."""
        self.x[:] = x
        self.direction[:] = vector
        return self.products()

    def products(self) -> Array:
        """The Hessian times `direction`."""
        self.sweeps += 1
        outs = self.kept("hvp", lambda: self.run(products_of(self.fn, self.wrt), self.fixed, self.along()))()
        return self._flat(outs, self.product).copy()

    def along(self) -> dict[str, Array]:
        """The memory of `direction`, by the names of inputs."""
        return {along(name): part for name, part in zip(self.wrt, self._split(self.direction), strict=True)}

    def _flat(self, outs: Sequence[Any], into: Array) -> Array:
        np.concatenate([np.reshape(out, -1) for out in outs], out=into)
        return into

    def point(self) -> dict[str, Any]:
        """The values where `bad` is."""
        return {**self.fixed, **self.read(self.bad.at if self.bad else self.x)}

    def fault(self) -> tuple[Fn, dict[str, Any]]:
        """The function that was not finite, and the values where it was not."""
        return self.fn, self.point()

    def read(self, flat: Array) -> dict[str, Any]:
        """Parameters by name: numbers and arrays of their own."""
        return {name: part.copy() if part.shape else part.item() for name, part in zip(self.wrt, self._split(flat), strict=True)}


class RowsLoss(Loss):
    """The mean or the sum of the loss over rows; `columns` are their values by name."""

    def __init__(  # noqa: PLR0913 (what rows come with, by name)
        self, fn: Fn, wrt: Sequence[str], values: Mapping[str, Any], columns: Mapping[str, Array], *, how: str = "mean",
        batch: int | None = None, seed: int = 0, x: Array | None = None, direction: Array | None = None,
    ) -> None:  # fmt: skip
        super().__init__(fn, wrt, values, x, direction)
        self.columns = {name: np.ascontiguousarray(column) for name, column in columns.items()}
        self.count = len(next(iter(self.columns.values())))
        self.how, self.size = how, min(batch or self.count, self.count)
        self.order = one_after_another(self.count, self.size, seed)

    @property
    def batches(self) -> int:
        return -(-self.count // self.size)

    def batch(self) -> tuple[float, Array]:
        return self.whole() if self.size == self.count else self.over(next(self.order))

    def whole(self) -> tuple[float, Array]:
        return self._over("gradient", None, self.gradient)

    def over(self, rows: Array) -> tuple[float, Array]:
        """Loss and gradient over the rows at these places."""
        return self._over("gradient", rows, self.gradient)

    def pieces(self, count: int) -> Iterator[tuple[int, int]]:
        """Where each piece of so many rows starts, and how many rows are in it."""
        return ((start, min(PIECE, count - start)) for start in range(0, count, PIECE))

    def products(self) -> Array:
        return self._over("hvp", None, self.product)[1].copy()

    def given(self) -> list[Array]:
        return [*super().given(), *self.columns.values()]

    def _over(self, what: str, rows: Array | None, into: Array) -> tuple[float, Array]:
        """The sum over pieces of the rows, and with "mean" their number's share."""
        self.sweeps += 1
        count = self.count if rows is None else len(rows)
        into[:] = 0.0
        total = 0.0
        for start, size in self.pieces(count):
            outs = self._piece(what, size, slice(start, start + size) if rows is None else rows[start : start + size])
            total += outs[0] if what == "gradient" else 0.0
            into += self._flat(outs[1:] if what == "gradient" else outs, np.empty_like(into))
        if self.how == "mean":
            total, into[:] = total / count, into / count
        return total, into

    def _piece(self, what: str, size: int, rows: Any) -> list[Any]:
        if size == self.count:
            return self.kept((what, "all"), lambda: self._made(what, size, self.columns))()  # type: ignore[no-any-return]  # results
        run = self.kept((what, size), lambda: self._made(what, size, {}))
        for name, column in self.columns.items():
            run.inputs[name][...] = column[rows]
        return run()  # type: ignore[no-any-return]  # results

    def _made(self, what: str, size: int, columns: Mapping[str, Array]) -> Any:
        more = {} if what == "gradient" else self.along()
        if plain(self.fn):
            return self.run(self._derived(reduced(self.fn, self.columns, size, "sum"), what), {**self.fixed, **columns}, more)
        made, space = self._derived(self.fn, what), {name: np.empty((size, *x.shape[1:]), x.dtype) for name, x in self.columns.items()}
        self.largest = max(self.largest, compile(made).fn, key=lambda f: len(f.nodes))
        return EachRow(made, self.fixed, {**self.parts, **more}, columns or space)

    def _derived(self, fn: Fn, what: str) -> Fn:
        return gradient(fn, self.wrt) if what == "gradient" else products_of(fn, self.wrt)

    def point(self) -> dict[str, Any]:
        """The values of the first row that is not finite."""
        values = super().point()
        for k in range(self.count):
            row = {name: column[k] if column.ndim > 1 else column[k].item() for name, column in self.columns.items()}
            if not np.isfinite(point.evaluate(self.fn, {**values, **row})[0]):
                self.row = k
                return {**values, **row}
        return values


def one_after_another(count: int, size: int, seed: int) -> Iterator[Array]:
    """The rows of one batch after another; a new order for every epoch."""
    random = np.random.default_rng(seed)
    while True:
        rows = random.permutation(count)
        yield from (rows[k : k + size] for k in range(0, count, size))


def products_of(fn: Fn, wrt: Sequence[str]) -> Fn:
    """Only the products of `hvp`."""
    made = hvp(fn, wrt)
    chosen = slice(len(wrt) + 1, None)
    return Fn(made, made.params, [Expr(made, o) for o in made.outs[chosen]], made.names[chosen])  # type: ignore[arg-type]  # a frozen graph
