"""A function, and values of its nodes or none, in; the picture of its graph out, with nothing folded yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph import BROADCAST, NAME, PARAM
from ...ops import OPS
from ...ops.arithmetic import select
from ...ops.structured import call_, loop_, out_, scanned
from ..drawing import assigned, moving, observe
from ..text import caption, text, variable
from .clusters import Box, Boxes
from .model import Cluster, Drawing, Edge, Node
from .partials import local, written
from .tidy import spread_constants, tidy, without_idle
from .views import views
from .words import said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...graph import Fn
    from ...ops.structured import Body
    from ...report import Value
    from ..drawing import Shown
    from .model import Choice

ROLES = ("condition", "then", "else")
PASSED = (BROADCAST, NAME, scanned, OPS["place_below"], OPS["class_number"])  # drawn as what they take
LONGEST, SHORT = 40, 12
OWN = "its own derivative"


class Picture:
    """A picture under construction."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.clusters: list[Cluster] = []
        self.scenes: list[Scene] = []

    def add(self, kind: str, label: str, **fields: Any) -> str:
        """The name of a new node."""
        self.nodes.append(Node(f"n{len(self.nodes)}", kind, label, **fields))
        return self.nodes[-1].id

    def change(self, id: str, **fields: Any) -> None:
        place = int(id[1:])
        self.nodes[place] = self.nodes[place]._replace(**fields)

    def note(self, id: str, note: str) -> None:
        """Give a box another note."""
        place = int(id[1:])
        self.clusters[place] = self.clusters[place]._replace(note=note)

    def called(self, id: str) -> str:
        """What the program calls a node: its name, or the words of the derivative that it is the result of; "" where there is nothing."""
        node = self.nodes[int(id[1:])]
        home = node.cluster
        while home:
            box = self.clusters[int(home[1:])]
            if box.kind == "derivative":
                return box.title if "…" not in box.title else ""
            home = box.parent
        name = node.label if node.kind in ("variable", "port") else node.name
        return name and variable(name)

    def enter(self, parent: str, box: Box) -> str:
        """The name of a new box in another; a branch in a branch of the same words is that branch."""
        place = self.clusters[int(parent[1:])] if parent else None
        if place and (place.kind, place.title, place.taken) == (box.kind, box.title, box.taken) == ("branch", box.title, box.taken):
            return parent
        self.clusters.append(Cluster(f"c{len(self.clusters)}", box.kind, box.title, parent, box.taken, box.note, box.span))
        return self.clusters[-1].id


class Scene:
    """A function on its way into a picture.

    `outside` are the nodes that stand for its parameters, `ports` those that it carries from turn to turn; `caller` is the
    scene that it is called in, and the node of the call.
    """

    def __init__(self, picture: Picture, fn: Fn, shown: Shown | None, outside: Mapping[str, str], home: str) -> None:
        self.picture, self.fn, self.shown, self.outside, self.home = picture, fn, shown, outside, home
        picture.scenes.append(self)
        values = shown and shown.values
        self.boxes = Boxes(fn, values, picture.enter, home, inline=picture.choice.inline)
        ran = [i for i in sorted(self.boxes.of) if values is None or picture.choice.static or i in values]
        self.left: Iterator[int] = iter(ran)
        self.names, self.moves, self.views = assigned(fn, every=True), frozenset(moving(fn)), views(fn)
        self.ids: dict[int, str] = {}
        self.loops: dict[int, Scene] = {}
        self.ports: tuple[str, ...] = ()
        self.params = {name: picture.nodes[int(id[1:])].label for name, id in outside.items() if id}
        self.ruled = False
        self.caller: tuple[Scene, int] | None = None

    def value(self, i: int) -> Value | None:
        """The value of a node; None where there is none."""
        return self.shown.values.get(i) if self.shown else None

    def shows(self, i: int) -> dict[str, Any]:
        """What is shown of a node beside its label."""
        node, site = self.fn.nodes[i], self.fn.sites[i]
        return {
            "op": "matmul" if i in self.views.products else node.op.name,
            "attr": None if node.op.rule == "leaf" or i in self.views.products else node.attr, "name": self.names.get(i, ""), "shape": node.type.shape, "moves": i in self.moves,
            "value": self.value(i), "gradient": self.shown.gradients.get(i) if self.shown else None,
            "span": site and site.span, "cluster": self.home if node.op is PARAM else self.boxes.box(i),
        }  # fmt: skip


