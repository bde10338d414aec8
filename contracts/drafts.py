"""What the drafts of JSON Schema say of each keyword: what it takes and where schemas stand."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .json_values import is_array, is_object, is_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema: TypeAlias = dict[str, Any] | bool
"""A schema: an object or a boolean."""
DIALECT = "urn:pi-contracts:dialect:1"
"""The ``$schema`` of contract files: 2020-12 with keywords of our own."""


class Draft(enum.StrEnum):
    """A draft of JSON Schema, in the order of publication; the value is its canonical URI."""

    DRAFT4 = "http://json-schema.org/draft-04/schema#"
    DRAFT6 = "http://json-schema.org/draft-06/schema#"
    DRAFT7 = "http://json-schema.org/draft-07/schema#"
    DRAFT201909 = "https://json-schema.org/draft/2019-09/schema"
    DRAFT202012 = "https://json-schema.org/draft/2020-12/schema"

    __hash__ = str.__hash__  # not that of enumerations, which is written in Python

    @property
    def id_keyword(self) -> str:
        """The keyword that names a schema resource."""
        return "id" if self is Draft.DRAFT4 else "$id"

    @property
    def label(self) -> str:
        """What people call it: ``draft 7``, ``2020-12``."""
        return _LABELS[self]

    @property
    def has_lone_refs(self) -> bool:
        """Whether a ``$ref`` makes every keyword beside it void."""
        return self in _OLD


_LABELS = {
    Draft.DRAFT4: "draft 4",
    Draft.DRAFT6: "draft 6",
    Draft.DRAFT7: "draft 7",
    Draft.DRAFT201909: "2019-09",
    Draft.DRAFT202012: "2020-12",
}
_OLD = frozenset({Draft.DRAFT4, Draft.DRAFT6, Draft.DRAFT7})
_BY_URI = {draft.value.rstrip("#").partition(":")[2]: draft for draft in Draft}


def find_draft(uri: str) -> Draft | None:
    """Return the draft that *uri* names; scheme and an empty fragment do not matter."""
    return _BY_URI.get(uri.rstrip("#").partition(":")[2])


@dataclass(frozen=True, slots=True)
class Dialect:
    """A draft as a document uses it: which keywords count, and whether formats do."""

    draft: Draft
    void: frozenset[str] = frozenset()
    """Keywords of vocabularies that the document's meta-schema leaves out."""
    asserts_format: bool = False


class Kind(enum.Enum):
    """What a keyword takes."""

    __hash__ = object.__hash__  # not that of enumerations, which is written in Python

    ANY = enum.auto()
    STRING = enum.auto()
    BOOLEAN = enum.auto()
    NUMBER = enum.auto()
    POSITIVE = enum.auto()
    """A number above 0."""
    COUNT = enum.auto()
    """A whole number from 0; 2.0 is 2."""
    PLAIN_COUNT = enum.auto()
    """A whole number from 0; 2.0 is none."""
    ARRAY = enum.auto()
    STRINGS = enum.auto()
    """An array of strings, each once."""
    SOME_STRINGS = enum.auto()
    """An array of strings, each once, not empty."""
    STRING_LISTS = enum.auto()
    """An object of arrays of strings, each once."""
    BOOLEANS = enum.auto()
    """An object of booleans."""
    LIMIT_FLAG = enum.auto()
    """A boolean that says whether the limit beside it is excluded."""
    TYPE = enum.auto()
    """The name of a type, or an array of such names."""
    REFERENCE = enum.auto()
    IDENTIFIER = enum.auto()
    """A URI reference, in whose fragment an anchor may stand."""
    RESOURCE = enum.auto()
    """A URI reference without a fragment, or with an empty one."""
    ANCHOR = enum.auto()
    """A name that begins with a letter or ``_``."""
    COLON_ANCHOR = enum.auto()
    """A name that begins with a letter and may hold colons."""
    PATTERN = enum.auto()
    SCHEMA = enum.auto()
    SCHEMA_OR_BOOLEAN = enum.auto()
    """A schema, of a draft whose schemas are else no booleans."""
    SCHEMAS = enum.auto()
    """An array of schemas, not empty."""
    SCHEMA_OR_SCHEMAS = enum.auto()
    """A schema or an array of schemas, not empty."""
    SCHEMA_MAP = enum.auto()
    """An object of schemas."""
    PATTERN_MAP = enum.auto()
    """An object of schemas whose keys are patterns."""
    SCHEMA_OR_STRINGS_MAP = enum.auto()
    """An object of schemas or of arrays of strings."""
    SCHEMA_OR_SOME_STRINGS_MAP = enum.auto()
    """An object of schemas or of arrays of strings that are not empty."""


