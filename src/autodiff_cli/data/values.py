"""The text of a value (`2`, `pi/4`, `true`, `[1, 2]`, `@file.npy`) in; a number, a condition or a NumPy array out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, Source, Span, error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..report import Value

PLAIN = frozenset("0123456789.eE+-")
WORDS: dict[str, Value] = {
    "true": True, "True": True, "false": False, "False": False, "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan"),
    "NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip
TABLES = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (".json", ".npy", ".npz", *TABLES)


def value(text: str, shown: str) -> Value:
    """What the text of a value stands for; `shown` is how the value was asked for, such as `--x`."""
    if text and PLAIN.issuperset(text):
        try:
            return float(text)
        except ValueError:
            pass
    stripped = text.strip()
    if stripped in WORDS:
        return WORDS[stripped]
    if stripped.startswith("@"):
        return _from_stdin() if stripped == "@-" else _from_file(stripped[1:], shown)
    found = _listed(stripped) if stripped.startswith("[") else None
    return _constant(text, Source(shown, text)) if found is None else found


def _listed(text: str) -> Value | None:
    """The array of a list of plain numbers, without the parser; None for any other text."""
    from .arrays import nested

    try:
        found = _numbers(text)
        return nested(found, "") if found and '"' not in text else None
    except (ValueError, RecursionError, AutodiffError):
        return None


def _numbers(text: str) -> Any:
    """The nested lists of a text; numbers that JSON writes otherwise, such as `2.` and `1_000`, are written anew."""
    import json

    try:
        return json.loads(text, parse_int=float)
    except ValueError:
        if not PLAIN.issuperset(set(text) - set("[], _\n")):
            raise
    from re import sub

    return json.loads(sub(r"[^\s,\[\]]+", lambda number: repr(float(number[0])), text))


def _constant(text: str, source: Source) -> Value:
    from ..graph import PARAM
    from ..lower import lower
    from ..run import floats, point
    from ..syntax import parse

    _look_for_slips(text, source)
    try:
        lowered = lower(parse(source), source, {}, (), floats.constant)
    except AutodiffError as problem:
        raise AutodiffError(problem.diagnostic._replace(exit=Exit.USAGE)) from None
    if lowered.free:
        site = next(lowered.fn.sites[i] for i, node in enumerate(lowered.fn.nodes) if node.op is PARAM)
        raise error(
            "not-a-number", f"`{lowered.free[0]}` is no number", site and site.span, "a value cannot refer to other names", exit=Exit.USAGE,
            hint=f"{source.name} 1.5, or a constant expression such as {source.name} pi/4".replace("= ", "="),
        )  # fmt: skip
    (found,) = point.evaluate(lowered.fn, {})
    return found.copy() if hasattr(found, "shape") else found


def _look_for_slips(text: str, source: Source) -> None:
    whole = Span(source, 0, len(text))
    if not text.strip():
        raise error("not-a-number", "the value is empty", whole, hint=f"{source.name} 1.5".replace("= ", "="), exit=Exit.USAGE)
    if text.strip() in ("-", "--", "+"):
        raise error("not-a-number", "a number is missing", whole, hint=f"{source.name} -1.5".replace("= ", "="), exit=Exit.USAGE)
    if text[0] in "<>" and source.name.endswith("="):
        raise error(
            "not-a-number",
            "a comparison is no value",
            whole,
            hint=f'"{source.name[:-1]}{text[0]}={text[1:]}" in quotes is an expression',
            exit=Exit.USAGE,
        )
    if "," in text and _has_thousands(text):
        raise error("not-a-number", "a number has no commas", whole, hint=text.replace(",", ""), exit=Exit.USAGE)
    from .arrays import is_number

    if "," in text and all(is_number(part) for part in text.split(",")):
        whole_number = f"{text.replace(',', '')} or " if _has_thousands(text + ".") else ""
        raise error("not-a-number", "a list of numbers stands in brackets", whole, hint=f"{whole_number}[{text}]", exit=Exit.USAGE)
    ends = text.split(":")
    if 1 < len(ends) < 4 and all(is_number(end) for end in ends):
        raise _range(ends, whole, source.name)


def _has_thousands(text: str) -> bool:
    """`1,000.5` and `1,000,000`; `1,000` may be a list too."""
    from re import fullmatch

    return fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})*(,\d{3}\.\d*|,\d{3},\d{3})", text.strip()) is not None


def _range(ends: list[str], span: Span, shown: str) -> AutodiffError:
    start, stop, step = float(ends[0]), float(ends[1]), float(ends[2]) if len(ends) > 2 else 1.0
    count = round((stop - start) / step) + 1 if step and abs((stop - start) / step) < 1e9 else 2
    name = shown.strip("-=") or "x"
    return error(
        "not-a-number", "a range is no number", span, exit=Exit.USAGE,
        hint=f"linspace({ends[0]},{ends[1]},{max(count, 2)}) is an array of these; --sweep {name}={span.text} makes a row of each",
    )  # fmt: skip


def _from_file(path: str, shown: str) -> Value:
    name, suffix = _suffix(path)
    if suffix == ".npy":
        from .arrays import npy

        return npy(path)
    if suffix == ".npz":
        from .arrays import member

        return member(name, path[len(name) + 1 :], shown)
    if suffix in TABLES:
        from .arrays import table

        return table(path, TABLES[suffix])
    if suffix == ".json":
        return _number_or_array(load(path, shown), path)
    raise error(
        "unknown-suffix", f"`@{path}` is no file of numbers that is known", hint=f"one that ends in {', '.join(SUFFIXES)}", exit=Exit.USAGE
    )


def _suffix(path: str) -> tuple[str, str]:
    """The file and its suffix; what follows `.npz:` is a name in the file."""
    name = path[: path.rindex(".npz:") + 4] if ".npz:" in path else path
    return name, next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")


def _from_stdin() -> Value:
    import json
    import sys

    stream: Any = sys.stdin
    data = b"" if stream is None else stream.buffer.read() if hasattr(stream, "buffer") else stream.read().encode()
    if data[:2] in (b"\x93N", b"PK"):
        from .arrays import stream as array

        return array(data)
    if not data.strip():
        raise error("empty-input", "stdin is empty, and `@-` reads a .npy or JSON there", exit=Exit.DATA)
    try:
        return _number_or_array(json.loads(data.decode("utf-8-sig"), parse_int=float), "stdin")
    except (ValueError, RecursionError) as problem:
        raise error("broken-json", f"stdin is neither .npy nor JSON: {_lowered(str(problem))}", exit=Exit.DATA) from None


def _number_or_array(found: Any, path: str) -> Value:
    if isinstance(found, list):
        from .arrays import nested

        return nested(found, path)
    number = _scalar(found)
    if number is None:
        raise error("not-a-number", f"`{path}` holds no number but {_kind(found)}", exit=Exit.DATA)
    return number


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def load(path: str, shown: str) -> Any:
    """The document of a JSON file."""
    import json

    if not path.lower().endswith(".json"):
        raise error(
            "unknown-suffix", f"`@{path}` is no file of values by name", hint=f"{shown} @params.json or @params.npz", exit=Exit.USAGE
        )
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file, parse_int=float)
    except OSError as problem:
        raise error("unreadable", f"`{path}` cannot be read: {_reason(problem)}", exit=Exit.DATA) from None
    except (ValueError, RecursionError) as problem:
        raise error("broken-json", f"`{path}` is no JSON: {_lowered(str(problem))}", exit=Exit.DATA) from None


def _reason(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()


def _scalar(found: Any) -> Value | None:
    if isinstance(found, bool):
        return found
    if isinstance(found, int | float):
        try:
            return float(found)
        except OverflowError:
            return float("inf") if found > 0 else float("-inf")
    return WORDS.get(found) if isinstance(found, str) else None


def _kind(found: Any) -> str:
    return "an object" if isinstance(found, dict) else "null" if found is None else f"the text `{found}`"


def params(path: str) -> Mapping[str, Value | AutodiffError]:
    """Every name of a file for `--set @FILE`; where its value is no number, the error to raise if it is used."""
    if path.lower().endswith(".npz"):
        from .arrays import members

        return members(path)
    found = load(path, "--set")
    if isinstance(found, dict) and isinstance(found.get("parameters"), dict):
        found = found["parameters"]
    if not isinstance(found, dict):
        raise error("not-an-object", f"`{path}` holds no object", hint='{"x": 2, "y": 3}', exit=Exit.DATA)
    return {name: _param(item, name, path) for name, item in found.items()}


def _param(item: Any, name: str, path: str) -> Value | AutodiffError:
    try:
        if isinstance(item, list):
            from .arrays import nested

            return nested(item, f"{path}:{name}")
        number = _scalar(item)
    except AutodiffError as problem:
        return problem
    return error("not-a-number", f"`{name}` in `{path}` is no number", exit=Exit.DATA) if number is None else number


def pairs(text: str, shown: str = "--set") -> Iterator[tuple[str, str]]:
    """The names and texts of `x=2,y=3`, for the option `shown`; a comma in brackets separates nothing."""
    for piece in _pieces(text):
        name, mark, written = piece.partition("=")
        if not mark or not name.strip() or not written.strip():
            raise error(
                "not-a-pair",
                f"`{piece}` is not NAME=VALUE",
                Span(Source(shown, text), 0, len(text)),
                hint=f"{shown} x=2,y=3",
                exit=Exit.USAGE,
            )
        yield name.strip(), written.strip()


def _pieces(text: str) -> list[str]:
    pieces, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            pieces.append(text[start:k])
            start = k + 1
    return [*pieces, text[start:]]
