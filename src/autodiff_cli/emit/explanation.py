"""What was understood of a text in; a document for machines and a text for people out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST
from ..report import shown
from ..syntax import parse
from . import outline
from .brackets import brackets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..diagnostics import Source
    from ..lower import Lowered
    from ..report import Value
    from ..types import Type

DIGITS = 12
CONSTANTS = ("pi", "e")
KINDS = {"real": "number", "bool": "condition"}


def described(
    source: Source, lowered: Lowered, values: Mapping[str, Value], origins: Mapping[str, str], wrt: Sequence[str]
) -> dict[str, Any]:
    """Everything that `explain` says, in the order in which it says it."""
    tree = parse(source)
    types = dict(lowered.fn.params)
    used = {lowered.fn.nodes[i].attr for i in lowered.fn.needs() if lowered.fn.nodes[i].op is CONST}
    return {
        "expression": list(brackets(tree)),
        "variables": [
            {"name": name, "value": values.get(name), "from": origins.get(name), **_typed(types[name]), "static": name in lowered.statics}
            for name in lowered.free
        ],
        "constants": [name for name in CONSTANTS if name in used],
        "assigned": list(lowered.assigned),
        "functions": outline.functions(tree, lowered),
        "loops": outline.loops(tree, source, lowered),
        "differentiated": list(wrt),
        "value": _typed(lowered.fn.nodes[lowered.fn.outs[0]].type),
    }


def _typed(kind: Type) -> dict[str, Any]:
    return {"kind": KINDS[kind.kind], "shape": list(kind.shape)}


def written(document: Mapping[str, Any], lowered: Lowered) -> str:
    """The same for people: a title and a line for each thing."""
    blocks = [("expression", document["expression"])]
    blocks += [("variables", _columns([_variable(v, lowered) for v in document["variables"]]) or ["none"])]
    blocks += [(title, [", ".join(document[title])]) for title in ("constants", "assigned") if document[title]]
    blocks += outline.said(document)
    blocks += [("derivatives", [f"by {', '.join(document['differentiated'])}" if document["differentiated"] else "by nothing"])]
    blocks += [("value", [_one(document["value"])])]
    return "".join([f"{title if not k else '':<13}{line}\n" for title, lines in blocks for k, line in enumerate(lines)])


def _variable(variable: Mapping[str, Any], lowered: Lowered) -> tuple[str, ...]:
    name, value = variable["name"], variable["value"]
    number = "no value" if value is None else shown(value, DIGITS)
    static = f"static: it decides `{lowered.statics[name].text}`" if variable["static"] else ""
    return (name, number, _one(variable), f"from {variable['from']}" if variable["from"] else "", static)


def _one(thing: Mapping[str, Any]) -> str:
    return f"one {thing['kind']}" if not thing["shape"] else f"an array of {' by '.join(map(str, thing['shape']))} {thing['kind']}s"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=True)]).rstrip() for row in rows]
