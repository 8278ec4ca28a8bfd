"""Random expressions of the language, with conditionals, ties and singular points."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("x", "y")
LITERALS = ("0", "1", "2", "0.5", "3")
UNARY = ("sin", "cos", "exp", "tanh", "log", "sqrt", "abs", "relu")
PAIRS = ("max", "min")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")

leaves = st.sampled_from(NAMES) | st.sampled_from(LITERALS)


def _deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    condition = st.tuples(inner, st.sampled_from(COMPARE), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})")
    return st.one_of(
        st.tuples(pair, st.sampled_from("+-*/")).map(lambda t: f"({t[0][0]}) {t[1]} ({t[0][1]})"),
        st.tuples(st.sampled_from(UNARY), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(PAIRS), pair).map(lambda t: f"{t[0]}({t[1][0]}, {t[1][1]})"),
        st.tuples(inner, st.sampled_from((0, 1, 2, 3))).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(condition, pair).map(lambda t: f"(({t[1][0]}) if {t[0]} else ({t[1][1]}))"),
        st.tuples(condition, pair).map(lambda t: f"where({t[0]}, {t[1][0]}, {t[1][1]})"),
    )


expressions = st.recursive(leaves, _deeper, max_leaves=12)
coordinates = st.sampled_from((0.0, 0.5, -0.5, 1.0, -1.0, 2.0)) | st.floats(-2, 2, allow_nan=False, width=16)
points = st.fixed_dictionaries(dict.fromkeys(NAMES, coordinates))
