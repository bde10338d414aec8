"""Undeclared members: a sender's schema with every open object closed.

A sender built from a contract sends only members that the contract names. What
stands at one place of a value, brought together by ``allOf``, references and the
branches of its parents, is closed once; inside ``not``, ``contains`` and below an
``if`` nothing is. Names that are required count as declared, and a map, whose
further members have a schema, is not open.

The closing is a schema of its own beside the sender's: a tree of member schemas
that only says which names there may be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from .flat import FlatDocument
from .validators import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.drafts import Schema

_OBJECT_KEYWORDS: Final = frozenset(
    """properties required patternProperties additionalProperties propertyNames minProperties
    maxProperties dependentRequired dependentSchemas unevaluatedProperties""".split()
)
_MOST_PLACES: Final = 4000


class _Part(NamedTuple):
    """A schema that stands at a place, by its pointer, and whether it always applies."""

    pointer: str
    always: bool


_Place = frozenset[_Part]


@dataclass(slots=True)
class _Members:
    """What all schemas that stand at one place say of an object's members."""

    schemas: list[tuple[_Part, dict[str, Any]]] = field(
        default_factory=list["tuple[_Part, dict[str, Any]]"]
    )
    names: dict[str, None] = field(default_factory=dict[str, None])
    patterns: dict[str, None] = field(default_factory=dict[str, None])
    is_object: bool = False
    is_map: bool = False
    is_closed: bool = False
    """Whether what always applies closes it."""

    @property
    def is_open(self) -> bool:
        """Whether there can be members that nothing names."""
        return self.is_object and not self.is_map and not self.is_closed


def close(document: FlatDocument, reference: str, uri: str, *, exact: bool) -> FlatDocument | None:
    """Return a document whose root is the schema at *reference* with open objects closed.

    Args:
        document: The document of the schema.
        reference: The schema's place in it.
        uri: The URI of the document, by which the result refers to it.
        exact: Whether branches that refuse a value declare nothing for it, as they
            should; otherwise the result accepts a little more, and is simpler.

    Returns:
        None if no object is open, or if there are too many places to tell.
    """
    closer = _Closer(document, uri, exact=exact)
    root = closer.refer(frozenset({_Part(reference, always=True)}))
    closer.finish()
    if not closer.count or closer.pending:
        return None
    value = {"allOf": [{"$ref": uri + reference}, {"$ref": root}], "$defs": closer.definitions}
    return FlatDocument(value, asserts_format=document.asserts_format)


