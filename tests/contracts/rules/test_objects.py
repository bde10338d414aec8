from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Find = Callable[..., list[str]]
OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
CLOSED: dict[str, Any] = {**OPEN, "additionalProperties": False}
AT = "/members/s/value"


def hold(schema: object, **definitions: object) -> dict[str, Any]:
    members: dict[str, Any] = {"s": {"kind": "state", "value": schema}}
    return {"members": members, **({"$defs": definitions} if definitions else {})}


def refer(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (OPEN, [AT]),
        ({"type": "object"}, [AT]),
        ({"type": ["object", "null"]}, [AT]),
        ({"patternProperties": {"^a": True}}, [AT]),
        (CLOSED, []),
        ({**OPEN, "additionalProperties": True}, []),
        ({**OPEN, "additionalProperties": {"type": "string"}}, []),
        ({**OPEN, "unevaluatedProperties": False}, []),
        ({"type": "string"}, []),
        ({}, []),
        (True, []),
        ({"type": "object", "const": {}}, []),
        ({"type": "object", "enum": [{"a": 1}]}, []),
        ({"type": "array", "items": OPEN}, [f"{AT}/items"]),
        ({**CLOSED, "properties": {"a": OPEN}}, [f"{AT}/properties/a"]),
    ],
    ids=str,
)
def test_an_object_is_asked_whether_it_is_open(
    find: Find, schema: object, expected: list[str]
) -> None:
    assert find("open-object", hold(schema)) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"oneOf": [OPEN, CLOSED]}, [f"{AT}/oneOf/0"]),
        ({"anyOf": [OPEN, {"type": "null"}]}, [f"{AT}/anyOf/0"]),
        ({**CLOSED, "oneOf": [{"properties": {"a": {"const": 1}}}, {"required": ["a"]}]}, []),
        ({**OPEN, "oneOf": [OPEN, {"required": ["a"]}]}, [AT]),
        ({"allOf": [OPEN, OPEN]}, [AT]),
        ({"allOf": [OPEN, OPEN], "unevaluatedProperties": False}, []),
        ({"allOf": [OPEN, CLOSED]}, []),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, []),
        ({**CLOSED, "if": OPEN, "then": OPEN, "else": OPEN}, []),
        ({**CLOSED, "not": OPEN}, []),
        ({**CLOSED, "dependentSchemas": {"a": OPEN}}, []),
        ({"type": "array", "contains": OPEN}, []),
        ({"then": {"properties": {"a": OPEN}}, "if": True, **CLOSED}, [f"{AT}/then/properties/a"]),
    ],
    ids=str,
)
def test_one_place_of_what_is_joined_decides(
    find: Find, schema: object, expected: list[str]
) -> None:
    assert find("open-object", hold(schema)) == expected


def test_a_definition_is_asked_where_it_stands_and_not_where_it_is_used(find: Find) -> None:
    contract = hold({"oneOf": [refer("A"), refer("A")]}, A=OPEN)
    assert find("open-object", contract) == ["/$defs/A"]


def test_a_definition_that_others_only_add_to_stays_open(find: Find) -> None:
    joined = {"allOf": [refer("Part"), OPEN], "unevaluatedProperties": False}
    assert find("open-object", hold(joined, Part=OPEN)) == []
    extended = {**refer("Part"), **OPEN, "unevaluatedProperties": False}
    assert find("open-object", hold(extended, Part=OPEN)) == []
    undecided = {"allOf": [refer("Part"), OPEN]}
    assert find("open-object", hold(undecided, Part=OPEN)) == [AT]
    conditional = {**CLOSED, "if": True, "then": refer("Part")}
    assert find("open-object", hold(conditional, Part=OPEN)) == []


def test_a_definition_that_is_a_value_too_is_asked(find: Find) -> None:
    both: dict[str, object] = {
        **CLOSED,
        "properties": {"a": refer("Part")},
        "allOf": [refer("Part")],
    }
    assert find("open-object", hold(both, Part=OPEN)) == ["/$defs/Part"]


def test_plain_schemas_are_not_asked(find: Find) -> None:
    schema = {"$ref": "wire.schema.json"}
    assert find("open-object", hold(schema), {"wire.schema.json": OPEN}) == []


NULLABLE = {"type": ["string", "null"]}


def absent(schema: object, *required: str) -> dict[str, Any]:
    closed = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    return {**closed, "required": list(required)}


@pytest.mark.parametrize(
    ("schema", "is_found"),
    [
        (NULLABLE, True),
        ({"type": "null"}, True),
        ({"const": None}, True),
        ({"enum": ["a", None]}, True),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"oneOf": [{"type": "string"}, {"$ref": "#/$defs/Null"}]}, True),
        ({"$ref": "#/$defs/Null"}, True),
        ({"allOf": [NULLABLE]}, True),
        ({"type": "string"}, False),
        ({"enum": ["a"]}, False),
        ({"type": "string", "anyOf": [{"type": "null"}, {"minLength": 1}]}, False),
        ({}, False),
        (True, False),
        ({"$ref": "#/$defs/Ring"}, False),
    ],
    ids=str,
)
def test_a_member_has_one_kind_of_absence(find: Find, schema: object, *, is_found: bool) -> None:
    definitions: dict[str, object] = {
        "Null": {"type": "null"},
        "Ring": {"anyOf": [{"type": "array", "items": refer("Ring")}, refer("Ring2")]},
        "Ring2": {"anyOf": [{"type": "integer"}, refer("Ring3")]},
        "Ring3": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
    }
    places = [f"{AT}/properties/a"] if is_found else []
    assert find("nullable-optional", hold(absent(schema), **definitions)) == places
    assert find("nullable-optional", hold(absent(schema, "a"), **definitions)) == []


def test_branches_that_meet_again_are_looked_at_once(find: Find) -> None:
    twice = {"anyOf": [refer("B"), refer("B"), {"oneOf": [refer("B"), {"type": "string"}]}]}
    assert find("nullable-optional", hold(absent(twice), B={"anyOf": [{"type": "string"}]})) == []


def test_a_parameter_has_one_kind_of_absence(find: Find) -> None:
    method = {"kind": "method", "params": {"a": NULLABLE, "b": NULLABLE}, "optional": ["b"]}
    assert find("nullable-optional", {"members": {"m": method}}) == ["/members/m/params/b"]
