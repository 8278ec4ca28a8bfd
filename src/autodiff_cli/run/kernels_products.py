"""Derivatives of products of gamma functions, as the beta function and binomial coefficients are: numbers in, a number out.

A factor is (exponent, addends, slopes): gamma of the sum of the addends, which moves with the two
variables by the slopes, to the power 1 or -1. Left of 0 a factor is reflected, so its zeros and
poles are those of a sine; near 0 it is raised by 1; what remains is the exponential of a series of polygammas.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from . import kernels_polygamma as polygammas
from .kernels_trig import cospi, sinpi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Series = list[list[Any]]


class Factor(NamedTuple):
    """gamma(sum of addends + slopes of the variables) ** exponent."""

    exponent: int
    addends: tuple[Any, ...]
    slopes: tuple[int, int]


class Numbers(Protocol):
    """The arithmetic that the derivative is computed with."""

    nan: Any

    @property
    def pi(self) -> Any: ...

    def total(self, addends: Sequence[Any]) -> Any: ...
    def sine(self, m: int, r: Any) -> Any: ...
    def cotangent(self, m: int, r: Any) -> Any: ...
    def slope(self, m: int, addends: Sequence[Any]) -> Any: ...
    def between(self, m: int, low: Sequence[Any], high: Sequence[Any]) -> Any: ...
    def size(self, factors: Sequence[Factor]) -> Any: ...


def binomial(n: Any, k: Any) -> list[Factor]:
    return [Factor(1, (n, 1), (1, 0)), Factor(-1, (k, 1), (0, 1)), Factor(-1, (n, -k, 1), (1, -1))]


def beta(a: Any, b: Any) -> list[Factor]:
    return [Factor(1, (a,), (1, 0)), Factor(1, (b,), (0, 1)), Factor(-1, (a, b), (1, 1))]


def derivative(numbers: Numbers, factors: Sequence[Factor], i: int, j: int) -> Any:
    """The derivative of the product, i times by the first variable and j times by the second."""
    below = _below(numbers, factors)
    if any(f.exponent > 0 and not _turned(numbers, f.addends)[1] for f in below):
        return numbers.nan
    above = [_mirrored(f) if f in below else f for f in factors]
    near = [f for f in above if numbers.total(f.addends) < 0.5]
    small = [f for f in near if all(f.exponent == g.exponent for g in near)]
    series = _exponential(_logarithm(numbers, [_raised(f) if f in small else f for f in above], i, j), i, j)
    for wave in _waves(numbers, [f for f in below if f.exponent > 0], [f for f in below if f.exponent < 0], i, j):
        series = _product(series, wave, i, j)
    for f in small:
        terms = [1, 1 / numbers.total(f.addends), *[0] * (i + j)][: i + j + 1]
        series = _product(series, _moving(_inverse(terms) if f.exponent > 0 else terms, f.slopes, i, j), i, j)
    return math.factorial(i) * math.factorial(j) * series[i][j] * numbers.size(above)


def _below(numbers: Numbers, factors: Sequence[Factor]) -> list[Factor]:
    """The factors to reflect; a zero near 0 is one of them where it may meet a pole."""
    poles = any(f.exponent > 0 and numbers.total(f.addends) <= 0 for f in factors)
    return [f for f in factors if (z := numbers.total(f.addends)) <= 0 or (poles and f.exponent < 0 and z < 0.5)]


def _raised(factor: Factor) -> Factor:
    """gamma(z + 1), which is z gamma(z)."""
    return factor._replace(addends=(*factor.addends, 1))


def _waves(numbers: Numbers, over: list[Factor], under: list[Factor], i: int, j: int) -> Iterator[Series]:
    """The sines that reflection leaves."""
    for v in under:
        u = next((u for u in over if abs(_turned(numbers, _gap(v, u))[1]) <= abs(_turned(numbers, v.addends)[1])), None)
        if u is not None:
            over.remove(u)
            yield _ratio(numbers, v, u, i, j)
        else:
            yield _moving(_sine(numbers, v.addends, i + j), v.slopes, i, j)
    for u in over:
        yield _moving(_inverse(_sine(numbers, u.addends, i + j)), u.slopes, i, j)


def _sine(numbers: Numbers, addends: Sequence[Any], count: int, shift: int = 0) -> list[Any]:
    """The Taylor coefficients of sin(pi z)/pi, or of its slope over pi."""
    sign, r = _turned(numbers, addends)
    return [sign * numbers.pi ** (m - 1) * numbers.sine(m + shift, r) / math.factorial(m) for m in range(count + 1)]


def _ratio(numbers: Numbers, v: Factor, u: Factor, i: int, j: int) -> Series:
    """sin(pi v)/sin(pi u) as cos(d) + sin(d) cot(pi u), which does not cancel where both are small."""
    rise = (v.slopes[0] - u.slopes[0], v.slopes[1] - u.slopes[1])
    sin, cos = [_moving([numbers.pi * t for t in _sine(numbers, _gap(v, u), i + j, k)], rise, i, j) for k in (0, 1)]
    r = _turned(numbers, u.addends)[1]
    ratio = _product(sin, _moving([numbers.cotangent(m, r) / math.factorial(m) for m in range(i + j + 1)], u.slopes, i, j), i, j)
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(cos, ratio, strict=True)]


def _gap(v: Factor, u: Factor) -> tuple[Any, ...]:
    return (*v.addends, *[-a for a in u.addends])


def _turned(numbers: Numbers, addends: Sequence[Any]) -> tuple[int, Any]:
    """How far a sum is from the nearest whole number, and the sign of sin(pi z) against that of the distance."""
    whole = round(numbers.total(addends))
    more = round(numbers.total((*addends, -whole)))  # the first may be rounded itself
    return (-1 if (whole + more) % 2 else 1), numbers.total((*addends, -whole, -more))


def _inverse(terms: list[Any]) -> list[Any]:
    found = [1 / terms[0]]
    for m in range(1, len(terms)):
        found.append(-sum(terms[k] * found[m - k] for k in range(1, m + 1)) / terms[0])
    return found


def _moving(terms: list[Any], slopes: tuple[int, int], i: int, j: int) -> Series:
    """A series of one variable, which moves with the two by the slopes."""
    c, d = slopes
    weights = [[math.comb(a + b, a) * c**a * d**b for b in range(j + 1)] for a in range(i + 1)]
    return [[terms[a + b] * w if w else 0 for b, w in enumerate(row)] for a, row in enumerate(weights)]


def _mirrored(factor: Factor) -> Factor:
    """gamma(1 - z), which is over the fraction line where gamma(z) was under it."""
    (c, d), addends = factor.slopes, factor.addends
    return Factor(-factor.exponent, (1, *[-a for a in addends]), (-c, -d))


def _logarithm(numbers: Numbers, factors: Sequence[Factor], i: int, j: int) -> Series:
    """The Taylor coefficients of the logarithm; its constant is left out."""
    series: Series = [[0] * (j + 1) for _ in range(i + 1)]
    for a in range(i + 1):
        for b in range(0 if a else 1, j + 1):
            found = [(f.exponent * f.slopes[0] ** a * f.slopes[1] ** b, f.addends) for f in factors]
            there = [(weight, addends) for weight, addends in found if weight]
            series[a][b] = _summed(numbers, a + b - 1, there) / (math.factorial(a) * math.factorial(b))
    return series


def _summed(numbers: Numbers, m: int, terms: list[tuple[int, Any]]) -> Any:
    if len(terms) == 2 and terms[0][0] == -terms[1][0]:
        (weight, high), (_, low) = terms
        return weight * numbers.between(m, low, high)
    return sum(weight * numbers.slope(m, addends) for weight, addends in terms)


def _exponential(log: Series, i: int, j: int) -> Series:
    series: Series = [[1] * (j + 1) for _ in range(i + 1)]
    for a in range(i + 1):
        for b in range(0 if a else 1, j + 1):
            by, order = (0, a) if a else (1, b)
            pairs = [(p, q) for p in range(a + 1) for q in range(b + 1) if (p, q)[by]]
            series[a][b] = sum((p, q)[by] * log[p][q] * series[a - p][b - q] for p, q in pairs) / order
    return series


def _product(x: Series, y: Series, i: int, j: int) -> Series:
    return [[sum(x[p][q] * y[a - p][b - q] for p in range(a + 1) for q in range(b + 1)) for b in range(j + 1)] for a in range(i + 1)]


def beta_edge(a: float, b: float) -> float | None:
    """The beta function at poles of gamma and at infinity; None elsewhere."""
    pole = polygammas.pole
    if not (a - a == 0 and b - b == 0):
        return 0.0 if a > 0 and b > 0 else math.nan
    last = pole(a + b) and not math.fsum([a, b, -(a + b)])
    poles = pole(a) + pole(b)
    if poles:
        return math.inf if poles == 1 and not last and max(a, b) > 0 else math.nan
    return 0.0 if last else None


def log_size(numbers: Floats, factors: Sequence[Factor]) -> float:
    """The logarithm of the size of the product."""
    value = abs(float(derivative(numbers, factors, 0, 0)))
    if 1e-280 < value < 1e280:
        return math.log(value)
    below = _below(numbers, factors)
    sines = [f.exponent * (math.log(math.pi) - math.log(abs(sinpi(_turned(numbers, f.addends)[1])))) for f in below]
    return math.fsum([*sines, numbers.log([_mirrored(f) if f in below else f for f in factors])])


class Floats:
    """The arithmetic of Python floats."""

    pi, nan = math.pi, math.nan

    def __init__(self, sp: Any) -> None:
        self.sp = sp

    def total(self, addends: Sequence[float]) -> float:
        return math.fsum(addends)

    def sine(self, m: int, r: float) -> float:
        return (sinpi(r), cospi(r), -sinpi(r), -cospi(r))[m % 4]

    def cotangent(self, m: int, r: float) -> float:
        return polygammas.cotangent(m, r) / math.pi

    def slope(self, m: int, addends: Sequence[float]) -> float:
        return polygammas.polygamma(self.sp, m, math.fsum(addends))

    def between(self, m: int, low: Sequence[float], high: Sequence[float]) -> float:
        x, y = math.fsum(low), math.fsum(high)
        d = math.fsum([*high, *[-a for a in low]])
        return -polygammas.digammas(self.sp, m, y, -d) if abs(y) < abs(x) else polygammas.digammas(self.sp, m, x, d)

    def size(self, factors: Sequence[Factor]) -> float:
        """A beta function of two of them or, with two under the fraction line, the reciprocal of one."""
        if all(f.exponent < 0 for f in factors):
            return math.prod([1 / math.gamma(math.fsum(f.addends)) for f in factors])  # their sum is 2
        turned, p, q, moved = self._pair(factors)
        if not turned:
            return above(p, q) * (1 + moved)
        top = next(f.addends for f in factors if f.exponent > 0)
        rest = [math.fsum([*f.addends, -1]) for f in factors if f.exponent < 0]
        value = rest[0] * above(rest[0], q) if p > 1 else math.fsum(top) * above(p, q)
        return (1 - moved) / value if value else math.inf

    def log(self, factors: Sequence[Factor]) -> float:
        """The logarithm of the size."""
        turned, p, q, moved = self._pair(factors)
        return -moved - math.log(p + q - 1) - log_above(p, q) if turned else log_above(p, q) + moved

    def _pair(self, factors: Sequence[Factor]) -> tuple[bool, float, float, float]:
        turned = sum(f.exponent for f in factors) < 0
        pair = [f.addends for f in factors if (f.exponent < 0) is turned]
        p, q = [math.fsum(addends) for addends in pair]
        rest = [math.fsum([*addends, -z]) for addends, z in zip(pair, (p, q), strict=True)]
        moved = sum(r * float(self.sp.psi(z) - self.sp.psi(p + q)) for r, z in zip(rest, (p, q), strict=True) if r)
        return turned, p, q, moved


def above(p: float, q: float) -> float:
    """The beta function of positive numbers."""
    if p > q:
        p, q = q, p
    if p < 1e-200:
        return 1 / p + 1 / q if q < 1e-200 else 1 / p
    if p + q < 170:
        return math.gamma(p) * (math.gamma(q) / math.gamma(p + q))
    if p < 15:
        total = p + q
        rest = math.fsum([p, q, -total]) / total
        return math.gamma(p) * math.pow(total, -p) * math.exp(-p * rest + _climb(p, q))
    return math.exp(log_above(p, q))


def _climb(p: float, q: float) -> float:
    """log(gamma(q) (p + q)**p / gamma(p + q)) for a large q."""
    return p - (q - 0.5) * math.log1p(p / q) + _spread(q) - _spread(p + q)


def log_above(p: float, q: float) -> float:
    """The logarithm of the beta function of positive numbers."""
    if p > q:
        p, q = q, p
    if p < 1e-200:
        return math.log1p(p / q) - math.log(p)
    if p + q < 170:
        return math.log(above(p, q))
    if p < 15:
        return math.lgamma(p) - p * math.log(p + q) + _climb(p, q)
    spread = _spread(p) + _spread(q) - _spread(p + q)
    return math.fsum([0.5 * math.log(2 * math.pi * (1 / p + 1 / q)), -p * math.log1p(q / p), -q * math.log1p(p / q), spread])


def _spread(z: float) -> float:
    """log(gamma(z)) less Stirling's formula."""
    r = 1 / (z * z)
    total = 0.0
    for b in (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        total = total * r + b
    return total / z
