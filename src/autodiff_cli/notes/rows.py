"""Rows in, block by block; where their non-finite results were born and which kinks they sit on, counted, out.

What is found is kept by the text it came from: how many rows, and the first of them, which is then explained as a point is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.pull import between
from ..diagnostics import Diagnostic, Label
from ..graph import PARAM, Expr, Fn, Graph
from ..ops.arithmetic import eq, not_, select
from ..ops.linear import any_
from ..ops.structured import out_
from ..program import compile
from ..regions import Regions
from ..run.point import evaluate, shaped
from .kinks import conditions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Array = Any
    Columns = Mapping[str, Array]

CHUNK = 8192
MOST = 64  # kinks that are watched


class Ran(NamedTuple):
    """A function that ran over so many `rows`: what it is differentiated by, the columns, where a row came from, the rows that do not count."""

    fn: Fn
    wrt: Sequence[str]
    columns: Columns
    place: Callable[[int], Any]
    rows: int
    missing: Array | None = None


class Met(NamedTuple):
    """How many rows met with something; of the first of them, the function, what it is differentiated by, the values, and where it is."""

    many: int
    fn: Fn
    wrt: Sequence[str]
    values: dict[str, Any]
    place: str


class Log:
    """What was met so far, by what it is."""

    __slots__ = ("met",)

    def __init__(self) -> None:
        self.met: dict[Any, Met] = {}

    def add(self, key: Any, ran: Ran, rows: Array) -> None:
        """So many of the rows (their places, in order)."""
        known = self.met.get(key)
        if known is not None:
            self.met[key] = known._replace(many=known.many + len(rows))
            return
        first = int(rows[0])
        self.met[key] = Met(
            len(rows), ran.fn, ran.wrt, {name: column[first].tolist() for name, column in ran.columns.items()}, str(ran.place(first))
        )


def rows(count: int) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{count:,} row{'' if count == 1 else 's'}"


# --- results that are not finite ---------------------------------------------------------------------------


class Births:
    """Told of rows with results that are not finite."""

    __slots__ = ("log", "values")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.log = Log()

    def add(self, ran: Ran, bad: Array, results: Sequence[Array]) -> None:
        """The rows at the places `bad`, and the results of all of them."""
        fn, columns = ran.fn, ran.columns
        whole = shaped(compile(fn).fn)
        for start in range(0, len(bad), CHUNK):
            part = bad[start : start + CHUNK]
            found = (
                _signatures(part, results)
                if whole
                else _births(fn, {**self.values, **{n: c[part] for n, c in columns.items()}}, columns, len(part))
            )
            for key, which in found:
                self.log.add(key, ran, part[which])

    def notes(self) -> list[Diagnostic]:
        """One warning for every cause."""
        found = [_explained(key, met, {**self.values, **_point(met)}) for key, met in self.log.met.items()]
        return [note for note in found if note is not None]


def _point(met: Met) -> dict[str, Any]:
    import numpy as np

    return {name: np.array(value) if isinstance(value, list) else value for name, value in met.values.items()}


def _explained(key: Any, met: Met, values: Mapping[str, Any]) -> Diagnostic | None:
    from . import about

    notes = [note for note in about(met.fn, values, met.wrt, evaluate(met.fn, values)) if note.code == "not-finite"]
    mine = [note for note in notes if any(label.span == key[0] for label in note.labels)] or notes
    if not mine:
        return None
    labels = tuple([label for label in mine[0].labels if label.span == key[0]]) or mine[0].labels
    message = mine[0].message.replace(" not finite", f" not finite in {rows(met.many)}", 1)
    return mine[0]._replace(message=message, labels=labels, notes=(f"first in {met.place}", *mine[0].notes))


def _signatures(part: Array, results: Sequence[Array]) -> Iterator[tuple[Any, Array]]:
    """Rows apart by which of their results are NaN or infinite."""
    import numpy as np

    code = np.zeros(len(part), np.int64)
    for result in results:
        if np.ndim(result) and len(result):
            found = np.asarray(result, float)[part].reshape(len(part), -1)
            code = (code * 4 + np.isnan(found).any(axis=1) * 2 + np.isinf(found).any(axis=1)) % (1 << 40)
    for key in dict.fromkeys(code.tolist()):
        yield (key, "", 0), np.flatnonzero(code == key)


def _births(fn: Fn, values: Mapping[str, Any], columns: Columns, count: int) -> Iterator[tuple[Any, Array]]:
    """The places of rows by the text (or the node) where their results stopped being finite: the walk of one point, over all rows at once."""
    import numpy as np

    from ..run import tensors

    program = compile(fn)
    slots = tensors.trace(program, values, frozenset(columns))
    body = program.fn
    born: dict[Any, Array] = {}
    wanted: dict[int, Array] = {}
    for out in body.outs:
        _want(wanted, out, np.broadcast_to(~np.isfinite(slots[out]), count))
    for i in range(len(body.nodes) - 1, -1, -1):
        left = wanted.pop(i, None)
        if left is not None and left.any():
            for j, here in _sources(body, slots, i, left):
                _want(wanted, j, here)
                left = left & ~here
            for key, mask in _keys(body, slots, i, left):
                born[key] = born[key] | mask if key in born else mask
    return _apart(born)


def _apart(born: dict[Any, Array]) -> Iterator[tuple[Any, Array]]:
    """The places of rows by cause; a row whose value broke in a text is not counted for the derivative of that text too."""
    import numpy as np

    taken: dict[Any, Array] = {}
    for key, mask in sorted(born.items(), key=lambda item: item[0][2]):
        text = key[:2]
        left = mask & ~taken[text] if text in taken else mask
        _want(taken, text, mask)
        if left.any():
            yield key, np.flatnonzero(left)


def _keys(fn: Fn, slots: Mapping[int, Array], i: int, left: Array) -> list[tuple[Any, Array]]:
    """What the rows that are left at a node are counted under: its text; for an input, NaN and infinity apart."""
    import numpy as np

    site = fn.sites[i]
    text = site.span if site else i
    if fn.nodes[i].op is not PARAM:
        return [((text, "", site.order if site else 0), left)]
    nan = np.isnan(slots[i])
    return [((text, "nan", 0), left & nan), ((text, "inf", 0), left & ~nan)]


def _want(wanted: dict[Any, Array], i: Any, mask: Array) -> None:
    wanted[i] = wanted[i] | mask if i in wanted else mask


def _sources(fn: Fn, slots: Mapping[int, Array], i: int, left: Array) -> Iterator[tuple[int, Array]]:
    """The arguments that are not finite, each with the rows that it is to blame for: of several, the one made first."""
    import numpy as np

    op, args, _, _ = fn.nodes[i]
    if op is select:
        p = np.asarray(slots[args[0]], bool)
        sides = [(args[1], left & p), (args[2], left & ~p)]
        yield from [(j, here & ~np.isfinite(slots[j])) for j, here in sides if j in slots and not isinstance(slots[j], list)]
        return
    if op is out_:
        args = tuple([j for j in fn.nodes[args[0]].args[1:] if not isinstance(slots.get(j), list)])
    for j in sorted(args, key=lambda j: (fn.sites[j].order if fn.sites[j] else 0, j)):  # type: ignore[union-attr]  # looked at
        if j in slots:
            here = left & ~np.isfinite(slots[j])
            yield j, here
            left = left & ~here


# --- kinks -------------------------------------------------------------------------------------------------


class Watched(NamedTuple):
    """A function with a condition more for every node that has a kink: whether a row sits on it. `nodes` are these nodes."""

    fn: Fn
    nodes: tuple[int, ...]


def watched(fn: Fn, wrt: Sequence[str]) -> Watched:
    """The function with its kinks watched; itself where it has none."""
    if not any(node.op.kink or node.op is select for node in fn.nodes):
        return Watched(fn, ())
    body = compile(fn).fn
    inputs = {i for i, node in enumerate(body.nodes) if node.op is PARAM and node.attr in wrt}
    path = between(body, body.outs[:1], inputs)  # type: ignore[arg-type]  # a frozen graph
    nodes = tuple([i for i in path if body.nodes[i].op.kink or body.nodes[i].op is select][:MOST])
    if not nodes:
        return Watched(fn, ())
    regions = Regions(body.nodes)
    regions.assign(body.outs)
    graph = Graph(expanding=True)
    env = [Expr(graph, i) for i in graph.inline(body, {})]
    found = [(i, _on_kink(body, env, regions, i)) for i in nodes]
    kept = [(i, on) for i, on in found if on is not None]
    outs = [*[env[o] for o in body.outs], *[on for _, on in kept]]
    names = [*fn.names, *[f"kink{i}" for i, _ in kept]]
    return Watched(Fn(graph, fn.params, outs, names), tuple([i for i, _ in kept]))


def _on_kink(fn: Fn, env: list[Expr], regions: Regions, i: int) -> Expr | None:
    """Whether a row is on the kink of a node: false where the node is in a branch that is not taken."""
    op, args, attr, _ = fn.nodes[i]
    graph = env[0].graph
    if op is select:
        parts = [_where(env, regions, c, eq(*[env[j] for j in fn.nodes[c].args])) for c in conditions(fn, args[0]) if c in regions.of]
        found: Any = None
        for part in parts:
            found = part if found is None else found | part
    else:
        given = [env[j] for j in args]
        found = op.kink(*given) if attr is None else op.kink(*given, attr)  # type: ignore[misc]  # looked at before
    return None if found is None or i not in regions.of else _where(env, regions, i, _one(graph.lift(found)))


def _one(condition: Expr) -> Expr:
    """Whether a condition holds in any entry."""
    axes = tuple(range(len(condition.type.shape)))
    return condition.graph.add(any_, [condition], axes) if axes else condition


def _where(env: list[Expr], regions: Regions, i: int, condition: Expr) -> Expr:
    """The condition where node i is computed, false elsewhere."""
    found, region = _one(condition), regions.of[i]
    while region:
        p = env[regions.predicate[region]]
        found = select(p if regions.wanted[region] else not_(p), found, False)
        region = regions.parent[region]
    return found


class Kinks:
    """Told of rows that sit on a kink."""

    __slots__ = ("log", "values")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.log = Log()

    def add(self, ran: Ran, nodes: Sequence[int], found: Sequence[Array]) -> None:
        """For each of these nodes, in which rows it is on its kink."""
        import numpy as np

        sites = compile(ran.fn).fn.sites
        masks: dict[Any, Array] = {}
        for i, on in zip(nodes, found, strict=True):
            if np.any(on):
                site = sites[i]
                mask = np.broadcast_to(on, ran.rows) if ran.missing is None else on & ~ran.missing
                _want(masks, site.span if site else i, mask)
        for key, mask in masks.items():
            if mask.any():
                self.log.add(key, ran, np.flatnonzero(mask))

    def notes(self) -> list[Diagnostic]:
        """One note for every kink whose slopes differ where the first row met it."""
        from . import about

        said = []
        for key, met in self.log.met.items():
            values = {**self.values, **_point(met)}
            for note in about(met.fn, values, met.wrt, evaluate(met.fn, values)):
                if note.code in {"kink", "jump"} and any(label.span == key for label in note.labels):
                    verb = "is" if met.many == 1 else "are"
                    message = f"{rows(met.many)} {verb} on a {note.code}"
                    said.append(note._replace(message=message, labels=(Label(key),), notes=(f"first in {met.place}", *note.notes)))
        return said
