"""Where a non-finite result was born: the node whose inputs were finite, underlined, with a cure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Label
from ..graph import CONST, PARAM
from ..ops.arithmetic import select
from ..program import compile
from ..run import floats
from .words import listed, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn

    Slots = Mapping[int, Any]

MOST = 6


def origins(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], results: Sequence[float]) -> list[Diagnostic]:
    """One warning for every node where a non-finite result was born."""
    program = compile(fn)
    slots = floats.trace(program, values)
    born: dict[int, list[int]] = {}
    for k, (out, result) in enumerate(zip(program.fn.outs, results, strict=True)):
        if not _finite(result):
            born.setdefault(_birth(program.fn, slots, out)[-1], []).append(k)
    found = [_warning(fn, program.fn, slots, node, which, values, wrt) for node, which in _by_text(program.fn, born).items()]
    return _by_cure(found)


def _by_text(fn: Fn, born: dict[int, list[int]]) -> dict[int, list[int]]:
    """Births in the same piece of text are one warning: that of the node made first."""
    first: dict[Any, int] = {}
    merged: dict[int, list[int]] = {}
    for node in sorted(born):
        site = fn.sites[node]
        merged.setdefault(first.setdefault(site.span if site else node, node), []).extend(born[node])
    return merged


def _by_cure(found: list[Diagnostic]) -> list[Diagnostic]:
    """Warnings that end in the same spelling are one, with a label for each place."""
    merged: dict[Any, Diagnostic] = {}
    for k, one in enumerate(found):
        key = one.hint or k
        first = merged.get(key)
        merged[key] = one if first is None else first._replace(labels=first.labels + one.labels)
    return list(merged.values())


def _birth(fn: Fn, slots: Slots, out: int) -> list[int]:
    """The non-finite nodes from a result down to the first one whose arguments are all finite."""
    path = [out]
    while True:
        op, args, _, _ = fn.nodes[path[-1]]
        if op is select:
            args = (args[1] if slots[args[0]] else args[2],)
        bad = [j for j in args if j in slots and not _finite(slots[j])]
        if not bad:
            return path
        path.append(min(bad, key=lambda j: (fn.sites[j].order if fn.sites[j] else 0, j)))


def _warning(  # noqa: PLR0913, PLR0917 (what is known of one birth)
    fn: Fn, expanded: Fn, slots: Slots, node: int, which: list[int], values: Mapping[str, Any], wrt: Sequence[str]
) -> Diagnostic:
    from .cures import cure
    from .limits import limit

    op, args, attr, _ = expanded.nodes[node]
    site = expanded.sites[node]
    result = number(slots[node])
    names = listed([f"`{expanded.names[k]}`" for k in which]) if len(which) <= MOST else f"{len(which)} results"
    verb = "is" if len(which) == 1 else "are"
    if op is PARAM:
        return _given(f"{names} {verb} not finite because `{attr}` is {result}", site)
    if op is CONST:
        return _given(f"{names} {verb} not finite because of the constant {attr}", site)
    origin = f"the derivative of `{site.span.text}`" if site and site.order else f"`{site.span.text}`" if site else op.name
    met = spoken(op, [slots[j] for j in args], attr)
    labels = (Label(site.span, f"{met} is {result}"),) if site else ()
    notes = limit(fn, values, wrt)
    domain = _domain(expanded, node) if result == "nan" and site and not site.order else ()
    hint = cure(expanded, slots, site.span) if site else None
    return Diagnostic("not-finite", f"{names} {verb} not finite: it began in {_short(origin)}", labels, (*domain, *notes), hint, "warning")


def _domain(fn: Fn, node: int) -> tuple[str, ...]:
    """Where the op is defined, in the user's own words for its arguments."""
    op, args, _, _ = fn.nodes[node]
    if not op.domain or op.infix and op.infix.symbol == "/":
        return ()
    said = {p.name: _short(f"`{fn.sites[j].span.text}`") for p, j in zip(op.parameters, args, strict=False) if fn.sites[j]}  # type: ignore[union-attr]
    words = [said.get(word, word) for word in op.domain.split(" ")]
    return (f"`{op.infix.symbol if op.infix else op.name}` is defined for {' '.join(words)}",)


def _given(message: str, site: Any) -> Diagnostic:
    return Diagnostic("not-finite", message, (Label(site.span),) if site else (), severity="warning")


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 2]}…`"


def _finite(value: Any) -> bool:
    return bool(value - value == 0)
