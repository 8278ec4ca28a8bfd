"""Where a non-finite result was born: the node whose inputs were finite, underlined, with a cure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import Diagnostic, Label
from ..graph import CONST, PARAM
from ..ops.arithmetic import select
from ..ops.structured import out_
from ..program import compile
from ..run import floats
from ..run.loops import Counting, replay
from .words import listed, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn, Site
    from ..program import Program

    Slots = Mapping[int, Any]

MOST = 6


class Birth(NamedTuple):
    """A node of a program, the values of its nodes, and the turn if the program is that of the turns of a loop."""

    program: Program
    slots: Slots
    node: int
    turn: int = 0

    @property
    def site(self) -> Site | None:
        return self.program.fn.sites[self.node]


def origins(
    fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], results: Sequence[float], *, limits: bool = True
) -> list[Diagnostic]:  # fmt: skip
    """One warning for every node where a non-finite result was born; the first says the limit, if there is one and `limits` asks for it."""
    from .limits import limit

    program = compile(fn)
    slots = floats.trace(program, values)
    born: dict[Any, tuple[Birth, list[int]]] = {}
    for k, (out, result) in enumerate(zip(program.fn.outs, results, strict=True)):
        if not _finite(result):
            birth = _birth(Birth(program, slots, out))
            key = birth.site.span if birth.site else (id(birth.program), birth.node)
            first, which = born.get(key, (birth, []))
            born[key] = (first if first.program is not birth.program or first.node <= birth.node else birth, [*which, k])
    found = [_warning(fn, birth, which, wrt) for birth, which in born.values() if not said_before(birth.program.fn, birth.node)]
    began = [k for k, one in enumerate(found) if "it began" in one.message][: int(limits)]
    return _by_cure([one._replace(notes=(*one.notes, *limit(fn, values, wrt))) if k in began else one for k, one in enumerate(found)])


def said_before(fn: Fn, node: int) -> bool:
    """Whether a number above the largest float64 is to blame: a warning says so already."""
    op, _, attr, _ = fn.nodes[node]
    texts = [attr] if op is CONST else attr[0] if op.name == "array" else []
    return bool(texts) and not any(str(text).lstrip("-") in ("inf", "nan") for text in texts)


def _by_cure(found: list[Diagnostic]) -> list[Diagnostic]:
    """Warnings that end in the same spelling are one, with a label for each place."""
    merged: dict[Any, Diagnostic] = {}
    for k, one in enumerate(found):
        key = one.hint or k
        first = merged.get(key)
        merged[key] = one if first is None else first._replace(labels=first.labels + one.labels)
    return list(merged.values())


def _birth(at: Birth) -> Birth:
    """From a non-finite node down to the first one whose arguments are all finite, into the turns of loops."""
    while True:
        fn, slots = at.program.fn, at.slots
        op, args, _, _ = fn.nodes[at.node]
        if op is out_:
            inner = _in_loop(at.program, slots, args[0])
            if inner is not None:
                return inner
            args = fn.nodes[args[0]].args[1:]
        if op is select:
            args = (args[1] if slots[args[0]] else args[2],)
        bad = [j for j in args if j in slots and not _finite(slots[j])]
        if not bad:
            return at
        at = at._replace(node=min(bad, key=lambda j: (fn.sites[j].order if fn.sites[j] else 0, j)))  # type: ignore[union-attr]  # looked at


def _in_loop(program: Program, slots: Slots, loop: int) -> Birth | None:
    """The first turn in which a non-finite number is born, and where in it."""
    for turn, body, inner in replay(program, loop, slots):
        bad = [o for o in body.fn.outs if not _finite(inner[o])]
        for o in bad:
            birth = _birth(Birth(body, inner, o, turn))
            if birth.program.fn.nodes[birth.node].op is not PARAM:
                return birth
    return None


def _warning(fn: Fn, birth: Birth, which: list[int], wrt: Sequence[str]) -> Diagnostic:
    from .cures import cure

    expanded, slots, site = birth.program.fn, birth.slots, birth.site
    op, args, attr, _ = expanded.nodes[birth.node]
    result = number(slots[birth.node])
    names = listed([f"`{fn.names[k]}`" for k in which]) if len(which) <= MOST else f"{len(which)} results"
    verb = "is" if len(which) == 1 else "are"
    if op is PARAM:
        return _given(f"{names} {verb} not finite because `{attr}` is {result}", site)
    if op is CONST:
        return _given(f"{names} {verb} not finite because of the constant {attr}", site)
    text = f"`{site.span.text}`" if site else "the result"
    elastic = site is not None and not site.order and min(which) > len(wrt) > 0
    origin = f"the elasticity of {text}" if elastic else f"the derivative of {text}" if site and site.order else text
    met = spoken(op, [slots[j] for j in args], attr) if not op.hidden or op.name == "dpow" else outer(expanded, slots, birth.node)
    turn = f" in turn {birth.turn}" if birth.turn else ""
    labels = (Label(site.span, f"{met} is {result}{turn}"),) if site else ()
    domain = _domain(expanded, birth.node) if result == "nan" and site and not site.order else ()
    hint = cure(expanded, slots, site.span) if site else None
    return Diagnostic("not-finite", f"{names} {verb} not finite: it began in {_short(origin)}", labels, domain, hint, "warning")


def outer(fn: Fn, slots: Slots, node: int) -> str:
    """In place of an op that only rules know: the function of the user's text that it comes from."""
    site = fn.sites[node]
    mine = [
        i for i, other in enumerate(fn.sites)
        if i in slots and other and site and other.span == site.span and not other.order and not fn.nodes[i].op.hidden and fn.nodes[i].args
    ]  # fmt: skip
    if not mine or not all(isinstance(slots[j], float | bool) for j in fn.nodes[mine[-1]].args):
        return "it"
    op, args, attr, _ = fn.nodes[mine[-1]]
    return (
        f"the derivative of {spoken(op, [slots[j] for j in args], attr)}"
        if site and site.order
        else spoken(op, [slots[j] for j in args], attr)
    )


def _domain(fn: Fn, node: int) -> tuple[str, ...]:
    """Where the op is defined, in the user's own words for its arguments."""
    op, args, _, _ = fn.nodes[node]
    if not op.domain or op.infix and op.infix.symbol == "/":
        return ()
    name = op.infix.symbol if op.infix else op.name
    if op.domain == "y != 0":
        return (f"`{name}` by 0 has no value",)
    moving = [p for p in op.parameters if not p.static]
    said = {p.name: site.span.text for p, j in zip(moving, args, strict=False) if (site := fn.sites[j])}
    if any(not any(c.isalpha() for c in text) for text in said.values()):
        names = [p.name for p in op.parameters if p.default is ...]
        call = f" {name} ".join(names) if op.infix else f"{name}({', '.join(names)})"
        return (f"`{call}` is defined for {op.domain}",)
    words = [_short(f"`{said[word]}`") if word in said else word for word in re.split(r"\b", op.domain)]
    return (f"`{name}` is defined for {''.join(words)}",)


def _given(message: str, site: Any) -> Diagnostic:
    return Diagnostic("not-finite", message, (Label(site.span),) if site else (), severity="warning")


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 2]}…`"


def _finite(value: Any) -> bool:
    """Whether a number is, or every one of a sequence; of the results of a loop, each one is asked by itself."""
    if isinstance(value, list):
        return all(v is None or isinstance(v, list) or v - v == 0 for v in value)
    return isinstance(value, Counting) or bool(value - value == 0)
