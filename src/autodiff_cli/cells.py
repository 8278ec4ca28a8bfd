"""The name and shape of a result in; what each of its entries is called in formats that have columns out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    Shape = tuple[int, ...]
    Place = tuple[int, ...]


class Block(str):
    """The name of a block of a matrix, whose entries carry places inside it too: `texts` is what stands round these.

    With `once`, the block is symmetric: of the entries (i, j) and (j, i) only the first is a column.
    """

    __slots__ = ("once", "texts")
    texts: tuple[str, ...]
    once: bool

    def __new__(cls, name: str, texts: Sequence[str], *, once: bool = False) -> Self:
        block = super().__new__(cls, name)
        block.texts, block.once = tuple(texts), once
        return block


def entries(name: str, shape: Shape) -> Iterator[tuple[str, int]]:
    """`d_W_0_1` for entry (0, 1) of an array `d_W`, with the number of the entry in row order; just the name for a number."""
    places = enumerate(product(*map(range, shape)))
    if isinstance(name, Block):
        half = len(shape) // 2
        for k, place in places:
            if not name.once or place[:half] <= place[half:]:
                yield "".join([text for pair in zip(name.texts, (*map(str, place), ""), strict=True) for text in pair]), k
        return
    for k, place in places:
        yield "_".join([name, *map(str, place)]), k


def of_jacobian(prefix: str, name: str, ranks: tuple[int, int]) -> Block:
    """`d0_x`, `d1_x_2`, and `d_x` where the value is one number; `ranks` are those of the value and of the variable."""
    stem = prefix.rstrip("_")
    start = [stem, *["_"] * (ranks[0] - 1)] if ranks[0] else []
    rest = f"{prefix[len(stem) :]}{name}" if ranks[0] else f"{prefix}{name}"
    return Block(f"{prefix}{name}", _ended([*start, rest], ranks[1]))


def of_hessian(prefix: str, a: str, b: str, ranks: tuple[int, int]) -> Block:
    """`d2_x_y`, `d2_v_0_v_1`; `prefix` is that of second derivatives."""
    first = _ended([f"{prefix}{a}"], ranks[0])
    return Block(f"{prefix}{a}_{b}", _ended([*first[:-1], f"{first[-1]}_{b}"], ranks[1]), once=a == b)


def _ended(texts: Sequence[str], rank: int) -> list[str]:
    """The texts, with so many places behind the last."""
    return [*texts[:-1], f"{texts[-1]}_", *["_"] * (rank - 1), ""] if rank else list(texts)
