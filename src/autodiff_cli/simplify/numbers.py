"""Decimal texts in, exact rational numbers out, and back to texts of the language."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

ONE, ZERO = Fraction(1), Fraction(0)
DIGITS = 17  # of a decimal that a float64 tells from its neighbours
SMALL = 10**9  # numerators and denominators that people read
EXPONENT = 40
HALVES = (2, 4, 8)


def rational(text: str) -> Fraction | None:
    """The number of a decimal text; None for names, for -0 and for what is too long or too large to be written out."""
    head, _, exponent = text.lower().partition("e")
    if not head.strip("-").replace(".", "", 1).isdigit() or len(head) > EXPONENT or (exponent and abs(int(exponent)) > EXPONENT):
        return None
    number = Fraction(text)
    return None if not number and text.startswith("-") or not short(number) else number


def short(number: Fraction) -> bool:
    """Whether a number can be written exactly, and so that a person reads it."""
    return max(abs(number.numerator), number.denominator) < SMALL or 0 < len(_scientific(number)[0]) <= DIGITS


def decimal(number: Fraction) -> str:
    """The exact decimal text of a number without a sign; empty where there is none."""
    digits, shift = _scientific(number)
    point = len(digits) + shift
    if not digits or -4 < point <= DIGITS:
        whole, rest = (digits[:point].ljust(point, "0"), digits[point:]) if point > 0 else ("0", "0" * -point + digits)
        return digits and (f"{whole}.{rest}" if rest else whole)
    return f"{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{point - 1:+03d}"


def _scientific(number: Fraction) -> tuple[str, int]:
    """The digits without zeros at either end, and the power of ten that they stand before; no digits where they have no end."""
    twos = fives = 0
    rest = number.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest > 1:
        return "", 0
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    kept = digits.rstrip("0") or "0"
    return kept, len(digits) - len(kept) - places


def parts(number: Fraction, *, decimals: bool = False) -> tuple[str, str]:
    """The texts that a number without a sign puts above and below the line: halves and thirds as quotients, other decimals as they are."""
    top, bottom = abs(number.numerator), number.denominator
    text = decimal(number)
    if bottom == 1 or text and (bottom not in HALVES or decimals or max(top, bottom) >= SMALL):
        return text or str(top), "1"
    return str(top), str(bottom)


def content(numbers: list[Fraction]) -> Fraction:
    """What all numbers share, above and below the line, with the sign of the first."""
    top = bottom = 0
    for number in numbers:
        top, bottom = gcd(top, number.numerator), gcd(bottom, number.denominator)
    shared = Fraction(top, bottom)
    return -shared if numbers[0] < 0 else shared
