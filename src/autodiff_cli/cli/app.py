"""The Typer application, made from the tables of commands and options: help, and running through Typer.

`main` reads a command line by itself and does without Typer, whose import takes as long as the rest of a run.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from .options import OPTIONS, spellings
from .table import COMMANDS

RICH_WIDTH = 80
VALUES = "[NAME=VALUE | --NAME VALUE]..."
ABOUT = "Exact derivatives on the command line: an expression in, its value, gradient or graph out."
TAKES = (
    "EXPRESSION is text, @FILE, or - for stdin; after -- no word is an option. "
    "VALUE is a constant expression such as 2, pi/4 or [1, 2], or @FILE (.json, .npy, .npz:name, .csv), or @- for stdin."
)
MORE = 'autodiff COMMAND --help says more. Try: autodiff grad "x*y+x**2" --x 2 --y 3'


class Commands(TyperGroup):
    """The commands of the table, each made when it is asked for."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 (Typer's signature)
        return ["COMMAND EXPRESSION", VALUES, "[OPTIONS]"]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (Typer's signature)
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:  # noqa: ARG002 (Typer's signature)
        return _command(cmd_name) if cmd_name in COMMANDS else None


class Words(TyperCommand):
    """A command whose words are read by our own reader."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.params = {"words": [self.name, *args]}
        return []

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 (Typer's signature)
        takes = COMMANDS[str(self.name)].takes
        return [takes, *([VALUES] if takes.startswith("EXPRESSION") else []), "[OPTIONS]"]


app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode=None, help=ABOUT, epilog=MORE, add_help_option=False)


Help = Annotated[bool, typer.Option(*spellings("help"), help=OPTIONS["help"].help)]
Version = Annotated[bool, typer.Option(*spellings("version"), help=OPTIONS["version"].help)]


@app.callback(invoke_without_command=True)
def autodiff(context: typer.Context, *, help: Help = False, version: Version = False) -> None:
    """Declare the group; what a command does is in its own module."""
    if version or help or context.invoked_subcommand is None:
        _run(["--version" if version else "--help"])


def _command(name: str) -> TyperCommand:
    command = COMMANDS[name]
    options: list[Any] = [_option(option, command.formats) for option in command.options]
    epilog = f"Example: {command.example}"
    if command.takes.startswith("EXPRESSION"):
        epilog = f"{TAKES}\n\n{epilog}"
    return Words(
        name, callback=_run, params=options, help=command.summary, short_help=command.summary, epilog=epilog, add_help_option=False,
        rich_markup_mode=None,
    )  # fmt: skip


def _option(name: str, formats: tuple[str, ...]) -> TyperOption:
    option = OPTIONS[name]
    text = f"{option.help} One of: {', '.join(formats)}." if name == "format" else option.help
    declared = [name.replace("-", "_"), *spellings(name)]
    if not option.metavar:
        return TyperOption(param_decls=declared, is_flag=True, help=text)
    return TyperOption(param_decls=declared, type=str, multiple=option.repeats, metavar=option.metavar, help=text)


def _run(words: list[str]) -> None:
    from .main import main

    raise typer.Exit(main(words))


def show(name: str | None, *, rich: bool, width: int) -> str:
    """The help of a command, or of all; with `rich` it is drawn on the terminal and nothing is left to write."""
    group = typer.main.get_command(app)
    shown: Any = _command(name) if name else group
    settings: dict[str, Any] = {"terminal_width": width}
    parent = group.context_class(group, info_name="autodiff", **settings)
    context = parent if name is None else group.context_class(shown, info_name=name, parent=parent, **settings)
    if rich and width >= RICH_WIDTH:
        from typer.rich_utils import rich_format_help

        rich_format_help(obj=shown, ctx=context, markup_mode="rich")
        sys.stdout.flush()
        return ""
    return "".join([line.rstrip() + "\n" for line in str(shown.get_help(context)).splitlines()])
