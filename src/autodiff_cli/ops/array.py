"""Array functions of the language that move, join and choose entries: language calls in, nodes of linear ops out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, error
from ..graph import OPS, PARAM, Expr, Op
from ..types import Type
from .arithmetic import real, select
from .entry import enter, signature
from .linear import Many, indexed, joined, next_axis, permuted, place, reshaped, running, take_along
from .steps import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph import Graph

Axis = float | tuple[float, ...] | None
AXIS = ("axis", "keepdims")
MOST = 2**30
OF_ITSELF = frozenset("sum mean prod max min logsumexp".split())
OVER_ROWS = OF_ITSELF | frozenset("std var norm softmax log_softmax any all argmax argmin".split())


def function(name: str, call: Callable[..., Any], *static: str, **fields: Any) -> Op:
    """A function of the language that makes nodes of other ops; `static` names the arguments known beforehand."""
    return enter(Op(name, "function", call=call, parameters=static, **fields), None)


def called(op: Op, call: Callable[..., Any], *static: str) -> None:
    """Give an op the call by which the language knows it."""
    op.call, op.parameters = call, signature(call, static)


def leaf(name: str, typed: Callable[..., Type], **fields: Any) -> Op:
    """An array that is known when the graph is made."""
    return enter(Op(name, "leaf", typed=typed, hidden=True, **fields), lambda x: x)


array = leaf(
    "array",
    lambda attr: Type("bool" if attr[0] and attr[0][0] in ("True", "False") else "real", attr[1]),
    doc="an array of constants: texts in row order, shape",
)
iota = leaf("iota", lambda n: Type("real", (n,)), doc="0, 1, … n - 1")
held = leaf("held", lambda attr: attr.type, doc="an array that a derivative is taken along, or that says where its entries stand")
random = leaf("random", lambda attr: Type("real", attr[1]), doc="random numbers: kind, shape, seed")


class Held:
    """An array of NumPy as part of a graph: its entries, and its type; it is equal to itself only."""

    __slots__ = ("entries", "type")

    def __init__(self, entries: Any) -> None:
        self.entries = entries
        self.type = Type("bool" if entries.dtype == bool else "real", tuple(entries.shape))


def place_finder(name: str, typed: Callable[..., Type] | None, doc: str, spell: str | None = None) -> Op:
    """Places found from data: nothing flows through them."""
    return enter(
        Op(name, "elementwise", d=(lambda x, axis: 0,), typed=typed, rows=next_axis, hidden=True, spell=spell, doc=doc), lambda x: x
    )


def _without(axis: int, x: Type) -> Type:
    return Type("real", (*x.shape[:axis], *x.shape[axis + 1 :]))


argsort = place_finder("argsort", None, "the order that sorts along an axis, stable, NaN last")
arglargest = place_finder("arglargest", _without, "where the largest entry along an axis is", "argmax")
argsmallest = place_finder("argsmallest", _without, "where the smallest entry along an axis is", "argmin")


# --- axes ----------------------------------------------------------------------------------------------------


def axes_of(x: Expr, axis: Axis, name: str) -> tuple[int, ...]:
    """The axes that an `axis=` means; all of them for None."""
    rank = len(x.type.shape)
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = tuple(sorted(one_axis(a, rank, name) for a in given))
    if len(set(found)) != len(found):
        raise error("axis", f"`axis` of `{name}` names an axis twice")
    return found


def one_axis(axis: Any, rank: int, name: str) -> int:
    """A single axis, counted from the front."""
    if axis is None or isinstance(axis, tuple):
        raise error("axis", f"`{name}` goes along one axis, and here {f'are {len(axis)}' if axis else 'is none'}", hint=_axes_hint(rank))
    k = whole("axis", name, axis)
    if not -rank <= k < rank:
        raise error("axis", f"`{name}` has no axis {k}: the array has {rank} {'axis' if rank == 1 else 'axes'}", hint=_axes_hint(rank))
    return k % rank


def _axes_hint(rank: int) -> str | None:
    return f"axis=0 to axis={rank - 1}, or axis=-1 for the last" if rank > 1 else "axis=0, or no axis at all" if rank else None


def arrays_only(x: Expr, name: str) -> None:
    """A reduction of one number is most often meant over rows or across columns."""
    if x.type.shape:
        return
    hint = f"{name}([x1, x2]) across names; over all rows of a table it is `--reduce mean` or `--reduce sum`"
    if name not in OVER_ROWS:
        hint = OPS[name].example
    elif not _of_numbers(x):
        hint = f"one number needs no `{name}`: leave it out" if name in OF_ITSELF else OPS[name].example
    raise error("needs-array", f"`{name}` of one number", hint=hint)


def _of_numbers(x: Expr) -> bool:
    """Whether a node is made of variables that are one number, as columns are."""
    nodes, seen, todo = x.graph.nodes, {x.id}, [x.id]
    while todo:
        node = nodes[todo.pop()]
        if node.op is PARAM and not node.type.shape:
            return True
        todo += set(node.args) - seen
        seen.update(node.args)
    return False


def reduced(make: Callable[[Expr, tuple[int, ...]], Expr], x: Expr, axis: Axis, keepdims: Any, name: str) -> Expr:
    """A reduction over `axis`, with the summed axes kept at size 1 where `keepdims`."""
    arrays_only(x, name)
    axes = axes_of(x, axis, name)
    found = make(x, axes)
    return reshaped(found, tuple([1 if k in axes else n for k, n in enumerate(x.type.shape)])) if keepdims else found


def count(x: Expr, axes: tuple[int, ...]) -> int:
    """How many entries are reduced to one."""
    size = 1
    for axis in axes:
        size *= x.type.shape[axis]
    return size


# --- shapes --------------------------------------------------------------------------------------------------


def window(x: Expr, axis: int, start: int, stop: int, step: int = 1) -> Expr:
    """A slice along one axis."""
    return indexed(x, (*[(0, n, 1) for n in x.type.shape[:axis]], (start, stop, step)))


def sizes(name: str, given: Sequence[Any]) -> tuple[int, ...]:
    """A shape from whole numbers, or from one tuple of them."""
    items = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given
    found = tuple([whole("shape", name, n) for n in items])
    if any(n < 0 for n in found):
        raise error("shape", f"a size of `{name}` is below 0")
    entries = 1
    for n in found:
        entries *= n
    if entries > MOST:
        raise error("too-large", f"`{name}` would have {entries:,} entries", hint=f"at most {MOST:,}")
    return found


def _reshape(x: Any, *shape: Any) -> Any:
    items = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    wanted = [whole("shape", "reshape", n) for n in items]
    entries = count(x, tuple(range(len(x.type.shape))))
    known = 1
    for n in wanted:
        known *= 1 if n == -1 else n
    if -1 in wanted and known and entries % known == 0:
        wanted[wanted.index(-1)] = entries // known
        known = entries
    if known != entries or any(n < 0 for n in wanted):
        raise error("shape", f"{entries} entries of shape {x.type.shape} do not fill the shape {tuple(wanted)}")
    return reshaped(x, tuple(wanted))


def _transpose(x: Any, *axes: Any) -> Any:
    rank = len(x.type.shape)
    items = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes
    order = tuple([one_axis(a, rank, "transpose") for a in items]) if items else tuple(reversed(range(rank)))
    if sorted(order) != list(range(rank)):
        raise error("axis", f"`transpose` needs each of the {rank} axes once")
    return permuted(x, order)


def stacked(parts: Sequence[Expr], axis: int = 0) -> Expr:
    """Arrays of one shape along a new axis."""
    shape = parts[0].type.shape
    if any(p.type.shape != shape for p in parts):
        raise error(
            "shape",
            f"parts of unlike shapes: {', '.join(str(p.type.shape) for p in parts[:4])}",
            hint="every row of a matrix has the same length",
        )
    texts = [p.text for p in parts]
    if not shape and all(t is not None for t in texts) and len({p.type.kind for p in parts}) == 1:
        return constants(parts[0], texts, (len(parts),))
    if parts[0].node.op is array and all(p.node.op is array for p in parts) and axis == 0:
        return constants(parts[0], [t for p in parts for t in p.node.attr[0]], (len(parts), *shape))
    alike = parts if len({p.type.kind for p in parts}) == 1 else [real(p) if p.type.kind == "bool" else p for p in parts]
    return joined([reshaped(p, (*shape[:axis], 1, *shape[axis:])) for p in alike], axis)


def constants(like: Expr, texts: Sequence[Any], shape: tuple[int, ...]) -> Expr:
    """An array that is written out in the text."""
    return Expr(like.graph, like.graph.intern(array, (), (tuple(texts), shape)))


def many(x: Any, name: str) -> list[Expr]:
    """The parts of `[a, b]`: what a list of arrays was, or the first axis of an array."""
    if isinstance(x, list | tuple):
        return list(x)
    if not x.type.shape:
        raise error("needs-array", f"`{name}` takes a list of arrays", hint=f"{name}([a, b])")
    return [indexed(x, (k,)) for k in range(x.type.shape[0])]


def _some(parts: Any, name: str) -> list[Expr]:
    """The parts of `[a, b]`, at least one."""
    items = many(parts, name)
    if not items:
        raise error("empty", f"`{name}` of nothing")
    return items


def _concatenate(parts: Any, axis: Any = 0) -> Any:
    items = _some(parts, "concatenate")
    rank = len(items[0].type.shape)
    if not rank:
        raise error("shape", "numbers have no axis to be joined along", hint="[a, b] makes an array of two numbers")
    k = one_axis(axis, rank, "concatenate")
    others = {(*p.type.shape[:k], *p.type.shape[k + 1 :]) for p in items if len(p.type.shape) == rank}
    if len(others) != 1 or any(len(p.type.shape) != rank for p in items):
        raise error("shape", f"parts that do not fit along axis {k}: shapes {', '.join(str(p.type.shape) for p in items[:4])}")
    return joined(items, k)


def _stack(parts: Any, axis: Any = 0) -> Any:
    items = _some(parts, "stack")
    return stacked(items, one_axis(axis, len(items[0].type.shape) + 1, "stack"))


def _diag(x: Any) -> Any:
    shape = x.type.shape
    if len(shape) == 1:
        along = Many(range(shape[0]), (shape[0],))
        return x.graph.add(place, [x], ((*shape, *shape), (along, along)))
    if len(shape) != 2:
        raise error("shape", f"`diag` takes a vector or a matrix, and this has shape {shape}")
    along = Many(range(min(shape)), (min(shape),))
    return indexed(x, (along, along))


def triangle(x: Expr, *, lower: bool, k: int) -> Expr:
    """The lower or upper triangle, 0 elsewhere: a selection, so what is switched off stays off."""
    if len(x.type.shape) < 2:
        raise error("shape", f"a triangle is of a matrix, and this has shape {x.type.shape}")
    n, m = x.type.shape[-2:]
    rows, cols = reshaped(counting(x.graph, n), (n, 1)), counting(x.graph, m)
    kept = cols - rows <= k if lower else cols - rows >= k
    return select(x.graph.broadcast(kept, x.type.shape), x, 0)  # type: ignore[no-any-return]  # an expression


def counting(graph: Graph, n: int) -> Expr:
    """0, 1, … n - 1."""
    return Expr(graph, graph.intern(iota, (), n))


def cumulative(x: Any, axis: Any, name: str) -> tuple[Expr, int]:
    """The array and the axis that something runs along: all entries in row order unless it is given."""
    arrays_only(x, name)
    if axis is None:
        return reshaped(x, (count(x, axes_of(x, None, name)),)), 0
    return x, one_axis(axis, len(x.type.shape), name)


def _cumsum(x: Any, axis: Any = None) -> Any:
    x, k = cumulative(x, axis, "cumsum")
    return x.graph.add(running, [x], k)


def _sort(x: Any, axis: Any = -1) -> Any:
    arrays_only(x, "sort")
    x, k = cumulative(x, None, "sort") if axis is None else (x, one_axis(axis, len(x.type.shape), "sort"))
    return x.graph.add(take_along, [x, x.graph.add(argsort, [x], k)], k)


def shape_error(name: str, *shapes: Any) -> AutodiffError:
    """Shapes that a function cannot take together."""
    return error("shape", f"`{name}` cannot take shapes {' and '.join(map(str, shapes))}")


# fmt: off
function("reshape", _reshape, "shape", doc="entries in row order in another shape", example="reshape([1, 2, 3, 4], 2, 2)")
function("ravel", lambda x: reshaped(x, (count(x, tuple(range(len(x.type.shape)))),)), doc="all entries as a vector", example="ravel([[1, 2], [3, 4]])")
function("transpose", _transpose, "axes", doc="axes in another order",        example="transpose([[1, 2], [3, 4]])")
function("concatenate", _concatenate, "axis", aliases=("concat",), doc="arrays one after another along an axis", example="concatenate([[1, 2], [3]])")
function("stack", _stack, "axis", doc="arrays along a new axis",              example="stack([[1, 2], [3, 4]])")
function("diag", _diag, doc="matrix of a vector, or diagonal of a matrix",    example="diag([1, 2])")
function("tril", lambda x, k=0: triangle(x, lower=True, k=whole("k", "tril", k)),  "k", doc="lower triangle, 0 elsewhere", example="tril([[1, 2], [3, 4]])")
function("triu", lambda x, k=0: triangle(x, lower=False, k=whole("k", "triu", k)), "k", doc="upper triangle, 0 elsewhere", example="triu([[1, 2], [3, 4]])")
function("cumsum", _cumsum, "axis", doc="running sums",                       example="cumsum([1, 2, 3])")
function("sort", _sort, "axis", doc="entries in ascending order, NaN last",   example="sort([3, 1, 2])")
# fmt: on
