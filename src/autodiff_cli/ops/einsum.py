"""`einsum`: subscripts and arrays in; diagonals, sums, permutations and one matrix product a pair out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from .array import function
from .linear import Many, add_up, indexed, permuted, reshaped
from .tensor import matmul

if TYPE_CHECKING:
    from ..graph import Expr

DOTS, LONGEST = 0x10FFFF, 64  # `...` stands for letters that nobody types, the last one here; no array has more axes


def _einsum(subscripts: str, *operands: Any) -> Any:
    inputs, output, size = _subscripts(subscripts, operands)
    terms = [_diagonals(*_unstretched(x, labels, size)) for x, labels in zip(operands, inputs, strict=True)]
    while len(terms) > 1:
        (a, s), (b, t) = terms.pop(0), terms.pop(0)
        later = set(output).union(*[labels for _, labels in terms])
        terms.insert(0, _pair(a, s, b, t, later))
    found, labels = terms[0]
    gone = tuple([k for k, c in enumerate(labels) if c not in output])
    found, labels = add_up(found, gone), "".join(c for c in labels if c in output)
    return permuted(found, tuple([labels.index(c) for c in output]))


def _subscripts(text: str, operands: Any) -> tuple[list[str], str, dict[str, int]]:
    """The letters of each operand and of the result, and the size of each letter's axis; `...` gets letters of its own."""
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise error("einsum", f'"{text}" has {len(inputs)} operands, and here are {len(operands)}')
    letters = "".join([*inputs, right]).replace("...", "")
    if not all(c.isalpha() for c in letters) or any(part.count("...") > 1 for part in (*inputs, right)):
        raise error("einsum", f'"{text}" is no list of letters', hint='einsum("ij,jk->ik", A, B)')
    more = [len(x.type.shape) - len(labels) + 3 for labels, x in zip(inputs, operands, strict=True) if "..." in labels]
    dots = "".join(chr(DOTS - k) for k in reversed(range(max(more, default=0))))
    inputs = [_written_out(labels, len(x.type.shape), dots) for labels, x in zip(inputs, operands, strict=True)]
    size = _sizes_of(inputs, operands)
    output = right.replace("...", dots) if arrow else dots + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(set(output)) != len(output) or not set(output) <= set(size):
        raise error("einsum", f'"{right}" is no output of "{text}"')
    return inputs, output, size


def _written_out(labels: str, rank: int, dots: str) -> str:
    """The letters of an operand, those of `...` counted from the last."""
    count = rank - len(labels) + 3
    if ("..." in labels and count < 0) or ("..." not in labels and len(labels) != rank):
        named = len(labels.replace("...", ""))
        raise error("einsum", f'"{labels}" names {named} axes, and the array has {rank}')
    return labels.replace("...", dots[len(dots) - count :])


def _sizes_of(inputs: list[str], operands: Any) -> dict[str, int]:
    """The size of each letter: a 1 is stretched to what another operand says, as NumPy stretches it."""
    found: dict[str, int] = {}
    for labels, x in zip(inputs, operands, strict=True):
        own: dict[str, int] = {}
        for c, n in zip(labels, x.type.shape, strict=True):
            before = own.get(c, found.get(c, n))
            if before != n and (c in own or 1 not in (before, n)):
                name = "`...`" if ord(c) > DOTS - LONGEST else f"`{c}`"
                raise error("einsum", f"{name} is {before} in one place and {n} in another")
            own[c] = n
            found[c] = n if found.get(c, 1) == 1 else found[c]
    return found


def _unstretched(x: Expr, labels: str, size: dict[str, int]) -> tuple[Expr, str]:
    """An operand without the axes that another one stretches."""
    kept = [k for k, (c, n) in enumerate(zip(labels, x.type.shape, strict=True)) if n == size[c]]
    return reshaped(x, tuple([x.type.shape[k] for k in kept])), "".join(labels[k] for k in kept)


def _diagonals(x: Expr, labels: str) -> tuple[Expr, str]:
    """An axis named twice is its diagonal."""
    for c in sorted(set(labels)):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            n, rank = x.type.shape[i], len(labels)
            x = permuted(x, (i, j, *[k for k in range(rank) if k not in (i, j)]))
            along = Many(range(n), (n,))
            x = indexed(x, (along, along))
            labels = c + "".join(l for k, l in enumerate(labels) if k not in (i, j))
    return x, labels


def _pair(a: Expr, s: str, b: Expr, t: str, later: set[str]) -> tuple[Expr, str]:
    """Two operands by one matrix product: shared labels that stay are stacks, those that go are summed."""
    a, s = _summed(a, s, set(t) | later)
    b, t = _summed(b, t, set(s) | later)
    shared = [c for c in s if c in t]
    stack, inner = [c for c in shared if c in later], [c for c in shared if c not in later]
    rows, cols = [c for c in s if c not in t], [c for c in t if c not in s]
    size = dict(zip(s, a.type.shape, strict=True)) | dict(zip(t, b.type.shape, strict=True))
    left = _matrix_of(a, s, stack, rows, inner, size)
    right = _matrix_of(b, t, stack, inner, cols, size)
    made = a.graph.add(matmul, [left, right])
    labels = [*stack, *rows, *cols]
    return reshaped(made, tuple([size[c] for c in labels])), "".join(labels)


def _summed(x: Expr, labels: str, kept: set[str]) -> tuple[Expr, str]:
    gone = tuple([k for k, c in enumerate(labels) if c not in kept])
    return add_up(x, gone), "".join(c for c in labels if c in kept)


def _matrix_of(x: Expr, labels: str, stack: list[str], rows: list[str], cols: list[str], size: dict[str, int]) -> Expr:
    x = permuted(x, tuple([labels.index(c) for c in (*stack, *rows, *cols)]))
    n = m = 1
    for c in rows:
        n *= size[c]
    for c in cols:
        m *= size[c]
    return reshaped(x, (*[size[c] for c in stack], n, m))


function("einsum", _einsum, "subscripts", doc="sum of products, as NumPy's", example='einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])')
