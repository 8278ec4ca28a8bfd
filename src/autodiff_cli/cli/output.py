"""The text of results in; stdout, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..diagnostics import AutodiffError, Exit, error


def write(text: str | bytes, path: str | None) -> None:
    """Write results to stdout, or to the file `path`."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if path is None or path == "-":
        _to_stdout(text, data)
    else:
        _to_file(data, path)


def _to_stdout(text: str | bytes, data: bytes) -> None:
    stream: Any = sys.stdout
    if stream is None:
        raise _unwritable("stdout", OSError(9, os.strerror(9)))
    try:
        raw = getattr(stream, "buffer", None)
        if raw is None:
            stream.write(text)
        else:
            stream.flush()
            raw.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as problem:
        silence()
        raise _unwritable("stdout", problem) from None


def silence() -> None:
    """Let the interpreter's own last flush of stdout go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        sys.stdout = None


def _to_file(data: bytes, path: str) -> None:
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            _straight(data, path)  # by the name as it was typed: that of a pipe leads nowhere
            return
        target = os.path.realpath(path)
        mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(13, "it is read-only")
        _beside(data, target, mode)
    except (OSError, ValueError) as problem:
        raise _unwritable(path, problem) from None


def _straight(data: bytes, target: str) -> None:
    with open(target, "wb") as file:
        file.write(data)


def _beside(data: bytes, target: str, mode: int | None) -> None:
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:100]}.{os.getpid()}.part")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _unwritable(what: str, problem: OSError | ValueError) -> AutodiffError:
    reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    return error("unwritable", f"`{what}` cannot be written: {reason}", exit=Exit.DATA)
