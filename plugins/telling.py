"""Telling: the lines that the process of a dry run writes, whatever they hold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from .seal import Seal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .outcomes import Line

_encode: Final = msgspec.json.Encoder().encode
_write: Final = os.write


def make_teller(key: bytes, channel: int) -> Callable[[Line], int]:
    """Return what writes a line to *channel*, and tells how many bytes were written so far."""
    seal = Seal(key)
    number = written = 0

    def tell(line: Line) -> int:
        nonlocal number, written
        rest = seal.write(number, encode(line))
        number += 1
        written += len(rest)
        while rest:
            rest = rest[_write(channel, rest) :]
        return written

    return tell


def encode(line: Line) -> bytes:
    """Return a line as JSON; what cannot be written as UTF-8 in it is escaped."""
    try:
        return _encode(line)
    except UnicodeEncodeError:
        return _encode(_make_plain(msgspec.to_builtins(line)))


def _make_plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {_make_plain(key): _make_plain(one) for key, one in items}
    if isinstance(value, (list, tuple)):
        return [_make_plain(one) for one in cast("list[Any]", value)]
    return value
