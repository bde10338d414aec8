"""Phrases that messages are made of: kinds, sizes, names and values of a schema."""

from __future__ import annotations

import json
from typing import Any, Final

from .errors import clip

_LONGEST_NAME: Final = 60
_MOST_LISTED: Final = 8

_TYPES: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def describe(value: object) -> str:
    """Return the kind of a JSON value in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "an array"
    return "an object" if isinstance(value, dict) else "a number"


def describe_size(value: Any) -> str:
    """Return the kind and size of a string, array or object in words."""
    size = len(value)
    if isinstance(value, str):
        return f"a string of length {size}"
    if isinstance(value, list):
        return f"an array of {size} {'item' if size == 1 else 'items'}"
    return f"an object of {size} {'property' if size == 1 else 'properties'}"


def quote(name: str) -> str:
    """Return a name in quotation marks, fit for one line, cut where it is long."""
    return f'"{clip(name, _LONGEST_NAME)}"'


def show_value(value: object) -> str:
    """Return a value of a schema as JSON, cut where it is long."""
    return clip(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_NAME)


def list_values(values: list[Any]) -> str:
    """Return values of a schema, of which one is to be chosen."""
    shown = make_unique([show_value(value) for value in values])
    if len(shown) == 1:
        return shown[0]
    return f"one of {_cut(shown)}"


def list_names(names: list[str]) -> str:
    """Return names in quotation marks, cut where they are many."""
    return _cut([quote(name) for name in names])


def _cut(shown: list[str]) -> str:
    rest = len(shown) - _MOST_LISTED
    if rest > 1:
        return f"{', '.join(shown[:_MOST_LISTED])} and {rest} more"
    return ", ".join(shown)


def join_phrases(phrases: list[str]) -> str:
    """Return phrases as alternatives."""
    if len(phrases) < 3:  # noqa: PLR2004 - two are joined without a comma
        return " or ".join(phrases)
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def make_unique(phrases: list[str]) -> list[str]:
    """Return each phrase once, in order."""
    return list(dict.fromkeys(phrases))


def name_types(types: list[str]) -> list[str]:
    """Return the types of a schema in words, in one order for all messages."""
    return [words for name, words in _TYPES.items() if name in types]
