"""Messages as people see them: every syntax error drawn, and the drawing itself."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodiff_cli.diagnostics import AutodiffError, Diagnostic, Label, Source, Span
from autodiff_cli.render.message import WIDTH, ascii_only, draw, wide
from autodiff_cli.syntax import Tree, attempt, parse
from autodiff_cli.syntax.slips import Slip

if TYPE_CHECKING:
    from autodiff_cli.diagnostics import Severity

GOLDEN = Path(__file__).parent / "golden" / "syntax_errors.txt"
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def found(text: str) -> Diagnostic:
    """What is wrong with a text."""
    with pytest.raises(AutodiffError) as caught:
        parse(Source("expression", text))
    return caught.value.diagnostic


def drawn(text: str) -> str:
    """The message that a text gets."""
    return draw(found(text))


def golden() -> dict[str, str]:
    """The cases of the file: `>>> text` as Python writes it, and the message under it."""
    blocks = GOLDEN.read_text(encoding="utf-8").split("\n>>> ")[1:]
    pairs = (block.partition("\n") for block in blocks)
    return {ast.literal_eval(head): body.strip("\n") for head, _, body in pairs}


def rewrite() -> None:
    """Write the file anew, with the messages of today."""
    head = GOLDEN.read_text(encoding="utf-8").split("\n>>> ")[0].rstrip("\n")
    blocks = [f"\n>>> {text!r}\n{drawn(text)}\n" for text in golden()]
    GOLDEN.write_text("".join([head, "\n", *blocks]), encoding="utf-8")


if os.environ.get("UPDATE_GOLDEN"):
    rewrite()
CASES = golden()


@pytest.mark.parametrize("text", CASES, ids=ascii)
def test_syntax_errors(text: str) -> None:
    assert drawn(text) == CASES[text]


@pytest.mark.parametrize("text", [t for t in CASES if "\n" not in t], ids=ascii)
def test_a_mended_line_is_a_program(text: str) -> None:
    """What a repair offers can be pasted; a hint that is only a sample stands for itself."""
    slip = attempt(text)
    assert isinstance(slip, Slip)
    hint = found(text).hint or ""
    if slip.repairs and hint != slip.hint:
        for line in hint.split(" or "):
            assert isinstance(attempt(line), Tree)


def test_codes_are_kebab_case_and_hints_are_given() -> None:
    for text, message in CASES.items():
        assert re.match(r"error\[[a-z]+(-[a-z0-9]+)*\]: \S", message), text
        assert "\n  hint: " in message or message.startswith("error[misplaced]"), text


# --- the drawing -----------------------------------------------------------------------------


def labelled(text: str, *pieces: str, severity: Severity = "error", name: str = "expression") -> Diagnostic:
    """A message with each of the pieces underlined."""
    source = Source(name, text)
    labels = tuple(Label(Span(source, text.index(p), text.index(p) + len(p)), f"here {k}") for k, p in enumerate(pieces))
    return Diagnostic("a-code", "something is wrong", labels, severity=severity)


DRAWN = {
    "severity": (
        labelled("x/0", "/", severity="warning"),
        ["warning[a-code]: something is wrong", "  ┌─ expression:1:2", "1 │ x/0", "  │  ^ here 0"],
    ),
    "two labels": (labelled("f(x, y)", "y", "x"), ["1 │ f(x, y)", "  │      ^ here 0", "  │   - here 1"]),
    "two lines": (
        labelled("a = 1\nb = 2\na + c", "c", "a"),
        ["  ┌─ expression:3:5", "3 │ a + c", "  │     ^ here 0", "1 │ a = 1", "  │ - here 1"],
    ),
    "many lines": (
        labelled("x = [1,\n  2,\r\n  3]\n", "[1,\n  2,\r\n  3]"),
        ["1 │ x = [1,", "  │     ^^^", "  ·", "3 │   3]", "  │   ^^ here 0"],
    ),
    "next line": (labelled("(x +\n y)", "(x +\n y)"), ["1 │ (x +", "  │ ^^^^", "2 │  y)", "  │  ^^ here 0"]),
    "line numbers": (labelled("\n" * 99 + "x y", "y"), ["    ┌─ expression:100:3", "100 │ x y", "    │   ^ here 0"]),
    "wide": (labelled("変数 + é + e\u0301 + ｘ y", "y"), ["1 │ 変数 + é + e\u0301 + ｘ y", "  │                   ^ here 0"]),
    "wide span": (labelled("a + 変数", "変数"), ["1 │ a + 変数", "  │     ^^^^ here 0"]),
    "tab": (labelled("\tx y", "y"), ["1 │     x y", "  │       ^ here 0"]),
    "control": (labelled("x \x1b[0m\x07 y", "y"), [r"1 │ x \x1b[0m\x07 y", "  │               ^ here 0"]),
    "direction": (labelled("x \u202e y", "y"), [r"1 │ x \u202e y", "  │          ^ here 0"]),
    "no-break space": (labelled("x\u00a0y", "y"), ["1 │ x y", "  │   ^ here 0"]),
    "end": (Diagnostic("a", "b", (Label(Span(Source("e", "x+"), 2, 2)),)), ["1 │ x+", "  │   ^"]),
    "name": (labelled("x y", "y", name="a\nb"), [r"  ┌─ a\nb:1:3"]),
}


@pytest.mark.parametrize("case", DRAWN)
def test_drawing(case: str) -> None:
    diagnostic, lines = DRAWN[case]
    assert "\n".join(lines) in draw(diagnostic)


def test_notes_and_hints_stand_under_the_text() -> None:
    diagnostic = Diagnostic("a-code", "m", labelled("x", "x").labels, ("one", "two\nlines"), "y\nz", "note")
    assert draw(diagnostic).split("\n")[4:] == ["  note: one", "  note: two", "        lines", "  hint: y", "        z"]
    assert draw(diagnostic._replace(labels=(), notes=())) == "note[a-code]: m\n  hint: y\n        z"


def test_sources_are_named_where_they_change() -> None:
    labels = (*labelled("x y", "y").labels, *labelled("1", "1", name="--x").labels)
    assert draw(Diagnostic("a", "b", labels)).split("\n")[1:] == [
        "  ┌─ expression:1:3", "1 │ x y", "  │   ^ here 0", "  ├─ --x:1:1", "1 │ 1", "  │ - here 0",
    ]  # fmt: skip


def test_the_first_line_may_have_another_number() -> None:
    diagnostic = Diagnostic("a", "b", (Label(Span(Source("f", "x\ny", 41), 2, 3)),))
    assert "  ┌─ f:42:1\n42 │ y" in draw(diagnostic).replace("   ┌", "  ┌")


def test_colour_is_paint_on_the_same_text() -> None:
    diagnostic = labelled("f(x, y)\n", "y", "f(x")._replace(hint="g", notes=("n",))
    painted = draw(diagnostic, color=True)
    assert ESCAPE.sub("", painted) == draw(diagnostic)
    assert painted.startswith("\x1b[1;31merror[a-code]\x1b[0m")


@pytest.mark.parametrize("at", [0, 1, 5_000_000, 9_999_998, 9_999_999])
@pytest.mark.parametrize("mark", ["x", "変"])
def test_a_long_line_is_cut_round_the_span(at: int, mark: str) -> None:
    text = mark * at + "!" + mark * (9_999_999 - at)
    lines = draw(labelled(text, "!")).split("\n")
    assert lines[1] == f"  ┌─ expression:1:{at + 1}"
    assert all(wide(line) <= WIDTH + len(" here 0") for line in lines)
    column = wide(lines[3].partition("^")[0])
    assert lines[2][next(k for k in range(len(lines[2])) if wide(lines[2][:k]) == column)] == "!"
    assert lines[2].count("…") == (at > 1) + (at < 9_999_998)


def test_a_long_span_is_cut_at_its_end() -> None:
    lines = draw(labelled("a" * 100 + "b" * 10_000 + "c" * 100, "b" * 10_000)).split("\n")
    assert re.fullmatch(r"1 │ …a+b+…", lines[2])
    assert re.fullmatch(r"  │  +\^+ here 0", lines[3])
    assert lines[3].index("^") == lines[2].index("b")


def test_a_message_is_short_whatever_it_is_about() -> None:
    name = "a" * 300_000
    diagnostic = labelled(name, name)._replace(
        message=f"no value for `{name}`", hint=f"add --{name} 1", notes=(", ".join(f"`x{k}`" for k in range(3000)),)
    )
    drawn_text = draw(diagnostic)
    assert len(drawn_text) < 2000
    assert "aaa…aaa" in drawn_text


def test_in_ascii_the_marks_stand_under_the_text() -> None:
    diagnostic = labelled("变 + µ*y z", "y z", name="数.ad")
    assert ascii_only(diagnostic).splitlines() == [
        "error[a-code]: something is wrong", "  +- \\u6570.ad:1:15", "1 | \\u53d8 + \\xb5*y z", "  |               ^^^ here 0",
    ]  # fmt: skip
