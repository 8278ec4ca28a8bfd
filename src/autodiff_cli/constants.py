"""The text of a constant in; its one spelling, the whole number that it spells, and a number with so many digits, out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

WHOLE = 2**53
MOST = 400  # a whole number of more digits is above every float64, and is read as no count


@lru_cache(256)
def whole(text: str) -> int | None:
    """The whole number that the text of a constant spells."""
    return int(text) if len(text) <= MOST and text.lstrip("-").isdigit() else None


@lru_cache(256)
def canonical(text: str) -> str:
    """One spelling for whole numbers (`2.0`, `2e0` and `2` are `2`); others keep their text."""
    text = text.replace("_", "").lower() if text[-1:].isdigit() or text.endswith(".") else text
    if text.isdigit():
        return text.lstrip("0") or "0"
    if text[:1] not in ".0123456789-" or len(text) > 32 or text == "-inf":
        return text
    return _whole(text)


def _whole(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    head, _, tail = mantissa.partition(".")
    shift = int(exponent or 0)
    if not -32 < shift < 32:
        return text
    digits, places = head + tail, len(tail) - shift
    number = int(digits) * 10 ** max(-places, 0)
    if places > 0:
        number, rest = divmod(number, 10**places)
        if rest:
            return text
    return text if abs(number) >= WHOLE else f"-{-number}" if number < 0 else "-0" if digits[0] == "-" and not number else str(number)


class Digits(float):
    """A number with more digits than a float64 has: its text; as a float it is the float64 next to it, or one that is given."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str, near: float | None = None) -> Self:
        number = super().__new__(cls, text if near is None else near)
        number.text = text if number == number else "NaN"
        return number

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__
