"""What the names of a program stand for: variables, constants, what was assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Label, Span, error
from ..graph import Site
from ..ops import FUNCTIONS, OPS
from ..types import REAL, type_of
from .frames import CALLABLE, Unset, assigned_in
from .scopes import MISSING, Readings, Scope
from .truth import certain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..diagnostics import AutodiffError, Source
    from ..graph import Expr
    from ..syntax import Tree
    from .frames import Function
    from .lowering import Lowering

CONSTANTS = {"pi": "pi", "π": "pi", "e": "e", "inf": "inf", "∞": "inf", "nan": "nan", "True": "True", "False": "False"}
SHADOWED = {"pi": "pi", "π": "pi", "e": "exp(1)"}
OPERATORS = {op.infix.symbol: op for op in OPS.values() if op.infix and len(op.d) == 2}


class Names:
    """What names stand for: `scope` is where lowering stands, `env` the names of it.

    `free` are the variables in order, `functions` the names that were given to functions.
    """

    def __init__(self, lowering: Lowering, source: Source, values: Mapping[str, Any]) -> None:
        self.lowering, self.source, self.values = lowering, source, values
        self.root = lowering.root.graph
        self.free: dict[str, int] = {}
        self.scope = self.program = Scope(None, None)
        self.readings = Readings()
        self.functions: set[str] = set()
        self.notes: list[Diagnostic] = []
        self.shadowed = {name for name in values if name in SHADOWED}

    @property
    def env(self) -> dict[str, Any]:
        """The names of the place where lowering stands."""
        return self.scope.env

    @env.setter
    def env(self, env: dict[str, Any]) -> None:
        self.scope.env = env

    @property
    def function(self) -> Function | None:
        """The function whose statements are lowered; None in the program itself."""
        return self.scope.function

    def scan(self, statements: Iterable[Tree]) -> None:
        """See which constants the program assigns or has as parameters: that wins for the whole program."""
        todo = list(statements)
        while todo:
            statement = todo.pop()
            if statement.kind == "def":
                self.shadowed |= {p.parts[0] for p in statement.parts[1]} & set(SHADOWED)
                todo += statement.parts[2]
        self.shadowed |= assigned_in(tuple(statements)) & set(SHADOWED)

    def define(self, function: Function) -> None:
        """A function of the program; one called like a built-in wins, with a note."""
        if function.name in FUNCTIONS and function.name not in self.functions:
            label = Label(function.span._replace(end=function.body[0].start))
            self.notes.append(
                Diagnostic("shadowed-function", f"`{function.name}` is your function here, not the built-in one", (label,), severity="note")
            )
        self.functions.add(function.name)
        self.env[function.name] = function

    def note_unused(self, span: Span) -> None:
        """A value on a line of its own that is not the last one goes nowhere."""
        note = Diagnostic(
            "unused-value", "this value is not used: the program's value is that of its last line", (Label(span),), severity="note"
        )
        if note not in self.notes:
            self.notes.append(note)

    def called(self, name: str, span: Span) -> Any:
        """The function of the program that a call means: an argument, or a definition; None for one of the language."""
        scope: Scope | None = self.scope
        while scope is not None:
            found = self.settled(scope.held(name))
            self.readings.saw(scope, name, scope.held(name))
            if isinstance(found, CALLABLE):
                return found
            if isinstance(found, Unset) and isinstance(found.value, CALLABLE):
                raise self._unset(found, span)
            if found is MISSING and name in scope.own and name not in FUNCTIONS and scope.function is not None:
                raise error(
                    "unset-name",
                    f"`{name}` is called in `{scope.function.name}` before it is set there",
                    span,
                    hint="a `def` stands before its calls",
                )
            scope = scope.parent
        return None

    def function_of(self, name: str) -> Any:
        """The function that a bare name stands for, if it does."""
        found = self.settled(self.scope.holder(name).held(name))
        return found if isinstance(found, CALLABLE) and name not in self.values else None

    def read(self, name: str, span: Span) -> Any:
        """What a name stands for here, as a value of this frame."""
        return self.lowering.frame.local(self.value(name, span))

    def value(self, name: str, span: Span) -> Any:
        """What a name stands for, in the frame where it was made."""
        holder = self.scope.holder(name)
        found = holder.held(name)
        self.readings.saw(holder, name, found)
        if found is MISSING and holder.function is not None:
            function = holder.function.name
            hint = f"set `{name}` before, or make it a parameter: def {function}({name}): …"
            raise error("unset-name", f"`{name}` is read in `{function}` before it is set there", span, hint=hint)
        if isinstance(found, Unset):
            found = self.settled(found)
        if isinstance(found, Unset):
            raise self._unset(found, span, outside=holder is self.program and not isinstance(found.value, CALLABLE))
        if found is not MISSING and not (isinstance(found, CALLABLE) and holder is self.program and name in self.values):
            return found
        if name in CONSTANTS and name not in self.shadowed:
            return self.lowering.frame.graph.const(CONSTANTS[name])
        if name == "None":
            return None
        return self.variable(name, span)

    def settled(self, found: Any) -> Any:
        """A name that may not be set, where it is known that it is."""
        if not isinstance(found, Unset) or found.value is None or found.off is None:
            return found
        if certain(found.off, False):
            return found.value
        under = self.lowering.under
        self.readings.saw(self.lowering, "under", under)
        return found.value if under and certain(found.off, False, under) else found

    def _unset(self, found: Unset, span: Span, *, outside: bool = False) -> AutodiffError:
        name = found.name
        hint = f"set `{name}` before" + (f", or give {name}=1 or a column `{name}` for where it is not set" if outside else "")
        where = f"`{name}` may not be set here: not every way through the program sets it"
        problem = error("unset-name", where, span, hint=hint)
        if found.span is not None:
            problem.diagnostic = problem.diagnostic._replace(
                labels=(*problem.diagnostic.labels, Label(found.span, "not on every way through here"))
            )
        return problem

    def variable(self, name: str, span: Span | None) -> Expr:
        """The free variable of this name."""
        site = self.root.site
        self.root.site = span and Site(span)
        param = self.root.param(name, type_of(self.values.get(name, REAL)))
        self.root.site = site
        if name not in self.free:
            self.free[name] = param.id
            if name in self.shadowed and span is not None:
                self._note_shadow(name, span)
        return param

    def outside(self, name: str, otherwise: Any) -> Any:
        """What a name that the program assigns, and has not yet, stands for: the variable of that name, if there is one."""
        known = name in self.free or name in self.values
        return self.variable(name, None) if known and self.function is None else otherwise

    def column(self, tree: Tree, span: Span) -> Any:
        """`col("any header")`: the variable of that name."""
        _, args, keywords = tree.parts
        if keywords or len(args) != 1 or args[0].kind != "string":
            raise error("column-name", "`col` takes one name in quotes", span, hint='col("Mean power (MW)")')
        return self.lowering.frame.local(self.variable(args[0].parts[0], span))

    def _note_shadow(self, name: str, span: Span) -> None:
        message = f"`{name}` is your value here, not the constant"
        hint = f"the constant is {SHADOWED[name]}" if SHADOWED[name] != name else None
        self.notes.append(Diagnostic("shadowed-constant", message, (Label(span),), hint=hint, severity="note"))
