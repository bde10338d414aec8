"""Parts: which schemas of a flat document stand at one place of a value.

They come together by ``allOf``, references, branches, and conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote

from pi_contracts.contracts.json_values import escape_token

from .validators import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .flat import FlatDocument

_OBJECT_KEYWORDS: Final = frozenset(
    """properties required patternProperties additionalProperties propertyNames minProperties
    maxProperties dependentRequired dependentSchemas unevaluatedProperties""".split()
)


class Part(NamedTuple):
    """A schema that stands at a place, by its pointer, and whether it always applies."""

    pointer: str
    always: bool


Place: TypeAlias = frozenset[Part]


@dataclass(slots=True)
class Members:
    """What all schemas that stand at one place say of an object's members."""

    schemas: list[tuple[Part, dict[str, Any]]] = field(
        default_factory=list["tuple[Part, dict[str, Any]]"]
    )
    names: dict[str, None] = field(default_factory=dict[str, None])
    patterns: dict[str, None] = field(default_factory=dict[str, None])
    is_object: bool = False
    is_map: bool = False
    is_closed: bool = False
    """Whether what always applies closes it."""
    has_true: bool = False
    """Whether a schema says that further members may be anything."""
    speakers: dict[str, list[int]] | None = None
    """Which of the schemas name a member, once that has been asked."""
    wide: list[int] = field(default_factory=list[int])
    """Which of the schemas say something of members that they do not name."""

    def find_speakers(self, name: str) -> list[int]:
        """Return which of the schemas may say something of a member."""
        if self.speakers is None:
            self.speakers = {}
            for index, (_, schema) in enumerate(self.schemas):
                if isinstance(schema.get("additionalProperties"), dict) or (
                    "patternProperties" in schema
                ):
                    self.wide.append(index)
                for one in schema.get("properties", ()):
                    self.speakers.setdefault(one, []).append(index)
        return sorted({*self.wide, *self.speakers.get(name, ())})

    @property
    def is_open(self) -> bool:
        """Whether there can be members that nothing names."""
        return self.is_object and not self.is_map and not self.is_closed


def gather(document: FlatDocument, place: Place) -> Members:
    """Return what the schemas at a place, and those they apply in place, say."""
    members = Members()
    pending = sorted(place, reverse=True)
    seen: set[Part] = set()
    while pending:
        part = pending.pop()
        schema = document.get(part.pointer)
        if part in seen or isinstance(schema, bool):
            continue
        seen.add(part)
        members.schemas.append((part, schema))
        _take_in(members, schema, always=part.always)
        pending.extend(_get_parts(part, schema))
    return members


def find_member(members: Members, name: str) -> list[Part]:
    """Return the schemas of a member."""
    found: list[Part] = []
    for index in members.find_speakers(name):
        part, schema = members.schemas[index]
        known = len(found)
        if name in schema.get("properties", ()):
            found.append(below(part, "properties", name))
        found.extend(
            below(part, "patternProperties", text)
            for text in schema.get("patternProperties", ())
            if matches(text, name)
        )
        if known == len(found) and isinstance(schema.get("additionalProperties"), dict):
            found.append(below(part, "additionalProperties"))
    return found


def find_pattern(members: Members, text: str) -> list[Part]:
    """Return the schemas of the members that a pattern names."""
    return [
        below(part, "patternProperties", text)
        for part, schema in members.schemas
        if text in schema.get("patternProperties", ())
    ]


def find_rest(members: Members) -> list[Part]:
    """Return the schemas of the members that nothing names."""
    return [
        below(part, keyword)
        for part, schema in members.schemas
        for keyword in ("additionalProperties", "unevaluatedProperties")
        if isinstance(schema.get(keyword), dict)
    ]


def find_item(members: Members, index: int) -> list[Part]:
    """Return the schemas of an item."""
    found: list[Part] = []
    for part, schema in members.schemas:
        if index < len(schema.get("prefixItems", ())):
            found.append(below(part, "prefixItems", str(index)))
        else:
            found.extend(
                below(part, keyword)
                for keyword in ("items", "unevaluatedItems")
                if isinstance(schema.get(keyword), dict)
            )
    return found


def _take_in(members: Members, schema: dict[str, Any], *, always: bool) -> None:
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
        members.is_map |= isinstance(rest, dict) and rest != {}
        members.is_closed |= always and rest is False
        members.has_true |= keyword in schema and rest in (True, {})


def get_required(members: Members) -> list[str]:
    """Return the names that schemas require, or require of some, and do not describe."""
    names: list[str] = []
    for _, schema in members.schemas:
        mine = list(schema.get("required", ()))
        for name, needed in schema.get("dependentRequired", {}).items():
            mine.extend((name, *needed))
        names.extend(name for name in mine if name not in schema.get("properties", ()))
    return names


def _get_parts(part: Part, schema: dict[str, Any]) -> Iterator[Part]:
    """Yield the schemas that stand at the same place."""
    if "$ref" in schema:
        yield Part(schema["$ref"], part.always)
    for index in range(len(schema.get("allOf", ()))):
        yield below(part, "allOf", str(index))
    for keyword in ("anyOf", "oneOf"):
        for index in range(len(schema.get(keyword, ()))):
            yield below(part, keyword, str(index))._replace(always=False)
    if "if" in schema:
        for keyword in ("if", "then", "else"):
            if keyword in schema:
                yield below(part, keyword)._replace(always=False)
    for name in schema.get("dependentSchemas", ()):
        yield below(part, "dependentSchemas", name)._replace(always=False)


def below(part: Part, *tokens: str) -> Part:
    """Return the part at some tokens below one."""
    steps = [one if one.isidentifier() and one.isascii() else _spell(one) for one in tokens]
    return Part("/".join((part.pointer, *steps)), part.always)


def _spell(token: str) -> str:
    return quote(escape_token(token), safe=_SAFE)


_SAFE: Final = "!$&'()*+,;=:@/~"