_DRAFT4: dict[str, Kind] = {
    "$ref": Kind.REFERENCE,
    "$schema": Kind.STRING,
    "additionalItems": Kind.SCHEMA_OR_BOOLEAN,
    "additionalProperties": Kind.SCHEMA_OR_BOOLEAN,
    "allOf": Kind.SCHEMAS,
    "anyOf": Kind.SCHEMAS,
    "default": Kind.ANY,
    "definitions": Kind.SCHEMA_MAP,
    "dependencies": Kind.SCHEMA_OR_SOME_STRINGS_MAP,
    "description": Kind.STRING,
    "enum": Kind.ARRAY,
    "exclusiveMaximum": Kind.LIMIT_FLAG,
    "exclusiveMinimum": Kind.LIMIT_FLAG,
    "format": Kind.STRING,
    "id": Kind.IDENTIFIER,
    "items": Kind.SCHEMA_OR_SCHEMAS,
    "maxItems": Kind.PLAIN_COUNT,
    "maxLength": Kind.PLAIN_COUNT,
    "maxProperties": Kind.PLAIN_COUNT,
    "maximum": Kind.NUMBER,
    "minItems": Kind.PLAIN_COUNT,
    "minLength": Kind.PLAIN_COUNT,
    "minProperties": Kind.PLAIN_COUNT,
    "minimum": Kind.NUMBER,
    "multipleOf": Kind.POSITIVE,
    "not": Kind.SCHEMA,
    "oneOf": Kind.SCHEMAS,
    "pattern": Kind.PATTERN,
    "patternProperties": Kind.PATTERN_MAP,
    "properties": Kind.SCHEMA_MAP,
    "required": Kind.SOME_STRINGS,
    "title": Kind.STRING,
    "type": Kind.TYPE,
    "uniqueItems": Kind.BOOLEAN,
}
_LATER = {
    Kind.PLAIN_COUNT: Kind.COUNT,
    Kind.SCHEMA_OR_SOME_STRINGS_MAP: Kind.SCHEMA_OR_STRINGS_MAP,
    Kind.SOME_STRINGS: Kind.STRINGS,
}
"""What draft 4 takes is narrower than what later drafts take."""
_DRAFT6 = {
    **{keyword: _LATER.get(kind, kind) for keyword, kind in _DRAFT4.items() if keyword != "id"},
    "$id": Kind.IDENTIFIER,
    "additionalItems": Kind.SCHEMA,
    "additionalProperties": Kind.SCHEMA,
    "const": Kind.ANY,
    "contains": Kind.SCHEMA,
    "contentEncoding": Kind.STRING,
    "contentMediaType": Kind.STRING,
    "examples": Kind.ARRAY,
    "exclusiveMaximum": Kind.NUMBER,
    "exclusiveMinimum": Kind.NUMBER,
    "propertyNames": Kind.SCHEMA,
}
_DRAFT7 = {
    **_DRAFT6,
    "$comment": Kind.STRING,
    "else": Kind.SCHEMA,
    "if": Kind.SCHEMA,
    "readOnly": Kind.BOOLEAN,
    "then": Kind.SCHEMA,
    "writeOnly": Kind.BOOLEAN,
}
_DRAFT201909 = {
    **_DRAFT7,
    "$anchor": Kind.COLON_ANCHOR,
    "$defs": Kind.SCHEMA_MAP,
    "$id": Kind.RESOURCE,
    "$recursiveAnchor": Kind.BOOLEAN,
    "$recursiveRef": Kind.REFERENCE,
    "$vocabulary": Kind.BOOLEANS,
    "contentSchema": Kind.SCHEMA,
    "dependentRequired": Kind.STRING_LISTS,
    "dependentSchemas": Kind.SCHEMA_MAP,
    "deprecated": Kind.BOOLEAN,
    "maxContains": Kind.COUNT,
    "minContains": Kind.COUNT,
    "unevaluatedItems": Kind.SCHEMA,
    "unevaluatedProperties": Kind.SCHEMA,
}
_DRAFT202012 = {
    **{
        keyword: kind
        for keyword, kind in _DRAFT201909.items()
        if keyword not in {"$recursiveAnchor", "$recursiveRef", "additionalItems"}
    },
    "$anchor": Kind.ANCHOR,
    "$dynamicAnchor": Kind.ANCHOR,
    "$dynamicRef": Kind.REFERENCE,
    "items": Kind.SCHEMA,
    "prefixItems": Kind.SCHEMAS,
}
KEYWORDS: Mapping[Draft, Mapping[str, Kind]] = {
    Draft.DRAFT4: _DRAFT4,
    Draft.DRAFT6: _DRAFT6,
    Draft.DRAFT7: _DRAFT7,
    Draft.DRAFT201909: _DRAFT201909,
    Draft.DRAFT202012: _DRAFT202012,
}
"""Of each draft its keywords and what they take."""
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
"""The names of types."""
ANNOTATIONS = frozenset(
    {
        "$comment",
        "default",
        "deprecated",
        "deprecation",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that never change a verdict, in any draft."""
VOCABULARIES: Mapping[str, frozenset[str]] = {
    "applicator": frozenset(
        """additionalItems additionalProperties allOf anyOf contains dependencies dependentSchemas
        else if items not oneOf patternProperties prefixItems properties propertyNames then
        unevaluatedItems unevaluatedProperties""".split()
    ),
    "content": frozenset({"contentEncoding", "contentMediaType", "contentSchema"}),
    "core": frozenset(),
    "format": frozenset({"format"}),
    "format-annotation": frozenset({"format"}),
    "format-assertion": frozenset({"format"}),
    "meta-data": frozenset(),
    "unevaluated": frozenset({"unevaluatedItems", "unevaluatedProperties"}),
    "validation": frozenset(
        """const dependentRequired enum exclusiveMaximum exclusiveMinimum maxContains maxItems
        maxLength maxProperties maximum minContains minItems minLength minProperties minimum
        multipleOf pattern required type uniqueItems""".split()
    ),
}
"""Of each standard vocabulary, by the last part of its URI, what it lets count."""

_SINGLE = frozenset({Kind.SCHEMA, Kind.SCHEMA_OR_BOOLEAN, Kind.SCHEMA_OR_SCHEMAS})
_LISTS = frozenset({Kind.SCHEMAS, Kind.SCHEMA_OR_SCHEMAS})
_MAPS = frozenset(
    {
        Kind.SCHEMA_MAP,
        Kind.PATTERN_MAP,
        Kind.SCHEMA_OR_STRINGS_MAP,
        Kind.SCHEMA_OR_SOME_STRINGS_MAP,
    }
)
_EVERYWHERE = {"definitions": Kind.SCHEMA_MAP, "dependencies": Kind.SCHEMA_OR_STRINGS_MAP}
"""Keywords of old drafts that the meta-schemas of later ones still describe."""
_HOLDERS: Mapping[Draft, Mapping[str, Kind]] = {
    draft: {
        keyword: kind
        for keyword, kind in {**kinds, **_EVERYWHERE}.items()
        if kind in _SINGLE | _LISTS | _MAPS
    }
    for draft, kinds in KEYWORDS.items()
}
"""Of each draft the keywords that hold schemas."""


def subschemas(schema: Schema, draft: Draft) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Yield each schema directly inside *schema*, with the tokens that lead to it.

    Values that are no schemas where one should stand are passed over. Keywords
    beside a ``$ref`` count here also where the draft makes them void: they may
    hold definitions.
    """
    if isinstance(schema, bool):
        return
    holders = _HOLDERS[draft]
    for keyword, value in schema.items():
        kind = holders.get(keyword)
        if kind is None:
            continue
        if kind in _SINGLE and is_schema(value):
            yield (keyword,), value
        elif kind in _LISTS and is_array(value):
            for index, item in enumerate(value):
                if is_schema(item):
                    yield (keyword, str(index)), item
        elif kind in _MAPS and is_object(value):
            for name, item in value.items():
                if is_schema(item):
                    yield (keyword, name), item


def modernize(schema: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """Return one schema of an older draft in the words of 2020-12.

    Only the schema itself is changed; the schemas in it keep their draft. Of draft 4
    one thing is lost: there 1.0 is no integer.
    """
    if draft is Draft.DRAFT202012:
        return split_dependencies(schema)
    result = dict(schema)
    for keyword, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(result.get(keyword), bool):
            is_exclusive = result.pop(keyword)
            if is_exclusive and limit in result:
                result[keyword] = result.pop(limit)
    rest = result.pop("additionalItems", None)
    if isinstance(result.get("items"), list):
        first = result.pop("items")
        if first:
            result["prefixItems"] = first
        if rest is not None:
            result["items"] = rest
    return split_dependencies(result)


def split_dependencies(schema: dict[str, Any], *, unseen: bool = False) -> dict[str, Any]:
    """Return one schema with ``dependencies`` in the words of 2019-09 and later.

    Only the schema itself is changed. With *unseen*, what the keyword's schemas evaluate stays
    unevaluated, as validators have it: a schema that is denied twice says so.
    """
    if not is_object(schema.get("dependencies")):
        return schema
    result = dict(schema)
    names = dict(result.get("dependentRequired", {}))
    schemas = dict(result.get("dependentSchemas", {}))
    for name, needed in result.pop("dependencies").items():
        if is_array(needed):
            names[name] = [*dict.fromkeys([*names.get(name, ()), *needed])]
        else:
            one = {"not": {"not": needed}} if unseen else needed
            schemas[name] = {"allOf": [schemas[name], one]} if name in schemas else one
    if names:
        result["dependentRequired"] = names
    if schemas:
        result["dependentSchemas"] = schemas
    return result
