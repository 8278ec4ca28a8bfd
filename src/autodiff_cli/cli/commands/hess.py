"""`autodiff hess`: value, gradient and Hessian, by as many products as the pattern of the matrix needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import matrices
from ..answer import answer
from ..prepare import naming
from ..sparse import sparse
from ..wanted import wrt

if TYPE_CHECKING:
    from ...report import Report
    from ..arguments import Call
    from ..watch import Watch


def run(call: Call, watch: Watch) -> Report:
    """The Hessian at the point that is given, or of every row."""
    return answer(
        call, watch,
        lambda ready: matrices.hessian(
            ready.lowered, wrt(call, ready), sparse=sparse(call, ready), naming=naming(call), unused=ready.unused,
            together=ready.together,
        ),
    )  # fmt: skip
