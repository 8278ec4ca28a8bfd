"""A recorded sweep in; its steps with their names out: which nodes a reader sees, and what stands inside each of them."""

from __future__ import annotations

from functools import cache
from re import fullmatch
from typing import TYPE_CHECKING, NamedTuple

from ..derive.recorded import local
from ..diagnostics import Source
from ..graph import BROADCAST, NAME, PARAM, Expr, Fn, Graph, Node
from ..ops import OPS
from ..ops.structured import call_, loop_, out_, scanned
from ..simplify.spelled import spelled
from ..types import REAL
from .arrays import vector_product
from .drawing import assigned
from .text import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..derive.recorded import Recorded

LETTERS = "vwuts"
MATMUL, MUL = OPS["matmul"], OPS["mul"]
MOVED = (OPS["reshaped"], OPS["permuted"])
VIEWS = (BROADCAST, OPS["reshaped"], OPS["permuted"], OPS["argsort"], OPS["place_below"], OPS["class_number"], scanned)
PLACED = (OPS["scatter"], OPS["scatter_along"])
SAID = (NAME, OPS["real"])  # hidden, and written as what is in them
LONGEST = 160
MACRON, OVERLINE = "\u0304", "\u0305"


class Formula(NamedTuple):
    """An expression over the names of other steps."""

    nodes: Sequence[Node]
    out: int

    def text(self) -> str:
        """It as the language writes it, cut where it is long."""
        node = self.nodes[self.out]
        if node.op in PLACED:
            amount, places = (text(self.nodes, j, LONGEST) for j in node.args)
            return f"{amount} at {places}, 0 elsewhere"
        return text(self.nodes, self.out, LONGEST)

    def latex(self) -> str:
        """It as LaTeX of the package amsmath."""
        from .latex import escaped, latex

        node = self.nodes[self.out]
        if node.op in PLACED:
            amount, places = (latex(self.nodes, j) for j in node.args)
            return rf"{amount} \text{{ at }} {places} \text{{, 0 elsewhere}}"
        return latex(self.nodes, self.out) if len(self.text()) <= LONGEST else rf"\text{{{escaped(self.text())}}}"

    def hidden(self) -> bool:
        """Whether an operation in it has no name that people know."""
        todo, seen = [self.out], set()
        while todo:
            op, args, _, _ = self.nodes[todo[-1]]
            if op.rule == "elementwise" and op.hidden and op not in (*SAID, *VIEWS):
                return True
            seen.add(todo.pop())
            todo += [j for j in args if j not in seen]
        return False

    def spoken(self) -> Formula | None:
        """The same in words that people know, if there are any for all of it."""
        found = self.plainly()
        return None if found.hidden() else found

    def plainly(self) -> Formula:
        """With hidden operations as people write them, as far as the language has words."""
        graph, env = Graph(), list[int]()
        for op, args, attr, type in self.nodes:
            env.append(graph.intern(op, tuple([env[j] for j in args]), attr, type))
        fn, _ = spelled(Fn(graph, (), [Expr(graph, env[self.out])], ["formula"]), names=True)
        return Formula(fn.nodes, fn.outs[0])


class Steps(NamedTuple):
    """`order` are the nodes a reader sees, inputs first; `inner` what stands inside each; `owner` the step of every node; `names`
    what they are called; `shared` views that stand inside several steps.
    """

    recorded: Recorded
    order: tuple[int, ...]
    inner: Mapping[int, tuple[int, ...]]
    owner: Mapping[int, int]
    names: Mapping[int, str]
    shared: frozenset[int]

    def isinput(self, i: int) -> bool:
        """Whether a step is an input."""
        return self.recorded.graph.nodes[i].op is PARAM

    def arguments(self, root: int) -> list[int]:
        """The steps that a step reads."""
        found: dict[int, None] = {}
        for i in (*self.inner[root], root):
            found.update(dict.fromkeys([j for j in self.recorded.graph.nodes[i].args if j in self.names]))
        return list(found)


