"""The options of all commands: one table that reading, help and completion share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Exit, error
from ..syntax.words import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

READ = ("csv", "tsv", "json", "ndjson", "jsonl", "space", "parquet", "arrow", "npy")
LONGEST = 18  # digits of a whole number
MOST_DIGITS = 10_000
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
    """A whole number above 0, also as 1e3."""
    digits, _, zeros = text.lower().partition("e")
    places = int(zeros) if zeros.isascii() and zeros.isdigit() and len(zeros) <= 2 else LONGEST if "e" in text.lower() else 0
    if not digits.isascii() or not digits.isdigit() or len(digits) + places > LONGEST or not int(digits):
        raise wrong(text, "a whole number above 0")
    return int(digits + "0" * places)


def seed(text: str) -> int:
    """A whole number, 0 too."""
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST:
        raise wrong(text, "a whole number")
    return int(text)


def precision(text: str) -> int:
    """Digits to compute with."""
    number = whole(text)
    if number > MOST_DIGITS:
        raise wrong(text, f"a number of digits up to {MOST_DIGITS:,}")
    return number


def positive(text: str) -> float:
    """A finite number above 0."""
    number = _number(text)
    if number is None or not 0 < number < float("inf"):
        raise wrong(text, "a number above 0")
    return number


def share(text: str) -> float:
    """A number from 0 to below 1."""
    number = _number(text)
    if number is None or not 0 <= number < 1:
        raise wrong(text, "a number from 0 to below 1")
    return number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def one(text: str) -> list[str]:
    """The text as it is, one of many."""
    return [text]


def word(text: str) -> str:
    """Anything but nothing."""
    if not text:
        raise wrong(text, "a name")
    return text


def names(text: str) -> list[str]:
    """Names with commas between."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise wrong(text, "a list of names such as `x,y`")
    return found


def variables(text: str) -> list[str]:
    """Names of variables with commas between, as the language compares them."""
    return [normalise(name) for name in names(text)]


def wrong(text: str, wanted: str) -> AutodiffError:
    """The error for an option whose value is of another kind; `read` puts the place to it."""
    return error("wrong-option", f"`{text}` is not {wanted}", exit=Exit.USAGE)


