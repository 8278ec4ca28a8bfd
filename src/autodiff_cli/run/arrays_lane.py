"""NumPy kernels called with lanes in, the array steps they consist of out.

A lane stands for an array that is not there yet: a ufunc that meets one is written down, so a
kernel is an ordinary NumPy expression both over arrays and in a plan.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = {"real": np.float64, "bool": np.bool_, "mask": np.int64}
LOGICAL = frozenset({
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.isnan, np.isinf, np.isfinite,
    np.logical_not, np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or,
})  # fmt: skip
COMMUTATIVE = frozenset({np.add, np.multiply, np.maximum, np.minimum, np.equal, np.not_equal})


class Lane(NDArrayOperatorsMixin):
    """The array in a slot of a recorder, or its negative, which costs nothing where a sum or a product takes it."""

    __slots__ = ("minus", "recorder", "slot")

    def __init__(self, recorder: Recorder, slot: int, *, minus: bool = False) -> None:
        self.recorder, self.slot, self.minus = recorder, slot, minus

    def __array_ufunc__(self, ufunc: np.ufunc, _method: str, *args: Any, **_: Any) -> Any:
        return self.recorder.call(ufunc, args)

    @property
    def size(self) -> Lane:
        """The lane without its sign."""
        return Lane(self.recorder, self.slot) if self.minus else self

    def signed(self, *, minus: bool) -> Lane:
        return Lane(self.recorder, self.slot, minus=self.minus != minus)


class Whole:
    """A kernel that is one step of a plan: `fill(*args, out)` writes every entry of `out`."""

    __slots__ = ("cost", "fill", "kind", "over")

    def __init__(self, fill: Callable[..., Any], *, cost: float = 1, over: tuple[int, ...] = (), kind: str = "real") -> None:
        """`cost` is in additions a row; `over` are the arguments whose memory `out` may be."""
        self.fill, self.cost, self.over, self.kind = fill, cost, over, kind

    def __call__(self, *args: Any) -> Any:
        for arg in args:
            if type(arg) is Lane:
                return arg.recorder.call(self, args)
        out: Any = np.empty(np.broadcast_shapes(*[np.shape(a) for a in args]), DTYPES[self.kind])
        self.fill(*args, out)
        return out


class Step(NamedTuple):
    """Slot `slot` becomes `func` over the slots `args`, on the rows of `region`.

    A selection has no `func`; its `args` are the predicate, the same as a mask, and the two arms. Nor
    has the making of that mask, which waits until a selection needs it.
    """

    func: Any
    args: tuple[int, ...]
    slot: int
    region: int


class Recorder:
    """Array steps as they are met; the same step over the same slots in the same region is one step."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.made: dict[int, Step] = {}
        self.kinds: list[str] = []
        self.homes: list[int] = []
        self.consts: dict[int, float | bool] = {}
        self.region = 0
        self._known: dict[Any, int] = {}

    def slot(self, kind: str, region: int) -> int:
        self.kinds.append(kind)
        self.homes.append(region)
        return len(self.kinds) - 1

    def constant(self, value: Any) -> int:
        """The slot of a number or a truth value."""
        kind = "bool" if isinstance(value, bool | np.bool_) else "real"
        key = (kind, float(value).hex())
        if key not in self._known:
            self._known[key] = self.slot(kind, 0)
            self.consts[self._known[key]] = bool(value) if kind == "bool" else float(value)
        return self._known[key]

    def call(self, func: Any, args: tuple[Any, ...]) -> Any:
        """What `func` gives over lanes and numbers."""
        rule = RULES.get(func)
        found = None if rule is None else rule(*args)
        return self.record(func, args) if found is None else found

    def record(self, func: Any, args: tuple[Any, ...]) -> Lane:
        kind = func.kind if type(func) is Whole else "bool" if func in LOGICAL else "real"
        slots = [self.plain(a, self.region) for a in args]
        return self.write(func, sorted(slots) if func in COMMUTATIVE else slots, kind, self.region)

    def write(self, func: Any, slots: list[int], kind: str, region: int) -> Lane:
        """The step, written down if it is new."""
        key = (func, tuple(slots), region)
        if key not in self._known:
            slot = self._known[key] = self.slot(kind, region)
            self.made[slot] = Step(func, tuple(slots), slot, region)
            self.steps.append(self.made[slot])
        return Lane(self, self._known[key])

    def plain(self, arg: Any, region: int) -> int:
        """The slot of a lane or a number; a pending sign is worked off in `region`."""
        if type(arg) is not Lane:
            return self.constant(arg)
        return self.write(np.negative, [arg.slot], "real", region).slot if arg.minus else arg.slot


def _minus(x: Any) -> bool:
    return x.minus if type(x) is Lane else math.copysign(1.0, x) < 0


def _size(x: Any) -> Any:
    return x.size if type(x) is Lane else abs(x)


def _is_lane(x: Any, y: Any) -> Any:
    return x if type(x) is Lane else y


def _negative(x: Lane) -> Lane:
    return x.signed(minus=True)


def _product(x: Any, y: Any) -> Lane:
    lane, other = (x, y) if type(x) is Lane else (y, x)
    if type(other) is not Lane and abs(other) == 1:
        return lane.signed(minus=_minus(other))
    return _signed(np.multiply, x, y)


def _quotient(x: Any, y: Any) -> Lane:
    if type(y) is not Lane and math.frexp(abs(y))[0] == 0.5 and 2.0**-1000 < abs(y) < 2.0**1000:
        return _product(x, 1.0 / y)
    return _signed(np.divide, x, y)


def _signed(func: Any, x: Any, y: Any) -> Lane:
    """A product or a quotient has the product of the signs, to the last bit."""
    recorder, same = _is_lane(x, y).recorder, type(x) is type(y) and x.slot == y.slot and func is np.multiply
    found = recorder.record(np.square, (x.size,)) if same else recorder.record(func, (_size(x), _size(y)))
    return found.signed(minus=_minus(x) != _minus(y))  # type: ignore[no-any-return]  # a recorder gives lanes


def _sum(x: Any, y: Any) -> Lane | None:
    if type(y) is Lane and y.minus:
        return y.recorder.record(np.subtract, (x, y.size))
    return x.recorder.record(np.subtract, (y, x.size)) if type(x) is Lane and x.minus else None


def _difference(x: Any, y: Any) -> Lane | None:
    if type(y) is not Lane or not y.minus:
        return None
    if type(x) is Lane and x.minus:
        return x.recorder.record(np.subtract, (y.size, x.size))
    return y.recorder.record(np.add, (x, y.size))


def _unsigned(func: np.ufunc) -> Callable[[Lane], Lane]:
    return lambda x: x.recorder.record(func, (x.size,))


RULES: dict[Any, Callable[..., Any]] = {
    np.negative: _negative,
    np.multiply: _product,
    np.divide: _quotient,
    np.add: _sum,
    np.subtract: _difference,
    np.square: _unsigned(np.square),
    np.absolute: _unsigned(np.absolute),
}