def steps(recorded: Recorded) -> Steps:
    """The steps of the value."""
    fn = recorded.run(())
    needed = fn.only(0).needs()
    inside = _inside(fn, needed)
    owner: dict[int, int] = {}
    inner: dict[int, list[int]] = {}
    for i in reversed(needed):
        owner[i] = owner[inside[i]] if i in inside else i
        inner.setdefault(owner[i], [])
        if i in inside:
            inner[owner[i]].append(i)
    shared = _shared(fn, needed, inside, owner)
    for i, roots in shared.items():
        for root in roots:
            inner[root].append(i)
    seen = [i for i in needed if i not in inside and i not in shared and (not _isconstant(fn, i) or i == fn.outs[0])]
    seen = [i for i in seen if fn.nodes[i].op is not loop_]
    order = [*[i for i in seen if fn.nodes[i].op is PARAM], *[i for i in seen if fn.nodes[i].op is not PARAM]]
    return Steps(
        recorded, tuple(order), {i: tuple(sorted(found)) for i, found in inner.items()}, owner, _names(fn, order), frozenset(shared)
    )


def _shared(fn: Fn, needed: Sequence[int], inside: Mapping[int, int], owner: Mapping[int, int]) -> dict[int, list[int]]:
    """Views that several steps read, each once: they are written inside each of these steps."""
    roots: dict[int, list[int]] = {}
    for i in needed:
        for j in fn.nodes[i].args:
            if fn.nodes[j].op in MOVED and j not in inside and j not in fn.outs[:1] and not _isconstant(fn, j):
                roots.setdefault(j, []).append(owner[i])
    found = {}
    for j, readers in roots.items():
        plain = all(fn.nodes[i].op not in (loop_, call_) for i in readers) and fn.nodes[j].args[0] not in (*inside, *roots)
        if plain and len(set(readers)) == len(readers) and not _isproduct(fn, j):
            found[j] = readers
    return found


def _isproduct(fn: Fn, i: int) -> bool:
    """Whether a node is a product with a vector, which is no view."""
    return fn.nodes[i].op in MOVED and vector_product(fn.nodes, fn.nodes[i]) is not None


def _inside(fn: Fn, needed: Sequence[int]) -> dict[int, int]:
    """Nodes that are only a way of reading another one, as a view of an array is: the one node that reads each of them."""
    readers: dict[int, set[int]] = {}
    for i in needed:
        for j in fn.nodes[i].args:
            readers.setdefault(j, set()).add(i)
    found: dict[int, int] = {}
    for i in needed:
        if len(readers.get(i, ())) == 1 and i not in fn.outs[:1] and not _isconstant(fn, i):
            (reader,) = readers[i]
            view = fn.nodes[i].op is scanned or fn.nodes[i].op in VIEWS and fn.nodes[i].args[0] not in found
            if view or fn.nodes[i].op is MATMUL and vector_product(fn.nodes, fn.nodes[reader]) is not None:
                found[i] = reader
    return found


def _isconstant(fn: Fn, i: int) -> bool:
    """A constant, or a stretched one, is written where it is used."""
    node = fn.nodes[i]
    while node.op is BROADCAST:
        node = fn.nodes[node.args[0]]
    return node.op is not PARAM and node.op.rule == "leaf"


def _names(fn: Fn, order: Sequence[int]) -> dict[int, str]:
    """The program's own names where it gives a name once, else v1, v2, …"""
    given = {i: fn.nodes[i].attr for i in order if fn.nodes[i].op is PARAM}
    asked = {i: fn.nodes[i].attr[0] for i in order if fn.nodes[i].op is NAME}
    looped = {i: name for i in order if (name := program_name(fn, i))}
    called = {i: name for i, name in (assigned(fn) | looped).items() if i in set(order) - set(given) and name not in asked.values()} | asked
    known = [*given.values(), *called.values()]
    letter = next((c for c in LETTERS if not any(fullmatch(rf"{c}\d*", name) for name in known)), "step")
    names, count = dict(given), 0
    for i in order:
        if i in called and known.count(called[i]) == 1:
            names[i] = called[i]
        elif i not in given:
            count += 1
            names[i] = f"{letter}{count}"
    return names


