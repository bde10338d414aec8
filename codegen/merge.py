"""What a schema says of the types of its values, together with all that must hold beside it.

References and ``allOf`` are followed, so that one set of facts speaks for all of
them. A keyword that types cannot express is left out: the facts then allow more
than the schema does, and never less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pi_contracts.contracts.drafts import Draft
from pi_contracts.contracts.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Location

KINDS = ("object", "array", "string", "integer", "fraction", "boolean", "null")
"""The kinds of JSON values that types tell apart; a number is an integer or a fraction."""

_TYPES: dict[str, frozenset[str]] = {
    **{kind: frozenset({kind}) for kind in KINDS if kind != "fraction"},
    "number": frozenset({"integer", "fraction"}),
}
_PLAIN = frozenset(
    """type enum const properties required additionalProperties patternProperties items prefixItems
    additionalItems""".split()
)
BEARING = _PLAIN | {"$ref", "allOf", "anyOf", "oneOf"}
"""The keywords that types depend on; everything else is left to validation."""
_UNIONS = ("oneOf", "anyOf")
_CONDITIONAL = ("then", "else", "dependentSchemas", "dependencies")


class Part(NamedTuple):
    """One schema of several that must hold together."""

    location: Location
    without_unions: bool = False
    """Leave out its ``anyOf`` and ``oneOf``: another part stands for a branch of them."""


Node: TypeAlias = tuple[Part, ...]
"""Schemas that all judge one value."""


class Items(NamedTuple):
    """What one schema says of the items of an array."""

    first: tuple[Location, ...]
    rest: Location | None
    """None: anything."""


@dataclass(slots=True)
class Facts:
    """What several schemas say together."""

    kinds: frozenset[str] | None = None
    """None: any kind."""
    is_impossible: bool = False
    values: list[object] | None = None
    """What ``enum`` and ``const`` leave, or None without them."""
    properties: dict[str, list[Location]] = field(default_factory=dict[str, "list[Location]"])
    required: dict[str, None] = field(default_factory=dict[str, None])
    rest: list[Location] | None = None
    """Schemas of the values of members that are not named; None: anything."""
    is_closed: bool = False
    """No members but those of `properties`."""
    items: list[Items] = field(default_factory=list[Items])
    unions: list[tuple[Location, ...]] = field(default_factory=list["tuple[Location, ...]"])
    mentioned: dict[str, None] = field(default_factory=dict[str, None])
    """Members that are named under a condition only."""

    def says_more_than(self, kinds: frozenset[str] | None) -> bool:
        """Tell whether a type is narrowed, beyond *kinds* and beyond required members."""
        return (
            self.values is not None
            or self.is_impossible
            or self.is_closed
            or self.rest is not None
            or bool(self.properties or self.items or self.unions)
            or (self.kinds is not None and (kinds is None or not kinds <= self.kinds))
        )


def collect(catalogue: Catalogue, node: Node) -> Facts:
    """Return what the schemas of *node* say together."""
    return _Collector(catalogue).collect(node)


def get_schema(catalogue: Catalogue, location: Location) -> dict[str, Any] | bool:
    """Return a schema without the keywords that are void in its dialect."""
    node = catalogue.get_node(location)
    schema = node.schema
    if isinstance(schema, bool):
        return schema
    void = node.dialect.void
    if node.dialect.draft is Draft.DRAFT4 and "const" in schema:
        void |= {"const"}
    return {key: schema[key] for key in schema if key not in void} if void else schema


def find_reference(catalogue: Catalogue, location: Location) -> Location | None:
    """Return where the schema at *location* leads, if it says nothing else of types."""
    schema = get_schema(catalogue, location)
    if isinstance(schema, bool):
        return None
    says = schema.keys() & BEARING
    if "$ref" in schema and (len(says) == 1 or catalogue.get_draft(location).has_lone_refs):
        return catalogue.find_target(location)
    for keyword in ("allOf", "anyOf", "oneOf"):
        if len(says) == 1 and keyword in says:
            branches = as_list(schema[keyword])
            return location / keyword / 0 if len(branches) == 1 else None
    return None


def follow(catalogue: Catalogue, location: Location) -> Location | None:
    """Return where a chain of references ends; None if nothing is said there."""
    seen: set[Location] = set()
    while location not in seen:
        seen.add(location)
        schema = get_schema(catalogue, location)
        if schema is True or (isinstance(schema, dict) and not schema.keys() & BEARING):
            return None
        target = find_reference(catalogue, location)
        if target is None:
            break
        location = target
    return location


class _Collector:
    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.facts = Facts()
        self.seen: set[Location] = set()

    def collect(self, node: Node) -> Facts:
        # the last part is looked at last, so that what its schema says comes last
        pending = list(reversed(node))
        while pending:
            part = pending.pop()
            if part.location not in self.seen:
                self.seen.add(part.location)
                pending.extend(reversed(list(self._add(part))))
        return self.facts

    def _add(self, part: Part) -> Iterator[Part]:
        """Take in one schema; yield those that judge the same value."""
        location = part.location
        schema = get_schema(self.catalogue, location)
        if isinstance(schema, bool):
            self.facts.is_impossible |= not schema
            return
        if "$ref" in schema:
            target = self.catalogue.find_target(location)
            if target is not None:
                yield Part(target, part.without_unions)
            if self.catalogue.get_draft(location).has_lone_refs:
                return
        says = schema.keys() & BEARING
        if not says:
            self._note_mentioned(schema)
            return
        if says & _PLAIN:
            self._add_own(location, schema)
        self._note_mentioned(schema)
        for index, _ in enumerate(as_list(schema.get("allOf"))):
            yield Part(location / "allOf" / index, part.without_unions)
        for keyword in _UNIONS:
            branches = as_list(schema.get(keyword))
            if branches and part.without_unions:
                self._note_branches(branches)
            elif branches:
                self.facts.unions.append(
                    tuple(location / keyword / index for index, _ in enumerate(branches))
                )

    def _add_own(self, location: Location, schema: dict[str, Any]) -> None:
        facts = self.facts
        if "type" in schema:
            kinds = get_type_kinds(schema["type"])
            facts.kinds = kinds if facts.kinds is None else facts.kinds & kinds
        for keyword in ("enum", "const"):
            if keyword in schema:
                value = schema[keyword]
                values = value if keyword == "enum" and is_array(value) else [value]
                facts.values = values if facts.values is None else _intersect(facts.values, values)
        self._add_members(location, schema)
        self._add_items(location, schema)

    def _add_members(self, location: Location, schema: dict[str, Any]) -> None:
        facts = self.facts
        properties = as_dict(schema.get("properties"))
        if properties:
            below = location / "properties"
            for name in properties:
                facts.properties.setdefault(name, []).append(below / name)
        # a boolean in draft 3 only, which is refused elsewhere
        for name in as_list(schema.get("required")):
            if isinstance(name, str):
                facts.required[name] = None
        additional = schema.get("additionalProperties")
        patterns = as_dict(schema.get("patternProperties"))
        if additional is False and not patterns:
            facts.is_closed = True
        elif isinstance(additional, dict) or (additional is False and patterns):
            rest = [location / "patternProperties" / pattern for pattern in patterns]
            if additional is not False:
                rest.append(location / "additionalProperties")
            # one of several suffices: the facts then allow more
            facts.rest = rest if facts.rest is None else facts.rest

    def _add_items(self, location: Location, schema: dict[str, Any]) -> None:
        is_new = self.catalogue.get_draft(location) is Draft.DRAFT202012
        first, rest = ("prefixItems", "items") if is_new else ("items", "additionalItems")
        if not is_new and not isinstance(schema.get("items"), list):
            first, rest = "", "items"
        listed = tuple(location / first / n for n, _ in enumerate(as_list(schema.get(first))))
        tail = location / rest if isinstance(schema.get(rest), dict | bool) else None
        if listed or tail is not None:
            self.facts.items.append(Items(listed, tail))

    def _note_mentioned(self, schema: dict[str, Any]) -> None:
        for keyword in _CONDITIONAL:
            below = as_dict(schema.get(keyword))
            if below:
                self._note_branches(
                    [below] if keyword in {"then", "else"} else list(below.values())
                )

    def _note_branches(self, branches: list[Any]) -> None:
        for branch in branches:
            for name in as_dict(as_dict(branch).get("properties")):
                self.facts.mentioned[name] = None


def as_list(value: object) -> list[Any]:
    """Return a value that may be an array, and an empty one for anything else."""
    return value if is_array(value) else []


def as_dict(value: object) -> dict[str, Any]:
    """Return a value that may be an object, and an empty one for anything else."""
    return value if is_object(value) else {}


def get_type_kinds(value: object) -> frozenset[str]:
    """Return the kinds that the value of ``type`` names."""
    names = value if is_array(value) else [value]
    return frozenset[str]().union(*(_TYPES.get(str(name), frozenset()) for name in names))


def get_kind(value: object) -> str:
    """Return the kind of a JSON value; 1.0 is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "fraction"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _intersect(values: list[object], others: list[object]) -> list[object]:
    return [value for value in values if any(is_equal(value, other) for other in others)]


def is_equal(value: object, other: object) -> bool:
    """Tell whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if is_array(value) and is_array(other):
        return len(value) == len(other) and all(map(is_equal, value, other))
    if is_object(value) and is_object(other):
        return value.keys() == other.keys() and all(
            is_equal(value[key], other[key]) for key in value
        )
    return value == other and isinstance(value, bool) == isinstance(other, bool)
