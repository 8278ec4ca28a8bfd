"""The words after `autodiff COMMAND`, each read once from the left; a `Call` out. Only reading: no value is computed here."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Diagnostic, Exit, Label, Source, Span, error
from ..syntax.words import normalise as normal
from .options import OPTIONS, SHORT_FORMATS, spellings
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .table import Command


MOST = 12  # commands that a hint lists
WORDS = ("format", "color", "optimizer")  # options called as what they choose


class Given(NamedTuple):
    """A value as it was typed: its name, its text, how it came ("option", "pair" or "set") and at which word."""

    name: str
    text: str
    form: str
    place: int


class Call(NamedTuple):
    """A command line, read: `words` is the whole of it, `extras` the places of the words after EXPRESSION."""

    command: str
    words: tuple[str, ...]
    expression: str | None
    place: int
    given: tuple[Given, ...]
    sets: tuple[tuple[str, int], ...]
    extras: tuple[int, ...]
    options: dict[str, Any]
    places: dict[str, int]

    def span(self, place: int, length: int = 0) -> Span:
        """Where a word stands in the command line as messages show it."""
        return span(self.words, place, length)


class Reader:
    """The state of reading: the words, which comes next, and what has been found."""

    __slots__ = ("at", "call", "command", "expression", "extras", "given", "name", "options", "place", "places", "sets", "spelled", "words")

    def __init__(self, name: str, command: Command, words: Sequence[str], start: int) -> None:
        self.name, self.command, self.words, self.at = name, command, tuple(words), start
        self.spelled = {text: option for option in command.options for text in spellings(option)}
        self.expression: str | None = None
        self.place = start
        self.given: list[Given] = []
        self.sets: list[tuple[str, int]] = []
        self.extras: list[int] = []
        self.options: dict[str, Any] = {}
        self.places: dict[str, int] = {}


def read(name: str, command: Command, words: Sequence[str], start: int) -> Call:
    """The words from `start` on, as a call of the command."""
    r = Reader(name, command, words, start)
    plain = False
    while r.at < len(r.words):
        word = r.words[r.at]
        r.at += 1
        if word == "--" and not plain:
            plain = True
        elif not plain and (word.partition("=")[0] in r.spelled and word.startswith("--") or word in r.spelled):
            _option(r, word)
            if "help" in r.options:
                break
        elif not plain and word.startswith("--"):
            _variable(r, word)
        else:
            _word(r, word)
    return Call(r.name, r.words, r.expression, r.place, tuple(r.given), tuple(r.sets), tuple(r.extras), r.options, r.places)


def _option(r: Reader, word: str) -> None:
    place = r.at - 1
    typed, mark, text = word.partition("=") if word.startswith("--") else (word, "", "")
    name = r.spelled[typed]
    option = OPTIONS[name]
    if not option.metavar:
        if mark:
            raise _error(r, place, "unexpected-value", f"`{typed}` takes no value", hint=typed)
        value: Any = True
    else:
        value = _value(r, typed, mark, text, option.metavar)
    if name == "set":
        r.sets.append((value, r.at - 1))
        return
    if option.metavar:
        value = _converted(r, name, value)
    _store(r, name, value, r.at - 1)


def _store(r: Reader, name: str, value: Any, place: int) -> None:
    key = "format" if name in SHORT_FORMATS else name
    if key in r.options and not OPTIONS[name].repeats and OPTIONS[key].metavar:
        raise _error(r, place, "given-twice", f"`{spellings(key)[0]}` is given twice", first=r.places[key])
    r.options[key] = name if key != name else [*r.options.get(name, ()), *value] if OPTIONS[name].repeats else value
    r.places[key] = place


def _converted(r: Reader, name: str, text: str) -> Any:
    choices = OPTIONS[name].choices or (r.command.formats if name == "format" else ())
    text = next((choice for choice in choices if choice.casefold() == text.casefold()), text)
    if choices and text not in choices:
        raise _unknown_choice(r, name, text, choices)
    try:
        return OPTIONS[name].read(text)
    except AutodiffError as problem:
        raise _error(r, r.at - 1, problem.diagnostic.code, f"{problem.diagnostic.message}, for `{spellings(name)[0]}`") from None


def _unknown_choice(r: Reader, name: str, text: str, choices: tuple[str, ...]) -> AutodiffError:
    from ..diagnostics import did_you_mean

    near = did_you_mean(text, choices)
    return _error(
        r, r.at - 1, f"unknown-{name}", f"`{text}` is no {name} of `autodiff {r.name}`" if name in WORDS else f"`{spellings(name)[0]}` cannot be `{text}`",
        label=f"did you mean `{near}`?" if near else "", hint=f"`{spellings(name)[0]}` takes {_listed(choices)}",
    )  # fmt: skip


def _listed(words: Sequence[str]) -> str:
    return ", ".join([f"`{word}`" for word in words[:-1]]) + (" or " if len(words) > 1 else "") + f"`{words[-1]}`"


def _value(r: Reader, typed: str, mark: str, text: str, metavar: str) -> str:
    if mark:
        return text
    if r.at >= len(r.words):
        raise _error(r, r.at - 1, "missing-option-value", f"`{typed}` is the last word and its value is missing", hint=f"{typed} {metavar}")
    r.at += 1
    return r.words[r.at - 1]


def _variable(r: Reader, word: str) -> None:
    place = r.at - 1
    name, mark, text = word[2:].partition("=")
    if not normal(name).isidentifier():
        raise unknown(r.words, place, name, [text[2:] for text in r.spelled if text.startswith("--")], r.name)
    if not mark and (r.at >= len(r.words) or _is_option(r, r.words[r.at])):
        near = _near_option(r, name)
        why = "is the last word and its value is missing" if r.at >= len(r.words) else f"has no value: `{r.words[r.at]}` is an option"
        raise _error(
            r, place, "missing-value", f"`--{name}` {why}", label=near,
            hint=None if near else f"--format {name}" if name in r.command.formats else _whose(name) or f"--{name} 3",
        )  # fmt: skip
    r.given.append(Given(normal(name), _value(r, word, mark, text, "VALUE"), "option", place))


def _is_option(r: Reader, word: str) -> bool:
    return word.startswith("--") and word.partition("=")[0] in r.spelled


def _near_option(r: Reader, name: str) -> str:
    from ..diagnostics import did_you_mean

    near = did_you_mean("--" + name, [text for text in r.spelled if text.startswith("--")])
    return f"did you mean `{near}`?" if near else ""


def _word(r: Reader, word: str) -> None:
    pair = pair_of(word) if r.command.takes.startswith("EXPRESSION") else None
    if pair is not None:
        r.given.append(Given(*pair, "pair", r.at - 1))
    elif r.expression is None:
        r.expression, r.place = word, r.at - 1
    else:
        r.extras.append(r.at - 1)


def pair_of(word: str) -> tuple[str, str] | None:
    """The name and the text of a word NAME=VALUE; None for any other word."""
    name, mark, text = word.partition("=")
    name = normal(name)
    if not mark or not name.isidentifier() or not text or "=" in text or text[0].isspace() or ";" in text or "\n" in text:
        return None
    return name, text


def unknown(words: Sequence[str], place: int, name: str, known: Sequence[str], command: str) -> AutodiffError:
    """The error for a `--NAME` that is neither an option nor a variable."""
    from ..diagnostics import did_you_mean

    near = did_you_mean(name, known)
    return AutodiffError(
        Diagnostic(
            "unknown-option", f"`--{name}` is neither an option of `autodiff {command}` nor a variable of the expression",
            (Label(span(words, place, len(name) + 2), f"did you mean `--{near}`?" if near else ""),), (),
            None if near else _whose(name) or f"`autodiff {command} --help` lists the options", exit=Exit.USAGE,
        )
    )  # fmt: skip


def _whose(name: str) -> str | None:
    """The commands that have an option."""
    owners = [f"`{command}`" for command, entry in COMMANDS.items() if name in entry.options and "--" + name in spellings(name)]
    return f"`--{name}` is an option of {', '.join(owners[:MOST])}" if owners else None


def _error(  # noqa: PLR0913 (the fields of a diagnostic, by name)
    r: Reader, place: int, code: str, message: str, *, label: str = "", hint: str | None = None, first: int | None = None
) -> AutodiffError:
    labels = (Label(span(r.words, place), label),) + (() if first is None else (Label(span(r.words, first), "first given here"),))
    return AutodiffError(Diagnostic(code, message, labels, (), hint, exit=Exit.USAGE))


def span(words: Sequence[str], place: int, length: int = 0) -> Span:
    """The word at `place`, or its first `length` characters, in the command line as a shell takes it."""
    shown = ["autodiff", *[quoted(abridged(word)) for word in words]]
    start = sum(len(text) + 1 for text in shown[: place + 1])
    end = start + len(shown[place + 1])
    return Span(Source("command line", " ".join(shown)), start, min(end, start + length) if length else end)


def abridged(word: str, limit: int = 72) -> str:
    """A word of one short line."""
    line = " ".join(word.split()) if "\n" in word or "\t" in word else word
    return line if len(line) <= limit else line[: limit - 1] + "…"


def quoted(word: str) -> str:
    """The word as it is typed in a shell."""
    if word and all(c.isalnum() or c in "-_=./,:@%+…" for c in word):
        return word
    return f'"{word}"' if not any(c in word for c in '"$`\\!') else "'" + word.replace("'", "'\\''") + "'"


@contextmanager
def placed(call: Call, place: int) -> Iterator[None]:
    """An error without a place is about this word."""
    try:
        yield
    except AutodiffError as problem:
        if problem.diagnostic.labels:
            raise
        raise AutodiffError(problem.diagnostic._replace(labels=(Label(call.span(place)),))) from None


def usage(call: Call, place: int, code: str, message: str, *, label: str = "", hint: str | None = None) -> AutodiffError:
    """An error about a word of a command line."""
    return error(code, message, call.span(place), label, hint=hint, exit=Exit.USAGE)
