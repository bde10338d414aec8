"""What is wrong with the keywords of a schema: unknown ones, and values that they do not take."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from .drafts import KEYWORDS, TYPES, Draft, Kind
from .findings import Severity, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .catalogue import Catalogue
    from .documents import Document
    from .findings import Finding
    from .model import Location

_EXTENSION = "x-"
_FOREIGN = frozenset().union(*KEYWORDS.values()) | {"deprecation"}
"""Keywords of any draft: harmless in another one, and no slip of the pen."""
_NOTICED = frozenset({"$ref", "definitions", "dependencies"})


def check_keywords(catalogue: Catalogue, document: Document) -> Iterator[Finding]:
    """Yield what is wrong with the keywords of every schema of a document."""
    for location, node in catalogue.get_schemas(document):
        if isinstance(node.schema, dict):
            yield from _check_schema(document, location, node.schema, node.dialect.draft)
        elif node.dialect.draft is Draft.DRAFT4 and not _may_be_boolean(location.pointer):
            message = "draft 4 has no boolean schemas"
            fix = 'write {} for true and {"not": {}} for false, or name a later draft in $schema'
            yield document.source.find("invalid-keyword", message, location.pointer, fix=fix)


def _may_be_boolean(pointer: str) -> bool:
    return pointer.endswith(("/additionalProperties", "/additionalItems"))


def _check_schema(
    document: Document, location: Location, schema: dict[str, Any], draft: Draft
) -> Iterator[Finding]:
    kinds = KEYWORDS[draft]
    for keyword, value in schema.items():
        kind = kinds.get(keyword)
        pointer = (location / keyword).pointer
        if kind is None:
            yield from _check_unknown(document, pointer, keyword, kinds.keys())
            continue
        for fault in _FAULTS[kind](value):
            rule, expected, below = fault
            message = f'the keyword "{keyword}" takes {expected}'
            if rule == "unknown-type":
                message = expected
            found = _describe(value) if not below else ""
            yield document.source.find(
                rule, message + (f", found {found}" if found else ""), pointer + below
            )


def _check_unknown(document: Document, pointer: str, keyword: str, known: Any) -> Iterator[Finding]:
    if keyword in _FOREIGN or keyword.startswith(_EXTENSION):
        return
    close = difflib.get_close_matches(keyword, known, n=1, cutoff=0.75)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    yield document.source.find(
        "unknown-keyword",
        f'"{escape(keyword)}" is no keyword of a schema and changes nothing{hint}',
        pointer,
        severity=Severity.WARNING,
        fix=f'write "{close[0]}"' if close else 'remove it, or begin its name with "x-"',
        of_key=True,
    )


_Fault = tuple[str, str, str]


def _fault(expected: str, below: str = "", rule: str = "invalid-keyword") -> Iterator[_Fault]:
    yield rule, expected, below


def _take(expected: str, accepts: Callable[[Any], bool]) -> Callable[[Any], Iterator[_Fault]]:
    def find(value: Any) -> Iterator[_Fault]:
        return iter(()) if accepts(value) else _fault(expected)

    return find


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _is_strings(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


def _check_type(value: Any) -> Iterator[_Fault]:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        yield from _fault("the name of a type or an array of such names")
        return
    for index, name in enumerate(names):
        if name not in TYPES:
            close = difflib.get_close_matches(name, TYPES, n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"types are {', '.join(TYPES)}"
            below = f"/{index}" if isinstance(value, list) else ""
            yield "unknown-type", f'"{escape(name)}" is no type; {hint}', below
    if len(set(names)) < len(names):
        yield from _fault("an array that names each type once")


def _check_pattern(value: Any) -> Iterator[_Fault]:
    if not isinstance(value, str):
        yield from _fault("a regular expression")
    elif (problem := find_pattern_problem(value)) is not None:
        yield from _fault(f"a regular expression (ECMA-262); this one is none: {problem}")


def find_pattern_problem(pattern: str) -> str | None:
    """Return why *pattern* is no regular expression that the validator knows, or None."""
    import jsonschema_rs  # noqa: PLC0415 # costs more than reading a file without patterns

    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError as problem:
        return escape(problem.message)[:200]
    return None


def _check_map(value: Any, *, patterns: bool = False, lists: bool = False) -> Iterator[_Fault]:
    if not isinstance(value, dict):
        yield from _fault("an object of schemas")
        return
    for name, item in value.items():
        below = "/" + name.replace("~", "~0").replace("/", "~1")
        if not _is_schema(item) and not (lists and _is_strings(item)):
            yield from _fault("a schema here" + (" or an array of names" * lists), below)
        if patterns:
            for _, expected, _ in _check_pattern(name):
                yield from _fault(f"keys that are {expected}", below)


def _check_list(value: Any, *, may_be_schema: bool = False) -> Iterator[_Fault]:
    if may_be_schema and _is_schema(value):
        return
    expected = "a schema or an array of schemas" if may_be_schema else "an array of schemas"
    if not isinstance(value, list):
        yield from _fault(expected)
    elif not value and not may_be_schema:
        yield from _fault("an array of schemas that is not empty")
    else:
        for index, item in enumerate(value):
            if not _is_schema(item):
                yield from _fault("a schema here", f"/{index}")


def _check_string_lists(value: Any) -> Iterator[_Fault]:
    if not isinstance(value, dict) or not all(_is_strings(item) for item in value.values()):
        yield from _fault("an object of arrays of names, each once")


_FAULTS: dict[Kind, Callable[[Any], Iterator[_Fault]]] = {
    Kind.ANY: _take("anything", lambda _: True),
    Kind.STRING: _take("a string", lambda value: isinstance(value, str)),
    Kind.BOOLEAN: _take("true or false", lambda value: isinstance(value, bool)),
    Kind.NUMBER: _take("a number", _is_number),
    Kind.POSITIVE: _take("a number above 0", lambda value: _is_number(value) and value > 0),
    Kind.COUNT: _take("a whole number from 0", _is_count),
    Kind.ARRAY: _take("an array", lambda value: isinstance(value, list)),
    Kind.STRINGS: _take("an array of names, each once", _is_strings),
    Kind.STRING_LISTS: _check_string_lists,
    Kind.OBJECT: _take("an object", lambda value: isinstance(value, dict)),
    Kind.TYPE: _check_type,
    Kind.REFERENCE: _take("a reference, as a string", lambda value: isinstance(value, str)),
    Kind.PATTERN: _check_pattern,
    Kind.SCHEMA: _take("a schema", _is_schema),
    Kind.SCHEMA_OR_BOOLEAN: _take("a schema or a boolean", _is_schema),
    Kind.SCHEMAS: _check_list,
    Kind.SCHEMA_OR_SCHEMAS: lambda value: _check_list(value, may_be_schema=True),
    Kind.SCHEMA_MAP: _check_map,
    Kind.PATTERN_MAP: lambda value: _check_map(value, patterns=True),
    Kind.SCHEMA_OR_STRINGS_MAP: lambda value: _check_map(value, lists=True),
}

_NAMES = ((bool, "a boolean"), (str, "a string"), (int | float, "a number"), (list, "an array"))


def _describe(value: Any) -> str:
    """Say what kind of value it is, never the value."""
    if value is None:
        return "null"
    return next((name for kind, name in _NAMES if isinstance(value, kind)), "an object")
