"""A function whose nodes know where they were written in; the nodes that one call of the language made, as one step, out.

Only calls count whose entry says what it hands back (`Op.back`). That the nodes are what the call makes is not guessed: the call is
made again, over inputs of the same types, and compared.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from re import escape, search
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError
from ..graph import BROADCAST, CONST, NAME, PARAM, Expr, Fn, Graph, Node
from ..op import Op
from ..ops import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..diagnostics import Source
    from ..syntax import Tree

    Nodes = Sequence[Node]
    Calls = Mapping[tuple[int, int], Tree]

KNOWN = {"True": True, "False": False, "None": None}
MOST = 3  # arguments that are arrays


class Whole(NamedTuple):
    """One call: its entry, what it is called by, its arguments by parameter (a node, or the text of a constant), what is given of
    what is static, all that is static, and the nodes that it made but the last.
    """

    op: Op
    name: str
    args: Mapping[str, int | str]
    named: tuple[tuple[str, Any], ...]
    statics: Mapping[str, Any]
    inner: tuple[int, ...]

    def parameter(self, i: int) -> str | None:
        """The parameter that a node is given for."""
        return next((name for name, j in self.args.items() if j == i), None)


@cache
def called(name: str) -> Op:
    """An entry to write a call with, as it is."""
    return Op(name, "function")


def wholes(fn: Fn, needed: Sequence[int], moving: frozenset[int]) -> dict[int, Whole]:
    """The calls whose every argument that is in `moving` has a rule, by the node that each ends in."""
    site = fn.sites[fn.outs[0]]
    calls = _calls(site.span.source) if site else {}
    if site is None or not calls:
        return {}
    groups, tree = _groups(fn, needed, calls, site.span.source)
    found = {}
    todo = [(root, inner, tree[root]) for root, inner in groups.items()]
    while todo:
        root, inner, call = todo.pop()
        whole, rest = _first(fn, root, inner, call)
        todo += [(cut, below, call) for cut, below in rest]
        if whole and all(name in whole.op.back for name, i in whole.args.items() if i in moving):
            found[root] = whole
    return found


def _first(fn: Fn, root: int, inner: Sequence[int], call: Tree) -> tuple[Whole | None, list[tuple[int, list[int]]]]:
    """The call that ends in a node; of calls of one text, each of the last one's value, the last, and what is left of the others."""
    whole = _whole(fn, root, inner, call)
    if whole:
        return whole, []
    for cut in [i for i in inner if fn.nodes[i].op is fn.nodes[root].op and fn.nodes[i].type == fn.nodes[root].type]:
        mine = _above(fn.nodes, root, cut, set(inner))
        below = [i for i in inner if i not in mine and i != cut]
        if not any(j in below for i in (*mine, root) for j in fn.nodes[i].args):
            whole = _whole(fn, root, sorted(mine, reverse=True), call)
            if whole:
                return whole, [(cut, below)]
    return None, []


def _above(nodes: Nodes, root: int, cut: int, inner: set[int]) -> set[int]:
    """The nodes of a group that the root is made of without going through the cut."""
    found, todo = set[int](), [root]
    while todo:
        more = [j for j in nodes[todo.pop()].args if j in inner and j != cut and j not in found]
        found.update(more)
        todo += more
    return found


@lru_cache(maxsize=4)
def _calls(source: Source) -> Calls:
    """The calls of a program that may be steps, by where they stand."""
    names = [name for name, op in FUNCTIONS.items() if op.back]
    if not search(rf"\b({'|'.join(map(escape, names))})\s*\(", source.text):
        return {}
    from ..syntax import parse
    from ..syntax.tree import walk

    calls = [tree for tree in walk(parse(source)) if tree.kind == "call" and tree.parts[0].kind == "name"]
    return {(tree.start, tree.end): tree for tree in calls if tree.parts[0].parts[0] in names}


def _groups(fn: Fn, needed: Sequence[int], calls: Calls, source: Source) -> tuple[dict[int, list[int]], dict[int, Tree]]:
    """Nodes that one text made and only the last of them reads, by that one; and the text's tree."""
    readers: dict[int, set[int]] = {}
    for i in needed:
        for j in fn.nodes[i].args:
            readers.setdefault(j, set()).add(i)
    root: dict[int, int] = {}
    inner: dict[int, list[int]] = {}
    trees: dict[int, Tree] = {}
    for i in reversed(needed):
        site, node = fn.sites[i], fn.nodes[i]
        tree = calls.get((site.span.start, site.span.end)) if site and not site.order and node.args and node.op is not NAME else None
        if tree is None or site is None or site.span.source != source:
            continue
        of = {root.get(j) for j in readers.get(i, ())}
        (one,) = of if len(of) == 1 else (None,)
        if one is None or trees[one] is not tree or i in fn.outs:
            root[i], trees[i], inner[i] = i, tree, []
        else:
            root[i] = one
            inner[one].append(i)
    return inner, trees


