from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.compat.flat import FlatSchema, make_document
from pi_contracts.contracts.compat.flows import compare_schemas
from pi_contracts.contracts.compat.verdicts import Position

if TYPE_CHECKING:
    from pi_contracts.contracts.compat.explain import Explanation

TEXT, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
OPEN = {"type": "object", "properties": {"a": TEXT}}
CLOSED = {**OPEN, "additionalProperties": False}
MORE = {**OPEN, "properties": {"a": TEXT, "b": TEXT}, "additionalProperties": False}
ARRAY = {"type": "array"}


def explain(old: Any, new: Any, position: str = "argument") -> Explanation:
    before, after = (FlatSchema(make_document(schema)) for schema in (old, new))
    one = compare_schemas(before, after, Position(position)).breaks[0]
    assert one.explanation is not None
    return one.explanation


@pytest.mark.parametrize(
    ("wide", "narrow", "removed", "added"),
    [
        (OPEN, {**OPEN, "required": ["a"]}, "required-added", "required-removed"),
        (MORE, CLOSED, "member-removed", "member-added"),
        (OPEN, CLOSED, "object-closed", "object-opened"),
        ({"type": ["string", "null"]}, TEXT, "null-removed", "null-added"),
        (NUMBER, INTEGER, "type-narrowed", "type-widened"),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "enum-value-removed", "enum-value-added"),
        (TEXT, {**TEXT, "enum": ["a"]}, "enum-introduced", "enum-dropped"),
        ({**NUMBER, "minimum": 1}, {**NUMBER, "minimum": 2}, "limit-tightened", "limit-loosened"),
        (NUMBER, {**NUMBER, "maximum": 2}, "limit-added", "limit-removed"),
        (TEXT, {**TEXT, "pattern": "^a"}, "pattern-added", "pattern-removed"),
        (
            {**NUMBER, "multipleOf": 2},
            {**NUMBER, "multipleOf": 4},
            "multiple-tightened",
            "multiple-loosened",
        ),
        (ARRAY, {**ARRAY, "uniqueItems": True}, "uniqueness-added", "uniqueness-removed"),
        (ARRAY, {**ARRAY, "contains": TEXT}, "contained-item-added", "contained-item-removed"),
        (ARRAY, {**ARRAY, "items": False}, "item-removed", "item-added"),
        (
            OPEN,
            {**OPEN, "dependentRequired": {"a": ["b"]}},
            "dependency-added",
            "dependency-removed",
        ),
        (
            {**OPEN, "additionalProperties": TEXT},
            {**OPEN, "additionalProperties": TEXT, "propertyNames": {"maxLength": 3}},
            "name-rule-added",
            "name-rule-removed",
        ),
        (TEXT, {**TEXT, "not": {"const": "a"}}, "exclusion-added", "exclusion-removed"),
        (
            {"anyOf": [TEXT, INTEGER]},
            {"anyOf": [TEXT, {"type": "null"}]},
            "branch-removed",
            "branch-added",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_is_named_by_the_keyword_and_by_who_has_it(
    wide: Any, narrow: Any, removed: str, added: str
) -> None:
    assert explain(wide, narrow).rule == removed
    assert explain(narrow, wide, "result").rule == added


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (TEXT, INTEGER, "type-changed"),
        ({"const": "a"}, {"const": "b"}, "const-changed"),
        ({**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "^b"}, "pattern-changed"),
        (NUMBER, {"oneOf": [NUMBER, INTEGER]}, "branches-overlap"),
        (TEXT, {"const": "b"}, "enum-introduced"),
    ],
)
def test_a_change_that_is_neither_is_named_for_itself(old: Any, new: Any, rule: str) -> None:
    assert explain(old, new).rule == rule


def test_an_explanation_has_a_place_in_the_value_and_in_both_schemas() -> None:
    def make(limit: int) -> dict[str, Any]:
        node = {"type": "string", "maxLength": limit}
        items = {"type": "array", "items": {"$ref": "#/$defs/N"}}
        return {"$defs": {"N": node}, "type": "object", "properties": {"a/b": items}}

    found = explain(make(4), make(2))
    assert found.at == "/a~1b/0"
    assert found.keyword == "maxLength"
    assert found.sender == found.receiver == "#/$defs/N/maxLength"
    assert found.text == "maxLength of {receiver} refuses what {sender} may send"


def test_the_branch_that_was_meant_is_the_one_that_explains() -> None:
    def make(limit: int) -> dict[str, Any]:
        tags = [
            {"type": "object", "properties": {"k": {"const": tag}, "v": value}, "required": ["k"]}
            for tag, value in (("a", {**TEXT, "maxLength": limit}), ("b", INTEGER))
        ]
        return {"oneOf": tags}

    found = explain(make(4), make(2))
    assert (found.rule, found.at) == ("limit-tightened", "/v")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "boolean"),
        (1, "integer"),
        (1.5, "number"),
        ("a", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_what_was_sent_is_named_by_its_type(value: Any, name: str) -> None:
    assert explain({"const": value}, {"type": "null"}).text.startswith(
        f"{{sender}} may send {name}"
    )


def test_a_member_of_a_map_is_explained_by_the_rest() -> None:
    def make(value: Any) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": value}

    found = explain(make(TEXT), make({**TEXT, "maxLength": 2}))
    assert found.rule == "limit-added"
    assert found.sender.startswith("#/additionalProperties")
