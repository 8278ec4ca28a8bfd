"""Hidden ops as people write them: derivatives of products, quotients and polynomials in, expressions of the language out."""

from __future__ import annotations

from math import comb, factorial, perm
from typing import TYPE_CHECKING, Any

from ..graph import PI
from .arithmetic import falling

if TYPE_CHECKING:
    from collections.abc import Callable

    Times = tuple[int, int]


def logarithmic(f: Any, times: Times, rate: Callable[[int, Times], Any]) -> Any:
    """F differentiated i and j times by its two arguments, where `rate` gives the derivatives of the derivative of log(f)."""
    if times == (0, 0):
        return f
    by = 0 if times[0] else 1
    i, j = (times[0] - 1, times[1]) if by == 0 else (times[0], times[1] - 1)
    terms = [
        comb(i, k) * comb(j, m) * logarithmic(f, (k, m), rate) * rate(by, (i - k, j - m)) for k in range(i + 1) for m in range(j + 1)
    ]  # fmt: skip
    return sum(terms[1:], start=terms[0])


def quotient(numerator: Callable[[int], Any], denominator: Any, n: int) -> Any:
    """The n-th derivative of a quotient whose denominator has slope 1, by those of its numerator."""
    return (numerator(n) - n * quotient(numerator, denominator, n - 1)) / denominator if n else numerator(0) / denominator


def logarithm(log: Any, x: Any, n: int) -> Any:
    """The n-th derivative of log(x)."""
    return (-1) ** (n - 1) * factorial(n - 1) / x**n if n else log(x)


def wave(waves: tuple[Any, Any], x: Any, n: int) -> Any:
    """The n-th derivative of sin(x), from sine and cosine."""
    found = waves[n % 2](x)
    return -found if n % 4 > 1 else found


def repeated_integral(first: Any, x: Any, n: int) -> Any:
    """exp(x**2) times the n-th repeated integral of erfc, from the one of order 0, by the recurrence of three terms."""
    if n < 1:
        return first if n == 0 else 2 / x.graph.lift(PI) ** 0.5
    return repeated_integral(first, x, n - 2) / (2 * n) - x * repeated_integral(first, x, n - 1) / n


def tail(m: Any, x: Any, n: int) -> Any:
    """The derivative of order n - 1 of m, where m' = -m*(x + m)."""
    found = [m]
    for k in range(n - 1):
        terms = [comb(k, j) * found[j] * (found[k - j] + (x if k == j else 1 if k - j == 1 else 0)) for j in range(k + 1)]
        found.append(-sum(terms[1:], start=terms[0]))
    return found[n - 1]


def polynomial(n: Any, k: int, j: int) -> Any:
    """The j-th derivative by n of n*(n - 1)*…*(n - k + 1)/k!."""
    terms = [c * perm(power, j) * n ** (power - j) for power, c in enumerate(falling(k)) if power >= j and c]
    return sum(terms, start=n.graph.lift(0)) / factorial(k)
