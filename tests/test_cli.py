"""The program as a process: streams, signals, files, terminals, completion, and the same through Typer."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from shutil import which
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from autodiff_cli.cli import color
from autodiff_cli.cli.app import app
from autodiff_cli.cli.completion import SHELLS, script
from autodiff_cli.cli.options import OPTIONS, spellings
from autodiff_cli.cli.table import COMMANDS
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.render import FORMATS
from console import ROOT, Outcome, autodiff, shell

if TYPE_CHECKING:
    from pathlib import Path

BINARY = {"parquet", "arrow", "npy", "npz", "png", "pdf"}
MAIN = ("grad", "x*y+x**2", "--x", "2", "--y", "3")


def terminal(*words: str, **environ: str) -> str:
    """What the program shows on a terminal."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environ}
    leader, follower = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "autodiff_cli", *words], stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                read = os.read(leader, 4096)
            except OSError:
                break
            shown += read
            if not read:
                break
        os.close(leader)
        process.wait()
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_table() -> None:
    shown = terminal(*MAIN)
    assert [line.split() for line in shown.splitlines() if "─" not in line] == [
        ["value", "10"], [], ["variable", "at", "derivative"], ["x", "2", "7"], ["y", "3", "2"],
    ]  # fmt: skip
    assert "\x1b" not in shown


def test_a_terminal_gets_colour_unless_it_is_refused() -> None:
    assert "\x1b[" in terminal(*MAIN, NO_COLOR="")
    assert "\x1b[" in terminal(*MAIN, "--color", "always")
    assert "\x1b[" not in terminal(*MAIN, "--color", "never", NO_COLOR="", FORCE_COLOR="1")
    assert "\x1b[" not in terminal(*MAIN, "--json", "--color", "always")
    assert "\x1b[" in terminal("grad", "x*", NO_COLOR="")


def test_a_narrow_terminal_cuts_nothing() -> None:
    shown = terminal("functions", COLUMNS="50")
    assert "…" not in shown.replace(", …", "").replace("(…", "")


def test_a_number_is_never_broken_on_a_narrow_terminal() -> None:
    point = ("grad", "x*y", "x=1.23456789012345", "y=2.3456789012345", "--color", "never")
    assert terminal(*point, COLUMNS="30").splitlines()[2:] == [
        "x", "  at          1.23456789012", "  derivative  2.34567890123", "y", "  at          2.34567890123", "  derivative  1.23456789012",
    ]  # fmt: skip
    assert terminal(*point, COLUMNS="40").splitlines()[2:] == [
        "variable              at      derivative", "─" * 40, "x          1.23456789012   2.34567890123", "y          2.34567890123   1.23456789012",
    ]  # fmt: skip


def test_the_value_of_an_unused_variable_is_in_the_table() -> None:
    assert autodiff("grad", "x**2", "x=3", "z=4", "--format", "table", "-q").out.splitlines()[-1].split() == ["z", "4", "0"]


@pytest.mark.parametrize("environ", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}])
def test_messages_are_ascii_where_nothing_else_can_be_shown(environ: dict[str, str]) -> None:
    err = shell('autodiff eval "μ + x y"', **environ).err
    assert err.splitlines() == [
        "error[missing-operator]: no operator between `x` and `y`", "  +- expression:1:10", "1 | \\u03bc + x y", "  |          ^^^ a product is written with `*`",
        "  hint: \\u03bc + x*y",
    ]  # fmt: skip


def test_help_on_a_terminal_and_in_a_pipe_has_every_option() -> None:
    for name, command in COMMANDS.items():
        for shown in (autodiff(name, "--help").out, autodiff("help", name).out):
            assert all(text in shown for option in command.options for text in spellings(option))
    assert all(name in terminal(COLUMNS="100") for name in COMMANDS)


def test_narrow_help_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for name in COMMANDS:
        shown = autodiff(name, "--help").out
        assert "…" not in shown.replace("NAME,…", "").replace("NAME=VALUE,…", "")
        assert "..." not in shown.replace("]...", "")
        assert all(len(line) <= 40 for line in shown.splitlines())


