"""A program that has no meaning while some variables have no shape in; its variables out, for rows that will tell the shapes.

The rows of every shape have the variables of the whole text, also those that the program does not reach in some of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import api
from ..diagnostics import AutodiffError, Exit, Span
from ..graph import Expr, Fn, Graph, Site
from ..lower import Lowered
from ..lower.outside import outside
from ..syntax import parse
from ..syntax.words import normalise
from ..types import REAL, Type, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..diagnostics import Source

SOME = 7  # entries of arrays that stand for those that rows may have
SEVERAL = Type("real", (SOME,))
BLOCKS = ("if", "for", "while")


def outline(
    problem: AutodiffError, source: Source, values: Mapping[str, Any], named: Sequence[str], *reading: Any, doubtful: Mapping[str, AutodiffError]
) -> Lowered | None:  # fmt: skip
    """The variables of a program for which `problem` was found, as numbers; None if the problem is not one of their shapes.

    `doubtful` are names that some ways through the program do not set; each stands after the names of the block that may set it.

    It is one of shapes if it is another, or none, where those without a value are arrays. One that vectors and matrices
    have alike is raised, or that of numbers where it tells which variable must be known.
    """
    if problem.diagnostic.exit != Exit.EXPRESSION:
        return None
    free, assigned = outside(parse(source), values, reading[0] if reading else None)
    for name, fault in doubtful.items():
        free = _with(free, name, fault)
    absent = free.keys() - values.keys()
    if not absent or _same(problem, vectors := _tried(source, values, absent, 1, named, *reading)):
        return None
    if vectors is not None and _same(vectors, _tried(source, values, absent, 2, named, *reading)):
        raise problem if problem.diagnostic.code == "static-value" else vectors
    graph = Graph()
    for name, (start, end) in free.items():
        graph.site = Site(Span(source, start, end))
        graph.param(name, REAL)
    return Lowered(Fn(graph, [(name, REAL) for name in free], [], []), tuple(free), {}, assigned, (), {})


def _with(free: Mapping[str, tuple[int, int]], name: str, fault: AutodiffError) -> dict[str, tuple[int, int]]:
    labels = fault.diagnostic.labels
    before = [other for other, (start, _) in free.items() if start > labels[-1].span.end]
    read = {name: (labels[0].span.start, labels[0].span.end)}
    if not before:
        return {**free, **read}
    at = list(free).index(before[0])
    return {**dict(list(free.items())[:at]), **read, **dict(list(free.items())[at:])}


def reached(whole: Lowered, lowered: Lowered, source: Source, known: Mapping[str, Any], named: Sequence[str], *reading: Any) -> Lowered:
    """What a program means for rows of one shape, with the variables of the `whole` text: by those that it does not reach the derivative is 0.

    A given value that longer rows use as a count or the like is static in these rows too.
    """
    kinds = dict(lowered.fn.params)
    names = tuple(dict.fromkeys((*whole.free, *lowered.free)))
    params = [(name, kinds[name] if name in kinds else type_of(known.get(name, REAL))) for name in names]
    statics = dict(lowered.statics)
    if any(name not in kinds and not isinstance(known.get(name, REAL), Type) for name in names):
        statics = {**_of_longer(source, known, named, *reading), **statics}
    fn = lowered.fn
    return lowered._replace(
        fn=Fn(fn, params, [Expr(fn, o) for o in fn.outs], fn.names),  # type: ignore[arg-type]  # a frozen graph
        free=names, statics=statics, assigned=tuple(dict.fromkeys((*lowered.assigned, *whole.assigned))),
    )  # fmt: skip


def _of_longer(source: Source, known: Mapping[str, Any], named: Sequence[str], *reading: Any) -> dict[str, Span]:
    """The static variables where arrays have as many axes and more entries."""
    longer = {name: Type(x.kind, (SOME,) * len(x.shape)) if isinstance(x, Type) else x for name, x in known.items()}
    try:
        return api.understand(source, longer, named, api.ignore, *reading).statics
    except AutodiffError:
        return {}


def unset(source: Source, values: Mapping[str, Any], named: Sequence[str], *reading: Any) -> dict[str, AutodiffError]:
    """The names that some way through a program does not set where the variables that it takes for arrays are some, and the error of each."""
    tree = parse(source)
    if not any(statement.kind in BLOCKS for statement in tree.parts):
        return {}
    free = outside(tree, values, reading[0] if reading else None).free
    types = {name: REAL for name in free if name not in values}
    found: dict[str, AutodiffError] = {}
    problem = _fault(source, {**values, **types}, named, *reading)
    while problem is not None:
        name = unset_name(problem)
        tries = [(word, SEVERAL) for word in _words(problem) | types if types.get(word) == REAL] if name is None else [(name, REAL)]
        faults = [
            (word, type, _fault(source, {**values, **types, word: type}, named, *reading))
            for word, type in tries
            if word != name or word not in types
        ]
        better = [(word, type, other) for word, type, other in faults if not _same(problem, other)]
        if not better:
            break
        word, type, other = min(better, key=_blamed)
        types[word] = type
        found |= {} if name is None else {name: problem}
        problem = other
    return found


def _blamed(tried: tuple[str, Type, AutodiffError | None]) -> bool:
    """Whether an error underlines the variable that was given another type."""
    word, _, problem = tried
    return problem is not None and word in _words(problem)


def unset_name(problem: AutodiffError) -> str | None:
    """The name that an error says may not be set."""
    found = problem.diagnostic
    return normalise(found.labels[0].span.text) if found.code == "unset-name" and found.labels else None


def _words(problem: AutodiffError) -> dict[str, Any]:
    """The words that an error underlines."""
    from re import findall

    return dict.fromkeys([normalise(word) for label in problem.diagnostic.labels for word in findall(r"[^\W\d]\w*", label.span.text)])


def _tried(
    source: Source, values: Mapping[str, Any], absent: Iterable[str], axes: int, named: Sequence[str], *reading: Any
) -> AutodiffError | None:  # fmt: skip
    """What is wrong where variables without a value are arrays of so many axes."""
    return _fault(source, {**values, **dict.fromkeys(absent, Type("real", (SOME,) * axes))}, named, *reading)


def _fault(source: Source, values: Mapping[str, Any], named: Sequence[str], *reading: Any) -> AutodiffError | None:
    """What is wrong with these values and types."""
    try:
        api.understand(source, values, named, api.ignore, *reading)
    except AutodiffError as problem:
        return problem
    return None


def _same(one: AutodiffError, other: AutodiffError | None) -> bool:
    return other is not None and one.diagnostic == other.diagnostic
