"""A tree in; the names that a program reads from outside, by its text alone, out: without types, so that shapes may come later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..ops import FUNCTIONS
from .frames import assigned_in, target_names
from .names import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..syntax import Tree

    Places = dict[str, tuple[int, int]]


class Outside(NamedTuple):
    """Variables in the order of first appearance, with where they stand, and the names that the program gives a value itself."""

    free: Places
    assigned: tuple[str, ...]


class Bind(NamedTuple):
    """From here on these names are the program's own."""

    names: tuple[str, ...]


class Defined:
    """The functions of a program by name, each with the names that are hidden in its statements; `known` are the names with a value."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        self._of: dict[str, list[tuple[Tree, frozenset[str]]]] = {}

    def enter(self, body: tuple[Tree, ...], hidden: frozenset[str]) -> None:
        """Take in the functions that statements define, in blocks of them too."""
        todo = list(body)
        while todo:
            statement = todo.pop()
            if statement.kind == "def":
                own = assigned_in(statement.parts[2]) | {param.parts[0] for param in statement.parts[1]}
                self._of.setdefault(statement.parts[0], []).append((statement, hidden | own))
            elif statement.kind in ("if", "for", "while"):
                todo += [child for part in statement.parts if type(part) is tuple for child in part]

    def __contains__(self, name: str) -> bool:
        return name in self._of

    def params(self, name: str) -> tuple[Tree, ...]:
        """The parameters of the function of this name that was found last."""
        found: tuple[Tree, ...] = self._of[name][-1][0].parts[1] if self._of[name] else ()
        return found

    def bodies(self, name: str) -> list[tuple[tuple[Tree, ...], frozenset[str]]]:
        """The statements of functions of this name, once, with what is hidden in them."""
        found = self._of[name]
        self._of[name] = []
        for function, hidden in found:
            self.enter(function.parts[2], hidden)
        return [(function.parts[2], hidden) for function, hidden in found]


def outside(tree: Tree, known: Collection[str], call: str | None = None) -> Outside:
    """What a program reads; `known` are the names that have a value, which may be constants otherwise.

    With `call`, the value is that of this function of the program, over variables called like its parameters.
    """
    functions = Defined(known)
    functions.enter(tree.parts, frozenset())
    bound: dict[str, None] = {}
    free: Places = {}
    todo: list[tuple[Any, frozenset[str]]] = [(part, frozenset()) for part in reversed(tree.parts)]
    if call is not None and call in functions:
        given = [param for param in functions.params(call) if param.parts[1] is None or param.parts[0] in known]
        free.update({param.parts[0]: (param.start, param.end) for param in given})
        todo += functions.bodies(call)
    while todo:
        item, hidden = todo.pop()
        if type(item) is Bind:
            bound.update(dict.fromkeys(item.names))
        elif type(item) is tuple:
            todo += [(part, hidden) for part in reversed(item)]
        elif item is None or isinstance(item, str | bool):
            continue
        elif item.kind == "name" and item.parts[0] in functions:
            todo += functions.bodies(item.parts[0])
        elif item.kind == "name":
            name = item.parts[0]
            if name not in hidden and name not in bound and (name in known or name not in CONSTANTS) and name != "None":
                free.setdefault(name, (item.start, item.end))
        else:
            todo += [(part, inner) for part, inner in reversed(_parts(item, hidden, functions))]
    return Outside(free, tuple(bound))


def defaulted(tree: Tree, call: str) -> tuple[str, ...]:
    """The parameters of a function of the program that have a default which is no function."""
    functions = Defined(())
    functions.enter(tree.parts, frozenset())
    params = functions.params(call) if call in functions else ()
    given = [(param.parts[0], param.parts[1]) for param in params if param.parts[1] is not None]
    called = {
        name for name, default in given if default.kind == "name" and (default.parts[0] in functions or default.parts[0] in FUNCTIONS)
    }
    return tuple([name for name, _ in given if name not in called])


def _parts(tree: Tree, hidden: frozenset[str], functions: Defined) -> list[tuple[Any, frozenset[str]]]:
    """What is read in a tree, in order; names of its own are hidden in it."""
    parts: list[Any]
    match tree.kind:
        case "def":
            parts = [param.parts[1] for param in tree.parts[1]]
        case "number" | "string" | "attribute":
            parts = [tree.parts[0]] if tree.kind == "attribute" else []
        case "call":
            parts = _call(tree, functions)
        case "comprehension":
            item, clauses = tree.parts
            hidden |= {name for clause in clauses if clause[0] == "for" for name in target_names(clause[1])}
            parts = [*[clause[-1] for clause in clauses], item]
        case "assign":
            parts = [tree.parts[1], _bind(tree.parts[0], hidden)]
        case "augmented":
            parts = [tree.parts[0], tree.parts[2], _bind(tree.parts[0], hidden)]
        case "for":
            parts = [tree.parts[1], _bind(tree.parts[0], hidden), tree.parts[2]]
        case _:
            parts = list(tree.parts)
    return [(part, hidden) for part in parts]


def _bind(target: Tree, hidden: frozenset[str]) -> Bind:
    """Names that are assigned; those of a function are its own, and hidden already."""
    return Bind(tuple([name for name in target_names(target) if name not in hidden]))


def _call(tree: Tree, functions: Defined) -> list[Any]:
    callee, args, keywords = tree.parts
    if callee.kind == "name" and callee.parts[0] == "col" and len(args) == 1 and args[0].kind == "string":
        return [_column(callee, args[0])]
    read = [callee] if callee.kind != "name" or callee.parts[0] in functions else []
    if read and callee.kind == "name":
        args = tuple([arg for arg in args if arg.kind != "name" or arg.parts[0] not in FUNCTIONS or arg.parts[0] in functions.known])
    return [*args, *[value for _, value in keywords], *read]


def _column(callee: Tree, name: Tree) -> Tree:
    """`col("any header")` as the name that it stands for."""
    return type(callee)("name", (name.parts[0], ""), callee.start, name.end)
