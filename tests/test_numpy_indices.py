"""Indices: every one against NumPy's own, its arrays written out or as data, at one point and over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.run import point, tensors
from programs import read

T = np.arange(24.0).reshape(2, 3, 4) ** 2
VALUES: dict[str, Any] = {"T": T, "k": np.array([1.0, 0, 1]), "m": np.array([2.0, 0, 2]), "b": np.array([True, False, True])}
NUMPY = {**{name: x.astype(int) if name in "km" else x for name, x in VALUES.items()}, "arange": np.arange, "argmax": np.argmax}

PLACES = [
    "T[k]", "T[:, k]", "T[..., k]", "T[k, m]", "T[:, m, m]", "T[k, :, m]", "T[k, m, 1]", "T[k, m, -1]", "T[1, m, k]", "T[0, :, k]", "T[0, k]", "T[0, k, :]",
    "T[:, 0, k]", "T[k, 0]", "T[k, 0, :]", "T[k, :, 0]", "T[1, None, k]", "T[1, None, :, k]", "T[None, k, m]", "T[k, None, m]", "T[k, ..., m]",
    "T[k[:, None], [0, 1]]", "T[k[:, None], m]", "T[k[:, None], :, m]", "T[0, m[:, None], k]", "T[1:, m, k]", "T[k, ::-1, m]", "T[:, ::2, k][:, 1]",
    "T[0, :, [0, 2]]", "T[:, [0, 1], [0, 2]]", "T[[0, 1], :, [0, 2]]", "T[[[0, 1], [1, 0]], [[0], [2]]]", "T[[1, 0], 1, [0, 2]]", "T[0, [1, 0], 2]",
    "T[arange(2), m[:2]]", "T[0][arange(3), m]", "T[0, b]", "T[:, b]", "T[:, b, :2]", "T[0, b, k[:2]]", "T[1, :, k][b]", "T[()]", "T[0, 1, 2, None]", "T[k - 1, m]",
]  # fmt: skip
BY_ITSELF = ["T[T > 100]", "T[T[:, :, 0] > 10]", "T[:, T[0] > 10]", "T[T > 1000]", "T[0][argmax(T[0], axis=0), arange(4)]"]


@pytest.mark.parametrize("text", PLACES + BY_ITSELF)
def test_an_index_is_numpys(text: str) -> None:
    expected = eval(text, dict(NUMPY))  # noqa: S307 (texts of this table)
    found = point.evaluate(*program(text))[0]
    assert np.shape(found) == np.shape(expected)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("text", PLACES)
def test_what_an_index_took_goes_back_where_it_was(text: str) -> None:
    """The gradient of the sum of squares is twice each entry, as often as it was taken."""
    taken = eval(text, {**NUMPY, "T": np.arange(T.size).reshape(T.shape)})  # noqa: S307 (texts of this table)
    counts = np.bincount(np.ravel(taken), minlength=T.size).reshape(T.shape)
    fn, values = program(f"sum({text}**2)")
    assert np.array_equal(point.evaluate(gradient(fn, ["T"]), values)[1], 2 * T * counts)


@pytest.mark.parametrize("varying", [["T"], ["k", "m"], ["T", "k", "m"]])
@pytest.mark.parametrize("text", PLACES)
def test_an_index_over_rows_is_that_of_every_row(text: str, varying: list[str]) -> None:
    fn, values = program(f"{text}*1")
    other = {"T": -T, "k": 1 - VALUES["k"], "m": VALUES["m"][::-1]}
    rows = [name for name in varying if name in values]
    if not rows:
        return
    both = {name: np.stack([x, other[name]]) if name in rows else x for name, x in values.items()}
    found = tensors.evaluate(fn, both, frozenset(rows))[0]
    for k in range(2):
        assert np.array_equal(found[k], point.evaluate(fn, {name: x[k] if name in rows else x for name, x in both.items()})[0])


@pytest.mark.parametrize(
    ("text", "code"),
    [("T[[0, 1], [0, 1, 2]]", "index-arrays"), ("T[k, m[:2]]", "index-arrays"), ("T[b]", "mask"), ("T[k, m, k, m]", "index-count"), ("T[0, [0, 3]]", "out-of-range")],
)  # fmt: skip
def test_an_index_that_does_not_fit_is_underlined(text: str, code: str) -> None:
    with pytest.raises(AutodiffError) as caught:
        program(text)
    assert caught.value.diagnostic.code == code
    assert caught.value.diagnostic.labels


def program(text: str) -> tuple[Any, dict[str, Any]]:
    """What a text means, and the values that it reads."""
    fn = read(text, values=VALUES).fn
    return fn, {name: VALUES[name] for name, _ in fn.params}
