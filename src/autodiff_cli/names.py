"""What the names of a program stand for: variables, constants, what was assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import Diagnostic, Label, Span, error
from .ops import OPS
from .types import BOOL, REAL, Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .diagnostics import Source
    from .graph import Expr, Graph
    from .syntax import Tree

CONSTANTS = {"pi": "pi", "π": "pi", "e": "e", "inf": "inf", "∞": "inf", "nan": "nan", "True": "True", "False": "False"}
SHADOWED = {"pi": "pi", "π": "pi", "e": "exp(1)"}
LATER_STATEMENTS = {"def": "functions", "if": "`if` statements", "for": "loops", "while": "loops", "return": "functions"}
LATER_FUNCTIONS = frozenset(
    "grad deriv jacobian hessian jvp hvp".split()
)
OPERATORS = {op.infix.symbol: op for op in OPS.values() if op.infix and len(op.d) == 2}


class Names:
    """Scopes of one program: `free` variables in order, `assigned` names, notes on shadowing."""

    def __init__(self, graph: Graph, source: Source, values: Mapping[str, Any]) -> None:
        self.graph, self.source, self.values = graph, source, values
        self.free: dict[str, int] = {}
        self.assigned: dict[str, Expr] = {}
        self.notes: list[Diagnostic] = []
        self.shadowed = {name for name in values if name in SHADOWED}

    def scan(self, statements: Iterable[Tree]) -> None:
        """See which constants the program assigns: that wins for the whole program."""
        for statement in statements:
            if statement.kind in ("assign", "augmented"):
                target = statement.parts[0]
                for name in target.parts if target.kind == "tuple" else (target,):
                    if name.kind == "name" and name.parts[0] in SHADOWED:
                        self.shadowed.add(name.parts[0])

    def read(self, name: str, span: Span) -> Expr:
        """The node that a name stands for here."""
        found = self.assigned.get(name)
        if found is not None:
            return found
        if name in CONSTANTS and name not in self.shadowed:
            return self.graph.const(CONSTANTS[name])
        return self.variable(name, span)

    def variable(self, name: str, span: Span) -> Expr:
        """The free variable of this name."""
        param = self.graph.param(name, self._type(name))
        if name not in self.free:
            self.free[name] = param.id
            if name in self.shadowed:
                self._note_shadow(name, span)
        return param

    def column(self, tree: Tree, span: Span) -> Expr:
        """`col("any header")`: the variable of that name."""
        _, args, keywords = tree.parts
        if keywords or len(args) != 1 or args[0].kind != "string":
            raise error("column-name", '`col` takes one name in quotes', span, hint='col("Mean power (MW)")')
        self.graph.site = None
        return self.variable(args[0].parts[0], span)

    def _type(self, name: str) -> Type:
        value = self.values.get(name, REAL)
        if isinstance(value, Type):
            return value
        shape = getattr(value, "shape", None)
        if shape:
            return Type("bool" if value.dtype.kind == "b" else "real", tuple(shape))
        return BOOL if isinstance(value, bool) else REAL

    def _note_shadow(self, name: str, span: Span) -> None:
        message = f"`{name}` is your value here, not the constant"
        hint = f"the constant is {SHADOWED[name]}" if SHADOWED[name] != name else None
        self.notes.append(Diagnostic("shadowed-constant", message, (Label(span),), hint=hint, severity="note"))
