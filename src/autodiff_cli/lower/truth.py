"""Conditions made of conditions: one of them and those that do not hold in; whether that settles it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ops.arithmetic import not_, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Expr

    Place = tuple[int, int]
    Known = dict[Place, bool]

BRANCHES = 10_000


def certain(p: Expr, wanted: bool, never: Sequence[Expr] = ()) -> bool:  # noqa: FBT001 (a truth value)
    """Whether a condition is `wanted` wherever none of `never` holds, whatever the conditions on data are that it is made of."""
    todo: list[Known] = [{}]
    for _ in range(BRANCHES):
        if not todo:
            return True
        known = todo.pop()
        for k, q in enumerate((*never, p)):
            found = _decided(q, known)
            if not isinstance(found, bool):
                todo += [{**known, found: True}, {**known, found: False}]
                break
            if k == len(never) and found is not wanted:
                return False
            if found:
                break
    return False


def _decided(p: Expr, known: Known) -> bool | Place:
    """The truth of a condition, or the first condition on data that it hangs on."""
    values, todo = dict(known), [p]
    while todo:
        q = todo[-1]
        if _place(q) in values:
            todo.pop()
        elif q.text is not None:
            values[_place(q)] = q.text == "True"
        elif q.node.op not in (select, not_):
            return _place(q)
        elif _place(q.args[0]) not in values:
            todo.append(q.args[0])
        elif q.node.op is not_:
            values[_place(q)] = not values[_place(q.args[0])]
        else:
            arm = q.args[1 if values[_place(q.args[0])] else 2]
            if _place(arm) in values:
                values[_place(q)] = values[_place(arm)]
            else:
                todo.append(arm)
    return values[_place(p)]


def _place(p: Expr) -> Place:
    return (id(p.graph), p.id)
