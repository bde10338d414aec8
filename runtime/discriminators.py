"""Which constants a property may have, as far as a schema tells: for filters of events.

Nothing is validated here. What is found is never too little: each keyword of a schema
only narrows what the others allow, so that those not looked at change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, cast

from .pointers import split_reference

_Constants: TypeAlias = "list[Any] | None"
"""The values that may occur; None where any may."""

_Read: TypeAlias = Callable[[dict[str, Any]], _Constants]
"""Tells what one schema says of itself, its branches and references aside."""

_MOST_SCHEMAS: Final = 5000
"""How many schemas are looked at, those in rings and shared ones each time they are met."""


def find_constants(document: dict[str, Any], pointer: str, name: str) -> _Constants:
    """Return what the property *name* of what fits the schema at *pointer* may be.

    None where the schema leaves that open; what has no such property counts for nothing.
    """
    search = _Search(document)

    def read_property(keywords: dict[str, Any]) -> _Constants:
        types = keywords.get("type", "object")
        if "object" not in ([types] if isinstance(types, str) else types):
            return []
        return search.find(keywords.get("properties", {}).get(name, True), _read_constants)

    try:
        return search.find({"$ref": pointer}, read_property)
    except (_TooManyError, RecursionError):
        return None


class _TooManyError(Exception):
    """More schemas were met than are worth the time."""


class _Search:
    """Follows the references and branches of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._count = 0

    def find(self, schema: object, read: _Read) -> _Constants:
        """Return what *read* tells of *schema* and of all that it is combined of."""
        self._count += 1
        if self._count > _MOST_SCHEMAS:
            raise _TooManyError
        if schema is False:
            return []
        if not isinstance(schema, dict):
            return None
        keywords = cast("dict[str, Any]", schema)
        found = [read(keywords)]
        if "$ref" in keywords:
            found.append(self.find(self._resolve(keywords["$ref"]), read))
        found += [self.find(branch, read) for branch in keywords.get("allOf", ())]
        found += [
            _unite([self.find(branch, read) for branch in keywords[keyword]])
            for keyword in ("anyOf", "oneOf")
            if keyword in keywords
        ]
        return _intersect(found)

    def _resolve(self, reference: str) -> object:
        node: Any = self._document
        for token in split_reference(reference) or ("",):
            if not isinstance(node, dict) or token not in node:
                return True
            node = cast("dict[str, Any]", node)[token]
        return node


def _read_constants(keywords: dict[str, Any]) -> _Constants:
    return [keywords["const"]] if "const" in keywords else keywords.get("enum")


def _unite(branches: list[_Constants]) -> _Constants:
    united: list[Any] = []
    for constants in branches:
        if constants is None:
            return None
        united += [value for value in constants if value not in united]
    return united


def _intersect(parts: Iterable[_Constants]) -> _Constants:
    common: _Constants = None
    for constants in parts:
        if common is None:
            common = constants
        elif constants is not None:
            common = [value for value in common if value in constants]
    return common
