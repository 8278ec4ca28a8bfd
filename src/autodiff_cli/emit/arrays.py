"""A node over arrays in; its text in our own language out, as pieces with the level at which they bind."""

from __future__ import annotations

from re import sub
from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST
from ..ops.linear import Many
from ..types import broadcast
from .indices import aligned, index_text, indices, nested, sizes
from .vectors import column, number, row, solution, vector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph import Node

    Nodes = Sequence[Node]
    Pieces = list[Any]
    Form = Callable[[Nodes, Node], tuple[int, Pieces]]

AND, SUM, PRODUCT, UNARY, ATOM = 4, 11, 12, 13, 15
LIKELIHOOD = 'reduction="none"'


FORMS: dict[str, Form] = {}


def form(name: str) -> Callable[[Form], Form]:
    """How the op called so is written, where its own `spell` does not say it."""

    def enter(write: Form) -> Form:
        FORMS[name] = write
        return write

    return enter


def written(nodes: Nodes, node: Node) -> tuple[int, Pieces] | None:
    """The level and the pieces of a node over arrays; None for any other node."""
    name, op = node.op.name, node.op
    if name in FORMS:
        return FORMS[name](nodes, node)
    if op.rule == "function":
        return called(name, *[(j, 0) for j in node.args], *[f"{key}={_known(value)}" for key, value in node.attr or ()])
    if op.spell is None:
        return None
    if op.rule == "tensor":
        return called(op.spell, *[(j, 0) for j in node.args])
    return called(op.spell, (node.args[0], 0), *_statics(nodes, node))


