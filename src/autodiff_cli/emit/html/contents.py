"""A picture and both passes over it in; what the script of a page reads out: nodes, steps, inputs and results, ready for JSON."""

from __future__ import annotations

from collections import Counter
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from ...ops.arithmetic import select
from ..graph.words import number, short, sized, title

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ...graph import Fn
    from ...report import Value
    from ..graph.model import Drawing, Node
    from .recording import Recording

LEAVES, BACKWARD = ("variable", "constant"), ("backward", "accumulate")
LONGEST = 120
STEPS = 100  # of a slider
SMALLEST = -300  # exponent of the least that a slider reaches


def contents(fn: Fn, drawing: Drawing, record: Recording | None, digits: int, *, live: bool) -> dict[str, Any]:
    """The data of the page; without a record there is only the picture. Numbers are float64 where the page runs, else texts."""
    text = source(fn)
    takes: dict[str, list[str]] = {node.id: [] for node in drawing.nodes}
    for edge in drawing.edges:
        if edge.kind != "backward":
            takes[edge.target].append(edge.source)
    called = _called(drawing)
    found: dict[str, Any] = {
        "digits": digits, "source": text, "nodes": {node.id: _node(node, takes[node.id], text, record) | {"called": called[node.id]} for node in drawing.nodes},
        "forward": [], "backward": [], "seed": None, "inputs": [], "results": [], "start": {}, "choices": {}, "branches": {},
    }  # fmt: skip
    if record is None:
        return found
    found |= _passes(drawing, record, digits, live=live)
    for id, boxes in _inside(drawing, found["branches"]).items():
        found["nodes"][id]["inside"] = boxes
    return found


def source(fn: Fn) -> str:
    """The text of the program."""
    site = next((site for site in (fn.sites[fn.outs[0]], *fn.sites) if site), None)
    return site.span.source.text if site else ""


def _node(node: Node, takes: list[str], text: str, record: Recording | None) -> dict[str, Any]:
    span = node.span if node.span and node.span.source.text == text else None
    words = " ".join(span.text.split()) if span and node.kind not in LEAVES else ""
    slopes = record.slopes.get(node.id, []) if record else []
    found: dict[str, Any] = {
        "title": title(node), "kind": node.kind, "text": words if len(words) <= LONGEST else words[: LONGEST - 1] + "…",
        "span": [span.start, span.end] if span else None, "takes": list(dict.fromkeys(takes)), "moves": node.moves,
        "slopes": [{"by": s.by, "formula": s.formula} | ({} if s.slot is None else {"slot": s.slot}) for s in slopes],
    }  # fmt: skip
    if node.shape:
        found["shape"] = sized(node.shape)
    if record and node.id in record.values:
        found["value"] = record.values[node.id]
        found["step"] = node.kind not in LEAVES
    if record and node.id in record.gradients:
        found["gradient"] = record.gradients[node.id]
    if record and node.kind in BACKWARD:
        found |= {"moves": True, "unit": node.id[1:]}
    return found


def _called(drawing: Drawing) -> dict[str, str]:
    """What each node is called in a sentence: its name or its text in the program, with more where others are called so; else its title."""
    named = {node.id: _words(node) for node in drawing.nodes}
    titles: dict[str, set[str]] = {}
    for node in drawing.nodes:
        titles.setdefault(named[node.id], set()).add(title(node))
    several = {node.id for node in drawing.nodes if len(titles[named[node.id]]) > 1 and not node.name and named[node.id] != title(node)}
    named |= {node.id: f"{title(node)} in {named[node.id]}" for node in drawing.nodes if node.id in several}
    count, seen = Counter(named.values()), Counter[str]()
    for node in drawing.nodes:
        words = named[node.id]
        seen[words] += 1
        if count[words] > 1 and node.kind != "constant":
            named[node.id] = f"{words} ({seen[words]} of {count[words]})"
    return named


def _words(node: Node) -> str:
    """The name of a node, or its text in the program on a short line, or what it does."""
    if node.name and node.kind != "folded":
        return short(node.name)
    plain = node.kind in ("operation", "choice", "output")
    return short(" ".join(node.span.text.strip().partition("\n")[0].split()).removesuffix(":")) if node.span and plain else title(node)


