"""Slips: what newcomers write from habit, and what this dialect has in its place.

They come from OpenAPI, from older drafts, from Python and from TypeScript. Whether
something is wrong belongs to the modules that check; this one only names ways out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .drafts import KEYWORDS, TYPES, Draft, Kind
from .findings import quote
from .json_values import find_nearest, is_array, is_object, look_up, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import TypeIs

_TYPES: Final[Mapping[str, str]] = {
    name: kind
    for kind, names in {
        "array": "list tuple set sequence vec",
        "boolean": "bool flag",
        "integer": "int int32 int64 long short uint",
        "null": "none nil void undefined nonetype",
        "number": "float double decimal float32 float64 real",
        "object": "dict map struct record mapping dictionary json hash",
        "string": "str text char varchar uuid bytes",
    }.items()
    for name in names.split()
}
_FORMATS: Final = frozenset({"date", "date-time", "email", "ipv4", "ipv6", "time", "uri", "uuid"})
_FREE: Final = frozenset({"any", "mixed", "unknown", "anything", "*"})
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "kind": {
        **dict.fromkeys(("call", "command", "function", "procedure", "query", "rpc"), "method"),
        **dict.fromkeys(("observable", "property", "signal", "value", "variable"), "state"),
        **dict.fromkeys(("message", "notification", "publish", "stream", "topic"), "events"),
    },
    "mode": {
        **dict.fromkeys(("one", "global", "shared"), "singleton"),
        **dict.fromkeys(("many", "map", "multi", "multiple", "instance"), "keyed"),
        **dict.fromkeys(("handle", "object", "private"), "reference"),
    },
    "stability": {"alpha": "experimental", "preview": "beta", "ga": "stable"},
}
_KEYWORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "args": ("params",),
    "arguments": ("params",),
    "definitions": ("$defs",),
    "events": ("members",),
    "exceptions": ("errors",),
    "input": ("params",),
    "methods": ("members",),
    "name": ("id", "title"),
    "operations": ("members",),
    "output": ("result",),
    "raises": ("errors",),
    "response": ("result",),
    "return": ("result",),
    "returnType": ("result",),
    "schema": ("value", "payload", "data"),
    "throws": ("errors",),
    "type": ("kind",),
}
_OWN: Final[Mapping[str, frozenset[str]]] = {
    "method": frozenset({"params", "optional", "result", "returns", "errors"}),
    "state": frozenset({"value"}),
    "events": frozenset({"payload", "discriminator"}),
}
"""Of each kind of member the keywords that no other kind has."""
_SCHEMAS: Final = frozenset(
    {
        Kind.PATTERN_MAP,
        Kind.SCHEMA,
        Kind.SCHEMAS,
        Kind.SCHEMA_MAP,
        Kind.SCHEMA_OR_BOOLEAN,
        Kind.SCHEMA_OR_SCHEMAS,
    }
)
_NUMBERS: Final = frozenset({Kind.COUNT, Kind.NUMBER, Kind.PLAIN_COUNT, Kind.POSITIVE})
_LONGEST: Final = 60
"""How long a name may be that a way out repeats."""


def is_object_schema(params: object) -> TypeIs[dict[str, Any]]:
    """Tell whether `params` of a method is written as the schema of one object."""
    return is_object(params) and (
        params.get("type") == "object"
        or isinstance(params.get("$ref"), str)
        or (is_object(params.get("properties")) and is_array(params.get("required")))
    )


def get_parameters(params: object) -> dict[str, Any]:
    """Return the parameters that are meant, also where `params` is an object's schema."""
    meant = params.get("properties") if is_object(params) and is_object_schema(params) else params
    return meant if is_object(meant) else {}


def find_type(name: str) -> str | None:
    """Return the type of JSON Schema that was probably meant by another name."""
    return _TYPES.get(name.casefold()) or find_nearest(name, TYPES)


def find_word(keyword: str, word: object, known: Iterable[str]) -> str | None:
    """Return which of the *known* values of a keyword of the dialect was probably meant."""
    if not isinstance(word, str):
        return None
    return _WORDS.get(keyword, {}).get(word.casefold()) or find_nearest(word, known)


def guess_kind(member: Mapping[str, Any]) -> str | None:
    """Return the kind that is meant in place of a wrong one, by its word and other keywords.

    Where the two speak for different kinds, or nothing speaks for one, that is None.
    """
    kind = member.get("kind")
    if kind in _OWN:
        return None
    near = find_word("kind", kind, _OWN)
    owners = [one for one, keywords in _OWN.items() if not keywords.isdisjoint(member)]
    if near is not None:
        return near if not owners or owners == [near] else None
    return owners[0] if len(owners) == 1 else None


def find_keyword(keyword: str, known: Iterable[str]) -> str | None:
    """Return which of the *known* keywords of the dialect was probably meant."""
    names = list(known)
    meant = next((one for one in _KEYWORDS.get(keyword, ()) if one in names), None)
    return meant or find_nearest(keyword, names)


