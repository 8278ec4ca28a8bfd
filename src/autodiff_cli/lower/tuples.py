"""Tuples that go round a loop: names with their values in, a name for each part out, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def apart(env: Mapping[str, Any]) -> dict[str, Any]:
    """The names with every tuple in its parts: `a[0]`, `a[1][0]`."""
    found: dict[str, Any] = {}
    todo = list(env.items())[::-1]
    while todo:
        name, value = todo.pop()
        if type(value) is tuple:
            todo += [(f"{name}[{k}]", value[k]) for k in reversed(range(len(value)))]
        else:
            found[name] = value
    return found


def together(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The names as they were: what `apart` took apart is a tuple again."""
    level = dict(parts)
    for depth in range(max([name.count("[") for name in parts], default=0), 0, -1):
        inner = {name: value for name, value in level.items() if name.count("[") == depth}
        level = {name: value for name, value in level.items() if name not in inner}
        for name, value in inner.items():
            whole = name.rpartition("[")[0]
            level[whole] = (*level.get(whole, ()), value)
    return level


def whole_of(name: str) -> str:
    """The name that a part belongs to."""
    return name.partition("[")[0]


def shapes(names: Iterable[str]) -> dict[str, set[str]]:
    """The parts of every name."""
    found: dict[str, set[str]] = {}
    for name in names:
        found.setdefault(whole_of(name), set()).add(name)
    return found
