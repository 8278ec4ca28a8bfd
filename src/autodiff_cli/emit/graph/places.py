"""Levels of nodes in their order in, the place of each out: near what it is joined to, with every box apart from what is not in it."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from .words import heading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .layout import Net
    from .model import Cluster, Drawing

TURNS, FEWEST, EFFORT = 24, 6, 100_000  # sweeps over the places, and how many moves they make together
LINE, PADDING, MARGIN = 15.0, 12.0, 16.0
LETTER, CAPITAL, BROAD, SQUARE = 7.0, 8.5, 11.5, 13.0  # widths of letters; those of Chinese, Japanese and Korean fill a square
GAP, LEVEL = 24.0, 48.0
FLAT = ("LR", "RL")


class Place(NamedTuple):
    """A box: its middle, its width and its height, in pixels; y grows downwards."""

    x: float
    y: float
    width: float
    height: float


def width(text: str) -> float:
    """How wide a line of a label is at most, in pixels."""
    from unicodedata import combining, east_asian_width

    total = 0.0
    for c in text:
        square = not c.isascii() and east_asian_width(c) in "WF"
        broad, capital = c in "mwMW@%", c.isupper()
        total += SQUARE if square else BROAD if broad else CAPITAL if capital else 0.0 if combining(c) else LETTER
    return total


class Room(NamedTuple):
    """What a box needs round what is in it: before its first level, after its last one, beside it, and how wide it is at least."""

    before: float
    after: float
    beside: float
    least: float


def placed(net: Net, drawing: Drawing, rankdir: str) -> dict[str, Place]:
    """Levels below each other; in each, nodes near their neighbours and apart from each other and from boxes.

    For a picture from the left to the right, x is what will be downwards and the headings of boxes stand beside what is in them.
    """
    rooms = {cluster.id: _room(cluster, rankdir) for cluster in drawing.clusters}
    heights, lines = _tops(net, drawing, rooms), Lines()
    for row in net.rows:
        _apart(net, row, lines, rooms)
    for id, room in rooms.items():
        lines.keep(f"{id} low", f"{id} high", room.least)
    near = {id: [*net.above[id], *net.below[id]] for id in net.level}
    at = lines.solved(near)
    return {id: Place(at[id], heights[level], *net.sizes[id]) for id, level in net.level.items() if id in at}


def _room(cluster: Cluster, rankdir: str) -> Room:
    words = heading(cluster)
    title, wide = LINE * len(words), max(map(width, words)) + PADDING
    if rankdir in FLAT:
        return Room(PADDING, PADDING, PADDING + title, 0.0)
    before, after = (PADDING, PADDING + title) if rankdir == "BT" else (PADDING + title, PADDING)
    return Room(before, after, PADDING, wide)


def _apart(net: Net, row: Sequence[str], lines: Lines, rooms: Mapping[str, Room]) -> None:
    """What stands in a level: nodes and the two ends of boxes, one after the other."""
    open_: list[str] = []
    last, room = "", 0.0
    for id in [*row, ""]:
        chain = net.chain(id) if id else []
        while open_ and open_[-1] not in chain:
            lines.keep(last, f"{open_[-1]} high", room if last.endswith(" low") else room + PADDING)
            last, room = f"{open_.pop()} high", 0.0
        for cluster in chain[len(open_) :]:
            lines.keep(last, f"{cluster} low", room + (rooms[open_[-1]].beside if last.endswith(" low") else GAP))
            last, room = f"{cluster} low", 0.0
            open_.append(cluster)
        if id and net.sizes[id][0]:
            half = net.sizes[id][0] / 2
            lines.keep(last, id, room + half + (rooms[open_[-1]].beside if last.endswith(" low") else GAP))
            last, room = id, half


class Lines:
    """Places on a line, some of them at least so far to the right of others."""

    def __init__(self) -> None:
        self.before: dict[str, list[tuple[str, float]]] = {}
        self.after: dict[str, list[tuple[str, float]]] = {}

    def keep(self, a: str, b: str, apart: float) -> None:
        """Let b stand at least so far to the right of a; of no a, let b stand anywhere."""
        for name in (a, b):
            if name:
                self.before.setdefault(name, [])
                self.after.setdefault(name, [])
        if a:
            self.before[b].append((a, apart))
            self.after[a].append((b, apart))

    def solved(self, near: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """The places: halfway between as far left and as far right as can be, then moved to the mean of what they are near to."""
        order = self._order()
        left: dict[str, float] = {}
        for name in order:
            left[name] = max([left[a] + d for a, d in self.before[name] if a in left], default=0.0)
        wide = max(left.values(), default=0.0)
        right: dict[str, float] = {}
        for name in reversed(order):
            right[name] = min([right[b] - d for b, d in self.after[name] if b in right], default=wide)
        at = {name: (left[name] + right[name]) / 2 for name in order}
        for turn in range(max(FEWEST, min(TURNS, EFFORT // max(len(order), 1)))):
            for name in order if turn % 2 == 0 else order[::-1]:
                self._move(name, at, near.get(name, ()))
        return at

    def _order(self) -> list[str]:
        """The places from the left to the right."""
        left = {name: len(found) for name, found in self.before.items()}
        ready = [name for name, count in left.items() if not count]
        for name in ready:
            for b, _ in self.after[name]:
                left[b] -= 1
                if not left[b]:
                    ready.append(b)
        done = set(ready)
        return [*ready, *[name for name in left if name not in done]]

    def _move(self, name: str, at: dict[str, float], near: Sequence[str]) -> None:
        """Move a place as far as there is room: to the mean of what it is near to, or to the middle of its room."""
        low = max([at[a] + d for a, d in self.before[name]], default=-inf)
        high = min([at[b] - d for b, d in self.after[name]], default=inf)
        wanted = sum([at[j] for j in near]) / len(near) if near else (low + high) / 2 if isfinite(low + high) else at[name]
        if low <= high:
            at[name] = min(max(wanted, low), high)


def _tops(net: Net, drawing: Drawing, rooms: Mapping[str, Room]) -> list[float]:
    """The middle of every level, with room for the headings of the boxes that begin in it and the borders of those that end."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for id, level in net.level.items():
        for cluster in net.chain(id):
            first[cluster] = min(first.get(cluster, level), level)
            last[cluster] = max(last.get(cluster, level), level)
    above = _borders(drawing, first, {id: room.before for id, room in rooms.items()})
    below = _borders(drawing, last, {id: room.after for id, room in rooms.items()})
    found, top = [], 0.0
    for level, row in enumerate(net.rows):
        height = max([net.sizes[id][1] for id in row], default=0.0)
        found.append(top + above.get(level, 0.0) + height / 2)
        top += above.get(level, 0.0) + height + below.get(level, 0.0) + LEVEL
    return found


def _borders(drawing: Drawing, at: Mapping[str, int], own: Mapping[str, float]) -> dict[int, float]:
    """The room that borders take in each level: those of boxes in boxes that begin, or end, in the same one add up."""
    room = dict(own)
    found: dict[int, float] = {}
    for cluster in reversed(drawing.clusters):
        id, parent = cluster.id, cluster.parent
        if id in at:
            found[at[id]] = max(found.get(at[id], 0.0), room[id])
            if at.get(parent) == at[id]:
                room[parent] = max(room[parent], own[parent] + room[id])
    return found
