"""`autodiff same A B`: are two expressions one function? A counterexample if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import Exit, error
from ...syntax.words import normalise
from ..arguments import abridged, usage
from ..prepare import prepare
from ..table import COMMANDS

if TYPE_CHECKING:
    from ...diagnostics import Diagnostic
    from ...report import Report
    from ..arguments import Call
    from ..prepare import Prepared
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """Whether they are, at the values that are given and at chosen points of all other variables."""
    from ...equality import compare
    from ...equality.answer import answer

    first, second = [prepare(one, watch) for one in _each(call)]
    verdict = compare(first.lowered, second.lowered, {**first.values, **second.values}, call.options.get("seed", 0))
    watch.mark("compare")
    report = answer(verdict)
    return report._replace(notes=(*_notes(first, second), *report.notes))


def _each(call: Call) -> list[Call]:
    """The call with the first expression only, and with the second; each with the values of names that stand in it."""
    if call.expression is None or not call.extras:
        raise error("missing-expression", "`autodiff same` compares two expressions", hint=COMMANDS["same"].example, exit=Exit.USAGE)
    place, *rest = call.extras
    if rest:
        third = call.words[rest[0]]
        raise usage(call, rest[0], "extra-word", f"`autodiff same` compares two expressions, and `{abridged(third)}` is a third one")
    if {call.expression, call.words[place]} <= {"-", "@-"}:
        raise usage(call, place, "stdin-twice", "stdin is read twice")
    second = call._replace(expression=call.words[place], place=place, extras=())
    first = call._replace(extras=())
    words = [_words(one) for one in (first, second)]
    known = [_names(call, *pair) for pair in (words, reversed(words))]
    known[0] |= {given.name for given in call.given} - known[0] - known[1]  # the first one says that a name is in neither
    return [
        one._replace(given=tuple([g for g in call.given if g.name in names])) for one, names in zip((first, second), known, strict=True)
    ]


def _names(call: Call, mine: set[str] | None, yours: set[str] | None) -> set[str]:
    """The names with a value that an expression may use; those of a file may be any that the other one does not."""
    given = {given.name for given in call.given}
    return given & mine if mine is not None else given - (yours or set())


def _words(call: Call) -> set[str] | None:
    """The words of an expression; None where it is read from a file."""
    from re import findall

    text = call.expression or ""
    return None if text[:1] == "@" or text == "-" else {normalise(word) for word in findall(r"[^\W\d]\w*", text)}


def _notes(first: Prepared, second: Prepared) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys([*first.notes, *second.notes, *first.lowered.notes, *second.lowered.notes]))
