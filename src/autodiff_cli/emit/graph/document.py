"""A picture in, a document for machines out: nodes, edges and clusters with everything that is known of them; docs/graph.md has the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...diagnostics import Span
    from .model import Drawing


def document(drawing: Drawing) -> dict[str, Any]:
    """The picture as lists of objects with the same keys in the same order; spans are places in `sources`."""
    sources: dict[str, str] = {}
    nodes = [_written(node, sources) for node in drawing.nodes]
    clusters = [_written(cluster, sources) for cluster in drawing.clusters]
    edges = [edge._asdict() for edge in drawing.edges]
    return {"nodes": nodes, "edges": edges, "clusters": clusters, "folded": drawing.folded, "sources": sources}


def _written(part: Any, sources: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = part._asdict()
    if "attr" in fields:
        fields["attr"] = _plain(fields["attr"])
        fields["shape"] = list(fields["shape"])
    fields["span"] = _span(fields["span"], sources)
    return fields


def _plain(attr: Any) -> Any:
    """The static part of an op, where it is made of numbers and texts."""
    if isinstance(attr, tuple):
        return [_plain(part) for part in attr]
    return attr if isinstance(attr, bool | int | float | str) or attr is None else str(attr)


def _span(span: Span | None, sources: dict[str, str]) -> dict[str, Any] | None:
    """Where a part was written: characters counted from 0, the end not among them; the line and column of the first from 1."""
    if span is None:
        return None
    text = span.source.text
    sources.setdefault(span.source.name, text)
    before = text.rfind("\n", 0, span.start) + 1
    line = span.source.line + text.count("\n", 0, span.start)
    return {"source": span.source.name, "start": span.start, "end": span.end, "line": line, "column": span.start - before + 1}
