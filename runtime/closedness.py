"""Which schemas look at every position of the values that they accept.

Where a schema is closed, accepting a value proves that it is JSON, and how deep it
is at most. Elsewhere the value needs a look of its own (``strict_json.is_json``).
Answers err on the side of "open", which costs time and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from .pointers import split_reference
from .strict_json import READ_STRINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

Schema: TypeAlias = Any

_REFERENCES_STAND_ALONE: Final = ("draft-04", "draft-06", "draft-07")


class ClosednessSurvey:
    """Finds out how many levels each schema of one document can accept.

    It also makes the schemas that it relies on read their strings, in place.
    """

    def __init__(self, document: dict[str, Schema]) -> None:
        self._definitions: dict[str, Schema] = document.get("$defs", {})
        draft = str(document.get("$schema", ""))
        self._references_stand_alone = any(name in draft for name in _REFERENCES_STAND_ALONE)
        self._has_prefix_items = "2019-09" not in draft and not self._references_stand_alone
        self._known: dict[str, int | None] = {}

    def find_levels(self, schema: Schema) -> int | None:
        """Return how many levels an accepted value has at most; None if *schema* is open.

        None as well where the schema is recursive.
        """
        if schema is False:
            return 0
        if not isinstance(schema, dict):
            return None
        found = cast("dict[str, Schema]", schema)
        if "$ref" in found and self._references_stand_alone:
            return self._follow(found["$ref"])
        bounds = [bound for bound in self._find_bounds(found) if bound is not None]
        return min(bounds, default=None)

    def _find_bounds(self, schema: dict[str, Schema]) -> Iterable[int | None]:
        """Yield a bound for each assertion that every accepted value has passed."""
        if "$ref" in schema:
            yield self._follow(schema["$ref"])
        if "const" in schema:
            yield measure_levels(schema["const"])
        if "enum" in schema:
            yield measure_levels(schema["enum"])
        if "type" in schema:
            yield self._find_typed_levels(schema)
        for part in schema.get("allOf", ()):
            yield self.find_levels(part)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield self._find_worst(schema[keyword])
        if {"if", "then", "else"} <= schema.keys():
            yield self._find_worst((schema["then"], schema["else"]))

    def _follow(self, reference: str) -> int | None:
        if reference not in self._known:
            self._known[reference] = None  # what a ring of references meets
            parts = split_reference(reference)
            if parts is not None and len(parts) == 2 and parts[0] == "$defs":  # noqa: PLR2004
                self._known[reference] = self.find_levels(self._definitions.get(parts[1]))
        return self._known[reference]

    def _find_worst(self, schemas: Iterable[Schema]) -> int | None:
        worst = 0
        for schema in schemas:
            levels = self.find_levels(schema)
            if levels is None:
                return None
            worst = max(worst, levels)
        return worst

    def _find_typed_levels(self, schema: dict[str, Schema]) -> int | None:
        declared = schema["type"]
        types = (declared,) if isinstance(declared, str) else tuple(declared)
        levels: int | None = 0
        if "array" in types:
            levels = self._find_worst(self._list_items(schema))
            levels = None if levels is None else levels + 1
        if "object" in types and levels is not None:
            inside = self._find_worst(_list_values(schema))
            levels = None if inside is None else max(levels, inside + 1)
        if "string" in types and levels is not None:
            _read_strings(schema)
        return levels

    def _list_items(self, schema: dict[str, Schema]) -> list[Schema]:
        """Return the schemas of all items; True among them where some have none."""
        if schema.get("maxItems") == 0:
            return []
        prefix: list[Schema] = []
        rest: Schema
        if self._has_prefix_items:
            prefix, rest = schema.get("prefixItems", []), schema.get("items", True)
        elif isinstance(schema.get("items"), list):
            prefix, rest = schema["items"], schema.get("additionalItems", True)
        else:
            rest = schema.get("items", True)
        if schema.get("maxItems", len(prefix) + 1) <= len(prefix):
            rest = False
        return [*prefix, rest]


def _list_values(schema: dict[str, Schema]) -> list[Schema]:
    """Return the schemas of all property values; True among them where some have none."""
    if schema.get("maxProperties") == 0:
        return []
    return [
        *schema.get("properties", {}).values(),
        *schema.get("patternProperties", {}).values(),
        schema.get("additionalProperties", True),
    ]


def _read_strings(schema: dict[str, Schema]) -> None:
    if "pattern" in schema:  # which cannot be tried on a string without reading it
        return
    if "not" not in schema:
        schema["not"] = READ_STRINGS
    elif schema["not"] is not READ_STRINGS:
        schema["allOf"] = [*schema.get("allOf", ()), {"not": READ_STRINGS}]


def measure_levels(value: object) -> int:
    """Return how many arrays and objects stand inside each other in *value*."""
    items: Iterable[object]
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).values()
    elif isinstance(value, list):
        items = cast("list[object]", value)
    else:
        return 0
    return 1 + max(map(measure_levels, items), default=0)
