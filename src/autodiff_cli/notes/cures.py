"""What to type instead: the text where a non-finite number was born in, a stable spelling out.

The table is written in the language itself; letters stand for any expression. A cure is offered only
where it gives finite numbers at the very values that met there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive import gradient
from ..diagnostics import Source, Span
from ..graph import CONST, PARAM, Fn
from ..lower import lower
from ..ops import OPS
from ..run import floats
from ..syntax import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Slots = Mapping[int, Any]
    Match = dict[str, int]

COMMUTES = (OPS["add"], OPS["mul"])
LEVELS = 3


class Cure(NamedTuple):
    """A spelling that breaks, the one that does not, and where it may be offered (everywhere)."""

    pattern: str
    text: str
    fits: Callable[..., bool] | None = None


def _near_one(values: Mapping[str, float]) -> bool:
    return 1 < abs(values["a"]) < 1 + 1e-6


CURES = (
    Cure("a*log(b)", "xlogy(a, b)"),
    Cure("a*log1p(b)", "xlog1py(a, b)"),
    Cure("log(1 + exp(a))", "softplus(a)"),
    Cure("log1p(exp(a))", "softplus(a)"),
    Cure("log(exp(a) + exp(b))", "logaddexp(a, b)"),
    Cure("log(exp(a) + exp(b) + exp(c))", "logaddexp(a, logaddexp(b, c))"),
    Cure("log(1 - exp(a))", "log1mexp(a)"),
    Cure("log1p(-exp(a))", "log1mexp(a)"),
    Cure("log(-expm1(a))", "log1mexp(a)"),
    Cure("log(sigmoid(a))", "log_sigmoid(a)"),
    Cure("log(ndtr(a))", "log_ndtr(a)"),
    Cure("log(gamma(a))", "lgamma(a)"),
    Cure("1/(1 + exp(-a))", "sigmoid(a)"),
    Cure("exp(a)/(1 + exp(a))", "sigmoid(a)"),
    Cure("exp(a)/(exp(a) + exp(b))", "sigmoid(a - b)"),
    Cure("exp(a**2)*erfc(a)", "erfcx(a)"),
    Cure("exp(a*a)*erfc(a)", "erfcx(a)"),
    Cure("a**(1/3)", "cbrt(a)"),
    Cure("sin(pi*a)/(pi*a)", "sinc(a)"),
    Cure("sin(a)/a", "sinc(a/pi)"),
    Cure("sqrt(a**2)", "abs(a)"),
    Cure("sqrt(a*a)", "abs(a)"),
    Cure("sqrt(a**2 + b**2)", "hypot(a, b)"),
    Cure("sqrt(a*a + b*b)", "hypot(a, b)"),
    Cure("(a**2 + b**2)**0.5", "hypot(a, b)"),
    Cure("sqrt(a**2 + b**2 + c**2)", "hypot(a, b, c)"),
    Cure("exp(a) - 1", "expm1(a)", lambda v: v["a"] != 0),
    Cure("log(1 + a)", "log1p(a)", lambda v: v["a"] != 0),
    Cure("log1mexp(a)", "log1mexp(-a)", lambda v: v["a"] > 0),
    Cure("acos(a)", "acos(clip(a, -1, 1))", _near_one),
    Cure("asin(a)", "asin(clip(a, -1, 1))", _near_one),
)


def cure(fn: Fn, slots: Slots, span: Span) -> str | None:
    """A spelling to paste in place of the text that `span` is in, or None."""
    for root in _around(fn, slots, span):
        for entry in CURES:
            found = _match(_pattern(entry.pattern), fn, root)
            if found is not None and _helps(entry, {k: slots[i] for k, i in found.items() if i in slots}, found):
                return _written(entry.text, fn, found)
    return None


def _around(fn: Fn, slots: Slots, span: Span) -> Iterator[int]:
    """The nodes of the value that ran, near the text: its own, what it reads, what reads it."""
    mine = {i for i, site in enumerate(fn.sites) if i in slots and site and not site.order and site.span == span}
    users: dict[int, set[int]] = {}
    for i, node in enumerate(fn.nodes):
        site = fn.sites[i]
        if i in slots and site and not site.order:
            for j in node.args:
                users.setdefault(j, set()).add(i)
    layer = mine
    yield from sorted(mine)
    for _ in range(LEVELS):
        layer = {u for i in layer for u in users.get(i, ())}
        yield from sorted(layer)
    yield from sorted({j for i in mine for j in fn.nodes[i].args})


def _pattern(text: str) -> Fn:
    source = Source("cure", text)
    return lower(parse(source), source).fn


def _match(pattern: Fn, fn: Fn, root: int) -> Match | None:
    """What the letters of the pattern stand for where it is the expression at `root`."""
    found: Match = {}
    return found if _fits(pattern, pattern.outs[0], fn, root, found) else None


def _fits(pattern: Fn, p: int, fn: Fn, i: int, found: Match) -> bool:
    """Structural match; patterns are a few nodes deep, so this recurses."""
    (op, args, attr, _), node = pattern.nodes[p], fn.nodes[i]
    if op is PARAM:
        return found.setdefault(attr, i) == i
    if op is not node.op or len(args) != len(node.args) or attr != node.attr:
        return False
    if op is CONST:
        return True
    for order in ((0, 1), (1, 0)) if op in COMMUTES else (range(len(args)),):
        trial = dict(found)
        if all(_fits(pattern, args[k], fn, node.args[o], trial) for k, o in enumerate(order)):
            found.update(trial)
            return True
    return False


def _helps(entry: Cure, values: dict[str, float], found: Match) -> bool:
    """Whether the cure and its slopes are finite at these values."""
    if len(values) < len(found) or (entry.fits and not entry.fits(values)):
        return False
    source = Source("cure", entry.text)
    fn = lower(parse(source), source).fn
    results = floats.evaluate(gradient(fn, [name for name, _ in fn.params]), values)
    return all(r - r == 0 for r in results[: 1 if entry.pattern.startswith("a*log") else None])


def _written(text: str, fn: Fn, found: Match) -> str:
    """The cure with the user's own text in place of its letters."""
    tree = ""
    for k, character in enumerate(text):
        alone = not (text[k - 1 : k].isalnum() or text[k + 1 : k + 2].isalnum())
        tree += _text(fn, found[character], text) if alone and character in found else character
    return tree


def _text(fn: Fn, i: int, cure: str) -> str:
    site = fn.sites[i]
    text = site.span.text if site else str(fn.nodes[i].attr)
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:-1]:
        text = text[1:-1]
    bare = text.replace("_", "").replace(".", "").isalnum() or not any(c in cure for c in "/-")
    return text if bare else f"({text})"
