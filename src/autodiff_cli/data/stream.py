"""A file, a pipe or stdin in; its bytes out as they come, unpacked. A `Pull` gives some bytes a call, and b"" at the end."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Pull = Callable[[], bytes]
BLOCK = 1 << 21
AHEAD = 2 * BLOCK
SLICE = 1 << 16
PATIENCE = 2.0
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Feed:
    """The bytes of one input, which may be looked at before they are taken."""

    __slots__ = ("name", "pull", "stop", "waiting")

    def __init__(self, name: str, pull: Pull, stop: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.pull = pull
        self.stop = stop
        self.waiting = b""

    def take(self) -> bytes:
        """What is there, at least one byte; b"" at the end."""
        if self.waiting:
            data, self.waiting = self.waiting, b""
            return data
        return self.pull()

    def peek(self, enough: Callable[[bytes], bool] = bool) -> bytes:
        """The first bytes, as many as `enough` asks for, left where they are."""
        while not enough(self.waiting) and (data := self.pull()):
            self.waiting += data
        return self.waiting

    def more(self) -> bool:
        """Wait for more of what `peek` shows; false at the end."""
        data = self.pull()
        self.waiting += data
        return bool(data)


class Pump:
    """A thread that reads ahead, so that a slow writer is answered at once and a fast one in good pieces."""

    __slots__ = ("chunks", "cond", "ended", "failure", "pull", "size", "slow", "stopped", "thread")

    def __init__(self, pull: Pull, slow: Callable[[], None] | None) -> None:
        self.pull = pull
        self.slow = slow
        self.cond = Condition()
        self.chunks: list[bytes] = []
        self.size = 0
        self.ended = self.stopped = False
        self.failure: BaseException | None = None
        self.thread = Thread(target=self._run, daemon=True, name="autodiff-input")
        self.thread.start()

    def _run(self) -> None:
        try:
            while (data := self.pull()) and not self.stopped:
                self._put(data)
        except BaseException as problem:  # noqa: BLE001 (it is raised where the bytes are taken)
            self.failure = problem
        with self.cond:
            self.ended = True
            self.cond.notify()

    def _put(self, data: bytes) -> None:
        with self.cond:
            while self.size > AHEAD and not self.stopped:
                self.cond.wait()
            self.chunks.append(data)
            self.size += len(data)
            self.cond.notify()

    def __call__(self) -> bytes:
        with self.cond:
            while not self.chunks and not self.ended:
                if not self.cond.wait(PATIENCE if self.slow else None) and self.slow:
                    self.slow()
                    self.slow = None
            self.slow = None
            data = self._first()
            self.cond.notify()
        if not data and self.failure:
            raise self.failure
        return data

    def _first(self) -> bytes:
        many, size = 0, 0
        while many < len(self.chunks) and (not many or size + len(self.chunks[many]) <= BLOCK):
            size += len(self.chunks[many])
            many += 1
        data = b"".join(self.chunks[:many])
        del self.chunks[:many]
        self.size -= size
        return data

    def stop(self) -> None:
        """Read no further; a read that waits for its writer is left to itself."""
        with self.cond:
            self.stopped = True
            self.chunks.clear()
            self.size = 0
            self.cond.notify_all()


def open_path(path: str) -> Feed:
    """The bytes of a file; one that is no regular file (a named pipe, `<(…)`) is read by a thread."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as problem:
        raise unreadable(path, problem) from None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return _unpacked(Feed(path, _reads(path, handle), lambda: os.close(handle)))
    return _unpacked(_pumped(path, handle, None))


def open_stdin(stream: Any, slow: Callable[[], None] | None) -> Feed:
    """The bytes of stdin; `slow` is called when nothing has come for a while."""
    try:
        handle = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return _unpacked(Feed("stdin", lambda: bytes(stream.read(BLOCK))))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return _unpacked(Feed("stdin", _reads("stdin", handle)))
    _widen(handle)
    return _unpacked(_pumped("stdin", handle, slow))


