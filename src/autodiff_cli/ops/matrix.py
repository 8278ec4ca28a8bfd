"""Matrix functions and makers of arrays: language calls in, nodes of tensor ops out."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import NAN, Expr
from ..types import broadcast
from .arithmetic import eq, select
from .array import arrays_only, called, constants, count, counting, function, random, shape_error, sizes, stacked
from .linear import Many, add_up, indexed, place, reshaped, swapped
from .steps import whole
from .tensor import chol, det, detsign, inv, logabsdet, matmul, solve


def product(a: Expr, b: Expr) -> Any:
    """`a @ b` as NumPy's: vectors are rows on the left and columns on the right, matrices in front are stacks."""
    if not a.type.shape or not b.type.shape:
        raise error("needs-array", "`@` is the matrix product, and one side of it is one number", hint="`*` multiplies by a number")
    left = reshaped(a, (1, *a.type.shape)) if len(a.type.shape) == 1 else a
    right = reshaped(b, (*b.type.shape, 1)) if len(b.type.shape) == 1 else b
    (*front, n, m), (*back, k, p) = left.type.shape, right.type.shape
    stack = broadcast(tuple(front), tuple(back))
    if m != k or stack is None:
        raise error("shape", f"shapes {a.type.shape} and {b.type.shape} have no matrix product", hint=_product_hint(a, b))
    graph = a.graph
    made = graph.add(matmul, [graph.broadcast(left, (*stack, n, m)), graph.broadcast(right, (*stack, k, p))])
    kept = (*stack, *((n,) if len(a.type.shape) > 1 else ()), *((p,) if len(b.type.shape) > 1 else ()))
    return reshaped(made, kept)


def _product_hint(a: Expr, b: Expr) -> str | None:
    s, t = a.type.shape, b.type.shape
    first, last = len(s) == 2 and s[0] == t[0], len(t) == 2 and s[-1] == t[-1]
    if first and last:
        return "A @ B.T multiplies along the last axis of both, A.T @ B along the first"
    return (
        "A.T @ B multiplies along the first axis of both" if first else "A @ B.T multiplies along the last axis of both" if last else None
    )


def _dot(a: Any, b: Any) -> Any:
    return a * b if not a.type.shape or not b.type.shape else product(a, b)


def _inner(a: Any, b: Any) -> Any:
    if not a.type.shape or not b.type.shape:
        return a * b
    if a.type.shape[-1] != b.type.shape[-1]:
        raise shape_error("inner", a.type.shape, b.type.shape)
    rows, cols = (reshaped(x, (_entries(x.type.shape[:-1]), x.type.shape[-1])) for x in (a, b))
    return reshaped(product(rows, swapped(cols)), (*a.type.shape[:-1], *b.type.shape[:-1]))


def _entries(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


def _outer(a: Any, b: Any) -> Any:
    n, m = (count(x, tuple(range(len(x.type.shape)))) for x in (a, b))
    return reshaped(a, (n, 1)) * reshaped(b, (1, m))


def _cross(a: Any, b: Any) -> Any:
    if a.type.shape[-1:] != (3,) or b.type.shape[-1:] != (3,):
        raise error("shape", f"`cross` takes vectors of three numbers, and has shapes {a.type.shape} and {b.type.shape}")

    def turned(x: Expr, k: int) -> Expr:
        last = Many([(i + k) % 3 for i in range(3)], (3,))
        return indexed(x, (*[(0, n, 1) for n in x.type.shape[:-1]], last))

    return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1)


def _square(a: Expr, name: str) -> Expr:
    shape = a.type.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise error("shape", f"`{name}` takes a square matrix, and this has shape {shape}")
    return a


def _trace(a: Any) -> Any:
    shape = a.type.shape
    if len(shape) < 2:
        raise error("shape", f"`trace` takes a matrix, and this has shape {shape}")
    n = min(shape[:2])
    along = Many(range(n), (n,))
    return add_up(indexed(a, (along, along)), (0,))


def _matrix(op: Any, name: str) -> Any:
    return lambda a: a.graph.add(op, [_square(a, name)])


def _logdet(a: Any) -> Any:
    size, sign = a.graph.add(logabsdet, [_square(a, "logdet")]), a.graph.add(detsign, [a])
    return select(sign < 0, NAN * size, size)


def _slogdet(a: Any) -> Any:
    return stacked([a.graph.add(detsign, [_square(a, "slogdet")]), a.graph.add(logabsdet, [a])], 0)


def _solve(a: Any, b: Any) -> Any:
    n = _square(a, "solve").type.shape[-1]
    vector = len(b.type.shape) == 1
    right = reshaped(b, (*b.type.shape, 1)) if vector else b
    if len(right.type.shape) < 2 or right.type.shape[-2] != n:
        raise shape_error("solve", a.type.shape, b.type.shape)
    stack = broadcast(a.type.shape[:-2], right.type.shape[:-2])
    if stack is None:
        raise shape_error("solve", a.type.shape, b.type.shape)
    graph = a.graph
    made = graph.add(solve, [graph.broadcast(a, (*stack, n, n)), graph.broadcast(right, (*stack, *right.type.shape[-2:]))])
    return reshaped(made, made.type.shape[:-1]) if vector else made


