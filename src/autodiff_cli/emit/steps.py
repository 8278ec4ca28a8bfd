"""A recorded sweep in; its steps with their names out: which nodes a reader sees, and what stands inside each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..derive.recorded import local
from ..graph import BROADCAST, PARAM, Expr, Fn, Graph, Node
from ..ops import OPS
from ..ops.structured import call_, loop_, scanned
from ..types import REAL, is_sequence
from .arrays import vector_product
from .formulas import VIEWS, Formula, as_written, unstretched
from .naming import barred, names_of
from .wholes import Whole, called, textbook, wholes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ..derive.recorded import Recorded

MATMUL, MUL = OPS["matmul"], OPS["mul"]
MOVED = (OPS["reshaped"], OPS["permuted"])


class Steps(NamedTuple):
    """`order` are the nodes a reader sees, inputs first; `inner` what stands inside each; `owner` the step of every node; `names`
    what they are called; `shared` views that stand inside several steps; `wholes` the steps that are one call of the language.
    """

    recorded: Recorded
    order: tuple[int, ...]
    inner: Mapping[int, tuple[int, ...]]
    owner: Mapping[int, int]
    names: Mapping[int, str]
    shared: frozenset[int]
    wholes: Mapping[int, Whole]

    def isinput(self, i: int) -> bool:
        """Whether a step is an input."""
        return self.recorded.graph.nodes[i].op is PARAM

    def arguments(self, root: int) -> list[int]:
        """The steps that a step reads."""
        if root in self.wholes:
            return [i for i in self.wholes[root].args.values() if isinstance(i, int) and i in self.names]
        nodes, found, todo = self.recorded.graph.nodes, dict[int, None](), [root, *reversed(self.inner[root])]
        while todo:
            for j in nodes[todo.pop()].args:
                if j in self.names:
                    found[j] = None
                elif _inloop(nodes, j):
                    todo.append(j)
        return list(found)


def steps(recorded: Recorded) -> Steps:
    """The steps of the value."""
    fn = recorded.run(())
    needed = fn.only(0).needs()
    whole = wholes(fn, needed, recorded.path)
    made = {i: root for root, call in whole.items() for i in call.inner}
    inside = _inside(fn, needed, made.keys() | whole.keys()) | made
    owner: dict[int, int] = {}
    inner: dict[int, list[int]] = {}
    for i in reversed(needed):
        owner[i] = owner[inside[i]] if i in inside else i
        inner.setdefault(owner[i], [])
        if i in inside:
            inner[owner[i]].append(i)
    shared = _shared(fn, needed, inside, owner, whole)
    for i, roots in shared.items():
        for root in roots:
            inner[root].append(i)
    seen = [i for i in needed if i not in inside and i not in shared and (not _isconstant(fn, i) or i == fn.outs[0])]
    seen = [i for i in seen if not _inloop(fn.nodes, i)]
    order = [*[i for i in seen if fn.nodes[i].op is PARAM], *[i for i in seen if fn.nodes[i].op is not PARAM]]
    return Steps(
        recorded,
        tuple(order),
        {i: tuple(sorted(found)) for i, found in inner.items()},
        owner,
        names_of(fn, order, whole),
        frozenset(shared),
        whole,
    )


def _inloop(nodes: Sequence[Node], i: int) -> bool:
    """Whether a node is a loop, or what it had turn by turn, which only another loop reads."""
    return nodes[i].op is loop_ or is_sequence(nodes[i].type)


def _shared(
    fn: Fn, needed: Sequence[int], inside: Mapping[int, int], owner: Mapping[int, int], whole: Mapping[int, Whole]
) -> dict[int, list[int]]:
    """Views that several steps read, each once: they are written inside each of these steps."""
    roots: dict[int, list[int]] = {}
    for i in needed:
        for j in fn.nodes[i].args:
            if fn.nodes[j].op in MOVED and j not in inside and j not in fn.outs[:1] and not _isconstant(fn, j):
                roots.setdefault(j, []).append(owner[i])
    found = {}
    for j, readers in roots.items():
        plain = all(fn.nodes[i].op not in (loop_, call_) and i not in whole for i in readers) and fn.nodes[j].args[0] not in (
            *inside,
            *roots,
        )
        if plain and len(set(readers)) == len(readers) and not _isproduct(fn, j):
            found[j] = readers
    return found


def _isproduct(fn: Fn, i: int) -> bool:
    """Whether a node is a product with a vector, which is no view."""
    return fn.nodes[i].op in MOVED and vector_product(fn.nodes, fn.nodes[i]) is not None


def _inside(fn: Fn, needed: Sequence[int], grouped: AbstractSet[int]) -> dict[int, int]:
    """Nodes that are only a way of reading another one, as a view of an array is: the one node that reads each of them. What a call
    that is `grouped` reads is a step.
    """
    readers: dict[int, set[int]] = {}
    for i in needed:
        for j in fn.nodes[i].args:
            readers.setdefault(j, set()).add(i)
    found: dict[int, int] = {}
    for i in needed:
        if len(readers.get(i, ())) == 1 and i not in fn.outs[:1] and not _isconstant(fn, i):
            (reader,) = readers[i]
            if reader in grouped or i in grouped:
                continue
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


class Written:
    """One step by itself: what it computes, and what it gives back for a cotangent."""

    def __init__(self, steps: Steps, root: int) -> None:
        self.name, self.local = steps.names[root], local(steps.recorded, root, steps.inner[root], steps.names, barred(steps.names[root]))
        self.me, self.nodes = self.local.of[root], self.local.graph.nodes
        self.whole = steps.wholes.get(root)

    def operation(self) -> Formula:
        """What the step computes, over the names of what it reads."""
        if self.whole:
            graph, args = self._arguments(self.whole)
            call = graph.intern(
                called(self.whole.name), tuple([e.id for e in args.values()]), self.whole.named or None, self.nodes[self.me].type
            )
            return Formula(graph.nodes, call)
        found = Formula(self.nodes, self.me)
        return found.plainly() if found.hidden() else found

    def times(self, partial: float) -> Formula:
        """The cotangent times a number."""
        graph = Graph()
        return Formula(graph.nodes, (graph.param(barred(self.name)) * partial).id)

    def textbook(self, node: int) -> Formula | str | None:
        """What the step, one call of the language, gives back to an argument, as a textbook writes it."""
        place = self.whole and self.whole.parameter(node)
        if self.whole is None or place is None:
            return None
        graph, args = self._arguments(self.whole)
        type = self.nodes[self.me].type
        found = textbook(self.whole, place, args, graph.param(self.name, type), graph.param(barred(self.name), type))
        return Formula(graph.nodes, found.id) if isinstance(found, Expr) else found and found.format(bar=barred(self.name))

    def factor(self, rule: Formula | str | None) -> Formula | None:
        """The local partial in a textbook's rule, where the rule is the cotangent, one number, times it."""
        if not isinstance(rule, Formula) or rule.nodes[rule.out].op is not MUL:
            return None
        bar, partial = [unstretched(Formula(rule.nodes, i)) for i in rule.nodes[rule.out].args]
        node = rule.nodes[bar.out]
        return partial if node.op is PARAM and node.attr == barred(self.name) and not node.type.shape else None

    def _arguments(self, whole: Whole) -> tuple[Graph, dict[str, Expr]]:
        """The arguments of the call, in a graph of their own."""
        graph, env = Graph(), dict[int, int]()
        for i in range(self.me):
            op, args, attr, type = self.nodes[i]
            env[i] = graph.intern(op, tuple([env[j] for j in args]), attr, type)
        return graph, {name: graph.const(i) if isinstance(i, str) else Expr(graph, env[self.local.of[i]]) for name, i in whole.args.items()}

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
            return found and unstretched(found)
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
