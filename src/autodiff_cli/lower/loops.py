"""Loops: trees in, one `loop` node out where every turn is alike, else the turns one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from .frames import Unroll
from .iteration import iteration
from .loopnode import Plan, as_node

if TYPE_CHECKING:
    from collections.abc import Generator

    from ..syntax import Tree
    from .iteration import Items
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

FEW, MOST = 4, 100_000
STATIC_TURNS = 1_000


def for_loop(self: Lowering, tree: Tree) -> Task:
    """`for`: one node, unless a turn needs to know its own number or changes the shape of a name."""
    target, iterable, body = tree.parts
    items = yield iteration(self, iterable)
    before, notes = self.names.env, len(self.names.notes)
    why = None
    if items.xs is not None and items.number > FEW:
        try:
            yield as_node(self, Plan(tree, body, target, items, None))
        except Unroll as forced:
            why = forced
            del self.names.notes[notes:]
        else:
            return None
    self.names.env = dict(before)
    if items.number > MOST:
        raise too_many(self, tree, items.number, why)
    yield turns(self, target, items, body, 0, self.span(iterable))
    self.names.env.pop("@broke", None)
    return None


def too_many(self: Lowering, tree: Tree, count: int, why: Unroll | None) -> Exception:
    """More turns than are written out, and the use that would have them written out."""
    reason = why.why if why else "its items are no array"
    return error(
        "too-many-turns", f"a loop of {count} turns would be written out, and at most {MOST} are: {reason}",
        (why and why.span) or self.span(tree), hint=why.hint if why else None,
    )  # fmt: skip


def turns(self: Lowering, target: Tree, items: Items, body: Any, start: int, span: Any) -> Task:
    """The turns from `start` on, one after another."""
    from .statements import bind, block, stopped, unless

    for k in range(start, items.number):
        bind(self, target, items.at(k), span)
        yield block(self, body)
        self.names.env.pop("@skipped", None)
        stop = stopped(self)
        if stop is None:
            continue
        if stop.text != "True" and k + 1 < items.number:
            yield unless(self, stop, turns, target, items, body, k + 1, span)
        return None
    return None


def while_loop(self: Lowering, tree: Tree) -> Task:
    """`while`: one node; where the condition is known beforehand, few turns are written out."""
    condition, body = tree.parts
    before, notes = dict(self.names.env), len(self.names.notes)
    if (yield static_turns(self, tree, STATIC_TURNS, None)):
        return None
    self.names.env = dict(before)
    del self.names.notes[notes:]
    try:
        yield as_node(self, Plan(tree, body, None, None, condition))
    except Unroll as forced:
        why = forced
    else:
        return None
    self.names.env = dict(before)
    if not (yield static_turns(self, tree, MOST, why)):
        raise error(
            "static-loop", f"the turns of this loop must be known beforehand: {why.why}", why.span or self.span(tree), hint=why.hint
        )
    return None


def static_turns(self: Lowering, tree: Tree, most: int, why: Unroll | None) -> Task:
    """Turns written out while the condition is known; whether the loop ended so."""
    from .statements import block, one_condition, stopped

    condition, body = tree.parts
    for _ in range(most):
        value = yield condition
        p = one_condition(self, value, condition, "while")
        decided = self.decide(p, self.span(condition), recursive=False)
        if decided is None:
            return False
        if not decided:
            self.names.env.pop("@broke", None)
            return True
        yield block(self, body)
        self.names.env.pop("@skipped", None)
        stop = stopped(self)
        if stop is not None:
            self.names.env.pop("@broke", None)
            return stop.text == "True"
    if why is not None:
        raise too_many(self, tree, most + 1, why)
    return False
