"""A number of seconds in; work that takes longer of this process's own time is given up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 1.0


class Expired(BaseException):
    """The time is up; not an `Exception`, so that nothing on the way takes it for its own."""


@contextmanager
def budget(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `Expired` inside when the time is up. No limit where the system has no such timer, or in another thread than the first."""
    import signal
    import threading

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise Expired

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
