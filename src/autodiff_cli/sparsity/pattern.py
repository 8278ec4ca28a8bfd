"""A linear map of tangents in; which of its results hang on which seeds, entry by entry, out. Nothing is run.

What single ops do to dependences is in `moves`, and loops are gone through in `turns`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.products import along
from ..diagnostics import error
from ..graph import PARAM
from ..ops.arithmetic import select
from ..ops.entry import zero
from ..ops.structured import loop_, out_
from .known import FEW, Turns, known, size
from .moves import rule
from .turns import looped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..derive.linearised import Linear
    from ..graph import Fn
    from ..types import Type

    Array = Any
    Shape = tuple[int, ...]
    Hangs = frozenset[int] | Array | None

MOST = 30_000_000  # entries of a pattern


class Pattern(NamedTuple):
    """The places of the entries that can be other than zero, sorted by row and then by column, and how many rows and columns there are."""

    rows: Array
    columns: Array
    shape: tuple[int, int]


def pattern(linear: Linear, count: int, offsets: Mapping[str, int]) -> Pattern:
    """The pattern of all that the map gives, one after another, over `count` seeds; seed 0 of a name is number `offsets[name]`."""
    import numpy as np

    types = dict(linear.fn.params)
    inputs = {along(name): _input(offsets[name], types[along(name)], count) for name in linear.seeds}
    found = Dependence(linear.fn, _needed(linear.fn, [linear.fn.outs[k] for k in linear.moved]), count, inputs, {})
    keys, above = [np.zeros(0, int)], 0
    for o in map(linear.fn.outs.__getitem__, linear.moved):
        n = size(linear.fn.nodes[o].type.shape)
        keys.append(above * count + found.keys(found.of[o], n))
        above += n
    return Pattern(*np.divmod(np.concatenate(keys), max(count, 1)), (above, count))


def full(shape: tuple[int, int]) -> Pattern:
    """The pattern of a matrix in which every entry can be other than zero."""
    import numpy as np

    return Pattern(*np.divmod(np.arange(shape[0] * shape[1]), max(shape[1], 1)), shape)


def pattern_of_numbers(fn: Fn, of: Sequence[int], numbers: Mapping[str, int]) -> Pattern | None:
    """The pattern of the derivatives of results `of` by inputs with these numbers, where all of it is operations on numbers.

    It is read off the function itself, without its linear map: a result hangs on what it can be reached from, steps left out.
    """
    import numpy as np

    found: dict[int, frozenset[int]] = {}
    none: frozenset[int] = frozenset()
    for i in _needed(fn, [fn.outs[k] for k in of]):
        op, args, attr, type = fn.nodes[i]
        if type.shape or op.rule not in {"elementwise", "leaf"} and op is not select:
            return None
        total = frozenset([numbers[attr]]) if op is PARAM and attr in numbers else none
        for j in () if type.kind == "bool" or op.d == (zero,) else args:
            more = found[j]
            total = total if more <= total else more if total <= more else total | more
        found[i] = total
    rows = [sorted(found[fn.outs[k]]) for k in of]
    lengths = [len(row) for row in rows]
    return Pattern(np.repeat(np.arange(len(rows)), lengths), np.array([j for row in rows for j in row], int), (len(rows), len(numbers)))


def _input(first: int, type: Type, count: int) -> Hangs:
    """A seed hangs on itself."""
    import numpy as np

    n = size(type.shape)
    return np.arange(n) * count + np.arange(first, first + n) if type.shape else frozenset([first])


class Dependence:
    """`of` holds for each node what its entries hang on: nothing (None), all of them the same seeds, or an array of keys.

    The key of entry i, in row order, and of seed j is `i * count + j`; keys ascend. A sequence has one of these for each turn.
    `known` holds the values of nodes that are known beforehand, such as those of indices.
    """

    def __init__(self, fn: Fn, nodes: Sequence[int], count: int, inputs: Mapping[str, Hangs], values: Mapping[str, Any]) -> None:
        self.fn, self.count, self.inputs = fn, count, inputs
        self.of: dict[int, Any] = {}
        self.known: dict[int, Any] = {}
        self.results: dict[int, list[Any]] = {}
        self.unions: dict[tuple[int, int], tuple[Hangs, Hangs, Hangs]] = {}
        for i in nodes:
            self.of[i] = self._found(i)
            value = known(fn, i, self.known, values)
            if value is not None:
                self.known[i] = value

    def inside(self, fn: Fn, inputs: Mapping[str, Hangs], values: Mapping[str, Any]) -> Dependence:
        """The same for the body of a loop, in one turn."""
        if "needs" not in fn.cache:
            fn.cache["needs"] = fn.needs()
        return Dependence(fn, fn.cache["needs"], self.count, inputs, values)

    def _found(self, i: int) -> Any:
        node = self.fn.nodes[i]
        if node.op is PARAM:
            return self.inputs.get(node.attr)
        if node.op is out_:
            return self.results[node.args[0]][node.attr]
        if node.op is loop_:
            self.results[i] = looped(self, i)
        parts = [self.of[j] for j in node.args]
        if node.type.kind == "bool" or all(part is None for part in parts):
            return None
        return rule(node, parts)(self, node)

    def everything(self, parts: Sequence[Hangs]) -> Hangs:
        """Each entry hangs on all that any entry of an argument hangs on."""
        total: set[int] = set()
        todo = list(parts)
        while todo:
            part = todo.pop()
            if isinstance(part, Turns):
                todo += part
            elif part is not None:
                total.update(part if isinstance(part, frozenset) else (part % self.count).tolist())
        return frozenset(total)

    def union(self, a: Hangs, b: Hangs, n: int) -> Hangs:
        """What either of two arrays with n entries hangs on, entry by entry."""
        import numpy as np

        if a is None or b is None or a is b:
            return b if a is None else a
        if isinstance(a, frozenset) and isinstance(b, frozenset):
            return a if b <= a else b if a <= b else a | b
        key = (id(a), id(b))
        if key not in self.unions:
            self.unions[key] = (
                a,
                b,
                distinct(np.concatenate([self.keys(a, n), self.keys(b, n)])),
            )  # a and b, or their ids may be given again
        return self.unions[key][2]

    def keys(self, hangs: Hangs, n: int) -> Array:
        """The keys of an array with n entries."""
        import numpy as np

        if hangs is not None and not isinstance(hangs, frozenset):
            return hangs
        seeds = np.array(sorted(hangs or ()), dtype=int)
        self.allow(n * len(seeds))
        return (np.arange(n)[:, None] * self.count + seeds).ravel()

    def moved(self, j: int, into: Array, source: Array) -> Hangs:
        """What an array hangs on where entry `into[k]` is made of entry `source[k]` of node j; all of it, if that is too much to count."""
        import numpy as np

        n = size(self.fn.nodes[j].type.shape)
        keys = self.keys(self.of[j], n)
        if len(keys) == n and n and (keys // self.count == np.arange(n)).all():  # each entry on one seed
            found = into * self.count + keys[source] % self.count
            return found if (found[1:] > found[:-1]).all() else distinct(found)
        start = np.searchsorted(keys, source * self.count)
        lengths = np.searchsorted(keys, (source + 1) * self.count) - start
        total = int(lengths.sum())
        if total > FEW:
            return self.everything([keys])
        at = np.arange(total) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)
        found = np.repeat(into * self.count, lengths) + keys[at] % self.count
        return found if (found[1:] > found[:-1]).all() else distinct(found)

    def allow(self, count: int) -> None:
        """An error for a matrix that no memory holds."""
        if count > MOST:
            message = f"the matrix has up to {count:,} entries that are not zero"
            raise error("matrix-size", message, hint="a product needs no matrix: jvp, vjp or hvp")

    def one(self, hangs: Hangs) -> Hangs:
        """What a number hangs on, from the keys of its one entry."""
        return hangs if hangs is None or isinstance(hangs, frozenset) else frozenset(hangs.tolist())


def distinct(keys: Array) -> Array:
    """The keys in ascending order, each once. (By sorting: NumPy's own `unique` hashes, which takes ten times as long.)"""
    import numpy as np

    ordered = np.sort(keys)
    return ordered[np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]])]


def _needed(fn: Fn, outs: Sequence[int]) -> list[int]:
    from ..graph import Expr, Fn

    return Fn(fn, fn.params, [Expr(fn, o) for o in outs], [""] * len(outs)).needs()  # type: ignore[arg-type]  # a frozen graph
