"""Where a non-finite entry of an array was born: the node and the place where its inputs were finite, underlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import Diagnostic, Label
from ..graph import BROADCAST, CONST, PARAM
from ..ops.structured import out_
from ..program import compile
from ..run import point
from .origin import said_before
from .sources import sources
from .words import listed, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn, Site
    from ..program import Program

    Slots = Mapping[int, Any]
    Place = tuple[int, ...]

MOST = 6
SINGULAR = ("inverse", "solved", "logabsdet")
SQUARES = {"norm": ("sum(v**2)", "norm(v)**2"), "std": ("var(v)", "std(v)**2"), "hypot": ("x**2 + y**2", "hypot(x, y)**2")}


class Birth(NamedTuple):
    """A node and the place in it, with the values of its program, and the turn if that is of the turns of a loop."""

    program: Program
    slots: Slots
    node: int
    place: Place
    turn: int = 0

    @property
    def site(self) -> Site | None:
        return self.program.fn.sites[self.node]


def origins(fn: Fn, values: Mapping[str, Any], results: Sequence[Any]) -> list[Diagnostic]:
    """One warning for every node where a non-finite result was born."""
    program = compile(fn)
    slots = point.trace(program, values)
    born: dict[Any, tuple[Birth, list[int]]] = {}
    for k, (out, result) in enumerate(zip(program.fn.outs, results, strict=True)):
        place = first_bad(result)
        if place is not None:
            birth = _birth(Birth(program, slots, out, place))
            born.setdefault(birth.site.span if birth.site else birth.node, (birth, []))[1].append(k)
    return [
        _warning(birth, [fn.names[k] for k in which]) for birth, which in born.values() if not said_before(birth.program.fn, birth.node)
    ]


def first_bad(value: Any) -> Place | None:
    """The place of the first entry that is not finite."""
    import numpy as np

    if isinstance(value, list):
        return () if any(first_bad(v) is not None for v in value) else None
    bad = ~np.isfinite(value)
    return tuple(np.argwhere(bad)[0].tolist()) if bad.any() else None


def _birth(at: Birth) -> Birth:
    """From a result down to the first node whose inputs are finite there, into the turns of loops."""
    while True:
        fn, slots = at.program.fn, at.slots
        if fn.nodes[at.node].op is out_:
            inner = _in_loop(at.program, slots, fn.nodes[at.node].args[0])
            if inner is not None:
                return inner
        found = [(j, p) for j, p in sources(fn, slots, at.node, at.place) if j in slots and p is not None and _bad(slots[j], p)]
        if not found:
            return at
        node, place = min(found, key=lambda it: (fn.sites[it[0]].order if fn.sites[it[0]] else 0, it[0]))  # type: ignore[union-attr]  # looked at
        at = at._replace(node=node, place=place)


def _bad(value: Any, place: Place) -> bool:
    import numpy as np

    return first_bad(value if isinstance(value, list) else np.asarray(value)[place]) is not None


def _in_loop(program: Program, slots: Slots, loop: int) -> Birth | None:
    """The first turn in which a number that is not finite is born, and where in it."""
    import numpy as np

    from ..run.loops import replay
    from ..run.loops_array import Arrays

    with np.errstate(all="ignore"):
        for turn, body, inner in replay(program, loop, slots, Arrays(frozenset(), free=False)):
            for out in body.fn.outs:
                place = first_bad(inner[out])
                birth = None if place is None else _birth(Birth(body, inner, out, place, turn))
                if birth is not None and birth.program.fn.nodes[birth.node].op is not PARAM:
                    return birth
    return None


def _warning(birth: Birth, which: list[str]) -> Diagnostic:
    op, _, attr, _ = birth.program.fn.nodes[birth.node]
    site = birth.site
    names = listed([f"`{name}`" for name in which]) if len(which) <= MOST else f"{len(which)} results"
    verb = "is" if len(which) == 1 else "are"
    result = number(entry(birth.slots[birth.node], birth.place))
    where = f" at {list(birth.place)}" if birth.place else ""
    turn = f" in turn {birth.turn}" if birth.turn else ""
    met = _matrix(birth.program.fn, birth.slots, birth.node) or _said(birth, result) + where + turn + _count(birth)
    labels = (Label(site.span, met),) if site else ()
    if op is PARAM:
        return _made(f"{names} {verb} not finite because `{attr}` is {result}{where}", tuple([Label(label.span) for label in labels]))
    if site is None or (op.rule == "leaf" and (op is not CONST or attr in site.span.text.lower())):
        return _made(f"{names} {verb} not finite because of a constant", labels)
    origin = f"the derivative of `{_short(site.span.text)}`" if site.order else f"`{_short(site.span.text)}`"
    return _made(f"{names} {verb} not finite: it began in {origin}", labels, _hint(birth))


def _made(message: str, labels: tuple[Label, ...], hint: str | None = None) -> Diagnostic:
    return Diagnostic("not-finite", message, labels, hint=hint, severity="warning")


def _count(birth: Birth) -> str:
    import numpy as np

    bad, size = int((~np.isfinite(birth.slots[birth.node])).sum()), int(np.size(birth.slots[birth.node]))
    return f" ({bad} of {size} entries)" if bad > 1 else ""


def _said(birth: Birth, result: str) -> str:
    """What met there, in numbers."""
    fn, slots, site = birth.program.fn, birth.slots, birth.site
    op, args, attr, kind = fn.nodes[birth.node]
    if op is CONST or op is BROADCAST and fn.nodes[args[0]].op is CONST:
        return "n - ddof is not above 0" if site is not None and "ddof" in site.span.text else f"it is {result}"
    if op.rule == "elementwise" and not op.hidden and all(fn.nodes[j].type.shape in ((), kind.shape) for j in args):
        return f"{spoken(op, [entry(slots[j], birth.place) for j in args], attr)} is {result}"
    return f"it is {result}"


def _matrix(fn: Fn, slots: Slots, i: int) -> str:
    """What is wrong with a matrix; nothing where no matrix was to blame."""
    site = fn.sites[i]
    here = [k for k, other in enumerate(fn.sites) if k in slots and other and site and other.span == site.span and not other.order]
    if fn.nodes[i].op.name in SINGULAR:
        here = [i]
    for k in here:
        name, args = fn.nodes[k].op.name, fn.nodes[k].args
        if name == "cholesky_factor" and first_bad(slots[k]) is not None:
            return f"{_text(fn, args[0])} is not positive definite"
        if name in SINGULAR and (k == i or first_bad(slots[k]) is not None):
            return f"{_text(fn, args[0])} is singular"
        if name == "determinant" and "logdet" in fn.sites[k].span.text and not fn.nodes[k].type.shape:  # type: ignore[union-attr]  # looked at
            return (
                f"{_text(fn, args[0])} is singular" if slots[k] == 0 else f"the determinant of {_text(fn, args[0])} is {number(slots[k])}"
            )
    return ""


def _text(fn: Fn, i: int) -> str:
    """What the user calls a node: its own text, or that of what was stretched or reshaped to it."""
    while fn.nodes[i].op.name in ("broadcast", "reshaped"):
        i = fn.nodes[i].args[0]
    site = fn.sites[i]
    return f"`{_short(site.span.text)}`" if site and not site.order else "the matrix"


def entry(value: Any, place: Place) -> Any:
    """The entry of an array as a Python number; a number is its own entry."""
    return value[place].item() if getattr(value, "shape", ()) else value


def _hint(birth: Birth) -> str | None:
    """A spelling to paste that does not break there."""
    from .cures import cure

    fn, slots, site = birth.program.fn, birth.slots, birth.site
    if site is None:
        return None
    if site.order and (lengths := [i for i, s in enumerate(fn.sites) if s and s.span == site.span and fn.nodes[i].op.name == "length"]):
        smooth, instead = SQUARES["std" if "std" in site.span.text and "norm" not in site.span.text else "norm"]
        zero = any(i in slots and not entry(slots[i], ()) if not fn.nodes[i].type.shape else True for i in lengths)
        return f"{smooth} in place of {instead} has every derivative" if zero else None
    found = _sum_of_exponentials(fn, birth.node)
    if found is not None:
        return found
    shape = fn.nodes[birth.node].type.shape
    scalars = {i: entry(v, birth.place) for i, v in slots.items() if fn.nodes[i].type.shape in ((), shape)}
    return cure(fn, scalars, site.span)


def _sum_of_exponentials(fn: Fn, i: int) -> str | None:
    """`log(sum(exp(v)))` overflows where logsumexp does not."""
    nodes = fn.nodes
    for k, node in enumerate(nodes):
        below = nodes[node.args[0]] if node.op.name == "log" and node.args else None
        if below is None or below.op.name != "sum" or nodes[below.args[0]].op.name != "exp":
            continue
        inner = nodes[below.args[0]].args[0]
        if i in (k, node.args[0], below.args[0]) and (site := fn.sites[inner]):
            whole = len(below.attr) == len(nodes[inner].type.shape)
            return f"logsumexp({site.span.text}{'' if whole else f', axis={below.attr[0]}'})"
    return None


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