def build(fn: Fn, shown: Shown | None, picture: Picture) -> Drawing:
    """The nodes that the result needs; with values those that ran, with `static` all of them. `picture` keeps what each was made of."""
    first = Scene(picture, fn, shown, {}, "")
    stack = [first]
    while stack:
        i = next(stack[-1].left, None)
        if i is None:
            _close(stack.pop())
            continue
        inner = _draw(stack[-1], i)
        if inner is not None:
            stack.append(inner)
    for i in fn.outs:
        picture.change(first.ids[i], kind="output")
    drawing = without_idle(Drawing(tuple(picture.nodes), tuple(picture.edges), tuple(picture.clusters)))
    return tidy(spread_constants(drawing))


def _draw(scene: Scene, i: int) -> Scene | None:
    """Draw a node; a loop or a call is a scene of its own."""
    fn, picture = scene.fn, scene.picture
    op, args, attr, _ = fn.nodes[i]
    if op is loop_:
        return _loop(scene, i)
    if op is call_:
        return _call(scene, i)
    if op is PARAM and attr in scene.outside:
        scene.ids[i] = scene.outside[attr]
    elif i in scene.views.within:
        return None
    elif i in scene.views.passed or op in PASSED and not (op is BROADCAST and i in fn.outs):
        scene.ids[i] = scene.ids[args[0]]
    elif op is out_:
        _result(scene, i)
    else:
        kind = "variable" if op is PARAM else "constant" if op.rule == "leaf" else "choice" if op is select else "operation"
        label = "@" if i in scene.views.products else caption(fn.nodes[i], fn.nodes)
        scene.ids[i] = picture.add(kind, label, **scene.shows(i))
        picture.edges += _inputs(scene, i)
    return None


def _inputs(scene: Scene, i: int) -> Iterator[Edge]:
    """The edges into a node; with values, from the side of a choice that was taken."""
    fn, choice = scene.fn, scene.picture.choice
    op, args, _, _ = fn.nodes[i]
    args = scene.views.products.get(i, args)
    taken = scene.value(args[0]) if op is select and not fn.nodes[args[0]].type.shape else None
    for k, j in enumerate(args):
        off = taken is not None and k == (2 if taken else 1)
        if j not in scene.ids or off and not choice.static:
            continue
        edge = Edge(scene.ids[j], scene.ids[i], role=ROLES[k] if op is select else "", off=off)
        if choice.partials and i in scene.moves and j in scene.moves and not off and not scene.ruled and i not in scene.views.products:
            edge = edge._replace(rule=written(fn, i, k, _called(scene, args), scene.params), partial=local(fn, i, k, scene.shown))
        yield edge


def _called(scene: Scene, args: Sequence[int]) -> dict[int, str]:
    """What the program calls the arguments of a node."""
    return {j: scene.picture.called(scene.ids[j]) for j in args if j in scene.ids}


def _loop(scene: Scene, i: int) -> Scene:
    """The body of a loop in a box, with a port for everything that it carries."""
    body: Body = scene.fn.nodes[i].attr
    picture, args, site = scene.picture, scene.fn.nodes[i].args[1:], scene.fn.sites[i]
    title = (
        site.span.text.partition("\n")[0].rstrip().removesuffix(":")
        if site and not site.order
        else "derivative of a loop"
        if site
        else "loop"
    )
    home = picture.enter(scene.boxes.box(i), Box("loop", _short(title), None, _turns(scene, i), site and site.span))
    outside = {}
    names = _items(title, body)
    for k, (name, kind) in enumerate(body.fn.params):
        source = scene.ids.get(args[k])
        if body.nc <= k < body.nc + body.nk:
            outside[name] = source or ""
            continue
        label = body.fn.names[k] if k < body.nc else names[k - body.nc - body.nk]
        moves = kind.kind == "real" and args[k] in scene.moves or k < body.nc and kind.kind == "real"
        outside[name] = picture.add("port", label, op="carry" if k < body.nc else "item", shape=kind.shape, cluster=home, moves=moves)
        if source is not None:
            picture.edges.append(Edge(source, outside[name], "start", "start" if k < body.nc else "each"))
    inner = scene.loops[i] = Scene(picture, body.fn, None, outside, home)
    inner.ruled = scene.ruled
    inner.ports = tuple([outside[name] for name, _ in body.fn.params[: body.nc]])
    return inner


