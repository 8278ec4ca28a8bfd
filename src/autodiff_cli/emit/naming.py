"""The nodes that a reader sees in; what they are called out: by the program's own names, else v1, v2, …, cotangents with a bar."""

from __future__ import annotations

from collections import Counter
from re import fullmatch, match
from typing import TYPE_CHECKING

from ..graph import NAME, PARAM
from ..ops import FUNCTIONS
from ..ops.structured import out_
from .drawing import assigned

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..graph import Fn, Site

LETTERS = "vwuts"
MACRON, OVERLINE = "\u0304", "\u0305"


def names_of(fn: Fn, order: Sequence[int], calls: Container[int]) -> dict[int, str]:
    """The program's own names, numbered where it gives a name more than once; else v1, v2, … `calls` are steps of one call each."""
    given = {i: fn.nodes[i].attr for i in order if fn.nodes[i].op is PARAM}
    asked = {i: fn.nodes[i].attr[0] for i in order if fn.nodes[i].op is NAME}
    looped = {i: name for i in order if (name := program_name(fn, i))}
    told, wanted = set(order) - set(given), set(asked.values())
    called = {i: name for i, name in (_assigned(fn, calls) | looped).items() if i in told and name not in wanted} | asked
    often = Counter([*given.values(), *called.values()])
    letter = next((c for c in LETTERS if not any(fullmatch(rf"{c}\d*", name) for name in often)), "step")
    names, count, turn = dict(given), 0, Counter[str]()
    for i in order:
        name = called.get(i)
        if name is not None and often[name] > 1:
            turn[name] += 1
            name = f"{name}{'_' * name[-1].isdigit()}{turn[name]}"
            name = None if name in often else name
        if i not in given:
            count += name is None
            names[i] = name or f"{letter}{count}"
    return names


def _assigned(fn: Fn, calls: Container[int]) -> dict[int, str]:
    """The names that are assigned, in every turn that is written out, where the node of each turn is known: a call that made several
    nodes may have made several of one kind.
    """
    last = assigned(fn)
    return last | {i: name for i, name in assigned(fn, every=True).items() if i in last or i in calls or not _isseveral(fn.sites[i])}


def _isseveral(site: Site | None) -> bool:
    """Whether a text is a call that may make several nodes."""
    callee = match(r"(?:\w+\.)*(\w+)\(", site.span.text) if site else None
    return bool(callee and site and site.span.text.endswith(")") and getattr(FUNCTIONS.get(callee[1]), "rule", "") != "elementwise")


def barred(name: str) -> str:
    """The name of the cotangent of what is called so."""
    one = len(name) == 1 or not any(c.isalpha() or c.isspace() for c in name[1:])
    stem = name.rstrip("0123456789")
    return name[0] + MACRON + name[1:] if one else "".join([c + OVERLINE for c in stem]) + name[len(stem) :]


def program_name(fn: Fn, i: int) -> str | None:
    """What the program calls the result of a loop that an `out` node takes."""
    op, args, k, _ = fn.nodes[i]
    names = fn.nodes[args[0]].attr.fn.names if op is out_ else ()
    return names[k] if names and k < len(names) and names[k].isidentifier() else None