COLOR = [
    ("always", {"NO_COLOR": "1"}, True),
    ("never", {"FORCE_COLOR": "1"}, False),
    ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ("auto", {"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ("auto", {"FORCE_COLOR": "0"}, False),
    ("auto", {"FORCE_COLOR": "3"}, True),
    ("auto", {}, False),
]


@pytest.mark.parametrize(("choice", "environ", "wanted"), COLOR)
def test_color_goes_by_option_then_no_color_then_force_color(choice: str, environ: dict[str, str], wanted: bool) -> None:  # noqa: FBT001
    assert color.wanted(choice, None, environ) is wanted


def test_results_are_utf_8_with_lf_in_any_locale() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "autodiff_cli", "grad", "μ", "μ=2"], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.stdout == "value\td_μ\n2.0\t1.0\n".encode()


def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "autodiff_cli", "eval", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdin
        process.stdin.write(b" " * 500_000)  # more than a pipe holds: it is being read
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_bug_of_ours_ends_with_70_and_a_short_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("autodiff_cli.api.answer", broken)
    short, long = autodiff("eval", "x", "--x", "2"), autodiff("eval", "x", "--x", "2", "--debug")
    assert short == Outcome("", short.err, 70)
    assert short.err.startswith("error[bug]: this is a bug in autodiff (ZeroDivisionError: oh)\n")
    assert "Traceback" not in short.err
    assert "Traceback" in long.err


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    line = f'ulimit -f 0; cd "{tmp_path}"; trap "" XFSZ; autodiff grad x --x 2 -o out.json'
    done = shell(line)
    assert done.code == 4, done
    assert "cannot be written" in done.err
    assert not list(tmp_path.iterdir())


def test_an_error_keeps_the_old_file(tmp_path: Path) -> None:
    old = tmp_path / "out.json"
    old.write_text("old")
    assert autodiff("grad", "x*", "-o", str(old)).code == 3
    assert old.read_text() == "old"
    assert autodiff("grad", "x", "--x", "2", "-o", str(old)).code == 0
    assert json.loads(old.read_text()) == {"value": 2.0, "gradient": {"x": 1.0}}
    assert list(tmp_path.iterdir()) == [old]


def test_timing_goes_to_stderr() -> None:
    done = autodiff(*MAIN, "-v")
    assert done.out == autodiff(*MAIN).out
    assert done.err.startswith("time: parse ")


def test_ten_megabytes_of_brackets_are_answered_at_once(tmp_path: Path) -> None:
    (tmp_path / "deep.ad").write_text("(" * 10_000_000)
    done = autodiff("grad", f"@{tmp_path / 'deep.ad'}")
    assert done.code == 3
    assert len(done.err) < 1000


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.takes == "EXPRESSION"])
def test_every_format_of_a_command_is_written(name: str) -> None:
    for form in sorted({*COMMANDS[name].formats} - BINARY):
        more = [*["x=2", "y=3"] * (name != "derive"), *["--tangent", "x=1,y=0"] * ("tangent" in COMMANDS[name].options)]
        done = autodiff(name, "x**2 + y**2", *more, "--format", form)
        assert (done.code, done.err) == (0, ""), form
        assert done.out.endswith("\n"), form


def test_every_format_is_some_commands() -> None:
    offered = {form for command in COMMANDS.values() for form in (*command.formats, *command.auto)}
    assert set(FORMATS) == offered - {"auto"}


def test_functions_in_every_format() -> None:
    for form in COMMANDS["functions"].formats:
        assert autodiff("functions", "--format", form).out.count("\n") > (1 if form == "json" else 100) - 1
    listed = json.loads(autodiff("functions", "--json").out)
    assert {name for item in listed for name in (item["name"], *item["aliases"])} >= set(FUNCTIONS)
    assert all(list(item) == ["name", "aliases", "doc", "derivative", "domain", "example", "result"] for item in listed)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_shown_in_detail(name: str) -> None:
    done = autodiff("functions", name)
    assert done.code == 0
    assert "example" in done.out


