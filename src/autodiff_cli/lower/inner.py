"""Derivatives inside programs: `grad(y, x)` and its kin, by name; nodes of the same graph come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive.conditions import gate
from ..derive.names import by_name, variables
from ..derive.pull import pull
from ..derive.push import push
from ..diagnostics import Diagnostic, Label, error
from ..graph import Expr
from ..ops.array import stacked
from ..ops.linear import add_up, concatenate, indexed, reshape, reshaped
from .frames import Function
from .functions import entered
from .tangents import Missing, swept, tangents_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from ..derive.conditions import Gated
    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]
    Seeds = Mapping[int, Gated]

WORDS = ("grad", "deriv", "jacobian", "hessian", "jvp", "hvp")
LONGEST = 40


def lower_inner(self: Lowering, tree: Tree) -> Task:
    """A call of `grad`, `deriv`, `jacobian`, `hessian`, `jvp` or `hvp`."""
    callee, args, keywords = tree.parts
    if callee.kind == "call":
        raise _not_of_functions(self, callee, tree)
    word = callee.parts[0]
    wanted = 3 if word in ("jvp", "hvp") else 2
    if keywords or len(args) != wanted or self.is_function(args[0]):
        raise _not_of_functions(self, tree, tree)
    y = self.frame.local(self.real(self.expr((yield args[0]), args[0])))
    direction = self.frame.local(self.real(self.expr((yield args[2]), args[2]))) if wanted == 3 else None
    names = args[1].parts if args[1].kind in ("list", "tuple") else (args[1],)
    graph, path = self.graph, self.graph.path
    graph.path = entered(self, word, tree)
    try:
        results = [_one(self, word, y, name, direction, tree) for name in names]
    finally:
        graph.path = path
    return tuple(results) if args[1].kind in ("list", "tuple") else results[0]


def _of_array(text: str, name: str) -> str:
    y = text if len(text) <= LONGEST else "y"
    return f"grad(sum({y}), {name}), or jacobian({y}, {name})"


def _one(self: Lowering, word: str, y: Expr, name: Tree, direction: Expr | None, tree: Tree) -> Expr:
    variable = _target(self, name, tree)
    x = self.frame.local(variable)
    self.calls.by.append((variable, name.parts[0], self.span(name)))
    self.at(tree)
    if word in ("grad", "hessian", "hvp") and y.type.shape:
        raise error(
            "not-a-number", f"`{word}` is of one number, and this has shape {y.type.shape}", self.span(tree.parts[1][0]),
            hint=_of_array(self.span(tree.parts[1][0]).text, name.parts[0]),
        )  # fmt: skip
    try:
        seeds = tangents_of(self, self.frame, [y], variable)
        if not _alone(seeds, x):
            return _along(self, word, y, variable, seeds, _direction(self, direction, x, tree) if direction else None)
    except Missing:
        return _in_its_place(word, y, x)
    return _by_itself(self, word, y, x, name, direction, tree)


def _by_itself(self: Lowering, word: str, y: Expr, x: Expr, name: Tree, direction: Expr | None, tree: Tree) -> Expr:  # noqa: PLR0913, PLR0917 (what was asked)
    """A derivative of which all that counts is in this graph."""
    match word:
        case "grad":
            return reverse(self, y, x, name)
        case "deriv":
            if x.type.shape:
                raise error(
                    "not-a-number",
                    f"`deriv` is by one number, and `{name.parts[0]}` has shape {x.type.shape}",
                    self.span(name),
                    hint=f"jacobian(y, {name.parts[0]})",
                )
            return forward(self, y, x, self.graph.const("1"))
        case "jacobian":
            return jacobian(self, y, x, name)
        case "hessian":
            return jacobian(self, reverse(self, y, x, name), x, name)
        case "jvp":
            return forward(self, y, x, _direction(self, direction, x, tree))
    return forward(self, reverse(self, y, x, name), x, _direction(self, direction, x, tree))


def _alone(seeds: Seeds, x: Expr) -> bool:
    """Whether the variable is all that the value depends on it by."""
    names = {v.id for v, _ in variables(x)}
    return seeds.keys() <= names and all(u.text == "1" for u, _ in seeds.values())


def _along(self: Lowering, word: str, y: Expr, variable: Expr, seeds: Seeds, direction: Expr | None) -> Expr:
    """A derivative whose tangents go round a loop: by forward mode, of second order too."""
    found = _all_of(self, y, variable, seeds)
    if word in ("hessian", "hvp"):
        found = _all_of(self, found, variable, tangents_of(self, self.frame, [found], variable))
    if direction is None:
        return found
    rank, shape = len(variable.type.shape), found.type.shape
    return add_up(found * found.graph.broadcast(direction, shape), tuple(range(len(shape) - rank, len(shape))))


def _in_its_place(word: str, y: Expr, x: Expr) -> Expr:
    """What stands in for a derivative whose tangents were only asked for: the value, in the shape of the derivative."""
    around = {"grad": 1, "jacobian": 1, "hvp": 1, "hessian": 2}.get(word, 0)
    rest = (1,) * (around * len(x.type.shape))
    return y.graph.broadcast(reshaped(y, (*y.type.shape, *rest)), (*y.type.shape, *x.type.shape * around))


def _all_of(self: Lowering, y: Expr, variable: Expr, seeds: Seeds) -> Expr:
    """The derivative by every entry of a variable, behind the axes of the value."""
    found, shape = swept(self.graph, seeds, y, variable), variable.type.shape
    if found is None or not shape:
        return self.graph.broadcast(gate(found) if found else self.graph.const("0"), (*y.type.shape, *shape))
    from ..derive.entries import as_jacobian

    return as_jacobian(gate(found), shape)


def _pushed(self: Lowering, y: Expr, seeds: Seeds) -> Expr:
    graph, site = self.graph, self.graph.site
    found = push(graph, dict(seeds), [y.id])
    graph.site = site
    return graph.broadcast(gate(found[y.id]) if y.id in found else graph.const("0"), y.type.shape)


def _direction(self: Lowering, v: Expr | None, x: Expr, tree: Tree) -> Expr:
    if v is None or v.type.shape != x.type.shape:
        raise error(
            "shape", f"a direction of shape {v.type.shape if v else ()} for a variable of shape {x.type.shape}", self.span(tree.parts[1][2])
        )
    return v


def _target(self: Lowering, name: Tree, tree: Tree) -> Expr:
    """What a name stands for here, in the frame where it was made."""
    if name.kind != "name":
        inside = f"grad(y, {self.span(name.parts[0]).text})[…]" if name.kind == "index" else "v = …; grad(y, v)"
        raise error("not-a-name", "a derivative is by the name of a variable", self.span(name), hint=inside)
    value = self.names.value(name.parts[0], self.span(name))
    if isinstance(value, Function) or not isinstance(value, Expr):
        raise error("not-a-name", f"`{name.parts[0]}` is no number or array", self.span(name))
    return value if value.text is None else self.frame.local(value)


def reverse(self: Lowering, y: Expr, x: Expr, name: Tree) -> Expr:
    """The gradient of one number; 0 with a note where it does not depend on the name."""
    return _gradients(self, [y], x, name)[0]


def _gradients(self: Lowering, ys: Sequence[Expr], x: Expr, name: Tree) -> list[Expr]:
    """The gradients of numbers, with a note where none of them depends on the name."""
    graph, site, names = self.graph, self.graph.site, variables(x)
    found = [by_name(names, pull(graph, [(y.id, (graph.const("1"), None))], [v.id for v, _ in names])) for y in ys]
    graph.site = site
    if all(slope is None for slope in found):
        label = Label(self.span(name), "not read")
        self.names.notes.append(
            Diagnostic("no-dependence", f"the derivative by `{name.parts[0]}` is 0: nothing depends on it", (label,), severity="note")
        )
    return [graph.broadcast(graph.const("0") if slope is None else gate(slope), x.type.shape) for slope in found]


def forward(self: Lowering, y: Expr, x: Expr, seed: Expr) -> Expr:
    """The tangent of a value of any shape."""
    return _pushed(self, y, {v.id: (seed, held) for v, held in variables(x)})


def jacobian(self: Lowering, y: Expr, x: Expr, name: Tree) -> Expr:
    """Shape y.shape + x.shape, one reverse sweep an entry of y."""
    count = 1
    for n in y.type.shape:
        count *= n
    if not count:
        return self.graph.broadcast(self.graph.const("0"), (*y.type.shape, *x.type.shape))
    rows = _gradients(self, [_entry(y, count, k) for k in range(count)] if y.type.shape else [y], x, name)
    return reshaped(stacked(rows), (*y.type.shape, *x.type.shape)) if y.type.shape else rows[0]


def _entry(y: Expr, count: int, k: int) -> Expr:
    """Entry k in row order; of a list of numbers the number itself, so that its sweep passes by the others."""
    if y.node.op is concatenate and len(y.node.args) == count:
        part = y.args[k]
        if part.node.op is reshape and not part.args[0].type.shape:
            return part.args[0]
    return indexed(reshaped(y, (count,)), (k,))


def _not_of_functions(self: Lowering, call: Tree, tree: Tree) -> Exception:
    word, args = call.parts[0].parts[0], call.parts[1]
    text = self.span(args[0]).text if args else "f"
    shown = f"{word}({text}(x), x)" if args and self.is_function(args[0]) else f"{word}(y, x{', v' if word in ('jvp', 'hvp') else ''})"
    return error("derivative-call", f"`{word}` takes a value and the name it is differentiated by", self.span(tree), hint=shown)