def mend_unknown(keyword: str, known: Iterable[str]) -> str | None:
    """Say where a keyword of schemas belongs that stands in a part of a contract."""
    if keyword not in KEYWORDS[Draft.DRAFT202012]:
        return None
    holder = next((one for one in ("value", "payload", "data") if one in set(known)), None)
    return None if holder is None else f'put it into "{holder}", which holds the schema'


def mend_part(keyword: str, expected: object, value: object) -> str | None:
    """Say what to write where a keyword of the dialect has a value of another type."""
    if is_array(expected):
        return mend_schema(value)
    if keyword == "returns" and is_object(value):
        return 'write "result"; "returns" names a service of mode reference by its id'
    if keyword == "optional" and isinstance(value, bool):
        return 'list the names of the parameters that may be left out: "optional": ["name"]'
    if expected == "array" and keyword == "errors" and is_object(value):
        codes = ", ".join(quote(code[:_LONGEST]) for code in list(value)[:3])
        return f'declare them in "errors" of the contract, and list their codes here: [{codes}]'
    if expected == "array" and isinstance(value, str):
        return f"write an array, even of one name: [{quote(value[:_LONGEST])}]"
    if expected == "object" and keyword == "errors":
        return 'declare each error under its code: {"not_found": {"description": "…"}}'
    if expected in {"integer", "boolean"} and isinstance(value, str):
        return "write it without quotes"
    return None


def mend_schema(value: object) -> str | None:
    """Say what to write where a schema belongs and a name stands."""
    if not isinstance(value, str):
        return None
    name = value if value in TYPES else find_type(value)
    if name is not None and "/" not in value:
        return f'write {{"type": "{name}"}}'
    if "#" in value and len(value) <= _LONGEST:
        return f'write {{"$ref": {quote(value)}}}'
    return 'write a schema, such as {"type": "string"} or {"$ref": "#/$defs/NAME"}'


def mend_unknown_in_schema(
    keyword: str, value: object, pointer: str, schema: Mapping[str, Any], *, is_contract: bool
) -> str | None:
    """Say what to write in place of a keyword that schemas do not have.

    Args:
        keyword: Its name.
        value: Its value.
        pointer: Where the schema stands in its document.
        schema: The schema.
        is_contract: Whether the document is a contract.
    """
    if keyword == "optional":
        return _mend_optional(pointer, is_optional=value is not False, is_contract=is_contract)
    if keyword == "nullable":
        return _mend_nullable(schema) if value is True else "remove it: null has to be allowed"
    if keyword == "discriminator":
        if is_contract:
            return (
                'write "discriminator", the name of a property, beside "payload" in the member of '
                'kind events; elsewhere give the property a "const" in each branch'
            )
        return 'give the property that tells the branches apart a "const" in each of them'
    return None


def mend_value_in_schema(
    keyword: str, kind: Kind, value: object, below: str, pointer: str, *, is_contract: bool
) -> str | None:
    """Say what to write in place of a value that a keyword of schemas does not take.

    Args:
        keyword: Its name.
        kind: What it takes.
        value: Its value.
        below: A pointer from the value to the part of it that is wrong.
        pointer: Where the schema stands in its document.
        is_contract: Whether the document is a contract.
    """
    found = look_up(value, below)
    if keyword == "type":
        return _mend_type(found)
    if keyword == "required" and isinstance(value, bool):
        return _mend_optional(pointer, is_optional=not value, is_contract=is_contract)
    if kind in _SCHEMAS:
        return mend_schema(found)
    if kind in {Kind.STRINGS, Kind.SOME_STRINGS, Kind.ARRAY} and isinstance(value, str):
        return f'write an array, even of one value: "{keyword}": [{quote(value[:_LONGEST])}]'
    if (kind in _NUMBERS or kind is Kind.BOOLEAN) and isinstance(value, str):
        return "write it without quotes"
    return None


def _mend_type(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    if name.casefold() in _FREE:
        return 'leave "type" out: any value is accepted then'
    if name in _FORMATS or name == "datetime":
        form = "date-time" if name == "datetime" else name
        return f'write "type": "string", "format": "{form}"'
    near = find_type(name)
    return None if near is None else f'write "{near}"'


def _mend_optional(pointer: str, *, is_optional: bool, is_contract: bool) -> str:
    *above, name = pointer.split("/")
    if is_contract and above[1:2] == ["members"] and above[3:] == ["params"]:
        if is_optional:
            return (
                "list the parameter in the method's `optional`: "
                f'"optional": [{quote(unescape(name)[:_LONGEST])}]'
            )
        return "remove it: a parameter is required unless the method's `optional` lists it"
    if above[-1:] == ["properties"]:
        shown = quote(unescape(name)[:_LONGEST])
        if is_optional:
            return f'leave {shown} out of "required" of the object that has it, and remove this'
        return f'list {shown} in "required" of the object that has it'
    return 'remove it: what an object needs is listed in its "required"'


def _mend_nullable(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema and "const" not in schema:
        return f'write "type": [{quote(kind[:_LONGEST])}, "null"]'
    return 'write "anyOf": [{…}, {"type": "null"}], with the rest of the schema in the first'
