"""The nodes of a function in; for each of them the box that it stands in out: branches, and calls of the program's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ops.arithmetic import select
from ...regions import Regions
from ..text import text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...diagnostics import Span
    from ...graph import Called, Fn, Site
    from ...report import Value

    Enter = Callable[[str, "Box"], str]

LONGEST = 48
DERIVATIVES = ("grad", "deriv", "jacobian", "hessian", "jvp", "hvp")


class Box(NamedTuple):
    """A box before it has a number."""

    kind: str
    title: str
    taken: bool | None = None
    note: str = ""
    span: Span | None = None


class Boxes:
    """Finds the box of a node: `enter` makes a box in a box; `home` is the box that the whole function stands in.

    A place is a pair (region, call): the condition under which a node runs, and the innermost call that made it. A branch
    stands inside of a call if its condition was asked there.
    """

    def __init__(self, fn: Fn, values: Mapping[int, Value] | None, enter: Enter, home: str, *, inline: bool) -> None:
        self.fn, self.values, self.enter, self.inline = fn, values, enter, inline
        self.regions = Regions(fn.nodes)
        self.of = self.regions.assign(fn.outs)
        self.calls: dict[int, Called] = {}
        self.up: dict[int, int] = {}
        self.asked = self._asked()
        own = min(fn.calls, key=len, default=())  # the calls that the whole function stands in
        self.own = {called.number for called in own}
        self.derivatives: dict[int, str] = {}
        self.last: dict[int, int] = {}
        self.known: dict[tuple[int, int], str] = {(0, 0): home, (0, own[-1].number if own else 0): home}

    def box(self, i: int) -> str:
        """The innermost box of a node; everything that a derivative inside the program is made of stands in one box."""
        path = self.fn.calls[i]
        deep = 0 if self.inline else _depth(path)
        if not deep:
            return self._place(self.of.get(i, 0), self._call(path))
        return self.known[0, 0] if path[deep - 1].number in self.own else self._derivative(path[:deep])

    def _derivative(self, path: tuple[Called, ...]) -> str:
        """The box of a derivative, where its last node runs."""
        number, span = path[-1].number, path[-1].span
        if number not in self.derivatives:
            if not self.last:
                self.last = {self.fn.calls[i][deep - 1].number: i for i in sorted(self.of) if (deep := _depth(self.fn.calls[i]))}
            home = self._place(self.of[self.last[number]], self._call(path[:-1]))
            self.derivatives[number] = self.enter(home, Box("derivative", _short(span.text), None, "", span))
        return self.derivatives[number]

    def around(self, i: int) -> str:
        """The box round the innermost call that made a node."""
        return self._place(self.of.get(i, 0), self._call(self.fn.calls[i][:-1]))

    def _call(self, path: tuple[Called, ...]) -> int:
        """The number of the innermost call; 0 outside of all."""
        if self.inline or not path:
            return 0
        if path[-1].number not in self.calls:
            for outer, called in zip((None, *path), path, strict=False):
                self.calls[called.number], self.up[called.number] = called, outer.number if outer else 0
        return path[-1].number

    def _asked(self) -> dict[int, int]:
        """The call in which each condition is asked."""
        found: dict[int, int] = {}
        for i in sorted(self.of):
            if self.fn.nodes[i].op is select:
                found.setdefault(self.fn.nodes[i].args[0], self._call(self.fn.calls[i]))
        return found

    def _place(self, region: int, call: int) -> str:
        way: list[tuple[int, int]] = []
        while (region, call) not in self.known:
            way.append((region, call))
            if region and self._stands_in(self.regions.predicate[region], call):
                region = self.regions.parent[region]
            else:
                call = self.up[call]
        at = self.known[region, call]
        for place in reversed(way):
            inside = self._stands_in(self.regions.predicate[place[0]], place[1])
            at = self.known[place] = self.enter(at, self._branch(place[0]) if place[0] and inside else _of_call(self.calls[place[1]]))
        return at

    def conditions(self, region: int) -> list[tuple[int, bool]]:
        """What must be as it says for a region to run: its own condition, and those of the regions round it."""
        found = []
        while region:
            found.append((self.regions.predicate[region], self.regions.wanted[region]))
            region = self.regions.parent[region]
        return found

    def branches(self) -> dict[str, list[tuple[int, bool]]]:
        """The boxes that were made for regions, and their conditions."""
        found: dict[str, list[tuple[int, bool]]] = {}
        for (region, _), id in self.known.items():
            if region:
                found.setdefault(id, self.conditions(region))
        return found

    def _stands_in(self, predicate: int, call: int) -> bool:
        """Whether a condition is asked inside of a call."""
        at = self.asked.get(predicate)
        if at is None:
            at = self.asked[predicate] = self._call(self.fn.calls[predicate])
        while at > call:  # a call has a smaller number than those in it
            at = self.up[at]
        return at == call

    def _branch(self, region: int) -> Box:
        p, wanted = self.regions.predicate[region], self.regions.wanted[region]
        values = self.values
        taken = None if values is None else all(q in values and bool(values[q]) == w for q, w in self.conditions(region))
        site = self.fn.sites[p]
        return Box("branch", f"{'if' if wanted else 'else of'} {_said(self.fn, p, site)}", taken, "", site and site.span)


def _said(fn: Fn, i: int, site: Site | None) -> str:
    """A condition in the words of the program, where it is short."""
    own = " ".join(site.span.text.split()) if site and not site.order and len(site.span.text) <= LONGEST else ""
    found = own or text(fn.nodes, i, LONGEST)
    return "it counts" if site and site.order or "loop(" in found else found


def _depth(path: tuple[Called, ...]) -> int:
    """How deep in a path of calls the outermost derivative is; 0 where there is none."""
    return next((k for k, called in enumerate(path, 1) if called.name in DERIVATIVES), 0)


def _of_call(called: Called) -> Box:
    text = called.span.text
    return Box("function", f"{called.name}(…)" if "\n" in text else _short(text), None, "", called.span)


def _short(text: str) -> str:
    title = " ".join(text.split())
    return title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"
