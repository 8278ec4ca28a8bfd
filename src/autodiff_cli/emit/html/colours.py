"""The themes of pictures in; the colours of a page as CSS out: light or dark as the reader's screen is, black on white in print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph.themes import BLUE, SKY, THEMES, YELLOW

if TYPE_CHECKING:
    from collections.abc import Iterator

BLACK = "#000000"
ACCENTS = {
    "light": {"accent": BLUE, "forward": BLUE, "mark": YELLOW, "mark-ink": BLACK},
    "dark": {"accent": SKY, "forward": SKY, "mark": YELLOW, "mark-ink": BLACK},
    "print": {"accent": BLACK, "forward": BLACK, "mark": "#DDDDDD", "mark-ink": BLACK},
}


def colours(theme: str) -> str:
    """Variables and what they paint; "light" is dark where the reader's screen is."""
    parts = [_root(theme, "dark" if theme == "dark" else "light")]
    if theme == "light":
        parts.append(f"@media (prefers-color-scheme: dark) {{ {_root('dark', 'dark')} }}")
    parts.append(f"@media print {{ {_root('print', 'light')} }}")
    return "\n".join([*parts, *_painted()])


def _root(name: str, scheme: str) -> str:
    theme = THEMES[name]
    plain = {key: getattr(theme, key) for key in ("ground", "ink", "arrow", "faint", "back", "next")} | ACCENTS[name]
    paints = {**theme.nodes, **{f"box-{kind}": paint for kind, paint in theme.boxes.items()}}
    named = plain | {f"{kind}-{key}": value for kind, paint in paints.items() for key, value in paint._asdict().items()}
    return f":root {{ color-scheme: {scheme}; {' '.join([f'--{key}: {value};' for key, value in named.items()])} }}"


def _painted() -> Iterator[str]:
    for kind in THEMES["light"].nodes:
        yield f".{kind} .outline {{ fill: var(--{kind}-fill); }} .{kind} .outline, .{kind} .inset {{ stroke: var(--{kind}-line); }} .{kind} text {{ fill: var(--{kind}-ink); }}"
    for kind in THEMES["light"].boxes:
        yield f".{kind} rect {{ fill: var(--box-{kind}-fill); stroke: var(--box-{kind}-line); }} .box.{kind} text {{ fill: var(--box-{kind}-ink); }}"