def _pumped(name: str, handle: int, slow: Callable[[], None] | None) -> Feed:
    pump = Pump(_reads(name, handle), slow)
    return Feed(name, pump, pump.stop)


def _unpacked(feed: Feed) -> Feed:
    head = feed.peek(lambda data: told(data, (GZIP, ZSTD)))
    unpack = _gunzip if head.startswith(GZIP) else _unzstd if head.startswith(ZSTD) else None
    if unpack is None:
        return feed
    pieces = filter(None, unpack(feed.name, feed.take))
    pump = Pump(lambda: next(pieces, b""), None)

    def stop() -> None:
        pump.stop()
        pump.thread.join(PATIENCE)
        feed.stop()

    return Feed(feed.name, pump, stop)


def told(data: bytes, marks: Iterable[bytes]) -> bool:
    """Whether these first bytes are enough to tell which of the marks they begin with."""
    return bool(data) and not any(mark.startswith(data) and mark != data for mark in marks)


def _reads(name: str, handle: int) -> Pull:
    def pull() -> bytes:
        try:
            return os.read(handle, BLOCK)
        except OSError as problem:
            raise unreadable(name, problem) from None

    return pull


def _widen(handle: int) -> None:
    """A wider pipe wakes both sides less often."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl  # type: ignore[attr-defined,unused-ignore]  # Linux only

        fcntl(handle, F_SETPIPE_SZ, BLOCK)
    except (ImportError, OSError):
        pass


def _sliced(pull: Pull) -> Iterator[bytes]:
    """Small pieces of what is packed, so that little is unpacked at a time."""
    while data := pull():
        for start in range(0, len(data), SLICE):
            yield data[start : start + SLICE]


def _gunzip(name: str, pull: Pull) -> Iterator[bytes]:
    import zlib

    unpacker = zlib.decompressobj(31)
    for piece in _sliced(pull):
        rest = piece
        while rest:
            if unpacker.eof:
                rest = rest.lstrip(b"\0")
                unpacker = zlib.decompressobj(31) if rest else unpacker
            try:
                yield unpacker.decompress(rest)
            except zlib.error as problem:
                raise broken(name, f"its gzip data is damaged: {problem}") from None
            rest = unpacker.unused_data if unpacker.eof and rest else b""
    if not unpacker.eof:
        raise broken(name, "its gzip data ends too early: the file was cut off")


def _unzstd(name: str, pull: Pull) -> Iterator[bytes]:
    make = zstd(name).ZstdDecompressor
    unpacker = make()
    for piece in _sliced(pull):
        rest = piece
        while rest:
            unpacker = make() if unpacker.eof else unpacker
            try:
                yield unpacker.decompress(rest)
            except Exception as problem:  # noqa: BLE001 (every package has its own)
                raise broken(name, f"its zstd data is damaged: {problem}") from None
            rest = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise broken(name, "its zstd data ends too early: the file was cut off")


def zstd(name: str) -> Any:
    """The module that packs and unpacks zstd: Python's own, or the package that is the same for older ones."""
    from importlib import import_module

    for module in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(module)
        except ImportError:
            continue
    raise error(
        "no-zstd", f"`{name}` is packed with zstd, and no package for that is installed", exit=Exit.DATA,
        hint="pip install backports.zstd, or use a pipe: zstd -dc FILE | autodiff …",
    )  # fmt: skip


def unreadable(name: str, problem: OSError) -> Exception:
    """The error for an input that the system does not let us read."""
    return error("unreadable", f"`{name}` cannot be read: {(problem.strerror or str(problem)).lower()}", exit=Exit.DATA)


def broken(name: str, what: str) -> Exception:
    """The error for an input that is damaged as a whole."""
    return error("broken-file", f"`{name}` cannot be read to its end: {what}", exit=Exit.DATA)
