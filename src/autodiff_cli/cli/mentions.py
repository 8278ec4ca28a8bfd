"""A name that no derivative can be asked by in, what it is in the program and where out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..api import site as site_of
from ..diagnostics import AutodiffError, Label, Span
from ..lower.frames import target_names
from ..syntax import parse
from ..syntax.tree import walk
from .arguments import usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..lower import Lowered
    from ..syntax import Tree
    from .arguments import Call
    from .prepare import Prepared

BLOCKS = ("if", "for", "while")


def unknown_name(call: Call, ready: Prepared, place: int, name: str, hint: str | None, label: str = "") -> AutodiffError:
    """The error for a name of an option that the program does not have, or has as something else."""
    what, where, do = _told(ready, name)
    found = usage(call, place, "unknown-wrt", what, label="" if where else label, hint=do or hint)
    return AutodiffError(found.diagnostic._replace(labels=(*found.diagnostic.labels, *([Label(where, "here")] if where else []))))


def _told(ready: Prepared, name: str) -> tuple[str, Span | None, str | None]:
    """What is to be said of the name, where it stands, and what to type."""
    tree = parse(ready.source)
    span = None
    todo: list[tuple[Tree, str, str]] = [(part, "", "") for part in reversed(tree.parts)]
    while todo:
        part, function, block = todo.pop()
        if part.kind == "def":
            own, params, body, _ = part.parts
            if own == name and not function:
                return f"`{name}` is a function, and derivatives are by numbers", Span(ready.source, part.start, body[0].start), None
            found = next((param for param in params if param.parts[0] == name), None)
            if found is not None:
                return _inside(name, own, Span(ready.source, found.start, found.end))
            todo += [(child, function or own, block) for child in reversed(body)]
        elif part.kind in BLOCKS:
            inner = [child for children in part.parts if type(children) is tuple for child in children]
            todo += [(child, function, block or part.kind) for child in reversed(inner)]
        target = part.parts[0] if part.kind in ("assign", "augmented", "for") else None
        if target is not None and name in target_names(target):
            span = Span(ready.source, target.start, target.end)
            return _inside(name, function, span) if function else _outside(name, block, span)
    within = any(name in target_names(c[1]) for item in walk(tree) if item.kind == "comprehension" for c in item.parts[1] if c[0] == "for")
    what = f"`{name}` stands for the entries of a list, and has no value outside of it" if within else f"the expression has no `{name}`"
    return what, span, None


def _inside(name: str, function: str, span: Span) -> tuple[str, Span, str]:
    return (
        f"`{name}` is a name inside of `{function}`, and the program has none",
        span,
        f"in `{function}`, grad(y, {name}) is the derivative by it",
    )


def _outside(name: str, block: str, span: Span) -> tuple[str, Span, str | None]:
    if block:
        return f"`{name}` is not set on every way through the program", span, f"set `{name}` before the `{block}` too"
    return f"`{name}` holds no number or array that there could be a derivative by", span, None


def later(lowered: Lowered, names: Iterable[str]) -> list[Label]:
    """Where the program itself sets names that are read before that, or that it does not come to."""
    found: list[Label] = []
    for name in names:
        site = site_of(lowered, name)
        place = None if site is None else _first_set(parse(site.span.source).parts, name)
        if site is not None and place is not None:
            after = site.span.start <= place.end
            span = Span(site.span.source, place.start, place.end)
            found.append(Label(span, "set here, after it is read" if after else "set here, which does not run"))
    return found


def _first_set(statements: Iterable[Tree], name: str) -> Tree | None:
    """The first target outside of functions that sets a name."""
    todo = [*reversed([*statements])]
    while todo:
        part = todo.pop()
        if part.kind in ("assign", "augmented", "for") and name in target_names(part.parts[0]):
            return part.parts[0]  # type: ignore[no-any-return]  # a tree
        if part.kind in BLOCKS:
            todo += reversed([child for children in part.parts if type(children) is tuple for child in children])
    return None
