"""What is wrong with the keywords of a schema: unknown ones, and values that they do not take."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from .catalogue import find_embedded_draft
from .drafts import KEYWORDS, TYPES, Dialect, Draft, Kind, find_draft, subschemas
from .findings import Severity, escape
from .json_values import describe, escape_token, find_nearest, is_array, is_object, is_schema
from .patterns import escape_lone_brackets, rewrite_pattern
from .slips import find_type, mend_unknown_in_schema, mend_value_in_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import jsonschema_rs

    from .catalogue import Catalogue
    from .documents import Document
    from .findings import Finding
    from .model import Location

_EXTENSION = "x-"
_HARMLESS = frozenset(
    """$comment $defs $id $schema $vocabulary contentEncoding contentMediaType contentSchema default
    definitions deprecated deprecation examples format id readOnly title writeOnly""".split()
)
"""Keywords that no verdict depends on: nobody is misled by them in a draft that lacks them."""


def check_keywords(catalogue: Catalogue, document: Document) -> Iterator[Finding]:
    """Yield what is wrong with the keywords of every schema of a document."""
    hinted: set[str] = set()
    for location, node in catalogue.get_schemas(document):
        if is_object(node.schema):
            yield from _check_schema(document, location, node.schema, node.dialect, hinted)


_HINTS = 200
"""To how many unknown keywords of a document near ones are looked for, which takes its time."""


def _check_schema(
    document: Document,
    location: Location,
    schema: dict[str, Any],
    dialect: Dialect,
    hinted: set[str],
) -> Iterator[Finding]:
    draft = dialect.draft
    kinds = KEYWORDS[draft]
    is_contract = document.role == "contract"
    for keyword, value in schema.items():
        kind = kinds.get(keyword)
        if kind is None:
            finding = _check_unknown(
                document, location, keyword, schema=schema, draft=draft, hinted=hinted
            )
            if finding is not None:
                yield finding
        elif keyword not in dialect.void:
            if keyword == "dependencies" and not draft.has_lone_refs:
                yield _warn_of_dependencies(document, location, value, draft)
            for rule, message, below in _FAULTS[kind](keyword, value):
                pointer = f"{location.pointer}/{escape_token(keyword)}{below}"
                fix = mend_value_in_schema(
                    keyword, kind, value, below, location.pointer, is_contract=is_contract
                )
                yield document.source.find(rule, message, pointer, fix=fix or _FIXES.get(rule))
    if "$schema" in schema and location.pointer:
        yield from _check_embedded(document, location, schema, draft)
    if draft is Draft.DRAFT4:
        yield from _check_draft4(document, location, schema)


_FIXES = {"unknown-type": 'correct the name; where any type will do, leave "type" out'}


def _check_unknown(
    document: Document,
    location: Location,
    keyword: str,
    *,
    schema: dict[str, Any],
    draft: Draft,
    hinted: set[str],
) -> Finding | None:
    if keyword in _HARMLESS or keyword.startswith(_EXTENSION):
        return None
    if len(hinted) < _HINTS:
        hinted.add(keyword)
    message, fix = _word_unknown(keyword, draft, has_hint=keyword in hinted)
    is_contract = document.role == "contract"
    pointer, value = location.pointer, schema[keyword]
    slip = mend_unknown_in_schema(keyword, value, pointer, schema, is_contract=is_contract)
    return document.source.find(
        "unknown-keyword",
        message,
        (location / keyword).pointer,
        severity=Severity.WARNING,
        fix=slip or fix,
        of_key=True,
    )


def _warn_of_dependencies(
    document: Document, location: Location, value: object, draft: Draft
) -> Finding:
    kinds = {is_array(needed) for needed in value.values()} if is_object(value) else set[bool]()
    words = {True: "dependentRequired", False: "dependentSchemas"}
    said = " and ".join(f'"{words[kind]}"' for kind in sorted(kinds, reverse=True))
    return document.source.find(
        "deprecated-keyword",
        f'"dependencies" is a keyword of draft 7 and before, which {draft.label} has left behind',
        (location / "dependencies").pointer,
        severity=Severity.WARNING,
        fix=f"write {said} instead" if kinds else "leave it out",
        of_key=True,
    )


@functools.lru_cache(maxsize=1024)
def _word_unknown(keyword: str, draft: Draft, *, has_hint: bool) -> tuple[str, str]:
    others = [one.label for one in Draft if keyword in KEYWORDS[one]]
    if others:
        message = f'"{keyword}" changes nothing in {draft.label}: it is a keyword of {others[0]}'
        message += f" to {others[-1]}" if len(others) > 1 else ""
        return message, f"say it in the words of {draft.label}, or name another draft in $schema"
    near = find_nearest(keyword, KEYWORDS[draft], cutoff=0.75) if has_hint else None
    message = f'"{escape(keyword)}" is no keyword of a schema and changes nothing'
    if near is not None:
        return f'{message}; did you mean "{near}"?', f'write "{near}"'
    return message, f'remove it, or begin its name with "{_EXTENSION}"'


def _check_embedded(
    document: Document, location: Location, schema: dict[str, Any], draft: Draft
) -> Iterator[Finding]:
    """Yield what is wrong with a ``$schema`` below the root of a document."""
    declared = schema["$schema"]
    if not isinstance(declared, str):
        return
    pointer = (location / "$schema").pointer
    found = find_draft(declared)
    at_root = document.value.get("$schema") if is_object(document.value) else None
    if found is None and declared != at_root:
        message = f'"{escape(declared)}" names no draft that is served'
        yield document.source.find("invalid-keyword", message, pointer, fix=SERVED)
    elif found not in {None, draft} and find_embedded_draft(schema, draft) is None:
        message = f"$schema changes nothing here: without an identifier, {draft.label} goes on"
        fix = "remove it, or give the schema an identifier of its own"
        severity = Severity.WARNING
        yield document.source.find("unknown-keyword", message, pointer, severity=severity, fix=fix)


SERVED = "use draft 4, 6, 7, 2019-09 or 2020-12, or give the file of the meta-schema too"
"""The way out where a draft is not served."""


def _check_draft4(
    document: Document, location: Location, schema: dict[str, Any]
) -> Iterator[Finding]:
    """Yield what draft 4 alone refuses: boolean schemas, and limits that limit nothing."""
    for tokens, inner in subschemas(schema, Draft.DRAFT4):
        if isinstance(inner, bool) and _DRAFT4.get(tokens[0]) is not Kind.SCHEMA_OR_BOOLEAN:
            message = "draft 4 has no boolean schemas"
            fix = 'write {} for true and {"not": {}} for false, or name a later draft in $schema'
            pointer = location.pointer + "".join(f"/{escape_token(token)}" for token in tokens)
            yield document.source.find("invalid-keyword", message, pointer, fix=fix)
    for keyword, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if keyword in schema and limit not in schema:
            message = (
                f'in draft 4 the keyword "{keyword}" stands beside "{limit}", which is missing'
            )
            pointer = (location / keyword).pointer
            fix = f'add "{limit}", or name a later draft in $schema'
            yield document.source.find("invalid-keyword", message, pointer, fix=fix)


_DRAFT4 = KEYWORDS[Draft.DRAFT4]
_Fault = tuple[str, str, str]
"""A rule, a message, and a pointer below the keyword."""
_INVALID = "invalid-keyword"


def _word(keyword: str, expected: str, value: object, below: str = "") -> _Fault:
    """Word that a keyword takes something else; what was found is named by its kind alone."""
    return _INVALID, f'the keyword "{keyword}" takes {expected}, found {describe(value)}', below


def _take(
    expected: str, accepts: Callable[[Any], bool]
) -> Callable[[str, Any], tuple[_Fault, ...]]:
    def find(keyword: str, value: Any) -> tuple[_Fault, ...]:
        return () if accepts(value) else (_word(keyword, expected, value),)

    return find


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_strings(value: object) -> bool:
    return (
        is_array(value)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


def _check_type(keyword: str, value: Any) -> Iterator[_Fault]:
    names = value if is_array(value) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        yield _word(keyword, "the name of a type or an array of such names", value)
        return
    for index, name in enumerate(names):
        if name not in TYPES:
            near = find_type(name)
            hint = f'did you mean "{near}"?' if near else f"types are {', '.join(TYPES)}"
            below = f"/{index}" if is_array(value) else ""
            yield "unknown-type", f'"{escape(name)}" is no type; {hint}', below
    if len(set(names)) < len(names):
        yield _INVALID, f'the keyword "{keyword}" names a type twice', ""


def _check_pattern(keyword: str, value: Any) -> Iterator[_Fault]:
    if not isinstance(value, str):
        yield _word(keyword, "a regular expression, as a string", value)
    elif (problem := find_pattern_problem(value)) is not None:
        yield _INVALID, f'the keyword "{keyword}" takes a regular expression: {problem}', ""


_LONGEST_PATTERN = 20_000
"""Compiling takes more than its share of time beyond: minutes for a megabyte."""


@functools.lru_cache(maxsize=1024)
def find_pattern_problem(pattern: str) -> str | None:
    """Return why *pattern* is no regular expression that the validator compiles, or None."""
    import jsonschema_rs  # noqa: PLC0415 # costs more than reading a file without patterns

    if len(pattern) > _LONGEST_PATTERN:
        return f"this one is longer than {_LONGEST_PATTERN} characters"
    if not _make_pattern_validator().is_valid(escape_lone_brackets(pattern)):
        return "this one is no ECMA-262 pattern"
    try:
        jsonschema_rs.Draft202012Validator({"pattern": rewrite_pattern(pattern)})
    except jsonschema_rs.ValidationError:
        return "this one is more than the validator compiles"
    return None


@functools.cache
def _make_pattern_validator() -> jsonschema_rs.Validator:
    """Return a validator that accepts what the grammar of ECMA-262 calls a pattern."""
    import jsonschema_rs  # noqa: PLC0415 # see above

    return jsonschema_rs.validator_for({"format": "regex"}, validate_formats=True)


def _check_map(
    keyword: str, value: Any, *, lists: Callable[[Any], bool] | None = None
) -> Iterator[_Fault]:
    if not is_object(value):
        yield _word(keyword, "an object of schemas", value)
        return
    expected = "schemas" if lists is None else "schemas or arrays of names, each once,"
    for name, item in value.items():
        if not is_schema(item) and not (lists and lists(item)):
            yield _word(keyword, f"{expected} under its names", item, "/" + escape_token(name))


def _check_pattern_map(keyword: str, value: Any) -> Iterator[_Fault]:
    yield from _check_map(keyword, value)
    for name in value if is_object(value) else ():
        if (problem := find_pattern_problem(name)) is not None:
            message = f'the names below "{keyword}" are regular expressions: {problem}'
            yield _INVALID, message, "/" + escape_token(name)


def _check_list(keyword: str, value: Any) -> Iterator[_Fault]:
    if not is_array(value):
        yield _word(keyword, "an array of schemas", value)
        return
    if not value:
        yield _INVALID, f'the keyword "{keyword}" takes an array that is not empty', ""
    for index, item in enumerate(value):
        if not is_schema(item):
            yield _word(keyword, "schemas in its array", item, f"/{index}")


def _check_schema_or_list(keyword: str, value: Any) -> Iterator[_Fault]:
    if is_array(value):
        yield from _check_list(keyword, value)
    elif not is_schema(value):
        yield _word(keyword, "a schema or an array of schemas", value)


def _check_each(
    expected: str, accepts: Callable[[Any], bool]
) -> Callable[[str, Any], Iterator[_Fault]]:
    def find(keyword: str, value: Any) -> Iterator[_Fault]:
        if not is_object(value):
            yield _word(keyword, f"an object of {expected}", value)
            return
        for name, item in value.items():
            if not accepts(item):
                below = "/" + escape_token(name)
                yield _word(keyword, f"{expected} under its names", item, below)

    return find


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")
_COLON_ANCHOR = re.compile(r"[A-Za-z][-A-Za-z0-9.:_]*")
_NAMES_ONCE = "an array of names, each once"
_FAULTS: dict[Kind, Callable[[str, Any], Iterator[_Fault] | tuple[_Fault, ...]]] = {
    Kind.ANCHOR: _take(
        "a name of letters, digits, -, . and _ that begins with a letter or _",
        lambda value: _is_text(value) and _ANCHOR.fullmatch(value) is not None,
    ),
    Kind.ANY: lambda _keyword, _value: (),
    Kind.ARRAY: _take("an array", is_array),
    Kind.BOOLEAN: _take("true or false", _is_flag),
    Kind.BOOLEANS: _check_each("booleans", _is_flag),
    Kind.COLON_ANCHOR: _take(
        "a name of letters, digits, -, ., : and _ that begins with a letter",
        lambda value: _is_text(value) and _COLON_ANCHOR.fullmatch(value) is not None,
    ),
    Kind.COUNT: _take("a whole number from 0", _is_count),
    Kind.IDENTIFIER: _take("a URI reference, as a string", _is_text),
    Kind.LIMIT_FLAG: _take("true or false in draft 4", _is_flag),
    Kind.NUMBER: _take("a number", _is_number),
    Kind.PATTERN: _check_pattern,
    Kind.PATTERN_MAP: _check_pattern_map,
    Kind.PLAIN_COUNT: _take(
        "a whole number from 0, in draft 4 without a fraction",
        lambda value: _is_count(value) and isinstance(value, int),
    ),
    Kind.POSITIVE: _take("a number above 0", lambda value: _is_number(value) and value > 0),
    Kind.REFERENCE: _take("a reference, as a string", _is_text),
    Kind.RESOURCE: _take(
        "a URI reference without a fragment, as a string",
        lambda value: _is_text(value) and "#" not in value.removesuffix("#"),
    ),
    Kind.SCHEMA: _take("a schema", is_schema),
    Kind.SCHEMAS: _check_list,
    Kind.SCHEMA_MAP: _check_map,
    Kind.SCHEMA_OR_BOOLEAN: _take("a schema or a boolean", is_schema),
    Kind.SCHEMA_OR_SCHEMAS: _check_schema_or_list,
    Kind.SCHEMA_OR_SOME_STRINGS_MAP: functools.partial(
        _check_map, lists=lambda value: bool(value) and _is_strings(value)
    ),
    Kind.SCHEMA_OR_STRINGS_MAP: functools.partial(_check_map, lists=_is_strings),
    Kind.SOME_STRINGS: _take(
        f"{_NAMES_ONCE}, in draft 4 not empty", lambda value: bool(value) and _is_strings(value)
    ),
    Kind.STRING: _take("a string", _is_text),
    Kind.STRINGS: _take(_NAMES_ONCE, _is_strings),
    Kind.STRING_LISTS: _check_each("arrays of names, each once,", _is_strings),
    Kind.TYPE: _check_type,
}