OPTIONS: dict[str, Option] = {
    "wrt": Option("Differentiate by these, in this order (all variables otherwise).", "NAME,…", variables, repeats=True),
    "order": Option("Derivatives up to this order, by one variable.", "N", whole),
    "mode": Option(
        "Take tangents (forward) or cotangents (reverse); otherwise whichever takes fewer products.", "MODE", choices=("forward", "reverse")
    ),
    "sparse": Option("Only the entries that can be other than zero, by their coordinates (also -o FILE.npz, as SciPy reads it)."),
    "tangent": Option("The direction, as x=1,y=0 or v=[1,2]; what is not named stays as it is.", "NAME=VALUE,…", one, repeats=True),
    "cotangent": Option("The weight of every entry of the value, as [1,2] (1 for one number).", "VALUE"),
    "elasticity": Option("Add x·f′/f for every variable."),
    "max-steps": Option("Steps, and contributions, that are told; the rest is folded (60; JSON has all).", "N", whole),
    "call": Option("The value is this function of the program, of variables called like its parameters.", "FUNCTION", word),
    "include": Option("A file of functions and assignments that come before the program.", "FILE", one, repeats=True),
    "max-iterations": Option("Turns that a loop on data may take (1,000,000).", "N", whole),
    "set": Option("Values: NAME=VALUE, x=2,y=3 or @params.json.", "NAME=VALUE", repeats=True),
    "format": Option("How results are written.", "FORMAT"),
    "json": Option("Short for --format json."),
    "ndjson": Option("Short for --format ndjson."),
    "csv": Option("Short for --format csv."),
    "tsv": Option("Short for --format tsv."),
    "partials": Option("Write the local partial at every edge."),
    "backward": Option("Draw the backward pass too, as a graph of its own."),
    "static": Option("Draw both sides of every branch, also with values."),
    "inline": Option("Open functions: no box round a call, and derivatives inside the program node by node."),
    "hide-constants": Option("Leave constants out."),
    "max-nodes": Option("Draw about so many nodes and fold the rest (60 of more than 200; json: all).", "N", whole),
    "max-depth": Option("Draw what is so many steps from the result and fold the rest.", "N", whole),
    "rankdir": Option(
        "Where the result is: below (TB, the default), above (BT), on the right (LR) or the left (RL).",
        "WAY",
        choices=("TB", "BT", "LR", "RL"),
    ),
    "theme": Option("Colours for a light page (the default), a dark one, or black on white.", "THEME", choices=("light", "dark", "print")),
    "digits": Option("Significant digits of the formats for people (12).", "N", whole),
    "o": Option("Write to this file, complete or not at all; its suffix says the format.", "FILE", spellings=("-o",)),
    "precision": Option("Compute with so many decimal digits; literals and values are decimals.", "N", precision),
    "rescue": Option(
        "More digits where float64 breaks down on the way: auto (up to 1,000 rows), always or never.",
        "WHEN",
        choices=("auto", "always", "never"),
    ),
    "against": Option("A table of another program: columns of the variables, `value` and `d_x`.", "FILE"),
    "strict": Option("End with 1 when a result is NaN or infinite."),
    "color": Option("Colour: auto, always or never.", "WHEN", choices=COLORS),
    "q": Option("No notes on stderr.", spellings=("-q",)),
    "stats": Option("Peak memory, nodes and sweeps on stderr."),
    "optimizer": Option(
        "How the loss is made smaller: sgd, momentum, adam, lbfgs (the default) or newton-cg.",
        "NAME",
        choices=("sgd", "momentum", "adam", "lbfgs", "newton-cg"),
    ),
    "lr": Option("Learning rate of sgd and momentum (0.01) and adam (0.001).", "RATE", positive),
    "momentum": Option("Share of the last step that stays (0.9; sgd 0).", "SHARE", share),
    "steps": Option("Steps at most (1000).", "N", whole),
    "tol": Option("Converged where no entry of the gradient is larger.", "SLOPE", positive),
    "data": Option("Rows: a file, a pattern such as 'data/*.csv', or - for stdin.", "FILE", one, repeats=True),
    "sweep": Option("Rows made on the spot, as x=0:6:0.5 or x=1,2,5; several axes give their product.", "NAME=VALUES", one, repeats=True),
    "no-stdin": Option("Never read rows from stdin."),
    "from": Option("The format of the rows that are read.", "FORMAT", choices=READ),
    "delimiter": Option("What stands between the cells of the rows that are read.", "MARK"),
    "header": Option("The first line is a header, though it is all numbers."),
    "no-header": Option("The rows have no header; nor have those that are written."),
    "columns": Option("The names of the columns, in order.", "NAME,…", names, repeats=True),
    "only": Option("Write the results without the columns of the input."),
    "name": Option("What the value is called (value).", "NAME", word),
    "prefix": Option("What the names of derivatives begin with (d_).", "TEXT", word),
    "on-error": Option(
        "A bad row ends the run (fail, the default), has no results (null) or is left out (skip).", "WHAT", choices=("fail", "null", "skip")
    ),
    "by": Option("With --reduce: one result for each group of rows with the same cells in these columns.", "NAME,…", names, repeats=True),
    "batch": Option("Rows of a step (all).", "ROWS", whole),
    "epochs": Option("Times that every row is seen, instead of --steps.", "N", whole),
    "seed": Option("Seed of the order of rows, or of the points that are chosen (0).", "N", seed),
    "reduce": Option("One result over all rows: their sum or their mean (minimize: mean).", "HOW", choices=("mean", "sum")),
    "history": Option("Write the loss after every step to this file.", "FILE"),
    "verbose": Option("Timing on stderr.", spellings=("-v", "--verbose")),
    "debug": Option("A traceback when autodiff itself fails."),
    "help": Option("Show this help.", spellings=("-h", "--help")),
    "version": Option("Show the version.", spellings=("-V", "--version")),
}
OUTPUT = ("format", "json", "ndjson", "csv", "tsv", "digits", "o", "strict", "color")
ROWS = ("data", "sweep", "no-stdin", "from", "delimiter", "header", "no-header", "columns", "only", "on-error", "reduce", "by")
NAMES = ("name", "prefix")
CHECKED = ("against", "data", "sweep", "no-stdin", "from", "delimiter", "header", "no-header", "columns")
EXACT = ("precision", "rescue")
PROGRAM = ("call", "include", "max-iterations")
TEXT_OUTPUT = ("format", "o", "color")
ALWAYS = ("q", "verbose", "debug", "help", "version")
SHORT_FORMATS = ("json", "ndjson", "csv", "tsv")


def spellings(name: str) -> tuple[str, ...]:
    """What is typed for the option called `name`."""
    return OPTIONS[name].spellings or ("--" + name,)
