"""Where keys stand in a TOML text, which the standard library's parser does not tell.

Texts are valid TOML: whether one is belongs to that parser.
"""

from __future__ import annotations

import functools
import re
import tomllib
from typing import TYPE_CHECKING, Any, TypeAlias

from .source import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the root of the text to a value."""

_PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|(?P<mark>[\[\]{}=\n])",
    re.DOTALL,
)


@functools.lru_cache(maxsize=1)  # one file is asked about again for each fault
def find_places(text: str) -> Mapping[Path, Place]:
    """Return where each table and each key begins; keys of inline tables are left out."""
    places: dict[Path, Place] = {}
    tables: dict[Path, int] = {}
    table: Path = ()
    for start, statement in _split_statements(text):
        place = _locate(text, start)
        if statement.startswith("["):
            table = _enter(statement, tables)
            path = table
        else:
            path = (*table, *_parse_key(statement))
        for end in range(len(path), 0, -1):
            places.setdefault(path[:end], place)
    return places


def find_near_place(text: str, path: Path) -> Place | None:
    """Return where a key begins, or the nearest table above it that has a place."""
    places = find_places(text)
    while path and path not in places:
        path = path[:-1]
    return places.get(path)


def _split_statements(text: str) -> list[tuple[int, str]]:
    """Return the headers and the keys of the text, each with its offset."""
    found: list[tuple[int, str]] = []
    start, close, depth, is_value = 0, 0, 0, False
    for part in [*_PART.finditer(text), None]:
        mark = part["mark"] if part else "\n"
        end = part.start() if part else len(text)
        if mark == "=" and not is_value and depth == 0:
            found.append((start, text[start:end]))
            is_value = True
        elif mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
            close = end + 1
        elif mark == "\n" and depth == 0:
            if not is_value and close > start:
                found.append((start, text[start:close]))
            start, is_value = end + 1, False
    return [(start + len(part) - len(part.lstrip()), part.strip()) for start, part in found]


def _enter(header: str, tables: dict[Path, int]) -> Path:
    """Return the table that a header opens; *tables* counts those that stand in arrays."""
    is_array = header.startswith("[[")
    keys = _parse_key(header[2:-2] if is_array else header[1:-1])
    path: Path = ()
    for number, key in enumerate(keys, 1):
        path = (*path, key)
        if number == len(keys) and is_array:
            tables[path] = tables.get(path, -1) + 1
        if path in tables:
            path = (*path, tables[path])
    return path


def _parse_key(key: str) -> Path:
    """Return the parts of a dotted key."""
    value: Any = tomllib.loads(f"{key} = 0")
    parts: list[str] = []
    while value != 0:
        ((name, value),) = value.items()
        parts.append(name)
    return tuple(parts)


def _locate(text: str, offset: int) -> Place:
    line = text.count("\n", 0, offset)
    return Place(line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
