"""Products of matrices, transposes and reshapings of what people already wrote out in; the same as people write them out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST, Expr
from ..ops import OPS
from ..ops.linear import Many, add_up, indexed, permuted, reshaped
from .forms import product_of, single, without
from .numbers import ONE

if TYPE_CHECKING:
    from .algebra import Algebra
    from .forms import Form

Shape = tuple[int, ...]

MATMUL, RESHAPED, PERMUTED, PLACE = (OPS[name] for name in ("matmul", "reshaped", "permuted", "place"))
VECTORS = (MATMUL, OPS["solved"])  # what is made with an axis more for vectors
FEW = 16  # terms that are written out one by one


def apart(algebra: Algebra, form: Form, shape: Shape) -> tuple[Form, Expr]:
    """A form as a number for all its entries times an array of this shape; the number is 1 where the form is nothing but a number."""
    number, product = algebra.factors(form)
    common = product_of([(i, e) for i, e in product if not algebra.graph.nodes[i].type.shape])
    rest = product_of([(i, e) for i, e in product if algebra.graph.nodes[i].type.shape])
    if not rest:
        return {(): ONE}, algebra.graph.broadcast(algebra.node(form), shape)
    return {common: number}, algebra.graph.broadcast(algebra.node({rest: ONE}), shape)


def times(algebra: Algebra, forms: tuple[Form, Form], shapes: tuple[Shape, Shape]) -> Form:
    """The product of two matrices: numbers in front, none with the identity, and one with a single entry as that number."""
    for k in (0, 1):
        number = _entry(algebra, forms[k]) if shapes[k] == (1, 1) else None
        if number is not None:
            return algebra.multiply(forms[1 - k], number)
        if _identity(algebra.node(forms[k])):
            return forms[1 - k]
    (m, a), (n, b) = (_operand(algebra, form, shape) for form, shape in zip(forms, shapes, strict=True))
    return algebra.multiply(algebra.multiply(m, n), algebra.atom(algebra.graph.add(MATMUL, [a, b])))


def _operand(algebra: Algebra, form: Form, shape: Shape) -> tuple[Form, Expr]:
    """A number times a matrix; a row or a column is made of a vector."""
    if 1 not in shape or not algebra.node(form).type.shape:
        return apart(algebra, form, shape)
    vector = (shape[0] * shape[1],)
    number, x = apart(algebra, fitted(algebra, form, shape, vector), vector)
    return number, reshaped(x, shape)


def _entry(algebra: Algebra, form: Form) -> Form | None:
    """The number that a matrix of one entry is, where it was made of a number."""
    x = algebra.node(form)
    if not x.type.shape:
        return form
    made = x.node.op is RESHAPED and not x.args[0].type.shape
    return algebra.atom(x.args[0]) if made else None


def _identity(x: Expr) -> bool:
    if x.node.op is not PLACE or x.args[0].node.op is not BROADCAST or x.args[0].args[0].text != "1":
        return False
    shape, items = x.node.attr
    whole = tuple(range(shape[0]))
    return len(shape) == 2 and shape[0] == shape[1] and all(isinstance(item, Many) and tuple(item) == whole for item in items)


def turned(algebra: Algebra, form: Form, before: Shape, axes: Shape) -> Form:
    """The axes in another order; where only axes of length 1 change places, in another shape."""
    long = [axis for axis in axes if before[axis] != 1]
    if long == sorted(long):
        return fitted(algebra, form, before, tuple([before[axis] for axis in axes]))
    number, x = apart(algebra, form, before)
    if x.node.op is BROADCAST and not x.args[0].type.shape:
        return form
    if x.node.op is MATMUL and len(before) == 2 and any(y.node.op in (PERMUTED, RESHAPED) for y in x.args):
        return algebra.multiply(number, algebra.atom(algebra.graph.add(MATMUL, [_transposed(algebra, y) for y in x.args[::-1]])))
    return algebra.multiply(number, algebra.atom(permuted(x, axes)))


def _transposed(algebra: Algebra, x: Expr) -> Expr:
    return algebra.graph.broadcast(algebra.node(turned(algebra, _of(algebra, x), x.type.shape, (1, 0))), x.type.shape[::-1])


def fitted(algebra: Algebra, form: Form, before: Shape, shape: Shape) -> Form:
    """The entries in another shape, term by term; a row times a transposed matrix is the matrix times a column."""
    if before == shape:
        return form
    if 1 < len(form) <= FEW:
        total: Form = {}
        for product, factor in form.items():
            total = algebra.add(total, fitted(algebra, {product: factor}, before, shape))
        return total
    number, x = apart(algebra, form, before)
    if x.node.op is BROADCAST and not x.args[0].type.shape:
        return form
    return algebra.multiply(number, algebra.atom(_shaped(x, shape)))


def _shaped(x: Expr, shape: Shape) -> Expr:
    """An array in another shape, through all shapes that it had before; what stands for a vector goes through that one."""
    while x.node.op is RESHAPED and x.args[0].type.shape:
        x = x.args[0]
    if x.type.shape == shape:
        return x
    if x.node.op in VECTORS and len(x.type.shape) == 2 and 1 in x.type.shape:
        x = x.graph.add(RESHAPED, [_upright(x)], (x.type.shape[0] * x.type.shape[1],))
    return x if x.type.shape == shape else x.graph.add(RESHAPED, [x], shape)


def added(algebra: Algebra, form: Form, shape: Shape, axes: Shape) -> Form:
    """The sum over axes: of one number in every entry, of a number times an array, or of few entries among zeros times an array."""
    number, x = apart(algebra, form, shape)
    if len(axes) == len(shape):
        x = _picked(algebra, x)
        axes = tuple(range(len(x.type.shape)))
    if x.node.op is BROADCAST and not x.args[0].type.shape:
        count = prod([x.type.shape[axis] for axis in axes])
        return algebra.multiply(algebra.multiply(number, _of(algebra, x)), {(): ONE * count} if count else {})
    return algebra.multiply(number, algebra.atom(add_up(x, axes)))


def _picked(algebra: Algebra, x: Expr) -> Expr:
    """An array times entries among zeros, as those entries times what the array has there."""
    term = single(algebra.products.get(x.id, {}))
    product = term[1] if term and term[0] == 1 else ()
    among = [i for i, e in product if e == 1 and algebra.graph.nodes[i].op is PLACE]
    if not among:
        return x
    entries, (shape, items) = Expr(algebra.graph, algebra.graph.nodes[among[0]].args[0]), algebra.graph.nodes[among[0]].attr
    others = algebra.graph.broadcast(algebra.node({without(product, ((among[0], 1),)): ONE}), shape)
    stretched = others.node.op is BROADCAST and not others.args[0].type.shape
    here = _of(algebra, others) if stretched else algebra.atom(indexed(others, items))
    return algebra.graph.broadcast(algebra.node(algebra.multiply(_of(algebra, entries), here)), entries.type.shape)


def _of(algebra: Algebra, x: Expr) -> Form:
    """The form of an array; of one number in every entry that number."""
    return algebra.atom(x.args[0] if x.node.op is BROADCAST and not x.args[0].type.shape else x)


def _upright(x: Expr) -> Expr:
    """A row times a transposed matrix as that matrix times the column."""
    if x.node.op is not MATMUL or x.args[1].node.op is not PERMUTED or len(x.args[1].type.shape) != 2 or x.type.shape[0] != 1:
        return x
    row, matrix = x.args
    return x.graph.add(MATMUL, [matrix.args[0], _shaped(row, row.type.shape[::-1])])


def lifted(p: Expr) -> Any:
    """A condition without the axes of length 1 that it was given, if it was."""
    return p.args[0] if p.node.op is RESHAPED and p.args[0].type.shape else None
