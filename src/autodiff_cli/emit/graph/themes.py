"""Colours and shapes of pictures, one row a kind: told apart by shape in grey, and by the palette of Okabe and Ito in colour."""

from __future__ import annotations

from typing import NamedTuple

BLUE, SKY, GREEN, YELLOW, ORANGE, RED, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#F0E442", "#E69F00", "#D55E00", "#CC79A7"


class Paint(NamedTuple):
    """What a node or a box is drawn with."""

    fill: str
    line: str
    ink: str


class Theme(NamedTuple):
    """The colours of a picture: its ground, words beside nodes, arrows, and the paint of each kind of node and box."""

    ground: str
    ink: str
    arrow: str
    faint: str
    back: str
    next: str
    nodes: dict[str, Paint]
    boxes: dict[str, Paint]


LIGHT = Theme(
    ground="#FFFFFF", ink="#222222", arrow="#555555", faint="#666666", back=RED, next=BLUE,
    nodes={
        "variable": Paint("#BFE1F6", BLUE, "#000000"),
        "constant": Paint("#EEEEEE", "#AAAAAA", "#000000"),
        "operation": Paint("#FFFFFF", "#444444", "#000000"),
        "choice": Paint("#DFF3EC", GREEN, "#000000"),
        "output": Paint(YELLOW, "#444444", "#000000"),
        "port": Paint("#F2D9E6", "#8A3A66", "#000000"),
        "folded": Paint("#FFFFFF", "#777777", "#333333"),
        "seed": Paint(YELLOW, RED, "#000000"),
        "backward": Paint("#FBE0CF", RED, "#000000"),
        "accumulate": Paint("#FBE0CF", RED, "#000000"),
    },
    boxes={
        "branch": Paint("#EFF8F4", GREEN, "#00614A"),
        "loop": Paint("#EEF5FA", BLUE, "#00507D"),
        "function": Paint("#F6F6F6", "#777777", "#333333"),
        "rule": Paint("#FDF5E4", ORANGE, "#7A5300"),
        "backward": Paint("#FEF7F2", RED, "#9A4300"),
    },
)  # fmt: skip
DARK = Theme(
    ground="#1B1F24", ink="#E6E6E6", arrow="#A8B0B8", faint="#8B949E", back="#FF9A5C", next=SKY,
    nodes={
        "variable": Paint("#0B4F79", SKY, "#FFFFFF"),
        "constant": Paint("#30363D", "#6A737D", "#E6E6E6"),
        "operation": Paint("#22272E", "#A8B0B8", "#FFFFFF"),
        "choice": Paint("#0F4A3A", "#2BC79B", "#FFFFFF"),
        "output": Paint("#6B6400", YELLOW, "#FFFFFF"),
        "port": Paint("#5E2C47", PURPLE, "#FFFFFF"),
        "folded": Paint("#1B1F24", "#8B949E", "#C9D1D9"),
        "seed": Paint("#6B6400", "#FF9A5C", "#FFFFFF"),
        "backward": Paint("#5C2A06", "#FF9A5C", "#FFFFFF"),
        "accumulate": Paint("#5C2A06", "#FF9A5C", "#FFFFFF"),
    },
    boxes={
        "branch": Paint("#16302A", "#2BC79B", "#7FE3C6"),
        "loop": Paint("#152838", SKY, "#A5D8F5"),
        "function": Paint("#23282F", "#8B949E", "#C9D1D9"),
        "rule": Paint("#33280F", ORANGE, "#F5C96B"),
        "backward": Paint("#2A1D14", "#FF9A5C", "#FFC299"),
    },
)  # fmt: skip
WHITE, GREY, BLACK = "#FFFFFF", "#E4E4E4", "#000000"
PRINT = Theme(
    ground=WHITE, ink=BLACK, arrow=BLACK, faint="#666666", back=BLACK, next=BLACK,
    nodes={
        **{kind: Paint(WHITE, BLACK, BLACK) for kind in LIGHT.nodes},
        "variable": Paint(GREY, BLACK, BLACK),
        "constant": Paint(WHITE, "#888888", BLACK),
    },
    boxes={kind: Paint(WHITE, BLACK, BLACK) for kind in LIGHT.boxes},
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": DARK, "print": PRINT}
