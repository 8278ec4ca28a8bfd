"""Where names live: the program, the call of a function, a comprehension; what a call read from outside, so that it can be remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Expr

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from .frames import Function

    Reads = Mapping[tuple[Any, str], Any]

MISSING = object()


class Scope:
    """The names of one place; `parent` is the scope around it in the text, None for the program.

    `bounded` says that a condition known beforehand ends the recursion in this call, `over` that the place is left.
    """

    __slots__ = ("bounded", "env", "function", "over", "own", "parent")

    def __init__(self, parent: Scope | None, function: Function | None, own: frozenset[str] = frozenset()) -> None:
        self.parent, self.function, self.own = parent, function, own
        self.env: dict[str, Any] = {}
        self.bounded = self.over = False

    def holder(self, name: str) -> Scope:
        """The scope that a name belongs to, as the text says: the nearest one that gives it a value anywhere, else the program."""
        scope = self
        while scope.parent is not None and name not in scope.env and name not in scope.own:
            scope = scope.parent
        return scope

    def held(self, name: str) -> Any:
        """What it holds under a name."""
        return self.env.get(name, MISSING)


class Readings:
    """What the calls under way have read from outside of them: one book a call."""

    def __init__(self) -> None:
        self.books: list[dict[tuple[Any, str], Any]] = []

    def saw(self, holder: Any, name: str, value: Any) -> None:
        """A call under way has read something."""
        if self.books:
            self.books[-1].setdefault((holder, name), value)

    def close(self) -> Reads:
        """What a call that ends has read and what can still change; the call around it has read that too."""
        kept = {key: value for key, value in self.books.pop().items() if not getattr(key[0], "over", False)}
        self.again(kept)
        return kept

    def again(self, reads: Reads) -> None:
        """A call is remembered: what it read counts for the call around it."""
        if self.books:
            self.books[-1] = {**reads, **self.books[-1]}


def unchanged(reads: Reads) -> bool:
    """Whether everything that was read is still the same."""
    return all(same(holder.held(name), value) for (holder, name), value in reads.items())


def same(a: Any, b: Any) -> bool:
    """Whether two values of names are one."""
    if isinstance(a, Expr) and isinstance(b, Expr):
        return a.graph is b.graph and a.id == b.id
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return all(map(same, a, b))
    return a is b


def key_of(value: Any) -> Hashable:
    """What makes two arguments of a call the same."""
    if isinstance(value, Expr):
        return (value.graph, value.id)
    return tuple(map(key_of, value)) if type(value) is tuple else value
