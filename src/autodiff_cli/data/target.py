"""Bytes in; stdout, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from collections.abc import Iterable


PROMISED: set[str] = set()  # files beside their place, from before they are made until they are in it or gone


def leave_nothing() -> None:
    """Take away what an interruption left between two steps of a target."""
    for path in PROMISED:
        if os.path.exists(path):
            os.unlink(path)
    PROMISED.clear()


class Target:
    """Where results go. A regular file is written beside its place and put there by `finish`; `abort` leaves nothing."""

    __slots__ = ("beside", "handle", "name", "pack", "place", "stream")

    def __init__(self, path: str | None, inputs: Iterable[str] = (), stdout: Any = None) -> None:
        self.name = "stdout" if path in {None, "-"} else str(path)
        self.place = self.beside = ""
        self.handle: int | None = None
        self.stream: Any = None
        if path is None or path == "-":
            self._stdout(stdout, inputs)
            self.pack = None
        else:
            self._file(path, inputs)
            self.pack = _packer(path)

    def _stdout(self, stream: Any, inputs: Iterable[str]) -> None:
        if stream is None:
            import sys

            if sys.stdout is None:
                raise unwritable(self.name, OSError(9, os.strerror(9)))
            sys.stdout.flush()
            stream = getattr(sys.stdout, "buffer", sys.stdout)
        self.stream = stream
        try:
            self.handle = stream.fileno()
        except (AttributeError, OSError, ValueError):
            return
        found = os.fstat(self.handle)
        if stat.S_ISREG(found.st_mode) and any(os.path.exists(path) and os.path.samestat(os.stat(path), found) for path in inputs):
            raise error("same-file", "the output is one of the inputs", hint="write to another file, then rename it", exit=Exit.DATA)

    def _file(self, path: str, inputs: Iterable[str]) -> None:
        self.place = os.path.realpath(path)
        if any(os.path.exists(source) and os.path.exists(path) and os.path.samefile(source, path) for source in inputs):
            raise error("same-file", f"`{path}` is one of the inputs", hint="write to another file, then rename it", exit=Exit.DATA)
        try:
            if os.path.isdir(self.place):
                raise IsADirectoryError(21, os.strerror(21))
            if os.path.exists(path) and not os.path.isfile(path):
                self.handle = os.open(path, os.O_WRONLY)  # by the name as it was typed: that of a pipe leads nowhere
            else:
                self._open_beside()
        except OSError as problem:
            raise unwritable(path, problem) from None

    def _open_beside(self) -> None:
        mode = os.stat(self.place).st_mode & 0o777 if os.path.exists(self.place) else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(13, "it is read-only")
        folder, name = os.path.split(self.place)
        beside = os.path.join(folder, f".{name[:100]}.{os.getpid()}.part")
        PROMISED.add(beside)
        self.handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        self.beside = beside
        if mode is not None:
            os.chmod(beside, mode)

    def write(self, data: bytes | memoryview) -> None:
        """Write all of it."""
        self._write(data if self.pack is None else self.pack.compress(data))

    def _write(self, data: bytes | memoryview) -> None:
        try:
            if self.handle is None:
                self.stream.write(bytes(data))
                self.stream.flush()
                return
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self.handle, rest) :]
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as problem:
            raise unwritable(self.name, problem) from None

    def file(self) -> Any:
        """A file object for libraries that write by themselves."""
        return self.stream if self.handle is None else open(self.handle, "wb", buffering=0, closefd=False)

    def finish(self) -> None:
        """All is written: put the file in its place."""
        if self.pack is not None:
            self._write(self.pack.flush())
        if not self.place:
            return
        try:
            if self.handle is not None:
                os.close(self.handle)
                self.handle = None
            if self.beside:
                os.replace(self.beside, self.place)
                PROMISED.discard(self.beside)
        except OSError as problem:
            raise unwritable(self.name, problem) from None

    def abort(self) -> None:
        """Leave nothing behind but what stdout has already."""
        if self.place and self.handle is not None:
            os.close(self.handle)
            self.handle = None
        if self.beside and os.path.exists(self.beside):
            os.unlink(self.beside)
        PROMISED.discard(self.beside)


def _packer(path: str) -> Any:
    if path.endswith(".gz"):
        import zlib

        return zlib.compressobj(6, zlib.DEFLATED, 31)
    if path.endswith((".zst", ".zstd")):
        from .stream import zstd

        return zstd(path).ZstdCompressor()
    return None


def unwritable(what: str, problem: OSError | ValueError) -> AutodiffError:
    """The error for an output that the system does not let us write."""
    reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    return error("unwritable", f"`{what}` cannot be written: {reason}", exit=Exit.DATA)
