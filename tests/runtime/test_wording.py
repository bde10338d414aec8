"""Refusals are worded: one place, what was expected, what was found, never the value."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pi_contracts.runtime import wording
from pi_contracts.runtime.wording import find_violation
from runtime_violations import SECRET, refuse

TAGGED = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"type": {"const": "select"}, "index": {"type": "integer"}},
            "required": ["type", "index"],
        },
        {
            "type": "object",
            "properties": {"type": {"enum": ["write"]}, "text": {"minLength": 1}},
            "required": ["type"],
        },
        {"type": "null"},
    ]
}

SENTENCES: dict[str, tuple[object, object, str]] = {
    "type": ({"type": "string"}, 5, "expected a string, found an integer"),
    "types": (
        {"type": ["string", "null", "array"]},
        {},
        "expected a string, an array or null, found an object",
    ),
    "two types": ({"type": ["boolean", "null"]}, [], "expected a boolean or null, found an array"),
    "fraction": ({"type": "integer"}, 1.5, "expected an integer, found a number with a fraction"),
    "number": ({"type": "number"}, None, "expected a number, found null"),
    "boolean": ({"type": "object"}, True, "expected an object, found a boolean"),
    "float": ({"type": "string"}, 1.5, "expected a string, found a number"),
    "enum": (
        {"enum": ["low", "high"]},
        SECRET,
        'expected one of "low", "high", found another string',
    ),
    "enum of other kind": ({"enum": [1, 2]}, SECRET, "expected one of 1, 2, found a string"),
    "long enum": (
        {"enum": list(range(12))},
        99,
        "expected one of 0, 1, 2, 3, 4, 5, 6, 7 and 4 more, found another integer",
    ),
    "const": ({"const": None}, 0, "expected null, found an integer"),
    "long const": (
        {"const": "x" * 99},
        "y",
        f'expected "{"x" * 59}…, found another string',
    ),
    "minLength": (
        {"minLength": 1},
        "",
        "expected a string of at least 1 character, found a string of length 0",
    ),
    "maxLength": (
        {"maxLength": 2},
        "a🌵b",
        "expected a string of at most 2 characters, found a string of length 3",
    ),
    "pattern": (
        {"pattern": "^[0-9]+$"},
        SECRET,
        "expected a string that matches ^[0-9]+$, found one that does not",
    ),
    "exploding pattern": (
        {"pattern": "^(?=(a+)+$)(a+)+$(?!b)"},
        "a" * 40 + "!",
        "expected a string that matches ^(?=(a+)+$)(a+)+$(?!b), found one that does not",
    ),
    "minimum": (
        {"minimum": 3},
        2,
        "expected a number of at least 3, found a smaller one",
    ),
    "maximum": ({"maximum": 2.5}, 3, "expected a number of at most 2.5, found a larger one"),
    "exclusiveMinimum": (
        {"exclusiveMinimum": 3},
        3,
        "expected a number above 3, found one that is not",
    ),
    "exclusiveMaximum": (
        {"exclusiveMaximum": 3},
        3,
        "expected a number below 3, found one that is not",
    ),
    "multipleOf": ({"multipleOf": 7}, 8, "expected a multiple of 7, found a number that is none"),
    "minItems": (
        {"minItems": 2},
        [1],
        "expected an array of at least 2 items, found an array of 1 item",
    ),
    "maxItems": (
        {"maxItems": 1},
        [1, 2],
        "expected an array of at most 1 item, found an array of 2 items",
    ),
    "uniqueItems": (
        {"uniqueItems": True},
        [1, 1.0],
        "expected items that all differ, found two that are equal",
    ),
    "minProperties": (
        {"minProperties": 2},
        {"a": 1},
        "expected an object of at least 2 properties, found an object of 1 property",
    ),
    "maxProperties": (
        {"maxProperties": 1},
        {"a": 1, "b": 2},
        "expected an object of at most 1 property, found an object of 2 properties",
    ),
    "required": (
        {"required": ["id"]},
        {},
        'expected the property "id", found an object without it',
    ),
    "dependentRequired": (
        {"dependentRequired": {"a": ["b"]}},
        {"a": 1},
        'expected the property "b", found an object without it',
    ),
    "additionalProperties": (
        {"properties": {"id": {}, "name": {}}, "additionalProperties": False},
        {"nmae": SECRET},
        'expected no other properties than "id", "name", found "nmae"',
    ),
    "additionalProperties alone": (
        {"additionalProperties": False},
        {"a\nb": 1},
        "expected an object without properties, found one that has some",
    ),
    "additionalProperties beside a pattern": (
        {"patternProperties": {"^x": {}}, "additionalProperties": False},
        {"a\nb": 1},
        'expected no properties but those of the schema, found "a\\u000ab"',
    ),
    "unevaluatedProperties": (
        {"properties": {"id": {}}, "unevaluatedProperties": False},
        {"extra": 1},
        'expected no properties but those of the schema, found "extra"',
    ),
    "unevaluatedItems": (
        {"prefixItems": [{}], "unevaluatedItems": False},
        [1, SECRET, SECRET],
        "expected no items but those of the schema, found 2 more",
    ),
    "propertyNames": (
        {"propertyNames": {"maxLength": 1}},
        {"ab": 1},
        'expected names of properties to be a string of at most 1 character, found the name "ab"',
    ),
    "contains": (
        {"contains": {"type": "integer"}},
        ["a"],
        "expected an item that fits `contains`, found none that does",
    ),
    "minContains": (
        {"contains": {"type": "integer"}, "minContains": 2},
        [1],
        "expected at least 2 items that fit `contains`, found fewer of them",
    ),
    "maxContains": (
        {"contains": {"type": "integer"}, "maxContains": 1},
        [1, 2],
        "expected at most 1 items that fit `contains`, found more of them",
    ),
    "not": (
        {"not": {"type": "string"}},
        SECRET,
        "expected a value that does not fit the schema of `not`, found a string that does",
    ),
    "false": (False, SECRET, "expected no value here, found a string"),
    "several of oneOf": (
        {"oneOf": [{"type": "integer"}, {"minimum": 0}, {"type": "null"}]},
        1,
        (
            "expected a value that fits exactly one branch of `oneOf`, "
            "found an integer that fits several: the branches 0, 1"
        ),
    ),
    "anyOf of types": (
        {"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}, {"const": True}]},
        [],
        "expected a string, an integer, null or true, found an array",
    ),
    "anyOf with false": (
        {"anyOf": [False, {"type": "integer"}]},
        SECRET,
        "expected an integer or no value here, found a string",
    ),
    "anyOf of one branch": (
        {"anyOf": [{"type": "string"}]},
        5,
        "expected a string, found an integer",
    ),
    "anyOf of required": (
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {},
        'expected the property "a" or the property "b", found an object',
    ),
    "branches that miss the same": (
        {"anyOf": [{"required": ["a"], "type": "object"}, {"required": ["a"], "minProperties": 0}]},
        {},
        'expected the property "a", found an object',
    ),
}


@pytest.mark.parametrize(("schema", "value", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_each_keyword_has_its_sentence(schema: object, value: object, sentence: str) -> None:
    assert str(refuse(schema, value)) == sentence


PLACES: dict[str, tuple[object, object, str, str, str]] = {
    "nested": (
        {"properties": {"models": {"items": {"properties": {"id": {"minLength": 1}}}}}},
        {"models": [{}, {"id": ""}]},
        "/models/1/id",
        "minLength",
        "#/$defs/root/properties/models/items/properties/id/minLength",
    ),
    "escaped": (
        {"properties": {"a/b~c": {"type": "null"}}},
        {"a/b~c": 1},
        "/a~1b~0c",
        "type",
        "#/$defs/root/properties/a~1b~0c/type",
    ),
    "through a reference": (
        {"$ref": "#/$defs/other"},
        1,
        "",
        "type",
        "#/$defs/other/type",
    ),
    "false": (
        {"properties": {"a": False}},
        {"a": 1},
        "/a",
        "false",
        "#/$defs/root/properties/a",
    ),
    "count of contains": (
        {"contains": True, "maxContains": 0},
        [1],
        "",
        "maxContains",
        "#/$defs/root/maxContains",
    ),
}


@pytest.mark.parametrize(
    ("schema", "value", "pointer", "keyword", "location"), PLACES.values(), ids=PLACES
)
def test_a_violation_knows_its_place_in_value_and_schema(
    schema: object, value: object, pointer: str, keyword: str, location: str
) -> None:
    violation = refuse(schema, value, defs={"other": {"type": "string"}})
    assert violation.pointer == pointer
    assert violation.keyword == keyword
    assert violation.schema_location == location
    assert str(violation).startswith(f"at {pointer}: expected" if pointer else "expected")


BRANCHES: dict[str, tuple[object, str]] = {
    "the tagged branch's deepest fault": (
        {"type": "select", "index": "x"},
        "at /index: expected an integer, found a string",
    ),
    "the tagged branch's missing member": (
        {"type": "select"},
        'expected the property "index", found an object without it',
    ),
    "another tagged branch": (
        {"type": "write", "text": ""},
        "at /text: expected a string of at least 1 character, found a string of length 0",
    ),
    "an unknown tag": (
        {"type": SECRET, "index": 1},
        'at /type: expected one of "select", "write", found a string',
    ),
    "no tag": (
        {"index": 1},
        'expected the property "type", found an object',
    ),
    "another type": ([], "expected an object or null, found an array"),
}


@pytest.mark.parametrize(("value", "sentence"), BRANCHES.values(), ids=BRANCHES)
def test_of_several_branches_the_one_that_was_meant_is_reported(
    value: object, sentence: str
) -> None:
    assert str(refuse(TAGGED, value)) == sentence


def test_without_a_tag_the_branch_that_went_deepest_is_reported() -> None:
    shallow = {"required": ["z"], "type": "object"}
    deep = {"properties": {"a": {"properties": {"b": {"type": "string"}}}}, "type": "object"}
    violation = refuse({"anyOf": [shallow, deep]}, {"a": {"b": 1}})
    assert str(violation) == "at /a/b: expected a string, found an integer"


def test_unions_inside_unions_are_followed() -> None:
    inner = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}
    outer = {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": inner}}]}
    assert str(refuse(outer, {"a": [1, "x"]})) == "at /a/1: expected an integer, found a string"


def test_formats_have_a_sentence_where_they_are_checked() -> None:
    violation = refuse({"format": "ipv4"}, SECRET, assert_formats=True)
    assert str(violation) == 'expected "ipv4", a format, found a string that is none'


def test_a_pattern_that_backtracks_without_end_is_a_violation() -> None:
    pattern = r"^(a|a)*(?=b)\1$"
    violation = refuse({"pattern": pattern}, "a" * 5000 + "b")
    assert violation.keyword == "pattern"


def test_a_message_is_one_line_and_does_not_grow_with_names() -> None:
    schema = {"additionalProperties": {"type": "string"}}
    violation = refuse(schema, {"x\u202e\n" + "y" * 10_000: 1})
    assert "\n" not in str(violation)
    assert "\u202e" not in str(violation)
    assert len(str(violation)) < 400
    assert len(violation.pointer) > 10_000


def test_an_error_of_a_kind_that_is_not_known_still_has_a_sentence() -> None:
    error = SimpleNamespace(kind=object(), instance=3, instance_path=["a"], schema_path=["later"])
    errors = iter([error])
    validator: Any = SimpleNamespace(iter_errors=lambda value: errors if value else iter([]))  # pyright: ignore[reportUnknownLambdaType]
    violation = find_violation(validator, {"a": 3}, {})
    assert str(violation) == "at /a: expected a value that fits its schema, found an integer"


def test_branches_that_tell_nothing_still_have_a_sentence() -> None:
    error: Any = SimpleNamespace(instance=[])
    words = wording._join([], error)  # pyright: ignore[reportPrivateUsage]
    assert words[1:] == ("a value that fits one of the schemas", "an array")


def test_what_a_validator_accepts_has_no_violation() -> None:
    import jsonschema_rs

    validator = jsonschema_rs.validator_for({"type": "string"}, offline=True)
    assert find_violation(validator, "x", {"type": "string"}) is None
