from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from compat_schemas import make_document as make_random
from compat_schemas import make_value
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.compat.flat import FlatDocument, make_document
from pi_contracts.contracts.compat.nodes import AnyOf, Never, Not, Opaque, Types
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.spelling import to_schema
from pi_contracts.contracts.compat.validators import Validators

TEXT = {"type": "string"}


def make(*schemas: Any) -> Pool:
    return Pool({f"urn:{index}": make_document(schema) for index, schema in enumerate(schemas)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, {}),
        (True, {"title": "anything", "minLength": 0, "uniqueItems": False, "required": []}),
        (True, {"anyOf": [TEXT, True]}),
        (True, {"not": False}),
        (True, {"properties": {"a": True}, "patternProperties": {"a": {}}, "items": {}}),
        (True, {"type": ["string", "number", "null", "object", "array", "boolean", "integer"]}),
        (True, {"contains": False, "minContains": 0}),
        (True, {"unevaluatedProperties": True}),
        (False, {"not": {}}),
        (False, {"type": []}),
        (False, {"enum": []}),
        (False, {"allOf": [TEXT, False]}),
        (False, {"anyOf": [False]}),
        (False, {"oneOf": [False, False]}),
        (TEXT, {"allOf": [TEXT, {"minLength": 0}]}),
        (TEXT, {"anyOf": [False, TEXT, TEXT]}),
        (TEXT, {"oneOf": [TEXT, False]}),
        (TEXT, {"not": {"not": TEXT}}),
        (TEXT, {"if": True, "then": TEXT, "else": False}),
        (TEXT, {"if": {"const": 1}, "then": TEXT, "else": TEXT}),
        ({"enum": [1, 2]}, {"enum": [2.0, 1, 1]}),
        (
            {"anyOf": [{"anyOf": [TEXT, {"const": 1}]}, {"const": None}]},
            {"anyOf": [{"const": None}, {"const": 1}, TEXT]},
        ),
        ({"minItems": 1}, {"contains": True}),
        ({"maxItems": 2}, {"contains": {}, "minContains": 0, "maxContains": 2}),
        ({"maxProperties": 0}, {"propertyNames": False}),
        ({"additionalProperties": TEXT}, {"additionalProperties": TEXT, "properties": {"a": TEXT}}),
        ({"items": TEXT}, {"items": TEXT, "prefixItems": [TEXT, TEXT]}),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        ),
        ({"$defs": {"A": TEXT}, "$ref": "#/$defs/A"}, TEXT),
        (
            {"properties": {"a": {"$ref": "#"}}},
            {"title": "same", "properties": {"a": {"$ref": "#"}}},
        ),
    ],
)
def test_schemas_that_say_the_same_are_one_node(one: Any, other: Any) -> None:
    pool = make(one, other)
    assert pool.get("urn:0#") is pool.get("urn:1#")


def test_recursive_definitions_are_told_apart_by_what_they_reach() -> None:
    def chain(last: Any) -> dict[str, Any]:
        return {
            "$defs": {
                "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
                "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "v": last}},
            }
        }

    pool = make(chain(TEXT), chain(TEXT), chain({"type": "null"}))
    first, second, third = (pool.get(f"urn:{index}#/$defs/A") for index in range(3))
    assert first is second
    assert first is not third


def test_formats_count_where_they_are_checked() -> None:
    schema = {"format": "date"}
    pool = Pool({"urn:0": FlatDocument(schema), "urn:1": FlatDocument(schema, asserts_format=True)})
    assert pool.get("urn:0#") is pool.true
    assert pool.get("urn:1#").schema == schema


def test_connectives_of_nodes_are_simplified() -> None:
    pool = make(True)
    text = pool.make(TEXT)
    assert pool.join(()) is pool.true
    assert pool.join((text, text)) is text
    assert pool.join((text, pool.false)) is pool.false
    assert pool.either(()) is pool.false
    assert pool.either((text,)) is text
    assert pool.negate(pool.true) is pool.false
    assert pool.negate(pool.false) is pool.true
    assert pool.negate(pool.negate(text)) is text
    assert isinstance(pool.negate(text).atoms[0], Not)
    assert isinstance(pool.either((text, pool.make({"const": 1}))).atoms[0], AnyOf)
    assert pool.single(Never()).atoms == (Never(),)


@pytest.mark.parametrize(
    ("types", "schema"),
    [
        ({"integer", "fraction"}, {"type": "number"}),
        ({"integer", "null"}, {"type": ["null", "integer"]}),
        ({"fraction"}, {"type": "number", "not": {"type": "integer"}}),
        ({"null", "fraction", "integer"}, {"anyOf": [{"type": ["null"]}, {"type": "number"}]}),
    ],
)
def test_types_are_spelled_as_schemas_have_them(types: set[str], schema: Any) -> None:
    assert to_schema(Types(frozenset(types))) == schema


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"properties": {f"p{index}": TEXT}} for index in range(9)]},
        {"allOf": [{"oneOf": [{"required": [f"{i}{j}"]} for i in range(6)]} for j in range(3)]},
        {
            "properties": {"a": {"$ref": "#"}},
            "allOf": [{"if": {"required": ["a"]}, "then": {"$ref": "#/$defs/X"}}],
            "$defs": {"X": {"anyOf": [{"properties": {f"p{index}": TEXT}} for index in range(5)]}},
        },
    ],
    ids=["branches", "ways", "behind a reference"],
)
def test_unevaluated_members_with_too_many_ways_are_not_taken_apart(schema: Any) -> None:
    pool = make({**schema, "unevaluatedProperties": False})
    assert any(isinstance(atom, Opaque) for atom in pool.get("urn:0#").atoms)


@given(st.integers(0, 2**32))
def test_a_node_says_what_its_schema_says(seed: int) -> None:
    import random

    rng = random.Random(seed)
    schema = make_random(rng)
    documents = {"urn:0": make_document(schema)}
    pool = Pool(documents)
    validators = Validators(documents)
    node = pool.get("urn:0#")
    rebuilt = validators.compile(
        {"allOf": [to_schema(atom) for atom in node.atoms]} if node.atoms else True
    )
    original = jsonschema_rs.Draft202012Validator(schema)
    for _ in range(60):
        value = make_value(rng)
        assert (
            rebuilt.is_valid(value) == original.is_valid(value) == validators.accepts(node, value)
        )
