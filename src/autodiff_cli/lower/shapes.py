"""Shapes that do not fit, or fit in a way that is seldom meant: trees and lowered operands in, errors and notes out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Label, error
from ..graph import PARAM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..diagnostics import Span
    from ..graph import Expr, Op, Parameter, Shapes
    from ..syntax import Tree
    from .lowering import Lowering

    Shape = tuple[int, ...]

SUMMED = ("axis",)
OF_SHAPES = ("shape", "einsum")


def unlike(failure: Shapes, tree: Tree, lowering: Lowering) -> AutodiffError:
    """Operands without a common shape, each underlined with its own."""
    parts = tree.parts
    if tree.kind == "call":
        parts = (*parts[1], *[argument for _, argument in parts[2]])
    trees = [t for t in parts if not isinstance(t, str)]
    shapes = failure.shapes
    message = f"shapes {' and '.join(map(str, dict.fromkeys(shapes)))} do not fit together"
    labels = [Label(lowering.span(t), f"shape {shape}") for t, shape in zip(trees, shapes, strict=False) if len(trees) >= len(shapes)]
    return AutodiffError(
        Diagnostic(
            "shape", message, tuple(labels) or (Label(lowering.span(tree)),), hint=_hint(shapes, [lowering.span(t).text for t in trees])
        )
    )


def _hint(shapes: Sequence[Shape], texts: Sequence[str]) -> str | None:
    """A row of as many entries as the other has rows wants to be a column."""
    (a, *_), b = shapes, shapes[-1]
    if len(a) == 2 and len(b) == 1 and a[0] == b[0]:
        v = as_operand(texts[-1]) if len(texts) == len(shapes) else "v"
        return f"reshape({v}, -1, 1) or {v}[:, None] makes a column of a vector"
    return "`@` is the matrix product" if len(a) == 2 and len(b) == 2 and a[1] == b[0] else None


def as_operand(text: str) -> str:
    """A text as a part of a longer one: in brackets unless it is a name, an index or a call."""
    return text if re.fullmatch(r"\w+(\[[^][]*\]|\([^()]*\))?(\.T)?|\[[^][]*\]", text) else f"({text})"


def named(hint: str | None, texts: Sequence[str]) -> str | None:
    """A hint about A and B with what stands in their places."""
    meant = dict(zip("AB", map(as_operand, texts), strict=False))
    return hint and re.sub(r"\b[AB]\b", lambda found: meant.get(found[0], found[0]), hint)


def underlined(failure: AutodiffError, operands: Sequence[tuple[Tree, Expr]], lowering: Lowering) -> AutodiffError:
    """The same error with every operand underlined and its shape said."""
    if failure.diagnostic.labels:
        return failure
    labels = [Label(lowering.span(tree), f"shape {x.type.shape}" if x.type.shape else "one number") for tree, x in operands]
    texts = [lowering.span(tree).text for tree, _ in operands]
    found = failure.diagnostic._replace(labels=tuple(labels), hint=named(failure.diagnostic.hint, texts))
    known, outer = lowering.names.values, lowering.frame is lowering.root
    unknown = [(tree, x) for tree, x in operands if outer and x.node.op is PARAM and x.node.attr not in known]
    if unknown:
        labels = [Label(lowering.span(tree), "no value") for tree, _ in unknown]
        name = unknown[0][1].node.attr
        message = f"`@` is the matrix product, and `{name}` has no value that would tell its shape"
        found = Diagnostic(found.code, message, tuple(labels), hint=f'--{name} "zeros(3, 2)" gives it a shape')
    elif any(not x.type.shape for _, x in operands):
        found = found._replace(hint="*".join(map(as_operand, texts)))
    return AutodiffError(found)


def placed(failure: AutodiffError, tree: Tree, given: dict[str, list[Any]], lowering: Lowering) -> AutodiffError:
    """The same error with what it is about underlined: of shapes that do not fit every array with its own, else the call."""
    labels = [Label(lowering.span(tree))]
    if failure.diagnostic.code in OF_SHAPES:
        trees, values = [*tree.parts[1], *[argument for _, argument in tree.parts[2]]], [v for values in given.values() for v in values]
        arrays = [pair for pair in zip(trees, values, strict=False) for pair in _parts(*pair) if hasattr(pair[1], "type")]
        if len(arrays) > 1 and len(trees) == len(values):
            labels = [Label(lowering.span(t), f"shape {x.type.shape}" if x.type.shape else "one number") for t, x in arrays]
    hint = failure.diagnostic.hint
    if failure.diagnostic.code in (*OF_SHAPES, "norm-order"):
        hint = named(hint, [lowering.span(t).text for t in tree.parts[1]])
    return AutodiffError(failure.diagnostic._replace(labels=tuple(labels), hint=hint))


def _parts(tree: Tree, value: Any) -> list[tuple[Tree, Any]]:
    """The arrays of a list, each with its text."""
    several = isinstance(value, list | tuple) and tree.kind in ("list", "tuple") and len(value) == len(tree.parts)
    return list(zip(tree.parts, value, strict=True)) if several else [(tree, value)]


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
    _second_array(op, tree, lowering)
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


def _second_array(op: Op, tree: Tree, lowering: Lowering) -> None:
    """`concatenate(v, w)` and `sum(v, w)` of arrays: the second argument is the axis."""
    args, joins = tree.parts[1], op.name in ("concatenate", "stack")
    second = args[1]
    value = lowering.names.values.get(second.parts[0]) if second.kind == "name" else None
    if not (joins and second.kind == "list") and not getattr(value, "shape", None):
        return
    texts = ", ".join([lowering.span(a).text for a in args])
    hint = f"{op.name}([{texts}])"
    if op.name in ("sum", "mean"):
        hint = f"{op.name}({texts.replace(', ', ' + ')}) or {hint}"
    message = f"the second argument of `{op.name}` is the axis" + (", and the first a list of arrays" if joins else "")
    raise error("argument-kind", message, lowering.span(second), "an array", hint=hint)


def without_quotes(op: Op, parameter: Parameter, argument: Tree, lowering: Lowering) -> None:
    """`approximate=tanh` is meant as the text `"tanh"`."""
    if isinstance(parameter.default, str) and argument.kind == "name":
        message = f"`{parameter.name}` of `{op.name}` is a text, and a text has quotes"
        raise error("static-value", message, lowering.span(argument), hint=f'{parameter.name}="{argument.parts[0]}"')


def joined(lowering: Lowering, tree: Tree) -> None:
    """Refuse `[] + v`, which joins lists in Python, where a list is an array."""
    symbol, *sides = tree.parts
    if symbol == "+" and any(side.kind == "list" and not side.parts for side in sides):
        texts = ", ".join(["zeros(0)" if side.kind == "list" and not side.parts else lowering.span(side).text for side in sides])
        message = "an empty list has no entries to add: `+` does not join lists"
        raise error("empty-list", message, lowering.span(tree), hint=f"concatenate([{texts}])")


def repeated(lowering: Lowering, tree: Tree, a: Any, b: Any) -> None:
    """Refuse `[0]*n`, which repeats a list in Python, where a list is an array."""
    symbol, *sides = tree.parts
    for side, other, count in ((sides[0], sides[1], b), (sides[1], sides[0], a)):
        if symbol != "*" or side.kind != "list" or len(side.parts) != 1 or not hasattr(count, "type") or count.type.shape:
            continue
        text, item = lowering.span(other).text, lowering.span(side.parts[0]).text
        hint = f"zeros({text})" if item in ("0", "0.0") else f"full({text}, {item})"
        message, span = "`*` multiplies the one entry, and does not repeat it", lowering.span(tree)
        if _is_count(lowering, side.parts[0], other, count):
            raise error("list-repeated", message, span, hint=hint)
        if other.kind == "name":
            lowering.note(Diagnostic("list-repeated", message, (Label(span),), hint=f"{hint} repeats it", severity="note"))


def _is_count(lowering: Lowering, item: Tree, tree: Tree, value: Any) -> bool:
    """Whether a factor beside a list of one item is meant as a count: a whole number, or a name where the product would be idle."""
    if value.whole is not None:
        return bool(value.whole >= 0)
    return lowering.frame.is_fixed(value) or (item.kind == "number" and float(item.parts[0]) in (0, 1) and tree.kind != "number")
