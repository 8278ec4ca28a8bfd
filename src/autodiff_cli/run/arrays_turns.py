"""Values of turns over rows: sequences as lists of arrays, some of them of some of the rows only; moved to arrays and back, and chosen between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ops.structured import scanned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..graph import Op
    from ..types import Type

    Array = Any
    Places = Any


class Turns(list[Any]):
    """One array a turn; `places` are those of its rows, None for all. Where `taking` has a mask, only its rows took part."""

    __slots__ = ("places", "taking")

    def __init__(self, values: Iterable[Any] = (), places: list[Places] | None = None, taking: list[Any] | None = None) -> None:
        super().__init__(values)
        self.places: list[Places] = [] if places is None else places
        self.taking = taking

    def mask(self, t: int) -> Any:
        """Which rows of turn t took part; None for all of them."""
        return None if self.taking is None else self.taking[t]

    def narrowed(self) -> Turns:
        """The same with the rows that took part alone."""
        if self.taking is None:
            return self
        known: dict[tuple[int, int], Places] = {}
        found = Turns()
        for value, some, mask in zip(self, self.places, self.taking, strict=True):
            key = (id(some), id(mask))
            if key not in known:
                known[key] = some if mask is None else narrowed(some, mask)
            found.append(value if mask is None else value[mask])
            found.places.append(known[key])
        return found


def narrowed(places: Places, mask: Any) -> Places:
    """The places where the mask holds."""
    return np.flatnonzero(mask) if places is None else places[mask]


def stretched(x: Any, size: int) -> Array:
    """The same in every row."""
    return np.array(np.broadcast_to(x, (size, *np.shape(x))))


def at(x: Array, places: Places) -> Array:
    """The entries at these places."""
    return x if places is None else x.take(places, axis=0)


def moved(op: Op, attr: Any, type: Type, rows: int) -> Callable[..., Any]:
    """An array as one value a turn, or the values of `attr` turns as an array; turns that were not taken are 0."""
    if op is scanned:
        if rows:
            return lambda x, _: [x[:, t] for t in range(x.shape[1])]
        return lambda x, _: x.tolist() if x.ndim == 1 else list(x)
    kind = bool if type.kind == "bool" else float

    def gathered(x: list[Any], count: int) -> Array:
        found = np.zeros((count, attr, *type.shape[1:]) if rows else (attr, *type.shape[1:]), kind)
        x = x.narrowed() if isinstance(x, Turns) else x
        places = x.places if isinstance(x, Turns) else [None] * len(x)
        for t, (value, some) in enumerate(zip(x, places, strict=True)):
            found[(slice(None) if some is None else some, t) if rows else t] = value
        return found

    return gathered


def chosen(type: Type, given: Sequence[int]) -> Callable[..., Any]:
    """Sequences of the rows where a condition holds, and of the others; a row that takes no turn is 0."""

    def choose(p: Array, a: Any, b: Any, count: int) -> Turns:
        parts = [
            _only(x or [], np.broadcast_to(p == wanted, (count,)), rows) for x, wanted, rows in ((a, True, given[0]), (b, False, given[1]))
        ]
        if not all(parts):
            return parts[0] or parts[1]
        blank, found = np.full((count, *type.shape[1:]), False if type.kind == "bool" else 0.0), Turns()
        for t in range(max(map(len, parts))):
            whole = blank.copy()
            for part in parts:
                if t < len(part):
                    whole[part.places[t]] = part[t]
            found.append(whole)
            found.places.append(None)
        return found

    return choose


def _only(x: list[Any], going: Array, rows: int) -> Turns:
    """A sequence of some of the rows only."""
    found, everywhere, known = Turns(), np.arange(len(going)), {}
    x = x.narrowed() if isinstance(x, Turns) else x
    places = x.places if isinstance(x, Turns) else [None] * len(x)
    for value, some in zip(x, places, strict=True):
        if id(some) not in known:
            mine = everywhere if some is None else some
            stay = np.flatnonzero(going[mine])
            known[id(some)] = (mine[stay], stay, len(stay) == len(mine))
        left, stay, all_of_them = known[id(some)]
        found.append(stretched(value, len(left)) if not rows else value if all_of_them else value[stay])
        found.places.append(left)
    return found
