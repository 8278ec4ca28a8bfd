"""A function in; names for the parts that its texts would repeat, in the order in which they are assigned."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ..graph import BROADCAST, CONST, PARAM
from ..ops import OPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..graph import Fn

LONGEST = 240  # characters of texts in which nothing gets a name
SHORT = 8  # characters of a part that is rather repeated
ENOUGH = 10**9
RESHAPED = OPS["reshaped"]


def shared(fn: Fn, *, longest: int = LONGEST) -> dict[int, str]:
    """The parts that get a name; none where the texts are short."""
    lengths, uses = _lengths(fn)
    if sum(lengths[o] for o in fn.outs) <= longest:
        return {}
    names = _names([name for name, _ in fn.params])
    found: dict[int, str] = {}
    for i in sorted(lengths):
        length = _length(fn, i, lengths)
        if uses.get(i, 0) > 1 and length >= SHORT and i not in fn.outs:
            found[i] = next(names)
            length = len(found[i])
        lengths[i] = length
    return found


def _lengths(fn: Fn) -> tuple[dict[int, int], dict[int, int]]:
    """About how many characters each node takes written out, and how often it is used."""
    lengths: dict[int, int] = {}
    uses: dict[int, int] = {}
    needed = fn.needs()
    for i in needed:
        lengths[i] = _length(fn, i, lengths)
    for i in reversed(needed):
        times = uses.pop(i, 0) if _through(fn, i) and i not in fn.outs else 1
        for j in fn.nodes[i].args:
            uses[j] = uses.get(j, 0) + times
    return lengths, uses


def _through(fn: Fn, i: int) -> bool:
    """Whether what is in a node gets a name rather than the node: texts leave out most stretchings, and axes that a product of matrices needs."""
    op, args, _, _ = fn.nodes[i]
    return op is BROADCAST or op is RESHAPED and fn.nodes[args[0]].op.rule != "tensor"


def _length(fn: Fn, i: int, lengths: dict[int, int]) -> int:
    op, args, attr, _ = fn.nodes[i]
    own = len(str(attr)) if op in (CONST, PARAM) else len(op.infix.symbol) if op.infix else len(op.name) + 2
    return min(ENOUGH, own + sum(lengths[j] for j in args))


def _names(taken: Collection[str]) -> Iterator[str]:
    """t1, t2, … or the like, none of which is a variable."""
    letter = "t"
    while any(name.startswith(letter) and name[len(letter) :].isdigit() for name in taken):
        letter += "_"
    return (f"{letter}{k}" for k in count(1))
