"""Samples: a value of a schema that says in so many words what its values are.

Nothing is searched for, and what connectives and patterns say is not heeded: whoever
asks has the value judged. So it is there for schemas of megabytes, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument

_MOST_DEPTH: Final = 60
_MOST_PARTS: Final = 1_000_000
"""Of how many values all samples together may consist."""


class Sampler:
    """Makes samples of the schemas of one document."""

    def __init__(self, document: FlatDocument) -> None:
        """Take in the document that references lead into."""
        self._document = document
        self._count = 0

    def make(self, schema: Schema, depth: int = 0) -> Any:
        """Return a small value that is likely to be of a schema.

        Raises:
            LookupError: None is seen at once.
        """
        if schema is False or depth > _MOST_DEPTH:
            raise LookupError
        self._take(1)
        if schema is True:
            return None
        if "$ref" in schema:
            return self.make(self._document.get(schema["$ref"]), depth + 1)
        values = schema.get("enum", (schema["const"],) if "const" in schema else None)
        if values is not None:
            return _choose(values)
        for keyword in ("anyOf", "oneOf", "allOf"):
            if "type" not in schema and schema.get(keyword):
                return self.make(schema[keyword][0], depth + 1)
        return self._make_type(_find_type(schema), schema, depth)

    def _take(self, count: int) -> None:
        self._count += count
        if self._count > _MOST_PARTS:
            raise LookupError

    def _make_type(self, name: str | None, schema: dict[str, Any], depth: int) -> Any:
        match name:
            case "object":
                named = schema.get("properties", {})
                required = schema.get("required", ())
                return {one: self.make(named.get(one, True), depth + 1) for one in required}
            case "array":
                return self._make_array(schema, depth)
            case "string":
                length = int(schema.get("minLength", 0))
                self._take(length)
                return "a" * length
            case "integer" | "number":
                return _make_number(schema)
            case "boolean":
                return False
            case _:
                return None

    def _make_array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        count = int(schema.get("minItems", 0))
        items = [self.make(part, depth + 1) for part in schema.get("prefixItems", ())[:count]]
        missing = count - len(items)
        if missing:
            before = self._count
            item = self.make(schema.get("items", True), depth + 1)
            self._take((self._count - before) * (missing - 1))
            items += [item] * missing
        return items


def _choose(values: Iterable[Any]) -> Any:
    """Return the first of some listed values that has no parts."""
    for value in values:
        if not isinstance(value, dict | list):
            return value
    raise LookupError


def _find_type(schema: dict[str, Any]) -> str | None:
    given: str | list[str] | None = schema.get("type")
    return next(iter(given), None) if isinstance(given, list) else given


def _make_number(schema: dict[str, Any]) -> int | float:
    number: int | float = schema.get("minimum", 0)
    if "exclusiveMinimum" in schema:
        number = max(number, schema["exclusiveMinimum"] + 1)
    if "maximum" in schema:
        number = min(number, schema["maximum"])
    if "exclusiveMaximum" in schema:
        number = min(number, schema["exclusiveMaximum"] - 1)
    return number
