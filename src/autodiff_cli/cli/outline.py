"""A program that has no meaning while some variables have no shape in; its variables out, for rows that will tell the shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import AutodiffError, Exit, Span
from ..graph import Fn, Graph, Site
from ..lower import Lowered
from ..lower.outside import outside
from ..syntax import parse
from ..types import REAL, Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..diagnostics import Source

SOME = 7  # entries of arrays that stand for those that rows may have


def outline(
    problem: AutodiffError, source: Source, values: Mapping[str, Any], named: Sequence[str], *reading: Any
) -> Lowered | None:  # fmt: skip
    """The variables of a program for which `problem` was found, as numbers; None if the problem is not one of their shapes.

    It is one of shapes if it is another, or none, where those without a value are arrays. One that vectors and matrices
    have alike is raised.
    """
    if problem.diagnostic.exit != Exit.EXPRESSION:
        return None
    free, assigned = outside(parse(source), values, reading[0] if reading else None)
    absent = free.keys() - values.keys()
    if not absent or _same(problem, vectors := _tried(source, values, absent, 1, named, *reading)):
        return None
    if vectors is not None and _same(vectors, _tried(source, values, absent, 2, named, *reading)):
        raise vectors
    graph = Graph()
    for name, (start, end) in free.items():
        graph.site = Site(Span(source, start, end))
        graph.param(name, REAL)
    return Lowered(Fn(graph, [(name, REAL) for name in free], [], []), tuple(free), {}, assigned, (), {})


def _tried(
    source: Source, values: Mapping[str, Any], absent: Iterable[str], axes: int, named: Sequence[str], *reading: Any
) -> AutodiffError | None:  # fmt: skip
    """What is wrong where variables without a value are arrays of so many axes."""
    try:
        api.understand(source, {**values, **dict.fromkeys(absent, Type("real", (SOME,) * axes))}, named, api.ignore, *reading)
    except AutodiffError as problem:
        return problem
    return None


def _same(one: AutodiffError, other: AutodiffError | None) -> bool:
    return other is not None and one.diagnostic == other.diagnostic
