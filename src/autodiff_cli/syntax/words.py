"""Words of the language: names and strings as written in, as meant out; lines into blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TAB = 8
DEPTH = {"LPAR": 1, "LSQB": 1, "RPAR": -1, "RSQB": -1}
RESERVED = frozenset("and or not if elif else for in while def return break continue pass True False None".split())
SYMBOLS = {"−": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "^": "**", "≤": "<=", "≥": ">=", "≠": "!="}
ESCAPE = r"\\(?:\r\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}]+\}|[\s\S])"
ESCAPES = {**dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True)), "\n": "", "\r": "", "\r\n": ""}


class Refused(Exception):
    """What the grammar allows and the language does not; `reason` names the message, `about` what it is on."""

    def __init__(self, reason: str, *about: Any) -> None:
        super().__init__(reason)
        self.reason, self.about = reason, about


def normalise(name: str) -> str:
    """A name as results carry it: NFKC, subscript digits too; `π` is `pi`."""
    if name.isascii():
        return name
    from unicodedata import normalize

    found = normalize("NFKC", name)
    return "pi" if found == "π" else found


def symbol(text: str) -> str:
    """An operator in its one spelling: `×` is `*`, `^` is `**`, `^=` is `**=`."""
    if text in SYMBOLS:
        return SYMBOLS[text]
    return symbol(text[0]) + text[1:] if text[0] in SYMBOLS else text


def unquote(text: str) -> str:
    """The value of a string, with Python's escapes."""
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    import re

    return re.sub(ESCAPE, lambda found: _escape(found[0]), inner)


def _escape(text: str) -> str:
    plain = ESCAPES.get(text[1:])
    if plain is not None:
        return plain
    if text[1] in "xuUN01234567" and len(text) > 1 + (text[1] in "xuUN"):
        try:
            return text.encode("ascii", "backslashreplace").decode("unicode_escape")
        except UnicodeDecodeError:
            return text
    return text


class Lines:
    """The last step before the parser: newlines inside brackets go, blanks at line starts become blocks."""

    always_accept = ("NEWLINE",)

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        """The tokens with INDENT and DEDENT put in, and a NEWLINE at the end."""
        depth, token, newline, margins = 0, None, None, Margins()
        for token in stream:
            kind = token.type
            if kind == "NEWLINE":
                newline = token if depth <= 0 else newline
                continue
            if newline is not None or not margins.open:
                yield from margins.turn(newline, token)
                newline = None
            if kind in DEPTH:
                depth += DEPTH[kind]
            yield token
        if margins.open and token is not None:
            yield newline or _virtual("NEWLINE", token)
            yield from [_virtual("DEDENT", token) for _ in margins.open[1:]]


class Margins:
    """The blanks before the lines of each open block; None for the outermost until a second line shows it."""

    def __init__(self) -> None:
        self.open: list[str | None] = []

    def turn(self, newline: Any, token: Any) -> Iterator[Any]:
        """Between two lines (`newline` is None before the first one): what opens or closes here."""
        if newline is None:
            self.open.append("" if token.start_pos == 0 else None)
            return
        blanks = newline.value[max(newline.value.rfind("\n"), newline.value.rfind("\r")) + 1 :]
        if not self.open:
            self.open.append(blanks)
            return
        yield newline
        if self.open[-1] is None:
            self.open[-1] = blanks
        yield from self._blocks(blanks, token)

    def _blocks(self, blanks: str, token: Any) -> Iterator[Any]:
        width = _width(blanks)
        if width > _width(self.open[-1]):
            if not blanks.startswith(self.open[-1] or ""):
                raise Refused("mixed-indentation", token)
            self.open.append(blanks)
            yield _virtual("INDENT", token, at=token.start_pos)
        while width < _width(self.open[-1]) and len(self.open) > 1:
            self.open.pop()
            yield _virtual("DEDENT", token, at=token.start_pos)
        if blanks != self.open[-1]:
            raise Refused("mixed-indentation" if width == _width(self.open[-1]) else "unmatched-indentation", token)


def _width(blanks: str | None) -> int:
    return len((blanks or "").expandtabs(TAB))


def _virtual(kind: str, token: Any, at: int | None = None) -> Any:
    """A token without text: where a line or a block ends or begins."""
    place = token.end_pos if at is None else at
    return type(token)(kind, "", place, end_pos=place)
