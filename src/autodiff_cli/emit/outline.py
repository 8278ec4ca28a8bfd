"""The tree of a program and what it was lowered to in; its functions and its loops, for people and machines, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST
from ..ops.structured import call_, loop_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..diagnostics import Source
    from ..graph import Fn, Node
    from ..lower import Lowered
    from ..syntax import Tree

LOOPS = ("for", "while")
RULES = ("derivative", "pullback")


def functions(tree: Tree, lowered: Lowered) -> list[dict[str, Any]]:
    """The functions of the text in order: parameters, how often each was written out, and the kind of its own rule, if it has one."""
    rules = dict(_rules(tree))
    found = []
    for statement in tree.parts:
        name = statement.parts[0] if statement.kind == "def" else None
        if name and not statement.parts[3]:
            params = [param.parts[0] for param in statement.parts[1]]
            found.append({"name": name, "parameters": params, "calls": lowered.calls.get(name, 0), "rule": rules.get(name)})
    return found


def _rules(tree: Tree) -> Iterator[tuple[str, str]]:
    """The functions that have a rule of their own, and its kind."""
    for statement in tree.parts:
        for decorator in statement.parts[3] if statement.kind == "def" else ():
            callee, args, _ = decorator.parts
            if callee.parts[0] in RULES and args:
                yield args[0].parts[0], callee.parts[0]


def loops(tree: Tree, source: Source, lowered: Lowered) -> list[dict[str, Any]]:
    """The loops of the text in order: the heading, what each carries from turn to turn, and its turns; one that is no node was written out."""
    nodes = dict(_nodes(lowered.fn, source))
    found = []
    for loop in _statements(tree):
        text = source.text[loop.start : loop.end].partition("\n")[0].rstrip().removesuffix(":")
        node = nodes.get((loop.start, loop.end))
        names = [] if node is None else [name for name in node[0].attr.fn.names[: node[0].attr.nc] if not name.startswith("@")]
        found.append({"loop": text, "written_out": node is None, "carries": names, "turns": None if node is None else _turns(*node)})
    return found


def _statements(tree: Tree) -> Iterator[Tree]:
    """Every `for` and `while`, as they stand in the text."""
    todo = list(reversed(tree.parts))
    while todo:
        statement = todo.pop()
        if statement.kind in LOOPS:
            yield statement
        blocks = [part for part in statement.parts if isinstance(part, tuple)] if statement.kind in (*LOOPS, "if", "def") else []
        todo += [child for block in reversed(blocks) for child in reversed(block) if type(child) is type(tree)]


def _nodes(fn: Fn, source: Source) -> Iterator[tuple[tuple[int, int], tuple[Node, Fn]]]:
    """The loops of a function and of the bodies in it, by where they stand in the text."""
    todo = [fn]
    for one in todo:
        for i in one.needs():
            node, site = one.nodes[i], one.sites[i]
            if node.op in (loop_, call_):
                todo.append(node.attr.fn)
            if node.op is loop_ and site and not site.order and site.span.source == source:
                yield (site.span.start, site.span.end), (node, one)


def _turns(node: Node, fn: Fn) -> int | None:
    """How many turns there will be, where that is known beforehand."""
    count = fn.nodes[node.args[0]]
    known = node.attr.test is None and count.op is CONST and count.attr.isdigit()
    return int(count.attr) if known else None


def said(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The same for people: a title and a line for each."""
    blocks = []
    if document["functions"]:
        blocks.append(("functions", [_function(function) for function in document["functions"]]))
    if document["loops"]:
        blocks.append(("loops", [_loop(loop) for loop in document["loops"]]))
    return blocks


def _function(function: Mapping[str, Any]) -> str:
    count = function["calls"]
    calls = "not called" if not count else f"{count:,} different calls" if count > 1 else "1 call"
    rule = f", with @{function['rule']}" if function["rule"] else ""
    return f"{function['name']}({', '.join(function['parameters'])})  {calls}{rule}"


def _loop(loop: Mapping[str, Any]) -> str:
    if loop["written_out"]:
        return f"{loop['loop']}  written out turn by turn"
    turns = "as many turns as the data needs" if loop["turns"] is None else f"{loop['turns']:,} turns"
    return f"{loop['loop']}  {turns}, carries {', '.join(loop['carries']) or 'nothing'}"
