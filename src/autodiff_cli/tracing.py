"""What `trace` calls: a program and the values of its variables in, the forward and the backward pass as a `Report` out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .diagnostics import Diagnostic, Label
from .report import Entry, Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .lower import Lowered
    from .report import Value

MOST = 60  # steps that are told to people


def trace(
    lowered: Lowered, values: Mapping[str, Value], wrt: Sequence[str], most: int | None = MOST, mark: Callable[[str], None] = lambda _: None
) -> Report:  # fmt: skip
    """Every step at a point; of more than `most` the first and the last ones (None: all of them)."""
    from .emit.passes import document
    from .emit.telling import passes
    from .notes import about

    found = passes(lowered.fn, values, wrt, most)
    mark("run")
    results = [found.value[1], *[value for _, value in found.gradient]]
    names = ["value", *[f"d_{name}" for name, _ in found.gradient]]
    entries = tuple([Entry(name, (name,), value) for name, value in zip(names, results, strict=True)])
    notes = (*lowered.notes, *_from_an_array(lowered), *about(found.fn.called(names), values, wrt, results))
    mark("notes")
    return Report("trace", entries, values, document=document(found), notes=notes, passes=found)


def _from_an_array(lowered: Lowered) -> list[Diagnostic]:
    fn = lowered.fn
    shape, site = fn.nodes[fn.outs[0]].type.shape, fn.sites[fn.outs[0]]
    if not shape:
        return []
    message = f"the value has shape {shape}: the backward pass starts with 1 in every entry, so it is the gradient of the sum"
    return [Diagnostic("array-traced", message, (Label(site.span),) if site else (), severity="note")]
