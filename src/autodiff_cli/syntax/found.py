"""A surprise of the parser in, a slip out: what was found where a value or an operator should stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .slips import Edit, Slip, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .words import Refused

ENDS = frozenset(("NEWLINE", "$END", "DEDENT"))
RESERVED = frozenset("and or not if elif else for in while def return break continue pass True False None".split())
AFTER = re.compile(r"(?:[^\W\d]\w*(?:\.\w+)*|[0-9.][\w.]*)?")
BEFORE = re.compile(r"[\w.]+\Z")
REACH = 500


class Found(NamedTuple):
    """Where the parser stopped: at the token `start:end` of `kind`, with `stack` read and not yet put together."""

    text: str
    kind: str
    start: int
    end: int
    wanted: frozenset[str]
    stack: list[Any]

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]

    @property
    def wants_value(self) -> bool:
        return "NUMBER" in self.wanted

    @property
    def last(self) -> tuple[int, int]:
        """Where the text before this token stands that was read last."""
        if not self.stack:
            return (self.start, self.start)
        top = self.stack[-1]
        if hasattr(top, "end_pos"):
            return (top.start_pos, top.end_pos)
        return (top.start, top.end) if hasattr(top, "start") else (self.start, self.start)

    @property
    def previous(self) -> str:
        start, end = self.last
        return self.text[start:end]


def mistakes() -> dict[str, Any]:
    """The table of common slips."""
    import tomllib

    from . import grammar

    with open(grammar("mistakes.toml"), "rb") as file:
        return tomllib.load(file)


def unexpected(text: str, surprise: Any) -> Slip:
    """The slip behind a token or a character that the parser cannot take."""
    from lark.exceptions import UnexpectedToken

    state = surprise.state
    stack = list(state.value_stack)
    if not isinstance(surprise, UnexpectedToken):
        from .characters import character

        at: int = surprise.pos_in_stream
        found = Found(text, "", at, at + 1, frozenset(k for k in state.parse_conf.states[state.position] if k.isupper()), stack)
        if "\n" in text[found.last[1] : at] and not any(getattr(item, "type", "") in ("LPAR", "LSQB") for item in stack):
            found = Found(text, "", at, at + 1, frozenset(("NUMBER",)), [])
        return character(found)
    token = surprise.token
    end = token.end_pos if token.end_pos is not None else token.start_pos
    found = Found(text, token.type, token.start_pos, end, frozenset(surprise.expected), stack)
    from .surprises import SURPRISES

    return first(SURPRISES, found)


def first(rules: tuple[Callable[[Found], Slip | None], ...], found: Found) -> Slip:
    """The answer of the first rule that knows the case; the last rule always does."""
    return next(slip for slip in (rule(found) for rule in rules) if slip is not None)


def refused(text: str, refusal: Refused) -> Slip:
    """The slip behind what the grammar allows and the language does not."""
    from .refusals import REFUSALS

    return REFUSALS[refusal.reason](text, *refusal.about)


def empty(text: str) -> Slip:
    """Nothing to compute."""
    body = text.strip()
    if body:
        return Slip(
            "empty-expression", "there is only a comment", text.index(body), len(text.rstrip()), "nothing to compute", hint="x**2 + 3*x"
        )
    return Slip("empty-expression", "the expression is empty", 0, 0, "nothing to compute", hint="x**2 + 3*x")


def before(text: str, end: int) -> int:
    """Where the value begins that ends at `end`: a name, a number, or what stands in brackets."""
    at = end
    while at > 0 and text[at - 1] in ")]" and end - at < REACH:
        at = _opening(text, at)
    word = BEFORE.search(text, max(0, at - REACH), at)
    return word.start() if word else at


def _opening(text: str, end: int) -> int:
    depth = 0
    for at in range(end - 1, max(-1, end - REACH), -1):
        depth += (text[at] in ")]") - (text[at] in "([")
        if depth == 0:
            return at
    return end - 1


def after(text: str, start: int) -> int:
    """Where the value ends that begins at `start`."""
    word = AFTER.match(text, start)
    at = word.end() if word else start
    while at < len(text) and text[at] in "([" and at - start < REACH:
        depth, k = 0, at
        while k < len(text) and k - start < REACH:
            depth += (text[k] in "([") - (text[k] in ")]")
            k += 1
            if depth == 0:
                break
        at = k
    return at


def between(found: Found) -> Slip:
    """Two values without an operator: the product is what is meant most often."""
    text, (_, end) = found.text, found.last
    left, right = before(text, end), after(text, found.start)
    a, b = text[left:end], text[found.start : right]
    star = (Edit(end, found.start, "*"),)
    repairs: tuple[tuple[Edit, ...], ...] = (star,)
    if re.search(r"(/|÷)\s*\Z", text[:left]):
        repairs = ((Edit(left, right, f"({a}*{b})"),), star)
    message = f"no operator between {shown(a)} and {shown(b)}"
    return Slip("missing-operator", message, left, right, "a product is written with `*`", repairs=repairs)
