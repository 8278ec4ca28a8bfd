"""Random programs that Python can run as well: assignments, branches, loops, functions in functions, rules and derivatives inside.

A function with a rule reads its parameters alone: what it read besides would have no derivative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import assume
from hypothesis import strategies as st

import programs
from autodiff_cli.diagnostics import AutodiffError

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff_cli.lower import Lowered

VARIABLES = ("x", "y")
LITERALS = ("0.5", "1", "2", "3", "1.5")
FUNCTIONS = ("sin", "cos", "tanh")
COMPARE = ("<", "<=", ">", ">=")
NAMES = ("a", "b", "c", "x", "y")


class Writer:
    """Writes one program; `names` can be read where it stands, `functions` called."""

    def __init__(self, draw: Callable[..., object]) -> None:
        self.draw = draw
        self.functions: dict[str, tuple[int, int]] = {}
        self.targets: tuple[str, ...] = NAMES
        self.loops = self.depth = 0
        self.grads = 3
        self.by: tuple[str, ...] = ()

    def pick(self, *items: str) -> str:
        return str(self.draw(st.sampled_from(items)))

    def number(self, low: int, high: int) -> int:
        return int(str(self.draw(st.integers(low, high))))

    def chance(self, of: int) -> bool:
        return self.number(1, of) == 1

    def expression(self, names: tuple[str, ...], depth: int = 2) -> str:
        if depth == 0 or self.chance(4):
            return self.pick(*names, *names, *LITERALS)
        one, two = (
            (lambda: self.expression(names, depth - 1)),
            (lambda: (self.expression(names, depth - 1), self.expression(names, depth - 1))),
        )
        kinds = ["sum", "product", "quotient", "function", "square", "choice", "extreme"]
        kinds += ["entry"] * (depth > 1)
        kinds += ["call"] * bool(self.functions) + ["derivative"] * (self.grads > 0 and self.loops < 2) + ["comprehension"] * (depth > 1)
        match self.pick(*kinds):
            case "sum":
                a, b = two()
                return f"({a} {self.pick('+', '-')} {b})"
            case "product":
                return "({}*{})".format(*two())
            case "quotient":
                a, b = two()
                return f"({a}/(2 + {b}**2))"
            case "function":
                return f"{self.pick(*FUNCTIONS)}({one()})"
            case "square":
                return f"tanh({one()})**{self.pick('2', '3')}"
            case "choice":
                a, b = two()
                return f"({a} if {self.condition(names)} else {b})"
            case "extreme":
                return "{}({}, {})".format(self.pick("max", "min"), *two())
            case "entry":
                items, place = two(), one()
                return (
                    f"([{items[0]}, {items[1]}][floor({place})] if 0 <= floor({place}) and {place} < 2 else {self.pick(*names, *LITERALS)})"
                )
            case "call":
                name = self.pick(*self.functions)
                return f"{name}({', '.join(one() for _ in range(self.number(*self.functions[name])))})"
            case "comprehension":
                return f"sum([{self.expression((*names, 'j'), 1)} for j in range({self.number(1, 3)})])"
        self.grads -= 1
        by = [n for n in names if n != "j" and (not self.by or n in self.by)]
        return f"{self.pick('grad', 'grad', 'deriv', 'hessian')}({one()}, {self.pick(*by)})" if by else one()

    def condition(self, names: tuple[str, ...]) -> str:
        text = f"{self.expression(names, 1)} {self.pick(*COMPARE)} {self.expression(names, 1)}"
        return f"{text} {self.pick('and', 'or')} not {self.pick(*names)} > 1" if self.chance(5) else text

    def block(self, names: tuple[str, ...], indent: str, size: int, inside: str = "") -> tuple[list[str], tuple[str, ...]]:
        """Statements, and the names that are set after them."""
        lines: list[str] = []
        for _ in range(size):
            added, names = self.statement(names, indent, inside)
            lines += added
        return lines, names

    def statement(self, names: tuple[str, ...], indent: str, inside: str) -> tuple[list[str], tuple[str, ...]]:
        target = self.pick(*self.targets)
        kinds = ["assign", "assign", "pair"] + ["augment"] * (target in names) + ["if", "for", "while"] * (self.depth < 2)
        kinds += ["def"] * (self.depth < 2)
        kinds += ["leave"] * (inside == "loop") + ["return"] * (inside == "function")
        match self.pick(*kinds):
            case "assign":
                return [f"{indent}{target} = {self.expression(names)}"], with_names(names, target)
            case "pair":
                return [f"{indent}a, b = {self.expression(names, 1)}, {self.expression(names, 1)}"], with_names(names, "a", "b")
            case "augment":
                return [f"{indent}{target} {self.pick('+=', '-=', '*=')} {self.expression(names, 1)}"], names
            case "leave":
                return [f"{indent}if {self.condition(names)}:", f"{indent}    {self.pick('break', 'continue')}"], names
            case "return":
                return [f"{indent}if {self.condition(names)}:", f"{indent}    return {self.expression(names, 1)}"], names
            case "def":
                return self.inner(target, names, indent), with_names(names, target)
            case "if":
                return self.branch(names, indent, inside)
        return self.loop(names, indent)

    def inner(self, target: str, names: tuple[str, ...], indent: str) -> list[str]:
        """A function that reads what is around it, with a default of its own, and calls of it before and after a name has changed."""
        by, self.by = self.by, ("r", "s")
        default = self.expression(names, 1)
        body = self.expression((*names, "r", "s"), 2)
        self.by = by
        lines = [f"def h(r, s={default}):", f"    return {body}", f"{target} = h({self.expression(names, 1)})"]
        if self.chance(2):
            lines.append(f"{target} = h({self.expression(names, 1)}, {self.expression(names, 1)}) - {target}")
        return [indent + line for line in lines]

    def branch(self, names: tuple[str, ...], indent: str, inside: str) -> tuple[list[str], tuple[str, ...]]:
        self.depth += 1
        lines, ends = [f"{indent}if {self.condition(names)}:"], []
        for header in ("", *[f"{indent}elif {self.condition(names)}:"] * self.chance(4), f"{indent}else:"):
            body, after = self.block(names, indent + "    ", self.number(1, 2), inside)
            lines += [header] * bool(header) + body
            ends.append(after)
        self.depth -= 1
        return lines, tuple([n for n in ends[0] if all(n in after for after in ends)])

    def loop(self, names: tuple[str, ...], indent: str) -> tuple[list[str], tuple[str, ...]]:
        """`for` over few turns or many, over an array, or `while` with a bound of its own."""
        self.depth += 1
        self.loops += 1
        kind = self.pick("range", "range", "array", "while")
        if kind == "while":
            name = f"n{self.loops}{self.depth}"
            start = self.pick("0", "0*x")
            grads, self.grads = self.grads, int(self.grads > 0 and self.chance(3))
            lines = [f"{indent}{name} = {start}", f"{indent}while {name} < {self.number(1, 6)} and ({self.condition(names)}):"]
            body, _ = self.block(names, indent + "    ", self.number(1, 2))
            self.grads = grads
            lines += [f"{indent}    {name} += 1", *body]
        else:
            items = (
                f"range({self.number(0, 8)})"
                if kind == "range"
                else f"[{', '.join(self.expression(names, 1) for _ in range(self.number(1, 6)))}]"
            )
            body, _ = self.block((*names, "k"), indent + "    ", self.number(1, 3), "loop")
            lines = [f"{indent}for k in {items}:", *body]
        self.depth -= 1
        self.loops -= 1
        return lines, names

    def function(self, name: str) -> list[str]:
        params = ("p", "q")[: self.number(1, 2)]
        rule = self.chance(4)
        default = "=0.5" if len(params) == 2 and not rule and self.chance(2) else ""
        names = (*params, *self.pick("", "x", "xy"))
        self.targets = ("a", "b", *params)
        self.by = self.targets
        known, self.functions = self.functions, {} if rule else self.functions
        body, after = self.block(params if rule else names, "    ", self.number(0, 2), "function")
        lines = [f"def {name}({', '.join(params)}{default}):", *body, f"    return {self.expression(after)}"]
        self.functions = known
        self.functions[name] = (len(params) - bool(default), len(params))
        self.targets, self.by = NAMES, params
        if rule:
            lines += [
                f"@derivative({name})",
                f"def _({', '.join(params)}):",
                f"    return {', '.join([self.expression(names, 1) for _ in params])}",
            ]
        self.by = ()
        return lines


def with_names(names: tuple[str, ...], *more: str) -> tuple[str, ...]:
    return (*names, *[n for n in more if n not in names])


@st.composite
def texts(draw: Callable[..., object]) -> str:
    """The text of a program over x and y."""
    writer = Writer(draw)
    lines = [line for name in ("f", "g")[: writer.number(0, 2)] for line in writer.function(name)]
    body, names = writer.block(VARIABLES, "", writer.number(1, 4))
    return "\n".join([*lines, *body, writer.expression(names)])


coordinates = st.floats(-2, 2, allow_nan=False, width=16) | st.sampled_from((0.5, -0.75, 1.25))
points = st.fixed_dictionaries(dict.fromkeys(VARIABLES, coordinates))


def accepted(text: str, values: dict[str, float]) -> Lowered:
    """A random program as it was read; one that asks for what is refused is none."""
    try:
        return programs.read(text, values)
    except AutodiffError as refused:
        assert refused.diagnostic.code in ("static-loop", "static-value", "rule-outside"), text
        assume(False)
        raise
