"""Wording what a schema refuses: one place, what was expected there, what was found.

Messages hold names and limits of the schema and the kind of what was found, never
a value. Where several branches are possible, the one that was meant is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from jsonschema_rs import ValidationError, Validator
from jsonschema_rs import ValidationErrorKind as Kind

from .errors import ContractViolation, clip
from .phrases import (
    describe,
    describe_size,
    join_phrases,
    list_names,
    list_values,
    make_unique,
    name_types,
    quote,
    show_value,
)
from .pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_DEEPEST_SHOWN: Final = 200
"""Below how many levels a refusal has no place; errors of the validator hold 255."""


class Words(NamedTuple):
    """What one error of a schema comes to."""

    error: ValidationError
    expected: str
    found: str


def find_violation(
    validator: Validator, value: object, document: dict[str, Any]
) -> ContractViolation | None:
    """Return why *validator*, compiled from *document*, refuses *value*; None if it does not."""
    try:
        error = next(iter(validator.iter_errors(value)), None)
    except ValueError:
        return _word_deep(validator, value, document)
    if error is None:
        return None
    return _make_violation(_word(error, document))


def _make_violation(words: Words) -> ContractViolation:
    path = words.error.schema_path
    return ContractViolation(
        words.expected,
        words.found,
        pointer=join_pointer(words.error.instance_path),
        keyword=_name_keyword(words.error),
        schema_location=f"#{join_pointer(path)}",
    )


def _word_deep(validator: Validator, value: object, document: dict[str, Any]) -> ContractViolation:
    """Return why a value is refused that has more levels than an error can hold."""
    for error in validator.iter_errors(_prune(value, _DEEPEST_SHOWN)):
        if len(error.instance_path) < _DEEPEST_SHOWN:
            return _make_violation(_word(error, document))
    return ContractViolation(
        "a value that fits the schema",
        f"one that does not, below {_DEEPEST_SHOWN} levels",
        pointer="",
        keyword="",
        schema_location="#",
    )


def _prune(value: object, levels: int) -> object:
    """Return *value*, plain JSON, with what lies deeper than *levels* left out."""
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items() if levels else ()
        return {name: _prune(member, levels - 1) for name, member in members}
    if isinstance(value, list):
        items = cast("list[object]", value) if levels else ()
        return [_prune(item, levels - 1) for item in items]
    return value


def _name_keyword(error: ValidationError) -> str:
    path = error.schema_path
    if isinstance(error.kind, Kind.FalseSchema) and path[-1] != "additionalProperties":
        return "false"
    return next((token for token in reversed(path) if isinstance(token, str)), "")


def _word(error: ValidationError, document: dict[str, Any]) -> Words:
    kind = error.kind
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        return _word_branches(error, kind.context, document)
    if isinstance(kind, Kind.FalseSchema) and error.schema_path[-1] == "additionalProperties":
        return Words(error, "an object without properties", "one that has some")
    if isinstance(kind, Kind.PropertyNames):
        return _word_name(error, kind.error, document)
    if isinstance(kind, Kind.Contains):
        return _word_contains(error, document)
    if isinstance(kind, Kind.AdditionalProperties | Kind.UnevaluatedProperties):
        return _word_unexpected(error, kind.unexpected, document)
    expected, found = _WORDS.get(type(kind), _word_unknown)(kind, cast("Any", error.instance))
    return Words(error, expected, found)


# Branches of anyOf and oneOf


def _word_branches(
    error: ValidationError, branches: list[list[ValidationError]], document: dict[str, Any]
) -> Words:
    """Word the branch that was meant: the one whose type and tag fit, else the closest."""
    depth = len(error.instance_path)
    branches = [branch for branch in branches if branch]
    fitting = [branch for branch in branches if not any(_misfits(e, depth) for e in branch)]
    if not fitting:
        return _join([_word(branch[0], document) for branch in branches], error)
    tag = _find_tag(fitting, depth)
    if tag is not None:
        tagged = [branch for branch in fitting if any(_is_tag(e, tag, depth) for e in branch)]
        if len(tagged) == len(fitting):
            tags = [next(e for e in branch if _is_tag(e, tag, depth)) for branch in tagged]
            return _join([_word(e, document) for e in tags], tags[0])
        fitting = [branch for branch in fitting if branch not in tagged]
    if len(fitting) > 1:
        first = [branch[0] for branch in fitting]
        if all(len(branch) == 1 and len(branch[0].instance_path) == depth for branch in fitting):
            return _join([_word(e, document) for e in first], error)
        fitting.sort(key=lambda branch: (-_find_deepest(branch)[0], len(branch)))
    return _word(_find_deepest(fitting[0])[1], document)


def _misfits(error: ValidationError, depth: int) -> bool:
    kinds = (Kind.Type, Kind.Constant, Kind.Enum, Kind.FalseSchema)
    return len(error.instance_path) == depth and isinstance(error.kind, kinds)


def _is_tag(error: ValidationError, tag: str | int, depth: int) -> bool:
    path = error.instance_path
    return (
        len(path) == depth + 1
        and path[-1] == tag
        and isinstance(error.kind, Kind.Constant | Kind.Enum)
    )


def _find_tag(branches: list[list[ValidationError]], depth: int) -> str | int | None:
    """Return the property whose constant most branches miss."""
    counts: dict[str | int, int] = {}
    for branch in branches:
        for tag in {e.instance_path[-1] for e in branch if len(e.instance_path) == depth + 1}:
            if any(_is_tag(e, tag, depth) for e in branch):
                counts[tag] = counts.get(tag, 0) + 1
    return max(counts, key=lambda tag: (counts[tag], str(tag)), default=None)


def _find_deepest(branch: list[ValidationError]) -> tuple[int, ValidationError]:
    deepest = max(branch, key=lambda e: len(e.instance_path))
    return len(deepest.instance_path), deepest


def _join(words: list[Words], error: ValidationError) -> Words:
    """Say all of *words* at once, of which each is a way to fit at one place."""
    if not words:
        return Words(error, "a value that fits one of the schemas", describe(error.instance))
    values: list[Any] = []
    types: list[str] = []
    phrases: list[str] = []
    for entry in words:
        kind = entry.error.kind
        if isinstance(kind, Kind.Constant):
            values.append(kind.expected_value)
        elif isinstance(kind, Kind.Enum):
            values.extend(kind.options)
        elif isinstance(kind, Kind.Type):
            types.extend(kind.types)
        else:
            phrases.append(entry.expected)
    phrases = [*name_types(types), *phrases]
    if values:
        phrases.append(list_values(values))
    found = words[0].found if len(words) == 1 else describe(words[0].error.instance)
    return Words(error, join_phrases(make_unique(phrases)), found)


# Keywords that need their schema to be worded


def _word_name(error: ValidationError, cause: ValidationError, document: dict[str, Any]) -> Words:
    words = _word(cause, document)
    name = quote(str(cause.instance))
    return Words(error, f"names of properties to be {words.expected}", f"the name {name}")


def _word_contains(error: ValidationError, document: dict[str, Any]) -> Words:
    keyword = _name_keyword(error)
    limit = _get_schema(document, error.schema_path)
    if keyword == "minContains":
        return Words(error, f"at least {limit} items that fit `contains`", "fewer of them")
    if keyword == "maxContains":
        return Words(error, f"at most {limit} items that fit `contains`", "more of them")
    return Words(error, "an item that fits `contains`", "none that does")


def _word_unexpected(
    error: ValidationError, unexpected: list[str], document: dict[str, Any]
) -> Words:
    schema = _get_schema(document, error.schema_path[:-1])
    known: list[str] = []
    if isinstance(schema, dict) and error.schema_path[-1] == "additionalProperties":
        known = list(cast("dict[str, Any]", schema).get("properties", {}))
    found = list_names(unexpected)
    if known:
        return Words(error, f"no other properties than {list_names(known)}", found)
    return Words(error, "no properties but those of the schema", found)


def _get_schema(document: object, path: Iterable[str | int]) -> object:
    node: Any = document
    for token in path:
        node = node[token]
    return node


# Keywords whose errors say all that is needed


def _word_type(kind: Kind.Type, value: object) -> tuple[str, str]:
    expected = join_phrases(name_types(kind.types))
    if kind.types == ["integer"] and isinstance(value, float):
        return expected, "a number with a fraction"
    return expected, describe(value)


def _word_enum(kind: Kind.Enum, value: object) -> tuple[str, str]:
    return list_values(kind.options), _describe_other(value, kind.options)


def _word_constant(kind: Kind.Constant, value: object) -> tuple[str, str]:
    return show_value(kind.expected_value), _describe_other(value, [kind.expected_value])


def _describe_other(value: object, allowed: list[Any]) -> str:
    found = describe(value)
    if any(describe(option).split()[:2] == found.split()[:2] for option in allowed):
        return "another " + found.split()[1] if " " in found else found
    return found


def _word_required(kind: Kind.Required, value: object) -> tuple[str, str]:
    del value
    return f"the property {quote(kind.property)}", "an object without it"


def _size(
    what: str, bound: str, unit: str, measure: Callable[[Any], str]
) -> Callable[[Any, Any], tuple[str, str]]:
    def word(kind: Any, value: Any) -> tuple[str, str]:
        limit: int = kind.limit
        return f"{what} {bound} {limit} {unit if limit == 1 else _PLURALS[unit]}", measure(value)

    return word


def _bound(phrase: str, found: str) -> Callable[[Any, Any], tuple[str, str]]:
    def word(kind: Any, value: Any) -> tuple[str, str]:
        del value
        return f"{phrase} {show_value(kind.limit)}", found

    return word


def _word_multiple(kind: Kind.MultipleOf, value: object) -> tuple[str, str]:
    del value
    return f"a multiple of {show_value(kind.multiple_of)}", "a number that is none"


def _word_pattern(kind: Kind.Pattern, value: object) -> tuple[str, str]:
    del value
    return f"a string that matches {clip(kind.pattern, 200)}", "one that does not"


def _word_backtracking(kind: Kind.BacktrackLimitExceeded, value: object) -> tuple[str, str]:
    del kind, value
    return "a string that the pattern can be tried on", "one that takes too long to match"


def _word_unique(kind: Kind.UniqueItems, value: object) -> tuple[str, str]:
    del kind, value
    return "items that all differ", "two that are equal"


def _word_not(kind: Kind.Not, value: object) -> tuple[str, str]:
    del kind
    return "a value that does not fit the schema of `not`", describe(value) + " that does"


def _word_false(kind: Kind.FalseSchema, value: object) -> tuple[str, str]:
    del kind
    return "no value here", describe(value)


def _word_format(kind: Kind.Format, value: object) -> tuple[str, str]:
    return f"{quote(kind.format)}, a format", describe(value) + " that is none"


def _word_encoding(kind: Kind.ContentEncoding, value: object) -> tuple[str, str]:
    del value
    return f"a string in {quote(kind.content_encoding)}", "one that is not"


def _word_media_type(kind: Kind.ContentMediaType, value: object) -> tuple[str, str]:
    del value
    return f"a text of {quote(kind.content_media_type)}", "one that is not"


def _word_several(kind: Kind.OneOfMultipleValid, value: object) -> tuple[str, str]:
    fitting = [str(index) for index, branch in enumerate(kind.context) if not branch]
    found = f"{describe(value)} that fits several: the branches {', '.join(fitting)}"
    return "a value that fits exactly one branch of `oneOf`", found


def _word_more_items(kind: Kind.AdditionalItems, value: object) -> tuple[str, str]:
    return f"at most {kind.limit} items", describe_size(value)


def _word_unevaluated_items(kind: Kind.UnevaluatedItems, value: object) -> tuple[str, str]:
    del value
    # The error lists the items themselves, which are not for a message.
    return "no items but those of the schema", f"{len(kind.unexpected)} more"


def _word_unknown(kind: object, value: object) -> tuple[str, str]:
    del kind
    return "a value that fits its schema", describe(value)


_PLURALS: Final = {"character": "characters", "item": "items", "property": "properties"}

_WORDS: Final[dict[type, Callable[[Any, Any], tuple[str, str]]]] = {
    Kind.AdditionalItems: _word_more_items,
    Kind.BacktrackLimitExceeded: _word_backtracking,
    Kind.Constant: _word_constant,
    Kind.ContentEncoding: _word_encoding,
    Kind.ContentMediaType: _word_media_type,
    Kind.Enum: _word_enum,
    Kind.ExclusiveMaximum: _bound("a number below", "one that is not"),
    Kind.ExclusiveMinimum: _bound("a number above", "one that is not"),
    Kind.FalseSchema: _word_false,
    Kind.Format: _word_format,
    Kind.MaxItems: _size("an array of", "at most", "item", describe_size),
    Kind.MaxLength: _size("a string of", "at most", "character", describe_size),
    Kind.MaxProperties: _size("an object of", "at most", "property", describe_size),
    Kind.Maximum: _bound("a number of at most", "a larger one"),
    Kind.MinItems: _size("an array of", "at least", "item", describe_size),
    Kind.MinLength: _size("a string of", "at least", "character", describe_size),
    Kind.MinProperties: _size("an object of", "at least", "property", describe_size),
    Kind.Minimum: _bound("a number of at least", "a smaller one"),
    Kind.MultipleOf: _word_multiple,
    Kind.Not: _word_not,
    Kind.OneOfMultipleValid: _word_several,
    Kind.Pattern: _word_pattern,
    Kind.Required: _word_required,
    Kind.Type: _word_type,
    Kind.UnevaluatedItems: _word_unevaluated_items,
    Kind.UniqueItems: _word_unique,
}
