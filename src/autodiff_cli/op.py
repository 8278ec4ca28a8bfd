"""What an entry of the op table holds; `OPS` is the table, filled by the modules of `ops`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .graph import Expr
    from .types import Type

OPS: dict[str, Op] = {}


class Parameter(NamedTuple):
    """A parameter of a function of the language; `default` is `...` where there is none."""

    name: str
    default: Any = ...
    static: bool = False
    variadic: bool = False


class Infix(NamedTuple):
    """How an operator is written; `level` is its precedence (`**` is the tightest, 14)."""

    symbol: str
    level: int
    right: bool = False


class When(NamedTuple):
    """A partial that is a structural zero where `condition` is false."""

    condition: Expr
    value: Any


class NoDerivative(NamedTuple):
    """A partial that no entry can give, and why."""

    reason: str


class Op:
    """One entry of the language: value, partials, words and drawings all read it.

    `rule` names the kind of derivative: "elementwise" (partials in `d`), "composite" (`expand`
    gives an expression), "linear" (`transpose` gives what the transposed op makes of a cotangent),
    "reduce" (one elementwise partial, of an argument and the result stretched to it), "tensor"
    (pull and push written out in `d`), "structured" or "leaf". `effect` says what a linear op and
    its transpose do to conditions: "" (move), "add" or "spread" (zeros come in). `rows` gives the attribute that
    names axes of one row when so many rows stand in front. `written` has partials as people write them, where
    the rules themselves are spelled with hidden ops; exceptions stand in a comment behind them. `plain` is what a hidden
    op is as people write it, an expression of the arguments (and of the attribute), or None where the language has no
    words for it; `hole` says where that expression has no value although the op has one. `back` is what one use of it hands back to
    its arguments, as a textbook writes it (see `ops/textbook.py`).
    """

    __slots__ = (
        "aliases",
        "aligned",
        "back",
        "call",
        "d",
        "doc",
        "domain",
        "effect",
        "example",
        "expand",
        "fold",
        "guard",
        "hidden",
        "hole",
        "infix",
        "kind",
        "kink",
        "latex",
        "name",
        "parameters",
        "plain",
        "rows",
        "rule",
        "sample",
        "spell",
        "transpose",
        "typed",
        "written",
    )  # fmt: skip
    name: str
    rule: str
    kind: str
    d: tuple[Any, ...]
    parameters: tuple[Parameter, ...]
    call: Callable[..., Expr] | None
    expand: Callable[..., Any] | None
    fold: Callable[..., Expr | None] | None
    typed: Callable[..., Type] | None
    transpose: Callable[..., Any] | None
    rows: Callable[[Any, int], Any] | None
    effect: tuple[str, str]
    aligned: bool
    back: dict[str, Callable[..., Any]]
    kink: Callable[..., Expr] | None
    plain: Callable[..., Any] | None
    hole: Callable[..., Any] | None
    sample: tuple[tuple[float, float], ...]
    guard: bool
    hidden: bool
    infix: Infix | None
    spell: str | None
    latex: str | None
    doc: str
    domain: str
    example: str
    aliases: tuple[str, ...]
    written: dict[str, str]

    def __init__(self, name: str, rule: str, **fields: Any) -> None:
        self.name, self.rule = name, rule
        for key in self.__slots__:
            if key not in ("name", "rule"):
                setattr(self, key, fields.pop(key, DEFAULTS.get(key)))
        self.aligned = rule in ("elementwise", "composite") or name == "select"
        if fields:
            raise TypeError(f"{name}: unknown fields {sorted(fields)}")

    def __call__(self, *args: Any, attr: Hashable = None) -> Any:
        """The node of this op over `args`; a `Formula` where no argument is in a graph yet."""
        for arg in args:
            graph = getattr(arg, "graph", None)
            if graph is not None:
                return graph.add(self, [graph.lift(a) for a in args], attr)
        return Formula(self, args, attr)

    def __repr__(self) -> str:
        return self.name

    @property
    def variadic(self) -> bool:
        """Whether it takes any number of arguments; its one partial then gets the place first."""
        return any(p.variadic for p in self.parameters)


DEFAULTS: dict[str, Any] = {
    "aliases": (), "back": {}, "d": (), "doc": "", "domain": "", "effect": ("", ""), "example": "", "guard": False, "hidden": False,
    "kind": "real", "parameters": (), "sample": (), "written": {},
}  # fmt: skip


class Operators:
    """Arithmetic and comparisons that build nodes, for rules that read like the textbook."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return OPS["add"](self, other)

    def __radd__(self, other: Any) -> Any:
        return OPS["add"](other, self)

    def __sub__(self, other: Any) -> Any:
        return OPS["sub"](self, other)

    def __rsub__(self, other: Any) -> Any:
        return OPS["sub"](other, self)

    def __mul__(self, other: Any) -> Any:
        return OPS["mul"](self, other)

    def __rmul__(self, other: Any) -> Any:
        return OPS["mul"](other, self)

    def __truediv__(self, other: Any) -> Any:
        return OPS["div"](self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return OPS["div"](other, self)

    def __pow__(self, other: Any) -> Any:
        return OPS["pow"](self, other)

    def __rpow__(self, other: Any) -> Any:
        return OPS["pow"](other, self)

    def __neg__(self) -> Any:
        return OPS["neg"](self)

    def __lt__(self, other: Any) -> Any:
        return OPS["lt"](self, other)

    def __le__(self, other: Any) -> Any:
        return OPS["le"](self, other)

    def __gt__(self, other: Any) -> Any:
        return OPS["gt"](self, other)

    def __ge__(self, other: Any) -> Any:
        return OPS["ge"](self, other)

    def __and__(self, other: Any) -> Any:
        return OPS["select"](self, other, False)

    def __or__(self, other: Any) -> Any:
        return OPS["select"](self, True, other)

    def __invert__(self) -> Any:
        return OPS["not"](self)


class Formula(Operators):
    """A constant expression of a rule, such as `2/sqrt(pi)`, before a graph is known."""

    __slots__ = ("args", "attr", "op")

    def __init__(self, op: Op, args: tuple[Any, ...], attr: Hashable = None) -> None:
        self.op, self.args, self.attr = op, args, attr
