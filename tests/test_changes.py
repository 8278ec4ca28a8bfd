"""`x[…] = value` is refused, and its hint is typed here: it leaves the array that NumPy leaves.

Every index is given every value that NumPy takes there: one number, one for every entry, rows and columns that are stretched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.run import point
from programs import read

A = np.array
POINT: dict[str, Any] = {
    "x": A([3.0, 1.0, 2.0, 5.0]), "A": A([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "T": np.arange(12.0).reshape(2, 3, 2),
    "s": 7.0, "i": 1, "n": -2, "p": A([1.0, 0.0]), "q": A([0.0, -1.0]),
}  # fmt: skip
INDICES = {
    "x": ["0", "-1", "i", "n", "i + 1", "i - 2", "1:", ":2", "1:3", "-2:", ":-1", "-3:-1", "i:", "n:", ":i + 1", "0:2", "::2", "::-1", "-1:0:-2", ":", "...",
          "[0, 2]", "[-1, 0]", "[2]", "p", "q", "x > 2", "x == 9", "(x > 1) & (x < 4)", "~(x > 1)", "isnan(x)", "[True, False, True, False]"],
    "A": ["0", "-1", "n", "i", "1:", ":1", "::-1", ":", "...", "[1, 0]", "q", "A > 2", "sum(A, axis=1) > 7", "0, 1", "-1, n", "i, i + 1", ":, 0", ":, -1", "..., 1",
          ":, 1:", ":, ::2", "1:, :2", "0, 1:", "0, ::2", ":, [0, 2]", "[0, 1], [2, 0]", "p, q", "[0, 1], 1", "0, [2, 0]", "0][1", "-1][1:", "1:][0", ":, A[0] > 1"],
    "T": ["0", "1:", "0, 1", "0, 1, -1", "..., 0", ":, 0", ":, 1:", ":, :, 1", "1, :2", "0][1][0", "[1, 0]", "T > 3", "T[:, :, 0] > 3", "0, [0, 2]"],
}  # fmt: skip
SIGNS = ["+", "*", "-", "**"]
NUMBERS = ["5", "s", "s + 1", "sum({x})", "-s if s > 9 else s"]
CASES = [(name, index) for name, indices in INDICES.items() for index in indices]


def by_numpy(text: str, values: dict[str, Any]) -> dict[str, Any]:
    """The names after a text, as Python and NumPy have them."""
    whole = {name: int(v) if isinstance(v, int) else v.astype(int) if name in ("p", "q") else np.copy(v) for name, v in values.items()}
    names: dict[str, Any] = {**vars(np), **whole, "sum": np.sum}
    exec(text, names)  # noqa: S102 (a text of this file)
    return names


def hint(text: str, values: dict[str, Any]) -> str:
    """What is shown to type for a text that is refused."""
    with pytest.raises(AutodiffError) as caught:
        read(text, values)
    assert caught.value.diagnostic.code == "immutable"
    return caught.value.diagnostic.hint or ""


def typed(text: str, name: str, values: dict[str, Any]) -> Any:
    """The value of a name after a text that is typed."""
    used = {k: float(v) if isinstance(v, int) else v for k, v in values.items()}
    fn = read(f"{text}\n{name}", used).fn
    return np.asarray(point.evaluate(fn, {k: used[k] for k, _ in fn.params})[0])


def values_for(name: str, index: str) -> list[str]:
    """Values that fit what an index chooses: numbers, an array of its shape, arrays that are stretched."""
    chosen = np.asarray(by_numpy(f"chosen = {name}[{index}]", POINT)["chosen"], dtype=float)
    full: Any = (np.arange(chosen.size).reshape(chosen.shape) + 20).tolist()
    arrays: list[Any] = [full] if chosen.shape and chosen.size else []
    arrays += [full[-1]] if chosen.ndim > 1 and chosen.size else []
    arrays += [[[7]] * chosen.shape[-2]] if chosen.ndim > 1 else []
    arrays += [[8]] if chosen.ndim else []
    return [*[number.format(x=name) for number in NUMBERS], *map(str, arrays), *[f"2*{name}[{index}]"]]


@pytest.mark.parametrize(("name", "index"), CASES, ids=lambda case: case)
def test_what_a_hint_says_is_what_numpy_does(name: str, index: str) -> None:
    told = 0
    for value in values_for(name, index):
        change = f"{name}[{index}] = {value}"
        new = hint(change, POINT)
        if " with conditions " in new:
            continue
        told += 1
        np.testing.assert_array_equal(typed(new, name, POINT), by_numpy(change, POINT)[name], err_msg=f"{change}\n{new}")
    assert told >= len(NUMBERS)


@pytest.mark.parametrize(("name", "index"), CASES, ids=lambda case: case)
@pytest.mark.parametrize("sign", SIGNS)
def test_what_a_hint_says_of_a_change_by_an_operator(name: str, index: str, sign: str) -> None:
    for right in ("2", "s - 5"):
        change = f"{name}[{index}] {sign}= {right}"
        new = hint(change, POINT)
        assert " with conditions " not in new
        np.testing.assert_array_equal(typed(new, name, POINT), by_numpy(change, POINT)[name], err_msg=f"{change}\n{new}")


@pytest.mark.parametrize("index", ["0", "-1", "i", "n", "1:", ":1", "0:2", "::2", "[1, 0]", "q", "0, 1", "1:, 1"])
@pytest.mark.parametrize("sign", ["", "+"])
def test_where_no_shape_is_known_a_hint_holds_for_every_one(index: str, sign: str) -> None:
    change = f"B[{index}] {sign}= s"
    new = hint(change, {k: v for k, v in POINT.items() if k in {"s", "i", "n", "q"}})
    for name in ("x", "A", "T") if "," not in index else ("A",):
        values = {**POINT, "B": POINT[name]}
        np.testing.assert_array_equal(typed(new, "B", values), by_numpy(change, values)["B"], err_msg=f"{change}\n{new}")


SEVERAL = {
    "a swap of entries": ("x[0], x[1] = x[1], x[0]", "x"),
    "a swap of rows": ("A[0], A[1] = A[1] + 0, A[0] + 0", "A"),
    "beside a name": ("x[-1], y = s, 2", "x"),
    "three": ("x[0], A[1, 1], y = s, 2, 3", "A"),
    "the transpose": ("A.T[1] = [8, 9]", "A"),
    "a tuple": ("x[1:3] = 8, s", "x"),
    "a tuple in brackets": ("x[1:3] = (8, s)", "x"),
    "from itself": ("x[1:] = x[:-1] + 0", "x"),
    "another order": ("x[[0, 1, 2, 3]] = x[[3, 2, 1, 0]]", "x"),
    "added to a row": ("A[0] += A[1]", "A"),
    "added to columns": ("A[:, 1:] *= A[:, :2]", "A"),
    "from where a mask is": ("x[x > 1] = -sin(x[x > 1])*2 + s", "x"),
    "from another array where a mask is": ("x[x > 1] = (x**2)[x > 1]", "x"),
    "a sum of where a mask is": ("x[x > 1] = sum(x[x > 1])", "x"),
    "where a mask is, with a value for each": ("x[x > 1] = x[x > 1] + [1, 2, 3]", "x"),
    "rows where a mask is": ("A[A[:, 0] > 1] = A[A[:, 0] > 1]*s", "A"),
    "a sum to the right": ("x[0] *= s + 1", "x"),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_what_a_hint_says_of_targets_of_several_kinds(case: str) -> None:
    change, name = SEVERAL[case]
    new = hint(change, POINT)
    np.testing.assert_array_equal(typed(new, name, POINT), by_numpy(change, POINT)[name], err_msg=new)


LOOPS = {
    "rows": "for k in range(2):\n    A[k] = A[k]*2",
    "rows, by the name of the hint": "for j in range(2):\n    A[j] += j + 1",
    "entries": "for k in range(4):\n    x[k] = x[k]**2 + k",
    "the one behind": "for k in range(3):\n    x[k + 1] = x[k] + 1",
    "the one before, which is the last at first": "for k in range(3):\n    x[k - 1] = x[k] + 1",
    "downwards": "for k in range(3, -1, -1):\n    x[k] = k",
    "below 0": "for k in range(-2, 0):\n    x[k] = k",
    "both places": "for k in range(2):\n    for j in range(1, 3):\n        A[k, j] = A[k, j - 1] + s",
}


@pytest.mark.parametrize("case", LOOPS)
def test_a_hint_in_a_loop_stands_for_every_turn(case: str) -> None:
    text = LOOPS[case]
    line = text.rpartition("\n")[2]
    blank = line[: len(line) - len(line.lstrip())]
    name = line.strip()[0]
    mended = text.replace(line, blank + hint(text, POINT))
    np.testing.assert_array_equal(typed(mended, name, POINT), by_numpy(text, POINT)[name], err_msg=mended)