def _turns(scene: Scene, i: int) -> str:
    """How many turns a loop took, or will take."""
    node = scene.fn.nodes[i]
    known = scene.fn.nodes[node.args[0]].attr if node.attr.test is None else None
    number = scene.shown.turns.get(i, known) if scene.shown else known
    if number is None or number == "inf":
        return ""
    count = int(float(number))
    return f"{count:,} turn{'s' * (count != 1)}"


def _items(title: str, body: Body) -> list[str]:
    """What the items of a loop are called: its targets, where there are as many."""
    targets = [name.strip(" ()") for name in title.removeprefix("for ").partition(" in ")[0].split(",")] if title.startswith("for ") else []
    return targets if len(targets) == body.nx else ["item"] * body.nx


def _result(scene: Scene, i: int) -> None:
    """What a loop leaves: a carry after the last turn, what was kept of every turn, or the number of turns."""
    (j,), k = scene.fn.nodes[i].args, scene.fn.nodes[i].attr
    inner, body = scene.loops[j], scene.fn.nodes[j].attr
    label = "turns" if k == body.trips else body.fn.names[k % (body.nc + body.ny) if k >= body.nc + body.ny else k]
    scene.ids[i] = scene.picture.add("port", label, **scene.shows(i))
    if k < body.nc + body.ny:
        scene.picture.edges.append(
            Edge(inner.ids[body.fn.outs[k]], scene.ids[i], role="after the last turn" if k < body.nc else "every turn")
        )
    elif k < body.trips:
        scene.picture.edges.append(Edge(inner.ports[k - body.nc - body.ny], scene.ids[i], role="every turn"))


def _call(scene: Scene, i: int) -> Scene:
    """The body of a function with its own derivative in a box."""
    callee, site = scene.fn.nodes[i].attr, scene.fn.sites[i]
    args = scene.fn.nodes[i].args
    names = [name for name, _ in callee.fn.params]
    values = {name: scene.value(j) for name, j in zip(names, args, strict=True)}
    shown = None if any(v is None for v in values.values()) or not scene.shown else observe(callee.fn, values, backward=False)
    title = f"{callee.name}(…)" if site is None or site.order else " ".join(site.span.text.split())
    box = Box("rule", _short(title), None, OWN, site and site.span)
    home = scene.boxes.around(i) if scene.picture.choice.inline else scene.picture.enter(scene.boxes.around(i), box)
    outside = {name: scene.ids[j] for name, j in zip(names, args, strict=True) if j in scene.ids}
    inner = Scene(scene.picture, callee.fn, shown, outside, home)
    inner.caller, inner.ruled = (scene, i), True
    return inner


def _close(scene: Scene) -> None:
    """The edges from a turn to the next; the result of a call."""
    picture, outs = scene.picture, scene.fn.outs
    for port, i in zip(scene.ports, outs, strict=False):
        if scene.ids[i] != port:
            picture.edges.append(Edge(scene.ids[i], port, "next", "next turn"))
    if scene.caller:
        outer, i = scene.caller
        result = outer.ids[i] = scene.ids[outs[0]]
        if picture.choice.partials and not picture.choice.inline:
            picture.note(scene.home, _by_rule(scene, outer, i))
        if result not in scene.outside.values():
            picture.change(result, gradient=outer.shows(i)["gradient"], name=outer.names.get(i, ""))


def _by_rule(scene: Scene, outer: Scene, i: int) -> str:
    """The partials of a call by its own rule, a line for each argument: they are of the box, not of an edge in it."""
    args = outer.fn.nodes[i].args
    names, found = _called(outer, args), []
    for k, j in enumerate(args):
        if j in outer.moves:
            name = names.get(j) or text(outer.fn.nodes, j, SHORT)
            edge = Edge("", "", role=f"by {name}", rule=written(outer.fn, i, k, names, outer.params))
            found.append(said(edge._replace(partial=local(outer.fn, i, k, outer.shown)), scene.picture.choice.digits))
    return "\n".join([OWN, *[line for line in found if line]])


def _short(title: str) -> str:
    return title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"