class _Closer:
    def __init__(self, document: FlatDocument, uri: str, *, exact: bool) -> None:
        self.document = document
        self.uri = uri
        self.exact = exact
        self.count = 0
        self.definitions: dict[str, Schema] = {}
        self.keys: dict[_Place, str] = {}
        self.pending: list[_Place] = []

    def refer(self, place: _Place) -> str:
        """Return a reference to the closing of a place."""
        if place not in self.keys:
            self.keys[place] = str(len(self.keys))
            self.pending.append(place)
        return f"#/$defs/{self.keys[place]}"

    def finish(self) -> None:
        while self.pending and len(self.keys) < _MOST_PLACES:
            place = self.pending.pop()
            self.definitions[self.keys[place]] = self.close(place)

    def close(self, place: _Place) -> Schema:
        """Return a schema that refuses undeclared members at a place and below."""
        members = self.gather(place)
        below = self.close_below(members)
        if not members.is_open:
            return below
        self.count += 1
        names = dict.fromkeys(members.names, True)
        patterns = dict.fromkeys(members.patterns, True)
        if self.exact:
            always = [{"$ref": self.uri + part.pointer} for part in sorted(place) if part.always]
            others = self.gather(frozenset(part for part in place if not part.always))
            return {
                "allOf": [*always, below],
                "properties": dict.fromkeys((*others.names, *_get_required(members)), True),
                "patternProperties": dict.fromkeys(others.patterns, True),
                "unevaluatedProperties": False,
            }
        closing = {
            "properties": names,
            "patternProperties": patterns,
            "additionalProperties": False,
        }
        return {"allOf": [closing, below]}

    def gather(self, place: _Place) -> _Members:
        """Return what the schemas at a place, and those they apply in place, say."""
        members = _Members()
        pending = sorted(place, reverse=True)
        seen: set[_Part] = set()
        while pending:
            part = pending.pop()
            schema = self.document.get(part.pointer)
            if part in seen or isinstance(schema, bool):
                continue
            seen.add(part)
            members.schemas.append((part, schema))
            _take_in(members, schema, always=part.always)
            pending.extend(_get_parts(part, schema))
        return members

    def close_below(self, members: _Members) -> dict[str, Any]:
        """Return the closings of the places below one."""
        result: dict[str, Any] = {}
        named = {name: self.find_member(members, name) for name in members.names}
        patterns = {text: self.find_pattern(members, text) for text in members.patterns}
        rest = self.find_rest(members)
        if named or patterns or rest:
            result["properties"] = {name: self.refer_all(found) for name, found in named.items()}
            result["patternProperties"] = {
                text: self.refer_all(found) for text, found in patterns.items()
            }
        if rest:
            result["additionalProperties"] = self.refer_all(rest)
        prefix = max((len(one.get("prefixItems", ())) for _, one in members.schemas), default=0)
        for index in range(prefix + 1):
            found = self.find_item(members, index)
            if index < prefix:
                result.setdefault("prefixItems", []).append(self.refer_all(found))
            elif found:
                result["items"] = self.refer_all(found)
        return result

    def refer_all(self, parts: list[_Part]) -> Schema:
        return {"$ref": self.refer(frozenset(parts))} if parts else True

    def find_member(self, members: _Members, name: str) -> list[_Part]:
        found: list[_Part] = []
        for part, schema in members.schemas:
            known = len(found)
            if name in schema.get("properties", ()):
                found.append(_below(part, "properties", name))
            for text in schema.get("patternProperties", ()):
                if matches(text, name):
                    found.append(_below(part, "patternProperties", text))
            if known == len(found) and isinstance(schema.get("additionalProperties"), dict):
                found.append(_below(part, "additionalProperties"))
        return found

    def find_pattern(self, members: _Members, text: str) -> list[_Part]:
        return [
            _below(part, "patternProperties", text)
            for part, schema in members.schemas
            if text in schema.get("patternProperties", ())
        ]

    def find_rest(self, members: _Members) -> list[_Part]:
        return [
            _below(part, keyword)
            for part, schema in members.schemas
            for keyword in ("additionalProperties", "unevaluatedProperties")
            if isinstance(schema.get(keyword), dict)
        ]

    def find_item(self, members: _Members, index: int) -> list[_Part]:
        found: list[_Part] = []
        for part, schema in members.schemas:
            if index < len(schema.get("prefixItems", ())):
                found.append(_below(part, "prefixItems", str(index)))
            else:
                found.extend(
                    _below(part, keyword)
                    for keyword in ("items", "unevaluatedItems")
                    if isinstance(schema.get(keyword), dict)
                )
        return found


def _take_in(members: _Members, schema: dict[str, Any], *, always: bool) -> None:
    members.is_object |= "object" in schema.get("type", ()) or bool(
        _OBJECT_KEYWORDS & schema.keys()
    )
    required = list(schema.get("required", ()))
    for name, needed in schema.get("dependentRequired", {}).items():
        required.extend((name, *needed))
    members.names.update(dict.fromkeys((*schema.get("properties", ()), *required)))
    members.patterns.update(dict.fromkeys(schema.get("patternProperties", ())))
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        rest = schema.get(keyword, True)
        members.is_map |= isinstance(rest, dict) and bool(rest)
        members.is_closed |= always and rest is False


def _get_required(members: _Members) -> list[str]:
    names: list[str] = []
    for _, schema in members.schemas:
        names.extend(schema.get("required", ()))
        for name, needed in schema.get("dependentRequired", {}).items():
            names.extend((name, *needed))
    return names


def _get_parts(part: _Part, schema: dict[str, Any]) -> Iterator[_Part]:
    """Yield the schemas that stand at the same place."""
    if "$ref" in schema:
        yield _Part(schema["$ref"], part.always)
    for index in range(len(schema.get("allOf", ()))):
        yield _below(part, "allOf", str(index))
    for keyword in ("anyOf", "oneOf"):
        for index in range(len(schema.get(keyword, ()))):
            yield _below(part, keyword, str(index))._replace(always=False)
    if "if" in schema:
        for keyword in ("if", "then", "else"):
            if keyword in schema:
                yield _below(part, keyword)._replace(always=False)
    for name in schema.get("dependentSchemas", ()):
        yield _below(part, "dependentSchemas", name)._replace(always=False)


def _below(part: _Part, *tokens: str) -> _Part:
    """Return the part at some tokens below one."""
    steps = [quote(one.replace("~", "~0").replace("/", "~1"), safe=_SAFE) for one in tokens]
    return _Part("/".join((part.pointer, *steps)), part.always)


_SAFE: Final = "!$&'()*+,;=:@/~"