# --- makers -----------------------------------------------------------------------------------------------------


def maker(name: str, call: Any, *static: str, **fields: Any) -> None:
    """A function that makes an array from static numbers: its call gets the graph first."""
    op = function(name, call, *static, **fields)
    op.rule, op.parameters = "maker", op.parameters[1:]


def _filled(text: str, name: str) -> Any:
    return lambda graph, *shape: graph.broadcast(graph.const(text), sizes(name, shape))


def _full(_: Any, shape: Any, value: Any) -> Any:
    wanted = sizes("full", shape if isinstance(shape, tuple) else (shape,))
    if broadcast(wanted, value.type.shape) != wanted:
        raise shape_error("full", wanted, value.type.shape)
    return value.graph.broadcast(value, wanted)


def _eye(graph: Any, n: Any) -> Any:
    k, _ = sizes("eye", (n, n))
    along = Many(range(k), (k,))
    return graph.add(place, [graph.broadcast(graph.const("1"), (k,))], ((k, k), (along, along)))


def _arange(graph: Any, start: Any, stop: Any = None, step: Any = 1) -> Any:
    first, last = (0, start) if stop is None else (start, stop)
    if not step:
        raise error("step", "the step of `arange` is 0")
    (n,) = sizes("arange", (max(0.0, -(-((last - first) / step) // 1)),))
    counted = step * counting(graph, n)
    return first + counted if first else counted


def _linspace(graph: Any, start: Any, stop: Any, num: Any = 50) -> Any:
    (n,) = sizes("linspace", (num,))
    if start.type.shape or stop.type.shape:
        raise error("needs-number", "`linspace` goes from one number to another, and here is an array", hint="linspace(0, 1, 5)")
    if n < 2:
        return reshaped(start, (1,)) if n == 1 else counting(graph, 0)
    k = counting(graph, n)
    return select(eq(k, n - 1), stop, start + k * ((stop - start) / (n - 1)))


def _random(kind: str, name: str) -> Any:
    def call(graph: Any, *shape: Any, seed: Any = None) -> Any:
        if seed is None:
            raise error(
                "seed",
                f"`{name}` needs a seed, so that it is the same at every run",
                hint=f"{name}({', '.join(f'{n:g}' for n in sizes(name, shape))}, seed=1)",
            )
        wanted = sizes(name, shape)
        made = Expr(graph, graph.intern(random, (), (kind, wanted or (1,), whole("seed", name, seed))))
        return made if wanted else indexed(made, (0,))

    return call


def _shape(x: Any) -> Any:
    return constants(x, [str(n) for n in x.type.shape], (len(x.type.shape),))


def _len(x: Any) -> Any:
    arrays_only(x, "len")
    return x.graph.lift(x.type.shape[0])


# fmt: off
called(matmul, product)
function("shape",  _shape,  doc="sizes of the axes",                   example="shape([[1, 2, 3]])")
function("len",    _len,    doc="size of the first axis",              example="len([1, 2, 3])")
function("dot",    _dot,    doc="product of vectors or matrices, as NumPy's", example="dot([1, 2], [3, 4])")
function("inner",  _inner,  doc="sum of products over the last axes",  example="inner([1, 2], [3, 4])")
function("outer",  _outer,  doc="matrix of products of entries",       example="outer([1, 2], [3, 4])")
function("cross",  _cross,  doc="vector product in three dimensions",  example="cross([1, 0, 0], [0, 1, 0])")
function("trace",  _trace,  doc="sum of the diagonal",                 example="trace([[1, 2], [3, 4]])")
function("det",    _matrix(det, "det"), doc="determinant",             example="det([[1, 2], [3, 4]])")
function("logdet", _logdet, doc="log(det(A)): -inf at 0, NaN below",   example="logdet([[2, 0], [0, 3]])")
function("slogdet", _slogdet, doc="sign and log of the absolute value of the determinant", example="slogdet([[1, 2], [3, 4]])")
function("inv",    _matrix(inv, "inv"), doc="inverse matrix",          example="inv([[2, 0], [0, 4]])")
function("solve",  _solve,  doc="x with A @ x = b",                    example="solve([[2, 0], [0, 4]], [2, 2])")
function("cholesky", _matrix(chol, "cholesky"), doc="lower factor of (A + A.T)/2", example="cholesky([[4, 2], [2, 3]])")
maker("zeros",  _filled("0", "zeros"), "shape", doc="array of zeros", example="zeros(2, 3)")
maker("ones",   _filled("1", "ones"),  "shape", doc="array of ones",  example="ones(3)")
maker("full",   _full, "shape",        doc="array of one number",    example="full(3, 7)")
maker("eye",    _eye, "n",             doc="identity matrix",        example="eye(2)")
maker("arange", _arange, "start", "stop", "step", doc="numbers with a step, without the end", example="arange(0, 1, 0.25)")
maker("linspace", _linspace, "num",    doc="numbers at equal distances, with the end", example="linspace(0, 1, 5)")
maker("randn",  _random("normal", "randn"),  "shape", "seed", doc="standard normal numbers", example="randn(2, seed=1)")
maker("rand",   _random("uniform", "rand"),  "shape", "seed", doc="uniform numbers in [0, 1)", example="rand(2, seed=1)")
# fmt: on
