"""Variables in, points to compare two functions at out: whole numbers and other marked places first, then random ones of every scale."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MARKED = (0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, -0.5, 10.0, -10.0, 0.25, 100.0)
FEW = 64  # marked points
SCALES: tuple[Callable[[Random], float], ...] = (
    lambda draw: draw.uniform(0, 1),
    lambda draw: draw.uniform(-1, 1),
    lambda draw: draw.uniform(0, 4),
    lambda draw: draw.uniform(-4, 4),
    lambda draw: draw.uniform(1, 20),
    lambda draw: draw.uniform(-20, 20),
    lambda draw: 10 ** draw.uniform(-3, 3),
    lambda draw: -(10 ** draw.uniform(-3, 3)),
    lambda draw: draw.choice((-1, 1)) * 10 ** draw.uniform(-3, 3),
    lambda draw: float(draw.randint(1, 12)) + draw.choice((0, 0.5, 0.25)),
)
DIGITS = 4


class Point(NamedTuple):
    """Values of the variables; a marked point may be on a kink or at a pole, a random one hardly ever is."""

    values: dict[str, float]
    marked: bool


def points(names: Sequence[str], seed: int, count: int, special: Sequence[Point] = ()) -> Iterator[Point]:
    """Marked points, the special ones, and so many random ones, the same for the same seed; only one where there is no variable."""
    if not names:
        yield Point({}, marked=False)
        return
    draw = Random(f"{seed} {len(names)}")  # noqa: S311 (nothing secret)
    for values in _marked(len(names), draw):
        yield Point(dict(zip(names, values, strict=True)), marked=True)
    yield from special
    for k in range(count):
        mixed = k % 3 == 2
        scale = SCALES[k // 3 % len(SCALES)]
        yield Point({name: _short((draw.choice(SCALES) if mixed else scale)(draw)) for name in names}, marked=False)


def _marked(count: int, draw: Random) -> Iterator[Sequence[float]]:
    """All combinations of marked values where there are few, else all variables at one value and random combinations."""
    if count == 1:
        yield from [(value,) for value in MARKED]
        return
    if count == 2:
        yield from product(MARKED[:6], repeat=2)
        return
    yield from [(value,) * count for value in MARKED]
    yield from [[draw.choice(MARKED[:6]) for _ in range(count)] for _ in range(FEW - len(MARKED))]


def _short(value: float) -> float:
    """A number of few digits, which a person can type."""
    return float(f"{value:.{DIGITS}g}")
