"""A loop in; what its results hang on, turn by turn, out: the body is gone through once a turn, with the turn's own numbers for indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST
from ..ops.structured import scanned
from .known import Turns, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph import Node
    from .pattern import Dependence, Hangs

STEPS = 1_000_000  # nodes of all turns; a loop that takes more is not gone through


def looped(found: Dependence, i: int) -> list[Hangs | Turns]:
    """What each result of a loop hangs on; where its turns are not known beforehand, each on all that goes in."""
    node = found.fn.nodes[i]
    body, args = node.attr, node.args
    turns = _count(found, node)
    if turns is None or turns * len(body.fn.needs()) > STEPS:
        return [found.everything([found.of[j] for j in args])] * len(node.type)
    names = [name for name, _ in body.fn.params]
    split = body.nc + body.nk
    hangs = {name: found.of[j] for name, j in zip(names, args[1:], strict=True)}
    values = {name: found.known[j] for name, j in zip(names, args[1:], strict=True) if j in found.known}
    kept: list[Turns] = [Turns([None] * turns) for _ in range(body.ny + body.nc)]
    for t in reversed(range(turns)) if body.rev else range(turns):
        for k in range(body.nc):
            kept[body.ny + k][t] = hangs[names[k]]
        inner = found.inside(body.fn, _at(hangs, names[split:], t), _at(values, names[split:], t))
        for k, o in enumerate(body.fn.outs[: body.nc]):
            hangs[names[k]] = inner.of[o]
            values.pop(names[k], None)
            values |= {names[k]: inner.known[o]} if o in inner.known else {}
        for k, o in enumerate(body.fn.outs[body.nc :]):
            kept[k][t] = inner.of[o]
    return [*[hangs[name] for name in names[: body.nc]], *kept, None]


def _at(given: dict[str, Any], sequences: list[str], t: int) -> dict[str, Any]:
    """What the inputs of a turn are."""
    return {**given, **{name: given[name][t] for name in sequences if isinstance(given.get(name), Turns)}}


def _count(found: Dependence, node: Node) -> int | None:
    """How many turns a loop takes, if that is known; without a number, as many as its inputs have."""
    body = node.attr
    op, _, text, _ = found.fn.nodes[node.args[0]]
    if body.test is not None or op is not CONST:
        return None
    lengths = {len(part) for j in node.args for part in (found.of[j], found.known.get(j)) if isinstance(part, Turns)}
    return lengths.pop() if len(lengths) == 1 and text == "inf" else int(text) if text.isdigit() else None


def sequence(found: Dependence, node: Node) -> Hangs | Turns:
    """What a sequence hangs on: an array turn by turn, or a selection between two."""
    if node.op is scanned:
        return Turns(_rows(found, node.args[0]))
    parts = [found.of[j] for j in node.args[1:]]
    if not all(part is None or isinstance(part, Turns) for part in parts):
        return found.everything(parts)
    n = max(1, size(node.type.shape[1:]))
    none = Turns([None] * max(len(part or ()) for part in parts))
    return Turns([found.union(a, b, n) for a, b in zip(parts[0] or none, parts[1] or none, strict=True)])


def _rows(found: Dependence, j: int) -> Iterator[Hangs]:
    """What each row of an array hangs on."""
    shape, hangs = found.fn.nodes[j].type.shape, found.of[j]
    n, width = shape[0], size(shape[1:])
    if hangs is None or isinstance(hangs, frozenset):
        yield from [hangs] * n
        return
    import numpy as np

    ends = np.searchsorted(hangs, np.arange(n + 1) * width * found.count)
    for k in range(n):
        keys = hangs[ends[k] : ends[k + 1]] - k * width * found.count
        yield (keys if len(shape) > 1 else found.one(keys)) if len(keys) else None


def array(found: Dependence, node: Node) -> Hangs:
    """What the array of all turns hangs on."""
    import numpy as np

    turns = found.of[node.args[0]]
    if not isinstance(turns, Turns):
        return found.everything([turns])
    width = size(node.type.shape[1:])
    keys = [found.keys(part, width) + k * width * found.count for k, part in enumerate(turns) if part is not None]
    return np.concatenate(keys) if keys else None
