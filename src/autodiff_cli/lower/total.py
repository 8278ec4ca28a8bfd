"""Whether a derivative by a name would miss something: a value and what a name stands for in, loops to be written out raised.

A name that a loop sets is a new variable in every turn. What else came out of the loop, or from earlier turns, may have
been made of that variable too, and a node that runs turn by turn no longer says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..derive.names import variables
from ..graph import NAME, PARAM, Expr
from ..ops.structured import loop_, out_
from .frames import Again, Asked, Unroll

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..diagnostics import Span
    from .frames import Frame
    from .lowering import Lowering


def total(self: Lowering, y: Expr, x: Expr, name: str, span: Span) -> None:
    """Raise what makes the derivative of `y` by `x` count all of it, where it does not."""
    todo: list[tuple[Frame, Sequence[Expr], Expr]] = [(self.frame, [y], x)]
    while todo:
        frame, values, variable = todo.pop()
        for v, _ in variables(variable):
            made = _value(v)
            place = _place(made, "c")
            if place is not None and frame.parent is not None:
                others, constants, items = (_places(values, v, letter) for letter in "ckx")
                frame.asked.append(Asked(place, others, Unroll(f"a derivative by `{name}` counts what earlier turns made of it", span)))
                captures = list(frame.captures.values())
                outside = [*[frame.carried[k] for k in others], *[captures[k] for k in constants], *[frame.scanned[k] for k in items]]
                todo.append((frame.parent, outside, frame.carried[place]))
            elif made.node.op is out_ and made.args[0].node.op is loop_:
                _look_into(self, made, reached(values, v))


def earlier(asked: Sequence[Asked], ends: Sequence[Expr]) -> None:
    """The same once the ends of a turn are known: what other carries keep may not be made of the variable of that turn."""
    for place, others, why in asked:
        own = {v.id: v for v, _ in variables(ends[place])}
        stays = any(_place(_value(v), "c") == place for v in own.values())
        kept, todo = {place, *others}, list(others)
        while todo:
            k = todo.pop()
            if own.keys() & reached([ends[k]]):
                raise why
            todo += _places([ends[k]], None, "c") - kept if stays else ()
            kept.update(todo)


def _look_into(self: Lowering, made: Expr, found: set[int]) -> None:
    """A name that a loop has set: nothing else may come from that loop, nor from the name before where there may be no turn."""
    loop, place = made.args[0], made.node.attr
    before = set() if loop.node.attr.test is None else {v.id for v, _ in variables(loop.args[1 + place])}
    if found & {loop.id, *before}:
        raise Again(self.loops[loop.graph, loop.id])


def _value(v: Expr) -> Expr:
    return v.args[0] if v.node.op is NAME else v


def _place(e: Expr, letter: str) -> int | None:
    """The number of a parameter of a body that is a carry, a constant or an item."""
    name = str(e.node.attr) if e.node.op is PARAM else ""
    return int(name[1:]) if name[:1] == letter and name[1:].isdigit() else None


def _places(values: Sequence[Expr], without: Expr | None, letter: str) -> frozenset[int]:
    found = [_place(Expr(e.graph, i), letter) for e in values[:1] for i in reached(values, without)]
    return frozenset([k for k in found if k is not None])


def reached(values: Sequence[Expr], without: Expr | None = None) -> set[int]:
    """The nodes that values are made of by way of numbers, not through one node."""
    seen: set[int] = set()
    todo = [e.id for e in values]
    while todo:
        i = todo.pop()
        node = values[0].graph.nodes[i]
        if i not in seen and node.type.kind != "bool" and (without is None or i != without.id):
            seen.add(i)
            todo += node.args
    return seen