def _passes(drawing: Drawing, record: Recording, digits: int, *, live: bool) -> dict[str, Any]:
    """Both passes, step by step."""
    steps = [
        {"from": s.source, "to": s.target, "amount": s.amount, "total": s.total}
        | ({} if s.held is None else {"held": s.held})
        | ({} if s.when is None else {"when": s.when})
        for s in record.backward
    ]
    return {
        "forward": [node.id for node in drawing.nodes if node.kind not in LEAVES and node.id in record.values],
        "backward": steps, "seed": record.seed,
        "inputs": [_input(name, record.point[name], digits, live=live) for name, _ in record.program.fn.params],
        "results": [[name, i] for name, i in record.results],
        "start": {} if live else _start(record, digits),
        "choices": dict(_choices(drawing, record)), "branches": _branches(drawing, record) if live else {},
    }  # fmt: skip


def _input(name: str, value: Value, digits: int, *, live: bool) -> dict[str, Any]:
    """A variable, and how far its slider goes: as far again on either side."""
    if not live or isinstance(value, bool):
        return {"name": name, "value": value} if isinstance(value, bool) else {"name": name, "text": number(value, digits), "value": None}
    if not isfinite(value):
        return {"name": name, "value": number(value, digits), "low": -1.0, "high": 1.0, "step": 2 / STEPS}
    reach = 10.0 ** max(floor(log10(abs(value))) if value else 0, SMALLEST)
    reach = next(r for r in (reach, 2 * reach, 5 * reach, 10 * reach) if r >= abs(value))
    low, high = value - 2 * reach, value + 2 * reach
    if not isfinite(high - low):
        low, high = min(value, 0.0), max(value, 0.0)
    return {"name": name, "value": value, "low": low, "high": high, "step": min(reach, high - low) / STEPS}


def _start(record: Recording, digits: int) -> dict[int, Any]:
    """What each slot of the page was when Python ran it."""
    used: dict[int, None] = dict.fromkeys([*record.values.values(), *record.gradients.values(), *[i for _, i in record.results]])
    used |= dict.fromkeys([s.slot for found in record.slopes.values() for s in found if s.slot is not None])
    for s in record.backward:
        used |= dict.fromkeys([i for i in (s.amount, s.total, s.held, s.when) if i is not None])
    conditions = {i for s in record.backward for i in (s.held, s.when) if i is not None}
    return {i: _said(record.start[i], digits, condition=i in conditions) for i in sorted(used) if i in record.start}


def _said(value: Value, digits: int, *, condition: bool) -> Any:
    if isinstance(value, bool) or (isinstance(value, float) and isfinite(value)):
        return value
    return bool(value.any()) if condition else number(value, digits)


def _choices(drawing: Drawing, record: Recording) -> Iterator[tuple[str, list[Any]]]:
    """For every choice the slot of its condition, and its two sides."""
    roles: dict[str, dict[str, str]] = {}
    for edge in drawing.edges:
        if edge.role in ("condition", "then", "else"):
            roles.setdefault(edge.target, {})[edge.role] = edge.source
    for node in drawing.nodes:
        found = roles.get(node.id, {})
        if node.op == select.name and len(found) == 3 and found["condition"] in record.values:
            yield node.id, [record.values[found["condition"]], found["then"], found["else"]]


def _branches(drawing: Drawing, record: Recording) -> dict[str, list[tuple[int, bool]]]:
    """The branches that are drawn, with what must hold for each to be taken: slots of conditions, and what these must be."""
    drawn = [cluster.id for cluster in drawing.clusters if cluster.kind == "branch"]
    return {id: record.branches[id] for id in drawn if id in record.branches}


def _inside(drawing: Drawing, branches: Collection[str]) -> dict[str, list[str]]:
    """The branches round every node that stands in one; constants are there in any case."""
    round_: dict[str, list[str]] = {"": []}
    for cluster in drawing.clusters:
        round_[cluster.id] = [*round_[cluster.parent], *([cluster.id] if cluster.id in branches else [])]
    return {node.id: round_[node.cluster] for node in drawing.nodes if node.kind not in LEAVES and round_[node.cluster]}
