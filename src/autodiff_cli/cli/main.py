"""The program: words in; results on stdout, messages on stderr, an exit code out."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, Diagnostic, Exit, Label, error
from . import color
from .arguments import Call, placed, quoted, read, span
from .form import form
from .output import silence, write
from .say import say
from .table import COMMANDS, ELSEWHERE
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report import Report

HELP = ("help", "-h", "--help")
VERSION = ("-V", "--version")
COMPLETION = "--show-completion"
BINARY = ("npy", "npz", "parquet", "arrow", "png", "pdf")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code. Only here is anything written."""
    words = list(sys.argv[1:] if argv is None else argv)
    gc.disable()
    try:
        return _run(words)
    except AutodiffError as problem:
        say(problem.diagnostic, words)
        return problem.diagnostic.exit
    except KeyboardInterrupt:
        _tidy()
        return Exit.INTERRUPTED
    except BrokenPipeError:
        silence()
        return Exit.DONE
    except Exception as bug:  # noqa: BLE001 (whatever it is, the user gets a message and 70)
        return _bug(bug, words)


def _tidy() -> None:
    """Where files were opened, none stays half written."""
    opened = sys.modules.get(f"{__package__.partition('.')[0]}.data.target")
    if opened is not None:
        opened.leave_nothing()


def start() -> None:
    """What the command `autodiff` calls: the same, leaving at once, without taking the graph apart."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            code = code or Exit.DATA
    os._exit(code)


def _run(words: list[str]) -> int:
    if not words or words[0] in HELP:
        return _help(words[1] if len(words) > 1 and words[1] in COMMANDS else None)
    if words[0] in VERSION:
        from .. import __version__

        write(f"autodiff {__version__}\n", None)
        return Exit.DONE
    if words[0] == COMPLETION:
        words = ["completion", *words[1:]]
    command = COMMANDS.get(words[0])
    if command is None:
        raise _no_command(words)
    call = read(words[0], command, words, 1)
    if "help" in call.options:
        return _help(call.command)
    if "version" in call.options:
        return _run(["--version"])
    return _answer(call)


def _answer(call: Call) -> int:
    from importlib import import_module

    watch = Watch()
    if "only" not in COMMANDS[call.command].options:
        form(call)  # said before a long run; what rows are written as is known when they are opened
    report: Report = import_module("..commands." + call.command, __name__).run(call, watch)
    if not report.written:
        text = _rendered(report, _form(report, call), call)
        with placed(call, call.places["o"]) if "o" in call.places else nullcontext():
            write(text, call.options.get("o"))
        watch.mark("write")
    if "q" not in call.options:
        for note in report.notes:
            say(note, list(call.words))
    if "verbose" in call.options:
        lines = [watch.line(), *([f"derivatives: {report.effort}"] if report.effort else [])]
        print("\n".join(lines), file=sys.stderr)  # noqa: T201 (the one place that writes to stderr)
    if report.stats is not None:
        print(report.stats, file=sys.stderr)  # noqa: T201 (as above)
    return _code(report, call)


def _form(report: Report, call: Call) -> str:
    """The format; a text is shown as it is, and arrays are not shown as bare numbers, where nobody asked for another."""
    name = form(call)
    if "format" in call.options:
        return name
    if report.text is not None and call.options.get("o") in (None, "-"):
        return "text"
    return "tsv" if name == "plain" and report.passes is None and _has_arrays(report) else name


def _has_arrays(report: Report) -> bool:
    """Whether bare numbers would not tell which entry is which."""
    return any(hasattr(entry.value, "shape") for entry in report.entries)


def _code(report: Report, call: Call) -> int:
    from ..report import finite

    return Exit.NO if not report.passed or "strict" in call.options and not finite(report) else Exit.DONE


def _rendered(report: Report, name: str, call: Call) -> str | bytes:
    from ..render import View, render

    to_terminal = call.options.get("o") in (None, "-") and color.terminal(sys.stdout)
    if to_terminal and name in BINARY:
        raise error(
            "terminal",
            f"{name} is not written to a terminal",
            hint=f"-o {'graph' if call.command == 'graph' else 'results'}.{name}",
            exit=Exit.USAGE,
        )
    paint = call.options.get("o") in (None, "-") and color.wanted(call.options.get("color", "auto"), sys.stdout)
    return render(report, name, View(call.options.get("digits", 12), paint, color.width() if to_terminal else 0))


def _help(name: str | None) -> int:
    from .app import show

    rich = color.terminal(sys.stdout) and color.wanted("auto", sys.stdout)
    write(show(name, rich=rich, width=min(color.width(), 100)), None)
    return Exit.DONE


def _no_command(words: list[str]) -> AutodiffError:
    from ..diagnostics import did_you_mean

    word = words[0]
    near, more = ELSEWHERE.get(word) or (did_you_mean(word, COMMANDS) if word.isidentifier() else None, "")
    rest = " ".join([*[quoted(w) for w in words[1:]], more])
    if near:
        return _usage(
            words, "unknown-command", f"there is no command `{word}`", f"did you mean `{near}`?", f"autodiff {near} {rest}".rstrip()
        )
    if word.startswith("--"):
        return _usage(words, "option-first", "a command comes first", "", f'autodiff grad "x**2" {quoted(word)}')
    if not word.isidentifier() or words[1:2]:
        return _usage(
            words, "missing-command", "a command comes before the expression", "", f"autodiff grad {_as_expression(word)} {rest}".rstrip()
        )
    known = ", ".join([f"`{name}`" for name in COMMANDS])
    return _usage(words, "unknown-command", f"there is no command `{word}`", "", f"the commands are {known}")


def _as_expression(word: str) -> str:
    return quoted(word) if "'" in quoted(word) else f'"{quoted(word).strip(chr(34))}"'


def _usage(words: list[str], code: str, message: str, label: str, hint: str | None) -> AutodiffError:
    return AutodiffError(Diagnostic(code, message, (Label(span(words, 0), label),), (), hint, exit=Exit.USAGE))


def _bug(bug: Exception, words: list[str]) -> int:
    if "--debug" in words:
        from traceback import print_exc

        print_exc()
    what = f"{type(bug).__name__}: {bug}".rstrip(": ").splitlines()[0][:200]
    hint = None if "--debug" in words else "`--debug` shows the traceback; please report it with this command line"
    say(error("bug", f"this is a bug in autodiff ({what})", hint=hint, exit=Exit.BUG).diagnostic, words)
    return Exit.BUG
