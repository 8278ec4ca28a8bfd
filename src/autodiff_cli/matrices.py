"""What `jac` and `hess` ask of a program: the names it differentiates by in; a `Task` that gives the matrix out.

Where every number is one, each product is written out in the graph, so that it runs without arrays. Elsewhere the products
are one block.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from . import derive
from .api import PLAIN, Task, one_number
from .coordinates import Axis, Coordinates
from .derive.block import Reads, blocked
from .derive.callee import REVERSE_ALONE
from .derive.linearised import columns, pulled, pushed
from .diagnostics import AutodiffError, error
from .graph import NAME, Expr, Fn
from .series import may_be_long
from .sparsity import plan as plans
from .sparsity.known import size
from .sparsity.pattern import Pattern, full, pattern, pattern_of_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .derive.linearised import Linear
    from .graph import Graph
    from .lower import Lowered
    from .report import Naming, Value
    from .sparsity.plan import Plan
    from .types import Type

    Array = Any
    Path = tuple[str | int, ...]
    Shape = tuple[int, ...]
    Blocks = dict[Path, tuple[str, str]]

WRITTEN_OUT = 200_000  # nodes of products that are written out; of more, a block is made
MOST, MOST_NAMED = 20_000_000, 2_000_000  # entries of a matrix that is shown whole
BLOCK, VALUE = "entries", "value"


class Sides(NamedTuple):
    """The rows and columns of a matrix."""

    down: Axis
    across: Axis

    @property
    def second(self) -> bool:
        """Whether this is a Hessian, whose sides are one."""
        return self.down is self.across

    def blocks(self) -> dict[Path, tuple[str, str]]:
        """The paths of its parts, each with its row and column names; of a Hessian each pair once."""
        names = list(self.across.shapes)
        if not self.second:
            return {("jacobian", name): (VALUE, name) for name in names}
        return {("hessian", a, b): (a, b) for k, a in enumerate(names) for b in names[k:]}

    def check(self, *, numbers: bool) -> None:
        """A matrix that is too large to be shown whole is an error; one of names takes more for each entry."""
        if self.down.size * self.across.size > (MOST_NAMED if numbers else MOST):
            message = f"the whole matrix has {self.down.size:,} x {self.across.size:,} entries"
            raise error("matrix-size", message, hint="--sparse shows those that can be other than zero, and -o FILE.npz keeps them")


class Asked(NamedTuple):
    """A matrix that is asked for: the derivatives of results of `fn` by the names `used`, which are those of `wrt` that it has."""

    command: str
    lowered: Lowered
    fn: Fn
    wrt: tuple[str, ...]
    used: tuple[str, ...]
    plan: Plan
    sides: Sides
    graph: Graph | None = None

    @property
    def of(self) -> list[int]:
        """The results of `fn` that the matrix is about: the gradient by the used names, or the value alone."""
        return _of(self.wrt, self.used, self.sides)

    @property
    def paths(self) -> list[Path]:
        """The places of the results that stand before the matrix."""
        return [(VALUE,), *[("gradient", name) for name in self.wrt if self.sides.second]]


def jacobian(
    lowered: Lowered, wrt: Sequence[str], *, mode: str | None = None, sparse: bool = False, naming: Naming = PLAIN,
    unused: Mapping[str, Value] | None = None,
) -> Task:  # fmt: skip
    """Value and Jacobian: the derivative of every entry of the value by every entry of the names `wrt`.

    `mode` is "forward" or "reverse"; without it the one that takes fewer products. With `sparse` only entries that can be other
    than zero are there, by their coordinates. Where a rule has no forward mode, it is "reverse", a product for each row.
    """
    fn = lowered.fn.called([VALUE])
    down, across = Axis({VALUE: fn.nodes[fn.outs[0]].type.shape}), Axis(shapes(fn, wrt, unused or {}))
    used = _used(fn, wrt)
    sides = Sides(down, across)
    try:
        plan = plans.jacobian(_pattern(fn, wrt, used, sides), mode)
    except AutodiffError as problem:
        if problem.diagnostic.code != REVERSE_ALONE or mode == "forward":
            raise
        plan = plans.jacobian(full((down.size, across.size)), "reverse")
    return _task(Asked("jac", lowered, fn, tuple(wrt), used, plan, sides), naming, sparse=sparse)


def hessian(
    lowered: Lowered, wrt: Sequence[str], *, sparse: bool = False, naming: Naming = PLAIN, unused: Mapping[str, Value] | None = None,
    together: bool = False,
) -> Task:  # fmt: skip
    """Value, gradient and Hessian by the names `wrt`; the Hessian is exactly symmetric, for one triangle is mirrored."""
    one_number(lowered, "a Hessian")
    if together and may_be_long(lowered.fn):
        from .rolling import over_arrays

        make = partial(hessian, sparse=sparse, naming=naming, unused=unused)
        if task := over_arrays(lowered, wrt, make, naming, whole=not sparse):
            return task
    fn, graph = derive.gradient_in_graph(lowered.fn, wrt)
    side, used = Axis(shapes(fn, wrt, unused or {})), _used(fn, wrt)
    sides = Sides(side, side)
    plan = plans.hessian(_pattern(fn, wrt, used, sides))
    return _task(Asked("hess", lowered, fn, tuple(wrt), used, plan, sides, graph), naming, sparse=sparse)._replace(unused=unused or {})


def shapes(fn: Fn, wrt: Sequence[str], unused: Mapping[str, Value]) -> dict[str, Shape]:
    """The shape of every name; one that the function does not have is that of its value."""
    known = {**dict(fn.params), **_assigned(fn)}
    return {name: known[name].shape if name in known else getattr(unused.get(name), "shape", ()) for name in wrt}


def _assigned(fn: Fn) -> dict[str, Type]:
    """The types of the values that have a name to differentiate by."""
    return {node.attr[0]: node.type for node in fn.nodes if node.op is NAME and node.attr[2]}


def _used(fn: Fn, wrt: Sequence[str]) -> tuple[str, ...]:
    known = {**dict(fn.params), **_assigned(fn)}
    return tuple([name for name in wrt if name in known])


def _of(wrt: Sequence[str], used: Sequence[str], sides: Sides) -> list[int]:
    place = {name: k for k, name in enumerate(wrt, 1)}
    return [place[name] for name in used] if sides.second else [0]


def _pattern(fn: Fn, wrt: Sequence[str], used: Sequence[str], sides: Sides) -> Pattern:
    """The pattern, with rows and columns counted along whole sides."""
    down, across, of = sides.down, sides.across, _of(wrt, used, sides)
    plain = len(used) == len(wrt) and not _assigned(fn)
    found = pattern_of_numbers(fn, of, across.offsets) if plain else None
    found = found or pattern(pushed(fn, used, of, ()), across.size, across.offsets)
    rows = _numbers(down, used if sides.second else [VALUE])[found.rows]
    return Pattern(rows, found.columns, (down.size, across.size))


def _task(asked: Asked, naming: Naming, *, sparse: bool) -> Task:
    plan, sides = asked.plan, asked.sides
    numbers = not any([*sides.across.shapes.values(), *sides.down.shapes.values()])
    if not sparse:
        sides.check(numbers=numbers)
    small = plan.products * len(asked.fn.nodes) <= WRITTEN_OUT
    blocks = {} if sparse else sides.blocks()
    fn = _written(asked, blocks, sparse=sparse) if numbers and small else _block(asked, blocks, sparse=sparse)
    names = [naming.of(path) for path in asked.paths] + [_named(naming, path, names, sides) for path, names in blocks.items()]
    matrix = Coordinates(plan.pattern.rows, plan.pattern.columns, None, sides.down, sides.across) if sparse else None
    fn = fn.called([*names, *(matrix.places(len(fn.outs) - len(names)) if matrix else ())])
    effort = f"{plan.products:,} product{'' if plan.products == 1 else 's'} in {plan.mode} mode for {sides.down.size:,} x {sides.across.size:,} entries"
    return Task(asked.command, asked.lowered, fn, asked.wrt, (*asked.paths, *blocks), matrix=matrix, effort=effort)


def _named(naming: Naming, path: Path, names: tuple[str, str], sides: Sides) -> str:
    return naming.of_block(path, (len(sides.down.shapes[names[0]]), len(sides.across.shapes[names[1]])))


def _written(asked: Asked, blocks: Blocks, *, sparse: bool) -> Fn:
    """Every product written out; all variables and results are numbers."""
    plan, sides = asked.plan, asked.sides
    entries = list(zip(plan.product.tolist(), plan.entry.tolist(), strict=True))
    reads: list[tuple[int, int] | None] = [*entries]
    if not sparse:
        at = dict(zip(zip(plan.pattern.rows.tolist(), plan.pattern.columns.tolist(), strict=True), entries, strict=True))
        down, across = sides.down.offsets, sides.across.offsets
        reads = [at.get((down[a], across[b])) for a, b in blocks.values()]
    if plan.mode == "reverse":
        return _swept(asked, entries if sparse else None)
    groups: dict[int, list[str]] = {}
    for name, colour in zip(asked.wrt, plan.colours.tolist(), strict=True):
        groups.setdefault(colour, []).append(name)
    first = int(sides.second)
    return columns(asked.fn, groups, [read and (read[0], read[1] + first) for read in reads], asked.graph)


def _swept(asked: Asked, reads: Sequence[tuple[int, int]] | None) -> Fn:
    """The one row of the Jacobian of a number, by one reverse sweep; all of it, or the entries of `reads`."""
    fn = derive.gradient(asked.fn, asked.wrt)
    places = range(1, len(fn.outs)) if reads is None else [1 + entry for _, entry in reads]
    return Fn(fn, fn.params, [Expr(fn, fn.outs[k]) for k in (0, *places)], [fn.names[k] for k in (0, *places)])  # type: ignore[arg-type]  # a frozen graph


def _block(asked: Asked, blocks: Blocks, *, sparse: bool) -> Fn:
    """All products as one block."""
    import numpy as np

    plan, sides = asked.plan, asked.sides
    reverse = plan.mode == "reverse"
    linear = pulled(asked.fn, asked.used, [VALUE]) if reverse else pushed(asked.fn, asked.used, asked.of, asked.used)
    seeded, found = (sides.down, sides.across) if reverse else (sides.across, sides.down)
    numbers = _numbers(found, asked.used if reverse or sides.second else [VALUE])
    place = np.zeros(max(sides.down.size, sides.across.size), int)
    place[numbers] = np.arange(len(numbers))
    reads = Reads(plan.products, plan.product, place[plan.entry])
    return blocked(linear, _colours(plan, linear, seeded), reads, _wanted(plan, sides, None if sparse else blocks))


def _numbers(side: Axis, names: Sequence[str]) -> Array:
    """The numbers along a side of the entries of these names."""
    import numpy as np

    first = side.offsets
    return np.concatenate([np.zeros(0, int), *[np.arange(first[name], first[name] + size(side.shapes[name])) for name in names]])


def _colours(plan: Plan, linear: Linear, side: Axis) -> dict[str, Array]:
    """The number of the product of every entry that is seeded, by name."""
    first = side.offsets
    return {name: plan.colours[first[name] : first[name] + size(side.shapes[name])].reshape(side.shapes[name]) for name in linear.seeds}


def _wanted(plan: Plan, sides: Sides, blocks: Blocks | None) -> dict[str, Array]:
    """For each result, the numbers of its entries in the pattern, one behind the last for a 0; without `blocks`, the whole pattern."""
    import numpy as np

    count = len(plan.pattern.rows)
    if blocks is None:
        return {BLOCK: np.arange(count)}
    at = np.full((sides.down.size, sides.across.size), count)
    at[plan.pattern.rows, plan.pattern.columns] = np.arange(count)
    found, down, across = {}, sides.down.offsets, sides.across.offsets
    for k, (a, b) in enumerate(blocks.values()):
        rows, cols = sides.down.shapes[a], sides.across.shapes[b]
        found[f"{BLOCK} {k}"] = at[down[a] : down[a] + size(rows), across[b] : across[b] + size(cols)].reshape((*rows, *cols))
    return found