def barred(name: str) -> str:
    """The name of the cotangent of what is called so."""
    one = len(name) == 1 or not any(c.isalpha() or c.isspace() for c in name[1:])
    return name[0] + MACRON + name[1:] if one else "".join([c + OVERLINE for c in name])


class Written:
    """One step by itself: what it computes, and what it gives back for a cotangent."""

    def __init__(self, steps: Steps, root: int) -> None:
        self.name, self.local = steps.names[root], local(steps.recorded, root, steps.inner[root], steps.names, barred(steps.names[root]))
        self.me, self.nodes = self.local.of[root], self.local.graph.nodes

    def operation(self) -> Formula:
        """What the step computes, over the names of what it reads."""
        found = Formula(self.nodes, self.me)
        return found.plainly() if found.hidden() else found

    def share(self, node: int, place: int) -> Formula | None:
        """What the step gives back to the argument at `place` of a node in it, where that can be written."""
        found = self._formula(self.local.found.get((node, place)))
        if found is None or not found.hidden():
            return found
        rule = as_written(self.nodes, self.local.of[node], place)
        return self._times(rule) if rule else found.spoken()

    def partial(self, node: int, place: int) -> Formula | None:
        """The local partial by that argument, where there is one that can be written."""
        found = self._formula(self.local.partial(node, place))
        if found is None or not found.hidden():
            return found and _unstretched(found)
        return as_written(self.nodes, self.local.of[node], place) or found.spoken()

    def _times(self, partial: Formula) -> Formula:
        at, bar = len(partial.nodes), Node(PARAM, (), barred(self.name), REAL)
        return Formula([*partial.nodes, bar, Node(MUL, (at, partial.out), None, REAL)], at + 1)

    def _formula(self, e: Expr | None) -> Formula | None:
        """An expression over the step's own name too."""
        if e is None:
            return None
        nodes = list(self.nodes)
        nodes[self.me] = Node(PARAM, (), self.name, nodes[self.me].type)
        return Formula(nodes, e.id)


def as_written(nodes: Sequence[Node], i: int, place: int) -> Formula | None:
    """The partial of node i as the op table writes it for people, over the node's own arguments."""
    op, args, _, _ = nodes[i]
    names = ["x", "y"][: len(args)] if op.variadic else [p.name for p in op.parameters if not p.static]
    if len(args) > len(names) or place >= len(names) or names[place] not in op.written:
        return None
    rule = op.written[names[place]].partition("#")[0]
    if not rule.strip():
        return None
    fn = _lowered(rule)
    given = {name: nodes[j] for name, j in zip(names, args, strict=False)}
    if any(name not in given for name, _ in fn.params):
        return None  # the rule of a form with more arguments
    return Formula([_given(given.get(node.attr, node), nodes) if node.op is PARAM else node for node in fn.nodes], fn.outs[0])


@cache
def _lowered(rule: str) -> Fn:
    from ..lower import lower
    from ..run.floats import constant
    from ..syntax import parse

    source = Source("rule", rule)
    return lower(parse(source), source, {}, (), constant).fn


def _given(node: Node, nodes: Sequence[Node]) -> Node:
    """An argument in a rule, which is one of numbers; one that was stretched stands as it was before."""
    while node.op is BROADCAST:
        node = nodes[node.args[0]]
    return node._replace(type=REAL)


def _unstretched(formula: Formula) -> Formula:
    nodes, i = formula
    while nodes[i].op is BROADCAST:
        i = nodes[i].args[0]
    return Formula(nodes, i)


def program_name(fn: Fn, i: int) -> str | None:
    """What the program calls the result of a loop that an `out` node takes."""
    op, args, k, _ = fn.nodes[i]
    names = fn.nodes[args[0]].attr.fn.names if op is out_ else ()
    return names[k] if names and k < len(names) and names[k].isidentifier() else None
