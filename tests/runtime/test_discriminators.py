"""What a discriminator may be is read from the schema, and never too little of it."""

from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.runtime import discriminators
from pi_contracts.runtime.discriminators import find_constants


def be(value: object, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"type": {"const": value, **more}}}


DEFINITIONS: dict[str, Any] = {
    "added": be("added"),
    "kind": {"enum": ["added", "gone"]},
    "ring": {"oneOf": [be("a"), {"$ref": "#/$defs/ring"}]},
    "one/two": be("slash"),
}

CASES: dict[str, tuple[object, list[Any] | None]] = {
    "a constant": (be("a"), ["a"]),
    "an enumeration": ({"properties": {"type": {"enum": ["a", "b"]}}}, ["a", "b"]),
    "a reference to an enumeration": (
        {"properties": {"type": {"$ref": "#/$defs/kind"}}},
        ["added", "gone"],
    ),
    "constants in branches of the property": (
        {"properties": {"type": {"oneOf": [{"const": "a"}, {"const": "b"}]}}},
        ["a", "b"],
    ),
    "branches": ({"oneOf": [be("a"), {"$ref": "#/$defs/added"}]}, ["a", "added"]),
    "branches of which two are alike": ({"anyOf": [be("a"), be("a")]}, ["a"]),
    "an open branch": ({"oneOf": [be("a"), {"type": "object"}]}, None),
    "a branch of anything": ({"oneOf": [be("a"), True]}, None),
    "a branch of nothing": ({"oneOf": [be("a"), False]}, ["a"]),
    "a branch that is no object": ({"oneOf": [be("a"), {"type": "null"}]}, ["a"]),
    "one that may be null": ({**be("a"), "type": ["object", "null"]}, ["a"]),
    "all of several": (
        {"allOf": [{"properties": {"type": {"$ref": "#/$defs/kind"}}}, {"required": ["type"]}]},
        ["added", "gone"],
    ),
    "a reference beside a constant": (
        {"$ref": "#/$defs/added", "properties": {"type": {"enum": ["added", "gone"]}}},
        ["added"],
    ),
    "a name with a slash": ({"$ref": "#/$defs/one~1two"}, ["slash"]),
    "a string of any kind": ({"properties": {"type": {"type": "string"}}}, None),
    "no such property": ({"type": "object"}, None),
    "a reference to nothing": ({"$ref": "#/$defs/none/at/all"}, None),
    "a reference of another kind": ({"$ref": "other.json"}, None),
    "a ring": ({"$ref": "#/$defs/ring"}, None),
}


@pytest.mark.parametrize(("schema", "expected"), CASES.values(), ids=CASES)
def test_the_constants_are_found(schema: object, expected: list[Any] | None) -> None:
    document = {"$defs": {**DEFINITIONS, "e": schema}}
    assert find_constants(document, "#/$defs/e", "type") == expected


def test_no_more_schemas_are_looked_at_than_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    branches = [be(number) for number in range(20)]
    document = {"$defs": {"e": {"oneOf": branches}}}
    assert find_constants(document, "#/$defs/e", "type") == list(range(20))
    monkeypatch.setattr(discriminators, "_MOST_SCHEMAS", 20)
    assert find_constants(document, "#/$defs/e", "type") is None
