from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Find = Callable[..., list[str]]
AT = "/members/s/value"
RULES = ("unbounded-string", "unbounded-array", "unbounded-map")


def hold(schema: object, stability: str = "stable", **definitions: object) -> dict[str, Any]:
    members = {"s": {"kind": "state", "value": schema}}
    service = {"stability": stability}
    return {"service": service, "members": members, "$defs": definitions}


def find_all(
    find: Find, contract: dict[str, Any], files: dict[str, Any] | None = None
) -> list[str]:
    return [place for rule in RULES for place in find(rule, contract, files)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": ["string", "null"]},
        {"type": "string", "pattern": "^a+$"},
        {"type": "array", "items": {"type": "integer"}},
        {"items": {"type": "integer"}},
        {"additionalProperties": {"type": "integer"}},
    ],
    ids=str,
)
def test_what_grows_in_a_stable_contract_has_a_bound(find: Find, schema: dict[str, Any]) -> None:
    assert find_all(find, hold(schema)) == [AT]
    assert find_all(find, hold(schema, "beta")) == []
    assert find_all(find, {**hold(schema), "service": {}}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "maxLength": 5},
        {"type": "string", "enum": ["a"]},
        {"type": "string", "const": "a"},
        {"type": "array", "items": {"type": "integer"}, "maxItems": 5},
        {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
        {"additionalProperties": {"type": "integer"}, "maxProperties": 3},
        {"additionalProperties": False},
        {"type": "integer"},
        {"if": {"type": "string"}, "then": {"maxLength": 3}},
        {"not": {"type": "string"}},
        {"$ref": "#/$defs/Text", "maxLength": 5},
        {"allOf": [{"$ref": "#/$defs/Text"}, {"maxLength": 5}]},
        {"maxLength": 5, "anyOf": [{"type": "string"}, {"type": "null"}]},
    ],
    ids=str,
)
def test_a_bound_is_found_wherever_it_stands(find: Find, schema: dict[str, Any]) -> None:
    assert find_all(find, hold(schema, Text={"type": "string"})) == []


def test_the_place_is_where_the_schema_stands_even_in_another_file(find: Find) -> None:
    shared = {"$defs": {"Text": {"type": "string"}}}
    contract = hold({"$ref": "text.schema.json#/$defs/Text"})
    assert find_all(find, contract, {"text.schema.json": shared}) == [
        "text.schema.json#/$defs/Text"
    ]


def test_a_bound_does_not_reach_into_items(find: Find) -> None:
    schema = {"type": "array", "maxItems": 5, "maxLength": 5, "items": {"type": "string"}}
    assert find_all(find, hold(schema)) == [f"{AT}/items"]


def test_what_is_bounded_in_one_use_only_is_told_once(find: Find) -> None:
    bounded, free = {"$ref": "#/$defs/Text", "maxLength": 5}, {"$ref": "#/$defs/Text"}
    schema = {"prefixItems": [bounded, free, free], "items": False}
    assert find_all(find, hold(schema, Text={"type": "string"})) == ["/$defs/Text"]


def test_definitions_that_nothing_leads_to_are_passed_over(find: Find) -> None:
    contract = hold({"type": "integer"}, Text={"type": "string"})
    assert find_all(find, contract) == []
    nested = hold({"type": "integer", "$defs": {"Text": {"type": "string"}}})
    assert find_all(find, nested) == []


def test_a_schema_of_json_schema_itself_is_passed_over(find: Find) -> None:
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert find_all(find, hold(schema)) == []


def test_recursion_comes_to_an_end(find: Find) -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    assert find_all(find, hold({"$ref": "#/$defs/Tree"}, Tree=tree)) == ["/$defs/Tree"]