def _known(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _statics(nodes: Nodes, node: Node) -> list[str]:
    """The order of a norm and the axes of a reduction, or the one axis of a search."""
    attr = node.attr
    if isinstance(attr, int):
        return [f"axis={attr}"]
    axes, more = (attr[0], attr[1:]) if node.op.rule == "reduce" else (attr, ())
    return [*[f"ord={power:g}" for power in more], *_axes(axes, len(nodes[node.args[0]].type.shape))]


def operands(nodes: Nodes, args: Sequence[int]) -> list[int]:
    """The arguments of an elementwise node without the stretching that the language does by itself."""
    inner = [nodes[j].args[0] if nodes[j].op is BROADCAST else j for j in args]
    wanted = nodes[args[-1]].type.shape
    if broadcast(*[nodes[j].type.shape for j in inner]) == wanted:
        return inner
    kept = next(k for k, j in enumerate(args) if inner[k] != j)
    return [j if k == kept else inner[k] for k, j in enumerate(args)]


def called(name: str, *parts: Any) -> tuple[int, Pieces]:
    """A call; a part is a text or (node, level)."""
    return ATOM, [name, "(", *listed(parts), ")"]


def listed(parts: Sequence[Any]) -> Pieces:
    """Parts with commas between."""
    return [piece for k, part in enumerate(parts) for piece in ([", "] * bool(k) + (part if isinstance(part, list) else [part]))]


def _axes(axes: Sequence[int], rank: int) -> list[str]:
    if len(axes) == rank:
        return []
    return [f"axis={axes[0]}" if len(axes) == 1 else f"axis=({sizes(axes)})"]


@form("broadcast")
def _stretched(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    x, shape = node.args[0], sizes(node.attr)
    if node.type.kind == "bool":
        return AND, [(x, AND), f" and ones({shape}) > 0"]
    text = nodes[x].attr if nodes[x].op.name == "const" else None
    if text in ("0", "1"):
        return called("ones" if text == "1" else "zeros", shape)
    if not nodes[x].type.shape:
        return called("full", f"({shape},)" if len(node.attr) == 1 else f"({shape})", (x, 0))
    return PRODUCT, [(x, PRODUCT), f"*ones({shape})"]


@form("reshaped")
def _reshaped(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    (x,), shape, before = node.args, node.type.shape, nodes[node.args[0]].type.shape
    product = vector_product(nodes, node) or _scaled(nodes, node) or _solution(nodes, node)
    if product is not None:
        return product
    if not before:
        return ATOM, ["[" * len(shape), (x, 0), "]" * len(shape)]
    if [n for n in shape if n != 1] == [n for n in before if n != 1] and len(shape) != len(before):
        return ATOM, [(x, ATOM), indices(aligned(before, shape))]
    if len(shape) == 1:
        return called("ravel", (x, 0))
    return called("reshape", (x, 0), *map(str, shape))


def vector_product(nodes: Nodes, node: Node) -> tuple[int, Pieces] | None:
    """`a @ b` of a vector and a matrix or of two vectors, which was made with an axis more."""
    product = nodes[node.args[0]]
    if product.op.name != "matmul":
        return None
    left, right = (vector(nodes, j, place) for j, place in zip(product.args, (0, 1), strict=True))
    shape = product.type.shape
    kept = (*shape[:-2], *(() if left is not None else shape[-2:-1]), *(() if right is not None else shape[-1:]))
    if kept != node.type.shape or left is right is None:
        return None
    a, b = (v if v is not None else j for v, j in zip((left, right), product.args, strict=True))
    return PRODUCT, [(a, PRODUCT), " @ ", (b, UNARY)]


def _scaled(nodes: Nodes, node: Node) -> tuple[int, Pieces] | None:
    """A vector times a number, which was made as a product of matrices."""
    product = nodes[node.args[0]]
    if product.op.name != "matmul" or len(node.type.shape) != 1:
        return None
    a, b = product.args
    for v, x in ((column(nodes, a), number(nodes, b)), (row(nodes, b), number(nodes, a))):
        if v is not None and x is not None and nodes[v].type.shape == node.type.shape:
            return PRODUCT, [(v, PRODUCT), "*", (x, UNARY)]
    return None


def _solution(nodes: Nodes, node: Node) -> tuple[int, Pieces] | None:
    """`solve(A, b)` of a vector, or of one number in every entry, which was made with an axis more."""
    found = solution(nodes, node)
    if found is None:
        return None
    a, b = found
    right = [(b, 0)] if isinstance(b, int) else _stretched(nodes, b)[1]
    return called("solve", (a, 0), right)


@form("matmul")
def _product(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    inner = [nodes[j].args[0] if nodes[j].op is BROADCAST and len(nodes[nodes[j].args[0]].type.shape) > 1 else j for j in node.args]
    same = all(nodes[i].type.shape[-2:] == nodes[j].type.shape[-2:] for i, j in zip(inner, node.args, strict=True))
    front = broadcast(*[nodes[i].type.shape[:-2] for i in inner])
    a, b = inner if same and front == node.type.shape[:-2] else node.args
    left, right = column(nodes, a), row(nodes, b)
    if left is not None and right is not None:
        return called("outer", (left, 0), (right, 0))
    return PRODUCT, [(a, PRODUCT), " @ ", (b, UNARY)]


@form("permuted")
def _permuted(_: Nodes, node: Node) -> tuple[int, Pieces]:
    if node.attr == tuple(reversed(range(len(node.attr)))):
        return ATOM, [(node.args[0], ATOM), ".T"]
    return called("transpose", (node.args[0], 0), *map(str, node.attr))


@form("index")
def _index(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    x, shape = node.args[0], nodes[node.args[0]].type.shape
    if _diagonal(node.attr, shape):
        return called("diag", (x, 0))
    return ATOM, [(x, ATOM), index_text(node.attr, shape)]


def _diagonal(items: Sequence[Any], shape: Sequence[int]) -> bool:
    whole = tuple(range(min(shape, default=0)))
    return len(shape) == 2 == len(items) and all(isinstance(i, Many) and tuple(i) == whole for i in items)


@form("place")
def _placed(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    """Entries among zeros: a diagonal, or what is joined with zeros; other places have no words of their own."""
    (x,), (shape, items) = node.args, node.attr
    if _diagonal(items, shape) and shape[0] == shape[1]:
        ones = nodes[x].op is BROADCAST and nodes[nodes[x].args[0]].attr == "1"
        return called("eye", str(shape[0])) if ones else called("diag", (x, 0))
    full = [*items, *[(0, n, 1) for n in shape[len(items) :]]]
    if any(part is None or isinstance(part, Many) or (isinstance(part, tuple) and part[2] != 1) for part in full):
        return called("place", (x, 0), sizes(shape), index_text(items, shape))
    windows = [(part, part + 1) if isinstance(part, int) else part[:2] for part in full]
    level, pieces = _with_axes(nodes, x, [stop - start for start, stop in windows])
    here = [stop - start for start, stop in windows]
    for axis in reversed(range(len(shape))):
        (start, stop), n = windows[axis], shape[axis]
        parts = [
            called("zeros", sizes([*here[:axis], k, *here[axis + 1 :]]))[1] if isinstance(k, int) else k
            for k in (start, pieces, n - stop)
            if k != 0
        ]
        here[axis] = n
        if len(parts) > 1:
            level, pieces = called("concatenate", ["[", *listed(parts), "]"], *([f"axis={axis}"] if axis else []))
    return level, pieces


def _with_axes(nodes: Nodes, x: int, shape: list[int]) -> tuple[int, Pieces]:
    """A node with the axes that a whole number in an index took away."""
    if nodes[x].type.shape == tuple(shape):
        return ATOM, [(x, 0)]
    if not nodes[x].type.shape:
        return ATOM, ["[" * len(shape), (x, 0), "]" * len(shape)]
    return called("reshape", (x, 0), *map(str, shape))


@form("joined")
def _joined(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    axis, parts = node.attr, [nodes[j] for j in node.args]
    single = [p.args[0] for p in parts if p.op.name == "reshaped" and _without(p.type.shape, axis) == nodes[p.args[0]].type.shape]
    stack = len(single) == len(parts) and all(p.type.shape[axis] == 1 for p in parts)
    items: Pieces = ["[", *listed([(j, 0) for j in (single if stack else node.args)]), "]"]
    if stack and axis == 0:
        return ATOM, items
    return called("stack" if stack else "concatenate", items, *([f"axis={axis}"] if axis else []))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


@form("running")
def _running(_: Nodes, node: Node) -> tuple[int, Pieces]:
    level, pieces = called("cumsum", (node.args[0], 0), f"axis={node.attr}")
    return (level, pieces) if node.type.kind == "real" else (6, [*pieces, " > 0"])


@form("take")
def _take(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return ATOM, [(node.args[0], ATOM), "[" + ":, " * node.attr, (node.args[1], 0), "]"]


@form("take_along")
def _take_along(nodes: Nodes, node: Node) -> tuple[int, Pieces]:
    (x, i), axis = node.args, node.attr
    last = axis == len(node.type.shape) - 1
    if nodes[i].op.name == "argsort" and nodes[i].args == (x,) and nodes[i].attr == axis:
        return called("sort", (x, 0), *([] if last else [f"axis={axis}"]))
    if nodes[i].op.name != "class_number":
        return called("take_along", (x, 0), (i, 0), f"axis={axis}")
    cases = _without(node.type.shape, axis)
    classes = called("reshape", (i, 0), *map(str, cases))[1] if cases else [(i, ATOM), indices(["0"] * len(node.type.shape))]
    scores = ["-", *called("nll", (x, 0), classes, f"axis={axis}", LIKELIHOOD)[1]]
    return called("reshape", scores, *map(str, node.type.shape))


@form("random")
def _random(_: Nodes, node: Node) -> tuple[int, Pieces]:
    kind, shape, seed = node.attr
    return called("randn" if kind == "normal" else "rand", *map(str, shape), f"seed={seed}")


@form("array")
def _array(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return ATOM, [nested(*node.attr)]


@form("held")
def _held(_: Nodes, node: Node) -> tuple[int, Pieces]:
    entries = node.attr.entries
    return ATOM, [nested([repr(x) for x in entries.ravel().tolist()], entries.shape)]


@form("iota")
def _iota(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return called("arange", str(node.attr))


@form("call")
def _call(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return called(node.attr.name, *[(j, 0) for j in node.args])


@form("class_number")
@form("place_below")
def _itself(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return ATOM, [(node.args[0], ATOM)]


@form("logabsdet")
def _logabsdet(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return ATOM, [*called("slogdet", (node.args[0], 0))[1], "[1]"]


@form("detsign")
def _detsign(_: Nodes, node: Node) -> tuple[int, Pieces]:
    return ATOM, [*called("slogdet", (node.args[0], 0))[1], "[0]"]


def caption(nodes: Nodes, node: Node) -> str | None:
    """The short label of a node over arrays, its text without its arguments: `sum axis=0`, `[1:3]`, `@`."""
    found = written(nodes, node)
    if found is None or node.op.name == "reshaped":
        return None if found is None else f"reshape {sizes(node.attr)}".strip()
    text = "".join([piece for piece in found[1] if isinstance(piece, str)]).strip()
    name, bracket, rest = text.partition("(")
    if bracket and name.isalpha():
        text = f"{name} {rest.removesuffix(')').lstrip(', ')}".strip()
    return sub(r"\[[, ]*\]", "[…]", text)