def test_the_same_through_typer() -> None:
    run = CliRunner()
    assert run.invoke(app, list(MAIN)).output == autodiff(*MAIN).out
    assert run.invoke(app, ["grad", "x", "--x", "-3", "--json"]).output == '{"value": -3.0, "gradient": {"x": 1.0}}\n'
    assert run.invoke(app, ["grad"]).exit_code == 2


COMPLETED = [
    (("gr",), 1, {"grad", "graph"}),
    (("grad", "--ord"), 2, {"--order"}),
    (("grad", "x", "--format", "md"), 4, set()),
    (("grad", "x", "--format", "cs"), 4, {"csv"}),
    (("grad", '"x*tan'), 2, {"x*tan(", "x*tanh(", "x*tand(", "x*tanpi(", "x*tanhshrink("}),
    (("functions", "log_s"), 2, {"log_sigmoid", "log_softmax"}),
    (("grad", '"x*sqr'), 2, {"x*sqrt(", "x*sqrt()"}),
    (("completion", "f"), 2, {"fish"}),
    (("graph", "x", "--format", "s"), 4, {"svg"}),
    (("grad", "x", "--format", "=", "md"), 5, set()),
    (("grad", "x", "--format", "=", "nd"), 5, {"ndjson"}),
    (("grad", "x", "--wrt", ""), 4, set()),
    (("grad", "@", "som"), 3, {"@some.ad", "@some.json"}),
    (("grad", "@"), 2, {"@some.ad", "@some.json"}),
    (("grad", "x", "--set", "@", "some.j"), 5, {"@some.json"}),
    (("grad", "x", "some.j"), 3, {"some.json"}),
    (("graph", "x", "some.j"), 3, set()),
    (("foo", ""), 2, set()),
]
FILES = ("some.ad", "some.json")
FISH = [
    ("autodiff grad --f", {"--format", "--from"}),
    ("autodiff --", {"--help", "--version"}),
    ("autodiff graph x --format p", {"png", "pdf"}),
    ("autodiff grad x --wrt ", set()),
    ("autodiff foo ", set()),
    ("autodiff grad @", {"@some.ad", "@some.json"}),
    ("autodiff grad x --set @some.j", {"@some.json"}),
    ("autodiff grad x*tanp", {"x*tanpi()", "x*tanpi("}),
    ("autodiff functions log_sig", {"log_sigmoid"}),
    ("autodiff graph some", set()),
]


@pytest.mark.parametrize(("words", "place", "wanted"), COMPLETED)
def test_bash_completes(words: tuple[str, ...], place: int, wanted: set[str], tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).touch()
    quoted = " ".join(["'" + word + "'" for word in ("autodiff", *words)])
    text = f'{script("bash")}\nCOMP_WORDS=({quoted}); COMP_CWORD={place}; _autodiff; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "--norc", "-c", text], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert set(done.stdout.split()) == wanted


def test_fish_completes(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in FILES:
        (here / name).touch()
    (tmp_path / "script").write_text(script("fish"))
    for line, wanted in FISH if which("fish") else []:
        done = subprocess.run(
            ["fish", "-c", f"source ../script; complete -C '{line}'"], capture_output=True, text=True, check=True, cwd=here
        )
        assert {found.partition("\t")[0] for found in done.stdout.splitlines()} == wanted, line


@pytest.mark.parametrize("name", [name for name in SHELLS if which(name)])
def test_the_shell_can_read_its_script(name: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script(name))
    assert subprocess.run([name, "-n", "script"], capture_output=True, check=False, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("shell_name", SHELLS)
def test_completion_knows_commands_options_and_functions(shell_name: str) -> None:
    text = script(shell_name)
    assert not [part for part in ("@commands@", "@functions@", "@options@", "@values@") if part in text]
    assert all(name in text for name in [*COMMANDS, *FUNCTIONS, *[name for name in OPTIONS if len(name) > 2]])
