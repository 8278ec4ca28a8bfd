"""An op and what its arguments hang on in; what its results hang on, entry by entry, out.

What an op that moves entries does is found by running its kernel on the numbers of the entries. An op that is not known to
keep entries apart makes each of its results hang on all that its arguments hang on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST
from ..ops.arithmetic import select
from ..ops.linear import concatenate, index, permute, place, reshape, running, scatter, sum_, take
from ..ops.structured import scanned, stacked
from ..ops.tensor import matmul
from ..run.kernels_tensor import kernel
from ..types import is_sequence
from .known import FEW, choices, size
from .turns import array, sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph import Node
    from .pattern import Dependence, Hangs

    Array = Any
    Shape = tuple[int, ...]


def rule(node: Node, parts: Sequence[Any]) -> Callable[[Dependence, Node], Any]:
    """What finds the dependence of a node whose arguments hang on `parts`."""
    op = node.op
    if op is scanned or is_sequence(node.type):
        return sequence
    if op.rule == "elementwise" or op is select:
        return _each
    apart = op in SPREADING or any(part is not None and not isinstance(part, frozenset) for part in parts)
    return RULES.get(op, _all) if apart else _all


def _each(found: Dependence, node: Node) -> Hangs:
    """Entry by entry."""
    total = None
    for j in node.args:
        total = found.union(total, found.of[j], size(node.type.shape))
    return total


def _all(found: Dependence, node: Node) -> Hangs:
    """Nothing is known to be kept apart."""
    return found.everything([found.of[j] for j in node.args])


def _numbers(shape: Shape) -> Array:
    import numpy as np

    return np.arange(size(shape)).reshape(shape)


def _picked(found: Dependence, node: Node) -> Hangs:
    """Each entry is one of the argument's: the kernel, run on the numbers of these, tells which."""
    import numpy as np

    (j,) = node.args
    type = found.fn.nodes[j].type
    source = np.asarray(kernel(node.op.name, node.attr, [type], [False])(_numbers(type.shape))).ravel()
    keys = found.moved(j, np.arange(len(source)), source)
    return keys if node.type.shape else found.one(keys)


def _placed(found: Dependence, node: Node) -> Hangs:
    """The other way round: the kernel of the index tells where each entry goes."""
    import numpy as np

    (j,) = node.args
    shape, items = node.attr
    into = np.asarray(kernel(index.name, items, [node.type], [False])(_numbers(shape))).ravel()
    return found.moved(j, into, np.arange(len(into)))


def _joined(found: Dependence, node: Node) -> Hangs:
    import numpy as np

    numbers, first, total = _numbers(node.type.shape), 0, None
    for j in node.args:
        shape = found.fn.nodes[j].type.shape
        last = first + shape[node.attr]
        if found.of[j] is not None:
            into = numbers[(*[slice(None)] * node.attr, slice(first, last))].ravel()
            total = found.union(total, found.moved(j, into, np.arange(len(into))), numbers.size)
        first = last
    return total


def _summed(found: Dependence, node: Node) -> Hangs:
    """Each entry goes to where its axes that stay say."""
    import numpy as np

    (j,) = node.args
    shape = found.fn.nodes[j].type.shape
    kept = tuple([1 if axis in node.attr else n for axis, n in enumerate(shape)])
    into = np.broadcast_to(np.arange(size(kept)).reshape(kept), shape).ravel()
    keys = found.moved(j, into, np.arange(len(into)))
    return keys if node.type.shape else found.one(keys)


def _product(found: Dependence, node: Node) -> Hangs:
    """Entry (i, k) of A B hangs on row i of A and column k of B; the matrices may be stacked."""
    import numpy as np

    total = None
    shapes = [found.fn.nodes[j].type.shape for j in node.args]
    whole = _numbers(node.type.shape)[..., :, None, :] if len(shapes[0]) > 1 and len(shapes[1]) > 1 else None
    if whole is None:
        return found.everything([found.of[j] for j in node.args])
    inner = shapes[0][-1]
    into = np.broadcast_to(whole, (*whole.shape[:-2], inner, whole.shape[-1]))
    if into.size > FEW:
        return found.everything([found.of[j] for j in node.args])
    for j, number in zip(node.args, (_numbers(shapes[0])[..., None], _numbers(shapes[1])[..., None, :, :]), strict=True):
        if found.of[j] is not None:
            keys = found.moved(j, into.ravel(), np.broadcast_to(number, into.shape).ravel())
            total = found.union(total, keys, size(node.type.shape))
    return total


def _accumulated(found: Dependence, node: Node) -> Hangs:
    """Each entry hangs on those before it on its line."""
    import numpy as np

    (j,), axis = node.args, node.attr
    numbers = np.moveaxis(_numbers(node.type.shape), axis, -1)
    n = numbers.shape[-1]
    if numbers.size * (n + 1) // 2 > FEW:
        return found.everything([found.of[j]])
    into, source = np.tril_indices(n)
    return found.moved(j, numbers[..., into].ravel(), numbers[..., source].ravel())


def _taken(found: Dependence, node: Node) -> Hangs:
    """Entries at places: as an index where these are known, else each hangs on its whole line."""
    import numpy as np

    j, k = node.args
    if k not in found.known:
        return found.everything([found.of[j]])
    total = None
    for places in choices(found.known[k]):
        source = np.take(_numbers(found.fn.nodes[j].type.shape), np.asarray(places, int), axis=node.attr).ravel()
        keys = found.moved(j, np.arange(len(source)), source)
        total = found.union(total, keys if node.type.shape else found.one(keys), len(source))
    return total


def _scattered(found: Dependence, node: Node) -> Hangs:
    import numpy as np

    (j, k), (shape, axis) = node.args, node.attr
    if k not in found.known:
        return found.everything([found.of[j]])
    total = None
    for places in choices(found.known[k]):
        into = np.take(_numbers(shape), np.asarray(places, int), axis=axis).ravel()
        total = found.union(total, found.moved(j, into, np.arange(len(into))), size(shape))
    return total


SPREADING = (place, concatenate, scatter)
RULES: dict[Any, Callable[[Dependence, Node], Hangs]] = {
    BROADCAST: _picked, index: _picked, reshape: _picked, permute: _picked, place: _placed, concatenate: _joined, sum_: _summed,
    matmul: _product, running: _accumulated, stacked: array, take: _taken, scatter: _scattered,
}  # fmt: skip
