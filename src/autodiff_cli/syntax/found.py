"""A surprise of the parser in, a slip out: what was found where a value or an operator should stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .slips import Edit, Slip, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .words import Refused

ENDS = frozenset(("NEWLINE", "$END", "DEDENT"))
AFTER = re.compile(r"(?:[^\W\d]\w*(?:\.\w+)*|[0-9.][\w.]*|∞)?")
BEFORE = re.compile(r"(?:[\w.]+|∞)\Z")
LEIBNIZ = re.compile(r"[d∂]([^\W\d]\w*)?\s*/\s*[d∂]([^\W\d]\w*)\s*([^\n;]*)")
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
    start, end = (token.start_pos, token.end_pos) if token.type != "$END" else (len(text.rstrip()),) * 2
    found = Found(text, token.type, start, end, frozenset(surprise.expected), stack)
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
    """Where the value begins that ends at `end`, or before the blanks there: a name, a number, or what stands in brackets."""
    at = end = len(text[:end].rstrip(" \t")) if text[end - 1 : end].isspace() else end
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


def derivative(by: str, body: str) -> tuple[str, str, str]:
    """Code, message and hint where `d/dx` stands before an expression, or round one."""
    hint = f'autodiff grad "{body.strip()}" --wrt {by}' if body.strip() and '"' not in body else f"grad(y, {by})"
    return "derivative-sign", f"`d/d{by}` is not read as a derivative", hint


def leibniz(text: str, start: int) -> Slip | None:
    """`d/dx x**2` from `start` on."""
    match = LEIBNIZ.match(text, start)
    if match is None:
        return None
    function, by, body = match.groups()
    code, message, hint = derivative(by, function or body)
    return Slip(code, message, start, match.end() if function else match.start(3), hint=hint)


def applied(text: str, at: int) -> tuple[int, str, str] | None:
    """Where `sin^2` begins that ends at `at`, the function and its power: a function with a power before its argument."""
    power = re.search(r"([^\W\d]\w*)\s*(?:\^|\*\*)\s*(-?\d+)\s*\Z", text[max(0, at - REACH) : at])
    if power is None:
        return None
    from ..ops import FUNCTIONS

    return (max(0, at - REACH) + power.start(), power[1], power[2]) if power[1] in FUNCTIONS else None


def powered(text: str, start: int, opening: int, end: int, function: str, power: str) -> Slip:
    """The slip for `sin^2(x)`, whose argument is `opening:end`."""
    from ..ops import FUNCTIONS

    argument = text[opening:end] if text[opening] == "(" else f"({text[opening:end]})"
    inverse = [f"a{function}{argument}"] if power == "-1" and f"a{function}" in FUNCTIONS else []
    power = f"({power})" if power.startswith("-") else power
    repairs = tuple([(Edit(start, end, new),) for new in [*inverse, f"{function}{argument}**{power}"]])
    return Slip(
        "missing-brackets",
        f"`{function}` is a function, and its power stands before its argument",
        start,
        end,
        "the power comes last",
        repairs=repairs,
    )


def between(found: Found) -> Slip:
    """Two values without an operator: the product is what is meant most often."""
    text, (_, end) = found.text, found.last
    left, right = before(text, end), after(text, found.start)
    function = applied(text, end)
    if function is not None:
        return powered(text, function[0], found.start, right, *function[1:])
    a, b = text[left:end], text[found.start : right]
    star = (Edit(end, found.start, "*"),)
    repairs: tuple[tuple[Edit, ...], ...] = (star,)
    if re.search(r"(/|÷)\s*\Z", text[:left]):
        repairs = ((Edit(left, right, f"({a}*{b})"),), star)
    message = f"no operator between {shown(a)} and {shown(b)}"
    return Slip("missing-operator", message, left, right, "a product is written with `*`", repairs=repairs)
