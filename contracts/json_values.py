"""JSON values as Python holds them: told apart for type checkers, and pointed into."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import TypeIs

ABSENT = object()
"""Stands for a value that is not there, where null is a value."""
_INDEX = re.compile(r"0|[1-9][0-9]{0,15}")


def is_object(value: object) -> TypeIs[dict[str, Any]]:
    """Tell whether *value* is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeIs[list[Any]]:
    """Tell whether *value* is a JSON array."""
    return isinstance(value, list)


def is_schema(value: object) -> TypeIs[dict[str, Any] | bool]:
    """Tell whether *value* has the form of a schema: an object or a boolean."""
    return isinstance(value, dict | bool)


def escape_token(name: object) -> str:
    """Return the token of a JSON pointer (RFC 6901) that stands for a name or an index."""
    token = str(name)
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


def unescape(token: str) -> str:
    """Return the name that a token of a JSON pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def look_up(value: object, pointer: str, default: object = None) -> object:
    """Return what stands at *pointer* below *value*, or the default."""
    for token in pointer.split("/")[1:]:
        name = unescape(token)
        if is_object(value) and name in value:
            value = value[name]
        elif is_array(value) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return default
    return value


def find_nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name that was probably meant, None if no one is near.

    A name that differs in case alone is nearest.
    """
    names = list(known)
    folded = name.casefold()
    alike = next((one for one in names if one.casefold() == folded and one != name), None)
    if alike is not None or len(name) > _LONGEST:
        return alike
    close = difflib.get_close_matches(name, names[:_MOST], n=1, cutoff=cutoff)
    return close[0] if close else None


_KINDS = (
    (bool, "a boolean"),
    (str, "a string"),
    (int | float, "a number"),
    (list, "an array"),
    (dict, "an object"),
)


def describe(value: object) -> str:
    """Say what kind of JSON value it is, never the value."""
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


_LONGEST = 100
_MOST = 1000
"""Bounds on names that are compared, which takes time in proportion to both."""


class Hints:
    """Near names for the first of many slips: looking for them takes its time."""

    def __init__(self, most: int = 200) -> None:
        self._left = most

    def find(self, name: str, known: Iterable[str]) -> str | None:
        """Return the nearest of the names that are *known*, as `find_nearest` does, or None."""
        if not self._left:
            return None
        self._left -= 1
        return find_nearest(name, known)
