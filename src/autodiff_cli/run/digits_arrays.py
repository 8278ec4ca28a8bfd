"""One point with arrays at any precision: a program and values in, mpmath numbers and object arrays of them out.

Numbers are mpmath's, arrays NumPy's with such numbers as entries, conditions Python's or NumPy's. The steps, the regions and
the ops that only move entries are those of float64.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..ops.arithmetic import select
from ..ops.linear import class_number, place_below
from ..ops.structured import loop_, nothing_, out_, scanned, stacked
from . import kernels_tensor, tensors
from .checks import placed
from .digits_kernels import kernel
from .digits_matrix import MATRIX
from .kernels_moving import MOVING
from .loops import Loop
from .slim import consumed, slim, used_results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..program import Program, Step
    from ..types import Type

    Array = Any
    Bound = tuple[Callable[..., Any] | None, int, tuple[int, ...]]


def trace(program: Program, slots: dict[Any, Any]) -> dict[int, Any]:
    """The value of every node that ran; `slots` hold those of constants and inputs."""
    found = tensors.Slots(slots)
    execute(program, found, bind(program))
    return found.nodes()


def execute(program: Program, slots: dict[Any, Any], bound: list[Any]) -> None:
    """Run the bound steps of every region that is on for some entry."""
    on = [True] + [False] * (len(program.parent) - 1)
    for region, steps in bound:
        if not steps:
            on[region] = on[program.parent[region]] and tensors.holds(slots[program.predicate[region]], wanted=program.wanted[region])
        elif on[region]:
            for function, slot, args in steps:
                if function is None:
                    p, a, b = args
                    slots[slot] = slots[a] if slots[p] else slots[b]
                else:
                    slots[slot] = function(*[slots[j] for j in args])


def bind(program: Program) -> list[Any]:
    """The runs of the program, with functions over arrays of mpmath numbers in place of ops; made once a program."""
    key = "digits of arrays"
    if key not in program.cache:
        program.cache[key] = [(run.region, [_step(program, step) for step in run.steps]) for run in program.runs]
    return program.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _step(program: Program, step: Step) -> Bound:
    op, slot, args, _ = step
    nodes = program.fn.nodes
    if op is select and not nodes[args[0]].type.shape:
        return (None, slot, args)
    if op in (out_, nothing_, scanned, stacked, loop_):
        return (_structured(program, step), slot, args)
    return (_settled(_function(program, step), nodes[slot].type), slot, args)


def _function(program: Program, step: Step) -> Callable[..., Any]:
    from mpmath import mp

    op, slot, args, attr = step
    types = [program.fn.nodes[j].type for j in args]
    if op is select:
        return _choose
    if op.rule == "leaf":
        return _leaf(mp, op.name, attr)
    if op in (place_below, class_number):
        return _place(mp, placed(kernels_tensor.kernel(op.name, attr, types, [False]), op.name, program.fn.sites[slot]))
    if op.name in MATRIX:
        return MATRIX[op.name](mp, attr, types)
    if op.name in MOVING:
        return MOVING[op.name](attr, types, [False] * len(args))
    function: Callable[..., Any] = kernel(op, attr)[0]
    return _spread(function, len(args)) if any(t.shape for t in types) else function


def _spread(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function of numbers over arrays of them."""
    import numpy as np

    over: Callable[..., Any] = np.frompyfunc(function, count, 1)
    return over


def _choose(p: Array, a: Any, b: Any) -> Array:
    import numpy as np

    return np.where(p, a, b)


def _leaf(mp: Any, name: str, attr: Any) -> Callable[[], Any]:
    """An array that is known when the graph is made; its texts are read at the precision of the moment."""
    import numpy as np

    from .digits import constant

    if name == "array":
        texts, shape = attr
        return lambda: np.array([constant(mp, text) for text in texts], object).reshape(shape)
    found = kernels_tensor.leaf(name, attr)
    if name == "held" and found.dtype == float:  # a direction that was typed: its decimals count
        return lambda: np.frompyfunc(lambda x: constant(mp, repr(x)), 1, 1)(found.astype(object)) if found.size else found.astype(object)
    return lambda: numbers(found)


def numbers(array: Array) -> Array:
    """An array of floats as mpmath's numbers, of conditions as it is."""
    import numpy as np
    from mpmath import mp

    if array.dtype == bool:
        return array
    return np.frompyfunc(mp.mpf, 1, 1)(array.astype(object)) if array.size else array.astype(object)


def _place(mp: Any, check: Callable[..., Any]) -> Callable[..., Any]:
    """A place that the data gives, looked at as a float."""
    import numpy as np

    return lambda x: np.frompyfunc(mp.mpf, 1, 1)(check(np.asarray(x, float)).astype(object))


def _settled(function: Callable[..., Any], type: Type) -> Callable[..., Any]:
    """The result as the type says: a number, a condition, or an array in which the zeros that NumPy put are numbers too."""
    import numpy as np
    from mpmath import mp

    clean = np.frompyfunc(lambda x: mp.mpf(x) if isinstance(x, int) else x, 1, 1)

    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            found = function(*args)
        if not type.shape:
            one = found.item() if hasattr(found, "item") else found
            return bool(one) if type.kind == "bool" else mp.mpf(one) if isinstance(one, int) else one
        return np.asarray(found, bool) if type.kind == "bool" else clean(np.asarray(found, object))

    return call


# --- loops -------------------------------------------------------------------------------------------------


def _structured(program: Program, step: Step) -> Callable[..., Any]:
    op, slot, _, attr = step
    if op is out_:
        return itemgetter(attr)
    if op is nothing_:
        return list
    if op is scanned:
        return lambda x: x.tolist() if x.ndim == 1 else list(x)
    if op is stacked:
        return lambda turns: _gathered(turns, program.fn.nodes[slot].type)
    from .digits import spend

    machine: Any = Machine()
    return Loop(slim(attr, used_results(program)[slot]), machine, None, program.fn.sites[slot], consumed(program, step), spend).run


def _gathered(turns: list[Any], type: Type) -> Array:
    """The values of turns as an array; turns that were not taken are 0."""
    import numpy as np

    found = np.full(type.shape, Machine().zero(type._replace(shape=())), bool if type.kind == "bool" else object)
    for turn, value in enumerate(turns):
        found[turn] = value
    return found


class Machine:
    """How the body of a loop runs over arrays of digits."""

    __slots__ = ()

    def zero(self, type: Type) -> Any:
        """What stands where a turn has no value."""
        import numpy as np
        from mpmath import mp

        empty = False if type.kind == "bool" else mp.zero
        return np.full(type.shape, empty, bool if type.kind == "bool" else object) if type.shape else empty

    def keeping(self) -> Machine:
        """One whose trace has every value; this has them all."""
        return self

    def trace(self, program: Program, values: Mapping[str, Any]) -> dict[int, Any]:
        """The value of every node of a turn."""
        from mpmath import mp

        from .digits import constants

        slots = constants(mp, program)
        slots.update({i: values[name] for i, name in program.params})
        return trace(program, slots)
