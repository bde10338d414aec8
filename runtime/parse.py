"""Reading JSON text strictly; which values count as JSON stands in ``strict_json.py``."""

from __future__ import annotations

import re
from typing import Final, NoReturn, cast

import msgspec

from .errors import InvalidJSON, clip
from .strict_json import DEEPEST, MOST_DIGITS, JsonValue, decode, is_json

_PIECE: Final = 4000
_encode: Final = msgspec.json.Encoder().encode


def parse_json(text: str | bytes, *, levels: int = DEEPEST) -> JsonValue:
    """Return the value that *text* spells, with integers of any size exact.

    Raises `InvalidJSON`, with line and column, for text that is no JSON and for what
    JSON readers disagree about: a name twice in one object, lone surrogates, numbers
    out of range, NaN, more than *levels* levels, and integers of more than 10,000 digits.
    """
    data = _encode_text(text) if isinstance(text, str) else bytes(text)
    value = parse_payload(data, levels=levels)
    if _may_be_deep(data, levels) and not is_json(value):
        _check_depth(data, levels)
    return value


def parse_payload(data: bytes, *, levels: int = DEEPEST) -> JsonValue:
    """Return the value that *data* spells, as `parse_json` does, but at any depth.

    For what a schema judges next, since that bounds the depth.
    """
    try:
        value: JsonValue = decode(data)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        if _may_be_deep(data, levels):
            _check_depth(data, levels)
        return _read_slowly(data)
    encoded = _encode(value)
    # Each member has a colon of its own, so one that vanished shows in their number; an
    # escaped colon would hide it.
    is_suspect = encoded != data and (b"\\u003" in data or encoded.count(b":") != data.count(b":"))
    if is_suspect and not _has_own_names(data):
        _check_names(data)
    return value


def _has_own_names(data: bytes) -> bool:
    """Tell quickly whether each name stands once in its object; False where that is open."""
    import json  # noqa: PLC0415 - seldom needed, and slow to load

    def look(pairs: list[tuple[str, object]]) -> None:
        if len(dict(pairs)) != len(pairs):
            raise ValueError

    try:
        json.loads(data, object_pairs_hook=look, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _may_be_deep(data: bytes, levels: int) -> bool:
    return len(data) > 2 * levels and data.count(b"[") + data.count(b"{") > levels


def _encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _fault(text, error.start, "a lone surrogate, which no JSON text can carry") from None


def _read_slowly(data: bytes) -> JsonValue:
    """Read what the fast decoder refused: word the fault, or return a large integer."""
    import json  # noqa: PLC0415 - seldom needed, and slow to load

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise _fault(before, len(before), "expected UTF-8, found other bytes") from None
    if text.startswith("\ufeff"):
        raise _fault(text, 0, "expected JSON, found a byte order mark")
    # Python's own readers where they do: ours are called for each number.
    parse_integer = _parse_integer if _LONG.search(text) else int
    try:
        value = json.loads(
            text, parse_int=parse_integer, parse_float=_parse_float, parse_constant=_parse_constant
        )
    except json.JSONDecodeError as error:
        raise _fault(text, *_word_alike(text, error.pos, error.msg)) from None
    except _OutOfRangeError as error:
        position = _find_token(text, error.spelled)
        raise _fault(text, position, error.problem) from None
    except RecursionError:
        raise _fault(text, 0, "nested too deeply for the stack that is left") from None
    _check_surrogates(text)
    if not _has_own_names(data):
        _check_names(data)
    return cast("JsonValue", value)


class _OutOfRangeError(Exception):
    def __init__(self, spelled: str, problem: str) -> None:
        self.spelled = spelled
        self.problem = problem


def _parse_integer(token: str) -> int:
    if len(token) <= _PIECE:
        return int(token)
    digits = token.removeprefix("-")
    if len(digits) > MOST_DIGITS:
        problem = f"expected an integer of at most {MOST_DIGITS:,} digits"
        raise _OutOfRangeError(token, problem)
    value = 0
    for start in range(0, len(digits), _PIECE):  # int() takes no more at once
        piece = digits[start : start + _PIECE]
        value = value * 10 ** len(piece) + int(piece)
    return value if token == digits else -value


def _parse_float(token: str) -> float:
    number = float(token)
    if number in _INFINITE:
        raise _OutOfRangeError(token, "expected a number that a double can hold")
    return number


def _parse_constant(token: str) -> NoReturn:
    raise _OutOfRangeError(token, f"expected JSON, found {token}")


# The text may be megabytes with its fault at the end: each match passes over as much as it can.
_INFINITE: Final = (float("inf"), float("-inf"))
_LONG: Final = re.compile(rf"[0-9]{{{_PIECE}}}")
_SPELLED: Final = r'"(?:[^"\\]++|\\.)*+"?+'  # of one that never ends, all that is left
_STRING: Final = re.compile(_SPELLED, re.DOTALL)
_BRACKETS: Final = re.compile(rf"{_SPELLED}|[\[{{]++|[\]}}]++", re.DOTALL)
_NAMES: Final = re.compile(
    rf"(?:[^\"{{}}]++|\{{\s*+\}}|{_SPELLED}(?!\s*+:))*+([{{}}]|({_SPELLED})\s*+:|\Z)", re.DOTALL
)


def _find_token(text: str, token: str) -> int:
    """Return where *token*, a number or a word, stands first outside of strings."""
    pattern = rf"{_SPELLED}|(?<![\w.+-]){re.escape(token)}"
    found = re.finditer(pattern, text, re.DOTALL)
    return next(match.start() for match in found if match.group() == token)


def _check_depth(data: bytes, levels: int) -> None:
    text = data.decode(errors="replace")
    level = 0
    for match in _BRACKETS.finditer(text):
        part = match.group()
        if part[0] in "[{":
            level += len(part)
            if level > levels:
                position = match.end() - (level - levels)
                raise _fault(text, position, f"more than {levels} levels of nesting")
        elif part[0] != '"':
            level -= len(part)


def _check_names(data: bytes) -> None:
    """Refuse a name that stands twice in one object."""
    text = data.decode()
    levels: list[set[str]] = []
    for match in _NAMES.finditer(text):
        part = match[1]
        if part == "{":
            levels.append(set())
        elif part == "}":
            levels.pop()
        elif part:
            name = decode(match[2])
            if name in levels[-1]:
                shown = clip(name, 60)
                raise _fault(text, match.start(2), f'the name "{shown}" stands twice in one object')
            levels[-1].add(name)


def _check_surrogates(text: str) -> None:
    """Refuse lone surrogates in strings and names."""
    if "\\u" not in text:
        return
    for match in _STRING.finditer(text):
        if "\\u" not in match.group():
            continue
        try:
            decode(match.group())
        except msgspec.MsgspecError:
            raise _fault(text, match.start(), "a string with a lone surrogate") from None


def _fault(text: str, position: int, problem: str) -> InvalidJSON:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return InvalidJSON(problem, line, column)


def _word_alike(text: str, position: int, message: str) -> tuple[int, str]:
    """Return where a fault is and what it is, as every version of Python says it."""
    if message.startswith("Illegal trailing comma"):  # from 3.13 on, at the comma
        after = text[position + 1 :]
        position = len(text) - len(after.lstrip(" \t\n\r"))
        is_array = message.endswith("array")
        message = "Expecting value" if is_array else _EXPECTING_NAME
    return position, message[:1].lower() + message[1:]


_EXPECTING_NAME: Final = "Expecting property name enclosed in double quotes"
