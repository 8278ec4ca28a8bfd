"""Algebra for display, never for values: a function in, the same function as people write it out."""

from __future__ import annotations

from typing import NamedTuple

from ..derive import expand
from ..graph import BROADCAST, CONST, Expr, Fn
from ..ops.arithmetic import select as SELECT
from .algebra import Algebra
from .spelled import Caveat, spelled
from .unrolled import unrolled
from .walk import Walk


class Written(NamedTuple):
    """A function in words of the language; `wider` are nodes that are no longer seen and were 0 below a line or, if they are
    `partial`, had no value somewhere; `caveats` say the rest, by the places of results that stand behind those of the function.
    """

    fn: Fn
    everything: Fn
    wider: tuple[int, ...]
    partial: frozenset[int]
    caveats: tuple[Caveat, ...]


def simplify(fn: Fn, *, decimals: bool = False, turned: bool = False, out: bool = False) -> tuple[Fn, Algebra]:
    """The function with like terms, factors and numbers collected; `decimals` writes halves as 0.5, and `turned` the terms of results
    the other way round, since a reverse sweep adds up from the end; with `out` products of sums are multiplied out.

    It has the same values wherever `fn` has one; the algebra tells what had none and is no longer seen.
    """
    algebra = Algebra(decimals=decimals)
    outs = Walk(fn, algebra, turned=turned, out=out).run(fn)
    return Fn(algebra.graph, fn.params, outs, fn.names), algebra


def write(fn: Fn, *, decimals: bool = False, last: bool = True, out: bool = False) -> Written:
    """The function as people write it out; hidden ops for which the language has no words stay.

    Before the `last` derivative, names that are differentiated by stay nodes of their own. With `out` products of sums are multiplied out.
    """
    plain, caveats = spelled(expand(fn), names=not last)
    everything, algebra = simplify(plain, decimals=decimals, turned=True, out=out)
    count = len(fn.outs)
    own = Fn(algebra.graph, fn.params, [Expr(algebra.graph, o) for o in everything.outs[:count]], fn.names)
    needed = own.needs()
    singular = _below(own, needed) | _determinants(own, needed) | {j for i in needed if _has_edge(own, i) for j in own.nodes[i].args}
    zeros = {_zero_of(everything, c) for c in caveats if c.op is None}
    filled = {i for i in zeros if not singular & {i, *[j for product in algebra.products.get(i, {}) for j, _ in product]}}
    seen = singular | filled | algebra.partial & set(needed)
    wider = tuple([i for i in algebra.lost if i not in seen and own.nodes[i].op is not CONST])
    caveats = [c for c in caveats if c.op is not None or _zero_of(everything, c) not in filled]
    return Written(own, everything, wider, frozenset(algebra.partial), tuple(_open(everything, caveats, set(needed))))


def _zero_of(fn: Fn, caveat: Caveat) -> int:
    """The node that a condition, or the last one of several, compares with a number; or the condition itself."""
    i = fn.outs[caveat.places[0]]
    while fn.nodes[i].op in (SELECT, BROADCAST):
        i = fn.nodes[i].args[fn.nodes[i].op is SELECT]
    return fn.nodes[i].args[0] if fn.nodes[i].op.name == "eq" else i


def _has_edge(fn: Fn, i: int) -> bool:
    """Whether a function has no value for some arguments; what is below a line or a whole power is seen by itself."""
    op, args, _, _ = fn.nodes[i]
    whole = Expr(fn, args[1]).whole if op.name == "pow" else None  # type: ignore[arg-type]  # a frozen graph
    return bool(op.domain) and op.name != "div" and (whole is None or whole < 0)


def _below(fn: Fn, needed: list[int]) -> set[int]:
    """The nodes that stand below a line, as factors or powers of factors."""
    todo = [fn.nodes[i].args[1] for i in needed if fn.nodes[i].op.name == "div"]
    found = set()
    while todo:
        i = todo.pop()
        if i not in found:
            found.add(i)
            op, args, _, _ = fn.nodes[i]
            todo += args if op.name in ("mul", "broadcast") else args[:1] if op.name == "pow" else []
    return found


def _determinants(fn: Fn, needed: list[int]) -> set[int]:
    """The determinants of matrices that are inverted, which stand below a line as well."""
    inverted = {fn.nodes[i].args[0] for i in needed if fn.nodes[i].op.name in ("inverse", "solved")}
    return {i for i in needed if fn.nodes[i].op.name == "determinant" and fn.nodes[i].args[0] in inverted}


def _open(fn: Fn, caveats: list[Caveat], needed: set[int]) -> list[Caveat]:
    """The caveats that the words themselves do not show, each once."""
    found: dict[object, Caveat] = {}
    for caveat in caveats:
        nodes = tuple([fn.outs[k] for k in caveat.places])
        hidden = nodes[0] not in needed if caveat.op else fn.nodes[nodes[0]].attr != "False"
        if hidden:
            found.setdefault((caveat.op, nodes), caveat)
    return list(found.values())


__all__ = ["Written", "simplify", "unrolled", "write"]
