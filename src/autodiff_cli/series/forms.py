"""Terms of a sum in; which of them are of one form, and what stands at its leaves in each, out.

A term is numbers, names and entries of arrays, put together by smooth elementwise ops; its form is these ops in order, as a tuple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import CONST, PARAM
from ..ops.arithmetic import add, pow_, sub
from ..ops.linear import index

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..graph import Node

    Step = tuple[Any, tuple[int, ...], Any]
    Form = tuple[Step, ...]

LEAF: Step = (None, (), None)
MOST = 200  # steps of one term
FORMS = 20  # a sum has fewer forms than one for so many terms


class Term(NamedTuple):
    """A node that is added, or taken away."""

    node: int
    minus: bool = False


class Group(NamedTuple):
    """The terms of one form: their places in the sum, whether they are taken away, and the nodes at each leaf, term by term."""

    form: Form
    minus: bool
    places: list[int]
    leaves: list[tuple[int, ...]]


def terms(nodes: Sequence[Node], root: int, last: int = -1) -> list[Term]:
    """What a chain of sums and differences adds up, in its order; at `last` the chain ends."""
    found: list[Term] = []
    i = root
    while i != last and nodes[i].op in (add, sub) and not nodes[i].type.shape:
        left, right = nodes[i].args
        if right == last and nodes[i].op is add:
            left, right = right, left
        found.append(Term(right, nodes[i].op is sub))
        i = left
    return [Term(i), *reversed(found)]


def smooth(node: Node) -> bool:
    """Whether an op works on numbers one by one and has no kink."""
    op = node.op
    return op.rule == "elementwise" and op.kind == "real" and op.kink is None and not op.hidden


def groups(nodes: Sequence[Node], found: Sequence[Term]) -> list[Group] | None:
    """The terms by form; constants are part of it if they are the same in most terms. None where there is no form for most of them."""
    for fixed in (True, False):
        forms: dict[tuple[Form, bool], tuple[list[int], list[list[int]]]] = {}
        for k, (i, minus) in enumerate(found):
            made = _form(nodes, i, fixed=fixed)
            if made is None:
                return None
            places, leaves = forms.setdefault((made[0], minus), ([], []))
            places.append(k)
            leaves.append(made[1])
            if len(forms) > 2 + len(found) // FORMS:
                break
        else:
            return [Group(form, minus, places, list(zip(*leaves, strict=True))) for (form, minus), (places, leaves) in forms.items()]
    return None


def _form(nodes: Sequence[Node], root: int, *, fixed: bool) -> tuple[Form, list[int]] | None:
    """The steps of a term and its leaves in order; constants are steps if `fixed`, and so are exponents."""
    steps: list[Step] = []
    leaves: list[int] = []
    at: dict[int, int] = {}
    todo = [root]
    while todo:
        i = todo.pop()
        op, args, attr, type = nodes[i]
        if i in at:
            continue
        if op is CONST and (fixed or i == root):
            steps.append((CONST, (), attr))
        elif _leaf(nodes[i]):
            steps.append(LEAF)
            leaves.append(i)
        else:
            waiting = [j for j in args if j not in at and nodes[j].op is not CONST]
            if waiting:
                todo += [i, *waiting]
                continue
            if type.shape or len(steps) > MOST or not smooth(nodes[i]):
                return None
            given = []
            for k, j in enumerate(args):
                if nodes[j].op is not CONST:
                    given.append(at[j])
                    continue
                given.append(len(steps))
                held = fixed or (op is pow_ and k == 1)
                steps.append((CONST, (), nodes[j].attr) if held else LEAF)
                leaves += [] if held else [j]
            steps.append((op, tuple(given), attr))
        at[i] = len(steps) - 1
    return tuple(steps), leaves


def _leaf(node: Node) -> bool:
    """A name, or an entry of an array at a place that is known."""
    return not node.type.shape and (node.op is PARAM or (node.op is index and all(type(k) is int for k in node.attr)))


def names(nodes: Sequence[Node], found: Collection[Group]) -> set[str]:
    """The names that differ from term to term."""
    return {nodes[i].attr for group in found for ids in group.leaves if len(set(ids)) > 1 for i in ids if nodes[i].op is PARAM}
