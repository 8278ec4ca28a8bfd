"""Shapes that do not fit, or fit in a way that is seldom meant: trees and lowered operands in, errors and notes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Label, error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..diagnostics import Span
    from ..graph import Expr, Op, Parameter, Shapes
    from ..syntax import Tree
    from .lowering import Lowering

    Shape = tuple[int, ...]

SUMMED = ("axis",)


def unlike(failure: Shapes, tree: Tree, lowering: Lowering) -> AutodiffError:
    """Operands without a common shape, each underlined with its own."""
    parts = tree.parts
    if tree.kind == "call":
        parts = (*parts[1], *[argument for _, argument in parts[2]])
    trees = [t for t in parts if not isinstance(t, str)]
    shapes = failure.shapes
    message = f"shapes {' and '.join(map(str, dict.fromkeys(shapes)))} do not fit together"
    labels = [Label(lowering.span(t), f"shape {shape}") for t, shape in zip(trees, shapes, strict=False) if len(trees) >= len(shapes)]
    return AutodiffError(Diagnostic("shape", message, tuple(labels) or (Label(lowering.span(tree)),), hint=_hint(shapes)))


def _hint(shapes: Sequence[Shape]) -> str | None:
    """A row of as many entries as the other has rows wants to be a column."""
    (a, *_), b = shapes, shapes[-1]
    if len(a) == 2 and len(b) == 1 and a[0] == b[0]:
        return "reshape(v, -1, 1) or v[:, None] makes a column of a vector"
    return "`@` is the matrix product" if len(a) == 2 and len(b) == 2 and a[1] == b[0] else None


def underlined(failure: AutodiffError, operands: Sequence[tuple[Tree, Expr]], lowering: Lowering) -> AutodiffError:
    """The same error with every operand underlined and its shape said."""
    labels = [Label(lowering.span(tree), f"shape {x.type.shape}" if x.type.shape else "one number") for tree, x in operands]
    if failure.diagnostic.labels:
        return failure
    found = failure.diagnostic._replace(labels=tuple(labels))
    if any(not x.type.shape for _, x in operands):
        found = found._replace(hint="*".join([lowering.span(tree).text for tree, _ in operands]))
    return AutodiffError(found)


def crossed(operands: Sequence[tuple[Tree, Expr]], span: Span) -> Diagnostic | None:
    """The note on a column against a vector of as many entries, which makes a square of all pairs."""
    (left, a), (right, b) = operands
    column, row, tree = (a, b, left) if len(a.type.shape) == 2 else (b, a, right)
    if len(row.type.shape) != 1 or column.type.shape != (*row.type.shape, 1) or row.type.shape == (1,) or _meant(tree):
        return None
    n = row.type.shape[0]
    message = f"shapes {a.type.shape} and {b.type.shape} are stretched to {(n, n)}: every entry of one against every entry of the other"
    return Diagnostic(
        "crossed-shapes", message, (Label(span),), hint=f"ravel({_short(tree, span)}) makes a vector of the column", severity="note"
    )


def _meant(tree: Tree) -> bool:
    """Whether the column was made by hand."""
    if tree.kind == "index":
        return any(item.kind == "name" and item.parts[0] == "None" for item in tree.parts[1])
    return tree.kind == "call" and tree.parts[0].parts[0] == "reshape"


def _short(tree: Tree, span: Span) -> str:
    text = span.source.text[tree.start : tree.end]
    return text if len(text) <= 30 else "x"


def axis_meant(op: Op, args: Sequence[Tree], given: dict[str, list[Any]], span: Span) -> Diagnostic | None:
    """The note on `max(X, 1)` of a matrix, which compares with 1 and does not reduce over axis 1."""
    if op.name not in ("max", "min") or len(args) != 2 or "more" not in given or len(given) != 2:
        return None
    x, k = (values[0] for values in given.values())
    rank = len(x.type.shape)
    if rank < 2 or k.whole is None or not 0 < k.whole < rank or k.type.shape:
        return None
    text = span.source.text[args[0].start : args[0].end]
    message = f"`{op.name}` of an array and {k.whole} is the {'larger' if op.name == 'max' else 'smaller'} of each entry and {k.whole}"
    return Diagnostic(
        "axis-meant", message, (Label(span),), hint=f"{op.name}({text}, axis={k.whole}) is over axis {k.whole}", severity="note"
    )


def two_numbers(op: Op, parameter: Parameter, tree: Tree, given: dict[str, list[Any]], lowering: Lowering) -> None:
    """`sum(a, b)` of numbers is meant as the sum of a list: an error before `b` is read as an axis."""
    args = tree.parts[1]
    if parameter.name not in SUMMED or len(args) < 2 or len(given) != 1:
        return
    (first,) = next(iter(given.values()))
    if not hasattr(first, "type") or first.type.shape:
        return
    texts = [lowering.source.text[a.start : a.end] for a in args]
    raise error(
        "needs-array",
        f"`{op.name}` takes one array, and here are {len(args)} numbers",
        lowering.span(tree),
        hint=f"{op.name}([{', '.join(texts)}])",
    )


def without_quotes(op: Op, parameter: Parameter, argument: Tree, lowering: Lowering) -> None:
    """`approximate=tanh` is meant as the text `"tanh"`."""
    if isinstance(parameter.default, str) and argument.kind == "name":
        message = f"`{parameter.name}` of `{op.name}` is a text, and a text has quotes"
        raise error("static-value", message, lowering.span(argument), hint=f'{parameter.name}="{argument.parts[0]}"')
