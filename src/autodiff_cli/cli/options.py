"""The options of all commands: one table that reading, help and completion share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from collections.abc import Callable

COLORS = ("auto", "always", "never")


class Option(NamedTuple):
    """An option that takes a value says how it is shown (`metavar`) and how its text is read."""

    help: str
    metavar: str = ""
    read: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    repeats: bool = False


def whole(text: str) -> int:
    """A whole number above 0."""
    if not text.isascii() or not text.isdigit() or not int(text):
        raise wrong(text, "a whole number above 0")
    return int(text)


def names(text: str) -> list[str]:
    """Names with commas between."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise wrong(text, "a list of names such as `x,y`")
    return found


def wrong(text: str, wanted: str) -> AutodiffError:
    """The error for an option whose value is of another kind; `read` puts the place to it."""
    return error("wrong-option", f"`{text}` is not {wanted}", exit=Exit.USAGE)


OPTIONS: dict[str, Option] = {
    "wrt": Option("Differentiate by these, in this order (all variables otherwise).", "NAME,…", names, repeats=True),
    "order": Option("Derivatives up to this order, by one variable.", "N", whole),
    "elasticity": Option("Add x·f′/f for every variable."),
    "set": Option("Values: NAME=VALUE, x=2,y=3 or @params.json.", "NAME=VALUE", repeats=True),
    "format": Option("How results are written.", "FORMAT"),
    "json": Option("Short for --format json."),
    "ndjson": Option("Short for --format ndjson."),
    "csv": Option("Short for --format csv."),
    "tsv": Option("Short for --format tsv."),
    "digits": Option("Significant digits of the formats for people (12).", "N", whole),
    "o": Option("Write to this file, complete or not at all; its suffix says the format.", "FILE", spellings=("-o",)),
    "strict": Option("End with 1 when a result is NaN or infinite."),
    "color": Option("Colour: auto, always or never.", "WHEN", choices=COLORS),
    "q": Option("No notes on stderr.", spellings=("-q",)),
    "verbose": Option("Timing on stderr.", spellings=("-v", "--verbose")),
    "debug": Option("A traceback when autodiff itself fails."),
    "help": Option("Show this help.", spellings=("-h", "--help")),
    "version": Option("Show the version.", spellings=("-V", "--version")),
}
OUTPUT = ("format", "json", "ndjson", "csv", "tsv", "digits", "o", "strict", "color")
TEXT_OUTPUT = ("format", "o", "color")
ALWAYS = ("q", "verbose", "debug", "help", "version")
SHORT_FORMATS = ("json", "ndjson", "csv", "tsv")


def spellings(name: str) -> tuple[str, ...]:
    """What is typed for the option called `name`."""
    return OPTIONS[name].spellings or ("--" + name,)
