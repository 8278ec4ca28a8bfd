"""A program, a point or none and what to draw in; a page that needs no other file and no network out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ...run.kernels_javascript import script
from ..graph.build import Picture
from ..graph.picture import picture
from ..graph.words import caption, short
from .colours import colours
from .contents import BACKWARD, contents, source
from .javascript import Still, javascript
from .recording import Recording, recording
from .svg import escaped, svg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...lower import Lowered
    from ...report import Value
    from ..drawing import Shown
    from ..graph.model import Choice, Drawing, Node

WIDEST = -0.000123456  # takes as much room as any number of so many digits
LONGEST = 80


class Scene(NamedTuple):
    """What a page shows: the picture, both passes where there are values, the script that runs them again, or why there is none."""

    drawing: Drawing
    record: Recording | None
    script: str
    why: str


def page(lowered: Lowered, values: Mapping[str, Value] | None, shown: Shown | None, choice: Choice) -> tuple[Drawing, str]:
    """The picture that is on the page, and the page."""
    scene = _scene(lowered, values, shown, choice)
    return scene.drawing, _filled(lowered, scene, choice)


def _scene(lowered: Lowered, values: Mapping[str, Value] | None, shown: Shown | None, choice: Choice) -> Scene:
    """With both sides of every choice where the page can run them; else as it ran."""
    if values is None or shown is None:
        return Scene(picture(lowered.fn, None, choice), None, "", _unknown(lowered))
    wrt = [name for name, kind in lowered.fn.params if kind.kind == "real" and name not in lowered.statics]
    known = wrt if shown.gradients else []
    both = _recorded(lowered, values, shown, choice._replace(static=True), known)
    try:
        return Scene(*both, javascript(both[1].program), "")
    except Still as why:
        drawing, record = both if choice.static else _recorded(lowered, values, shown, choice, known)
        return Scene(drawing, record, "", f"The inputs stand still: {why}. Python computed these values.")


def _unknown(lowered: Lowered) -> str:
    """Why nothing ran, and what to give."""
    names = [short(name) for name in lowered.free]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    return f"Nothing ran: not every variable has a value. With values for {listed} the page plays both passes."


def _recorded(
    lowered: Lowered, values: Mapping[str, Value], shown: Shown, choice: Choice, wrt: Sequence[str]
) -> tuple[Drawing, Recording]:  # fmt: skip
    parts = Picture(choice)
    drawing = picture(lowered.fn, shown, choice, parts)
    return drawing, recording(lowered.fn, values, wrt, parts, drawing)


def _filled(lowered: Lowered, scene: Scene, choice: Choice) -> str:
    """The template with everything in its place; its scripts and its style are known to the browser by their hashes."""
    text = source(lowered.fn)
    style = f"{colours(choice.theme)}\n{asset('page.css')}"
    scripts = [*([f"{script()}\n{scene.script}\n"] if scene.script else []), asset("page.js")]
    line = " ".join(text.split())
    drawing = _unmarked(scene.drawing, partials=choice.partials) if scene.script else scene.drawing
    parts = {
        "policy": _policy(scripts, style), "title": escaped(f"{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'} – autodiff graph"),
        "style": style, "svg": svg(drawing, _roomy(scene.record if scene.script else None), choice.rankdir), "caption": escaped(caption(drawing)),
        "source": _lines(text), "why": escaped(scene.why), "data": _json(contents(lowered.fn, scene.drawing, scene.record, choice.digits, live=bool(scene.script))),
        "scripts": "\n".join([f"<script>{code}</script>" for code in scripts]),
    }  # fmt: skip
    pieces = asset("page.html").split("%%")
    return "".join([parts[piece] if k % 2 else piece for k, piece in enumerate(pieces)])


def asset(name: str) -> str:
    """A file that pages are made of."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _lines(text: str) -> str:
    return "\n".join([escaped(line) for line in text.split("\n")])


def _policy(scripts: Sequence[str], style: str) -> str:
    """Nothing may be loaded, and only what stands in the page may run."""
    allowed = " ".join([f"'{_hash(code)}'" for code in scripts])
    return f"default-src 'none'; script-src {allowed}; style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _json(data: object) -> str:
    """Data in a script element, which a `<` could end."""
    from json import dumps

    return dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _unmarked(drawing: Drawing, *, partials: bool) -> Drawing:
    """The page itself marks which branch is taken, and which side of a choice is off, and tells the partials of each point."""
    edges = []
    for e in drawing.edges:
        slope = 0.0 if partials and e.off else None if e.kind == "backward" else e.partial
        edges.append(e._replace(off=False, partial=slope))
    return drawing._replace(clusters=tuple([c._replace(taken=None) for c in drawing.clusters]), edges=tuple(edges))


def _roomy(record: Recording | None) -> Callable[[Node], Node]:
    """Where the page runs the program, a node has room for any value and any gradient that it may have."""

    def widest(node: Node) -> Node:
        unit = node.id[1:] if node.kind in BACKWARD else node.id
        if record is None or unit not in record.values or isinstance(node.value, bool):
            return node
        return node._replace(
            value=None if node.kind in BACKWARD else WIDEST, gradient=WIDEST if node.moves or node.kind in BACKWARD else None
        )

    return widest