def _whole(fn: Fn, root: int, inner: Sequence[int], tree: Tree) -> Whole | None:
    """The call that made these nodes, if it makes them again."""
    callee, args, keywords = tree.parts
    op = FUNCTIONS[callee.parts[0]]
    bound = [*zip(op.parameters, args, strict=False), *[(p, value) for name, value in keywords for p in op.parameters if p.name == name]]
    if len(bound) != len(args) + len(keywords) or any(p.variadic for p, _ in bound):
        return None
    try:
        statics = {p.name: _static(value) for p, value in bound if p.static}
    except ValueError:
        return None
    given = [(p.name, value) for p, value in bound if not p.static]
    leaves = list(dict.fromkeys([j for i in (*reversed(inner), root) for j in _read(fn.nodes, i) if j not in inner]))
    if not given or len(leaves) > MOST:
        return None
    defaults = {p.name: p.default for p in op.parameters if p.static}
    for chosen in product(*[_choices(value, leaves) for _, value in given]):
        found = dict(zip([name for name, _ in given], chosen, strict=True))
        if set(leaves) == {i for i in chosen if isinstance(i, int)} and len(set(chosen)) == len(chosen):
            whole = Whole(op, callee.parts[0], found, tuple(statics.items()), defaults | statics, tuple(sorted(inner)))
            if _makes(fn, root, whole):
                return whole
    return None


def _choices(value: Tree, leaves: Sequence[int]) -> Sequence[int | str]:
    """What an argument may be: a constant by its text, or one of the nodes that are read."""
    return [value.parts[0]] if value.kind == "number" else leaves


def _read(nodes: Nodes, i: int) -> Iterator[int]:
    """What a node reads, without numbers that are constants."""
    for j in nodes[i].args:
        base = j
        while nodes[base].op is BROADCAST:
            base = nodes[base].args[0]
        if nodes[base].op is not CONST:
            yield j if nodes[base].args or nodes[base].op is PARAM else base


def _static(tree: Tree) -> Any:
    """The value of an argument that is known beforehand; ValueError for one that has to be computed."""
    if tree.kind == "number":
        return float(tree.parts[0])
    if tree.kind == "string":
        return tree.parts[0]
    if tree.kind == "name" and tree.parts[0] in KNOWN:
        return KNOWN[tree.parts[0]]
    if tree.kind == "unary" and tree.parts[0] == "-":
        return -_static(tree.parts[1])
    if tree.kind == "tuple":
        return tuple([_static(part) for part in tree.parts])
    raise ValueError(tree.kind)


def _makes(fn: Fn, root: int, whole: Whole) -> bool:
    """Whether the call over these arguments is what stands here."""
    graph = Graph()
    inputs = {name: graph.param(name, fn.nodes[i].type) if isinstance(i, int) else graph.const(i) for name, i in whole.args.items()}
    try:
        call = whole.op.call or whole.op
        made = call(**inputs, **whole.statics)
    except (AutodiffError, TypeError, ValueError):
        return False
    params = [(name, fn.nodes[i].type) for name, i in whole.args.items() if isinstance(i, int)]
    other, (out,), named = Fn(graph, params, [made], ["value"]).open()
    leaves = {i: named[name].id for name, i in whole.args.items() if isinstance(i, int)}
    return _alike(fn.nodes, root, (other.nodes, out.id), leaves)


def _alike(nodes: Nodes, root: int, other: tuple[Nodes, int], leaves: Mapping[int, int]) -> bool:
    """Whether two nodes are the same over these inputs."""
    others, out = other
    todo, seen = [(root, out)], set[tuple[int, int]]()
    while todo:
        i, j = pair = todo.pop()
        if pair in seen:
            continue
        seen.add(pair)
        if i in leaves:
            if leaves[i] != j:
                return False
            continue
        a, b = nodes[i], others[j]
        if a.op is not b.op or a.attr != b.attr or a.type != b.type or len(a.args) != len(b.args):
            return False
        todo += zip(a.args, b.args, strict=True)
    return True


def textbook(whole: Whole, place: str, args: Mapping[str, Expr], value: Expr, bar: Expr) -> Expr | str | None:
    """What the call hands back to a parameter, over its arguments in a graph."""
    found = whole.op.back[place](value=value, bar=bar, **args, **whole.statics)
    return found if found is None or isinstance(found, str) else bar.graph.lift(found)
