from __future__ import annotations

import random
from typing import Any

import pytest
from compat_schemas import make_document as make_random
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.compat.budget import Budget, ExhaustedError
from pi_contracts.contracts.compat.flat import FlatDocument, make_document
from pi_contracts.contracts.compat.maker import Maker
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.signature import Signatures
from pi_contracts.contracts.compat.validators import Validators

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def make(document: FlatDocument | None = None, steps: int = 3000) -> Maker:
    documents = {"urn:0": document or FlatDocument(True)}
    pool = Pool(documents)
    return Maker(pool, Signatures(pool), Validators(documents), Budget(steps, 10))


def find(left: Any, right: Any, pins: dict[str | int, Any] | None = None) -> Any:
    maker = make()
    nodes = (maker.pool.make(left),), (maker.pool.make(right),)
    return next(maker.make(*nodes, pins), LookupError)


@pytest.mark.parametrize(
    ("left", "right", "value"),
    [
        (True, False, None),
        (False, False, LookupError),
        (TEXT, TEXT, LookupError),
        ({"const": {"a": 1}}, False, {"a": 1}),
        ({"type": "boolean"}, {"const": False}, True),
        ({**NUMBER, "minimum": 3, "multipleOf": 2}, False, 4),
        ({**NUMBER, "exclusiveMinimum": 0, "exclusiveMaximum": 1}, False, 0.5),
        ({**NUMBER}, {"type": "integer"}, 0.5),
        ({**TEXT, "minLength": 2}, False, "aa"),
        ({**TEXT, "pattern": "^x{3}$"}, False, "xxx"),
        ({**TEXT, "pattern": "^x{3}$"}, {"minLength": 2}, LookupError),
        ({"type": "array", "minItems": 2, "items": {"const": 1}}, False, [1, 1]),
        ({"type": "array"}, {"uniqueItems": True}, [None, None]),
        (
            {"type": "array", "prefixItems": [TEXT, NUMBER], "items": False, "minItems": 2},
            False,
            ["a", 0],
        ),
        (
            {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 2},
            False,
            [1, 2],
        ),
        ({"type": "array", "maxItems": 0}, {"maxItems": 3}, LookupError),
        ({"type": "object", "required": ["a"], "properties": {"a": TEXT}}, False, {"a": "a"}),
        (
            {"type": "object", "properties": {"a": TEXT}},
            {"properties": {"a": {"maxLength": 1}}},
            {"a": "aa"},
        ),
        ({"type": "object", "additionalProperties": False}, {"maxProperties": 0}, LookupError),
        (
            {
                "type": "object",
                "patternProperties": {"^x": TEXT},
                "additionalProperties": False,
                "minProperties": 1,
            },
            False,
            {"x": "a"},
        ),
        (
            {"type": "object", "required": ["a"], "maxProperties": 1},
            {"required": ["b"]},
            {"a": None},
        ),
        ({"type": "object"}, {"propertyNames": {"maxLength": 2}}, {"aaa": None}),
        ({"oneOf": [TEXT, {"const": "a"}]}, False, "b"),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
            False,
            {"a": None},
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
            {"required": ["a"]},
            {"b": None},
        ),
        ({"if": TEXT, "then": {"minLength": 3}, "else": False}, False, "aaa"),
        (
            {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}},
            {"not": {"required": ["a"]}},
            {"a": None, "b": None},
        ),
        (TEXT, {"if": {"maxLength": 3}, "then": {"minLength": 2}}, "a"),
        (TEXT, {"if": {"maxLength": 3}, "else": {"maxLength": 5}}, "aaaaaa"),
        (NUMBER, {"oneOf": [{"minimum": 0}, {"maximum": 5}]}, 0),
    ],
)
def test_a_small_value_is_made_that_one_accepts_and_another_refuses(
    left: Any, right: Any, value: Any
) -> None:
    assert find(left, right) == value


def test_what_is_pinned_stays() -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"b": NUMBER}}
    assert find(schema, False, {"a": [1]}) == {"a": [1], "b": 0}
    assert find({"type": "array", "minItems": 3}, False, {1: "x"}) == [None, "x", None]
    assert find(TEXT, False, {"a": 1}) is LookupError
    assert find({"type": "object"}, {"required": ["a"]}, {"a": 1}) is LookupError


def test_many_different_values_are_made_where_they_are_wanted() -> None:
    item = {"type": "object", "properties": {"a": TEXT, "b": NUMBER}, "required": ["a"]}
    made = find({"type": "array", "items": item, "uniqueItems": True, "minItems": 40}, False)
    assert len(made) == 40


@pytest.mark.parametrize(
    ("schema", "keyword", "count"),
    [
        ({"items": {"type": "array", "minItems": 9, "items": TEXT}}, "minItems", 30_000),
        ({"prefixItems": [TEXT, NUMBER], "items": TEXT}, "minItems", 30_000),
        ({"contains": NUMBER}, "minContains", 30_000),
        ({"additionalProperties": NUMBER}, "minProperties", 30_000),
        ({"propertyNames": {"pattern": "^a[0-9]+$"}}, "minProperties", 3000),
        ({"patternProperties": {"^x": NUMBER, "y": TEXT}}, "minProperties", 3000),
        (
            {"patternProperties": {"^1": NUMBER}, "additionalProperties": False},
            "minProperties",
            3000,
        ),
        ({}, "minLength", 100_000),
    ],
)
def test_as_much_is_made_as_must_be_there(schema: Any, keyword: str, count: int) -> None:
    kind = {"minProperties": "object", "minLength": "string"}.get(keyword, "array")
    assert len(find({"type": kind, **schema, keyword: count}, False)) == count


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "minItems": 10**12},
        {
            "type": "array",
            "minItems": 10**4,
            "items": {
                "type": "array",
                "minItems": 10**4,
                "items": {"type": "array", "minItems": 9},
            },
        },
        {"type": "array", "minItems": 10**4, "uniqueItems": True},
        {"type": "object", "minProperties": 10**12},
        {"type": "object", "minProperties": 500, "propertyNames": {"pattern": "^[a-z]$"}},
        {"type": "string", "minLength": 10**12},
    ],
)
def test_what_is_longer_than_is_worth_its_time_is_not_made(schema: Any) -> None:
    assert find(schema, False) is LookupError


def test_a_pinned_member_decides_which_branch_is_meant() -> None:
    branches = [
        {"type": "object", "properties": {"k": {"const": tag}, "v": value}, "required": ["k"]}
        for tag, value in (("a", NUMBER), ("b", TEXT))
    ]
    assert find({"oneOf": branches}, False, {"v": "x"}) == {"k": "b", "v": "x"}


def test_a_recursive_schema_is_left_as_soon_as_it_can_be() -> None:
    node = {"anyOf": [{"type": "array", "items": {"$ref": "#"}, "minItems": 1}, {"const": 0}]}
    maker = make(FlatDocument(node))
    assert maker.find_some((maker.pool.get("urn:0#"),), (), 1) in ([0], [[0]])


def test_a_budget_ends_the_making() -> None:
    maker = make(steps=3)
    node = maker.pool.make({"type": "object", "required": list("abcdefgh")})
    with pytest.raises(ExhaustedError):
        list(maker.make((node,), ()))


@given(st.integers(0, 2**32))
def test_every_value_that_is_made_is_accepted(seed: int) -> None:
    rng = random.Random(seed)
    document = make_document(make_random(rng))
    maker = make(document)
    node = maker.pool.get("urn:0#")
    try:
        made = maker.find_some((node,), (), 12)
    except ExhaustedError:
        return
    assert all(maker.validators.refer("urn:0#").is_valid(value) for value in made)
