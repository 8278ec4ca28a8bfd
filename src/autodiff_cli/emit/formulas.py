"""Expressions over the names of steps in; their text and their LaTeX out, in words that people know."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import Source
from ..graph import BROADCAST, NAME, PARAM, Expr, Fn, Graph, Node
from ..ops import OPS
from ..ops.structured import scanned
from ..simplify.spelled import spelled
from ..types import REAL
from .naming import barred
from .text import text

if TYPE_CHECKING:
    from collections.abc import Sequence

VIEWS = (BROADCAST, OPS["reshaped"], OPS["permuted"], OPS["argsort"], OPS["place_below"], OPS["class_number"], scanned)
PLACED = (OPS["scatter"], OPS["scatter_along"])
SAID = (NAME, OPS["real"])  # hidden, and written as what is in them
LONGEST = 160


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


class Slope(NamedTuple):
    """A share that has no formula of its own: the cotangent of a step times the local partial by an argument."""

    step: str
    argument: str

    def text(self) -> str:
        """It in one line."""
        return f"{barred(self.step)}*∂{self.step}/∂{self.argument}"

    def latex(self) -> str:
        """It as LaTeX."""
        from .latex import variable

        step, argument = variable(self.step), variable(self.argument)
        return rf"{variable(barred(self.step))} \frac{{\partial {step}}}{{\partial {argument}}}"


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


def unstretched(formula: Formula) -> Formula:
    """What was stretched, as it was before."""
    nodes, i = formula
    while nodes[i].op is BROADCAST:
        i = nodes[i].args[0]
    return Formula(nodes, i)
