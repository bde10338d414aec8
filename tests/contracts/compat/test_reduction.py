"""Reductions: every schema counts as a large one here, so that small ones can be looked at."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from compat_schemas import make_schema
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.bundle import refer
from pi_contracts.contracts.compat import reduction as module
from pi_contracts.contracts.compat import unchanged
from pi_contracts.contracts.compat.decide import Decider, Verdict
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.reduction import Reduction
from pi_contracts.contracts.compat.unchanged import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

A, B, C = {"type": "string"}, {"type": "integer"}, {"type": "number"}
LONG = {"enum": [f"value {index}" for index in range(500)]}


@pytest.fixture(autouse=True)
def everything_is_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unchanged, "LARGE", -1)
        yield


def reduce(sender: Any, receiver: Any) -> Reduction:
    documents = {"urn:a": make_document(sender), "urn:b": make_document(receiver)}
    return Reduction(documents, Texts(documents), ("urn:a", "#"), ("urn:b", "#"))


@pytest.mark.parametrize(
    ("sender", "receiver", "left", "right"),
    [
        (True, {"type": "object"}, True, {"type": "object"}),
        ({"title": "x", **A}, A, A, {}),
        (
            {"properties": {"a": A, "b": B}},
            {"properties": {"a": A, "b": C}},
            {"properties": {"b": {"type": "integer"}}},
            {"properties": {"b": {"type": "number"}}},
        ),
        (
            {"properties": {"a": A}, "additionalProperties": False},
            {"properties": {"a": A}, "additionalProperties": C},
            {"properties": {"a": True}, "additionalProperties": False},
            {"properties": {"a": True}, "additionalProperties": C},
        ),
        (
            {"patternProperties": {"a": A}, "additionalProperties": False},
            {"patternProperties": {"a": C}, "additionalProperties": False},
            {"patternProperties": {"a": A}},
            {"patternProperties": {"a": C}},
        ),
        (
            {"dependentRequired": {"a": ["b"], "c": ["d"]}},
            {"dependentRequired": {"a": ["b"], "c": ["e"]}},
            {"dependentRequired": {"c": ["d"]}},
            {"dependentRequired": {"c": ["e"]}},
        ),
        (
            {"dependentSchemas": {"a": {"required": ["b"]}, "c": True}},
            {"dependentSchemas": {"a": {"required": ["b"]}, "c": False}},
            {"dependentSchemas": {"c": True}},
            {"dependentSchemas": {"c": False}},
        ),
        (
            {"required": ["a", "b", "c"], "properties": {"b": B}},
            {"required": ["a", "b", "d"], "properties": {"b": C}},
            {"required": ["b", "c"], "properties": {"b": B}},
            {"required": ["d"], "properties": {"b": C}},
        ),
        ({"allOf": [A, B]}, {"allOf": [C, A]}, {"allOf": [B]}, {"allOf": [C]}),
        ({"allOf": [A]}, {"allOf": [A]}, {}, {}),
        (
            {"prefixItems": [A, B, A]},
            {"prefixItems": [A, C, A]},
            {"prefixItems": [True, B]},
            {"prefixItems": [True, C]},
        ),
        (
            {"prefixItems": [A], "items": B},
            {"prefixItems": [A], "items": C},
            {"prefixItems": [True], "items": B},
            {"prefixItems": [True], "items": C},
        ),
        ({"prefixItems": [A], "items": B}, {"prefixItems": [A], "items": B}, {}, {}),
        (
            {"prefixItems": [A], "items": B},
            {"items": B},
            {"prefixItems": [A], "items": B},
            {"items": B},
        ),
        (
            {"if": A, "then": B, "minimum": 1},
            {"if": A, "then": B},
            {"if": A, "then": B, "minimum": 1},
            {},
        ),
        (
            {"contains": A},
            {"contains": A, "maxContains": 2},
            {"contains": A},
            {"contains": A, "maxContains": 2},
        ),
        ({"anyOf": [LONG, A], "minLength": 1}, {"anyOf": [LONG, A]}, {"minLength": 1}, {}),
        (
            {"$ref": "#/$defs/x", "$defs": {"x": {"items": {"$ref": "#/$defs/x"}, **A}}},
            {"$ref": "#/$defs/x", "$defs": {"x": {"items": {"$ref": "#/$defs/x"}, **B}}},
            {
                "items": {"$ref": "#/$defs/x"},
                **A,
                "$defs": {"x": {"items": {"$ref": "#/$defs/x"}, **A}},
            },
            {
                "items": {"$ref": "#/$defs/x"},
                **B,
                "$defs": {"x": {"items": {"$ref": "#/$defs/x"}, **B}},
            },
        ),
    ],
)
def test_what_both_say_alike_is_left_out(sender: Any, receiver: Any, left: Any, right: Any) -> None:
    reduced = reduce(sender, receiver)
    assert (reduced.sender.value, reduced.receiver.value) == (left, right)


@pytest.mark.parametrize(
    ("sender", "receiver", "value", "completed"),
    [
        (
            {"required": ["a", "b"], "properties": {"a": A, "b": B, "c": B}},
            {"required": ["a", "b"], "properties": {"a": A, "b": B, "c": C}},
            {"c": 1},
            {"c": 1, "a": "", "b": 0},
        ),
        ({"prefixItems": [A, B]}, {"prefixItems": [A, C]}, [None, 1, 2], ["", 1, 2]),
        ({"items": A, "minItems": 1}, {"items": A, "minItems": 2}, [None], [""]),
        (
            {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {**C, "minimum": 2}}},
            {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {**C, "minimum": 3}}},
            {"a": 2, "b": []},
            {"a": 2, "b": []},
        ),
    ],
)
def test_what_was_left_out_is_put_in_again(
    sender: Any, receiver: Any, value: Any, completed: Any
) -> None:
    assert reduce(sender, receiver).complete(value) == completed


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": A}},
        {
            "allOf": [{"$ref": f"#/$defs/{index}"} for index in range(3)],
            "$defs": {str(index): A for index in range(3)},
        },
        {"enum": [f"a value among very many of them: {index}" for index in range(9000)]},
    ],
    ids=["no definition", "too many definitions", "too large"],
)
def test_what_cannot_be_made_small_is_not_reduced(
    monkeypatch: pytest.MonkeyPatch, schema: Any
) -> None:
    monkeypatch.setattr(module, "_MOST_DEFINITIONS", 2)
    with pytest.raises(LookupError):
        reduce(schema, False)


@pytest.mark.parametrize("name", ["plain", "two words", "größe", "a/b~c", "50%"])
def test_definitions_are_found_again_whatever_their_names(name: str) -> None:
    schemas = [
        {"anyOf": [{"$ref": refer(name)}, one], "$defs": {name: {"items": one}}} for one in (A, B)
    ]
    reduction = reduce(*schemas)
    assert (reduction.sender.value, reduction.receiver.value) == (schemas[0], schemas[1])
    assert judge(*schemas).has_witness


def wrap(schema: Any, way: int) -> Any:
    """Return a schema that holds another one among what always is the same."""
    named = {f"f{index}": {**B, "minimum": index} for index in range(4)}
    around: list[Any] = [
        schema,
        {"type": "object", "properties": {**named, "a": schema}, "required": ["f1", "a"]},
        {"type": "array", "prefixItems": [B, schema], "items": A},
        {"allOf": [{"properties": named}, schema]},
        {"type": "object", "properties": {**named, "a": schema}, "additionalProperties": False},
        {"dependentSchemas": {"a": schema, "b": {"required": ["f1"]}}, "properties": named},
        {"patternProperties": {"^a": schema, "^z": True}, "additionalProperties": B},
    ]
    return around[way % len(around)]


def judge(sender: Any, receiver: Any) -> Verdict:
    documents = {"urn:a": make_document(sender), "urn:b": make_document(receiver)}
    return Decider(documents).decide("urn:a#", "urn:b#")


@given(st.integers(0, 2**32))
def test_large_schemas_are_judged_as_small_ones_are(seed: int) -> None:
    rng = random.Random(seed)
    one, other = (wrap(make_schema(rng, 2), seed) for _ in range(2))
    verdict = judge(one, other)
    if verdict.has_witness:
        assert jsonschema_rs.Draft202012Validator(one).is_valid(verdict.witness)
        assert not jsonschema_rs.Draft202012Validator(other).is_valid(verdict.witness)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unchanged, "LARGE", 250_000)
        kinds = {judge(one, other).kind.value, verdict.kind.value} - {"undecided"}
    assert len(kinds) <= 1


@pytest.mark.parametrize(
    ("sender", "receiver", "kind"),
    [
        ({"type": "object"}, {"dependentRequired": {"a": ["b"]}}, "breaking-undeclared"),
        (
            {"allOf": [{"properties": {"f": B}}, {"allOf": [{"const": {"c": 3}}]}]},
            {"allOf": [{"properties": {"f": B}}, {"allOf": [{"type": "boolean"}]}]},
            "breaking-undeclared",
        ),
        (
            {"properties": {"a": {"const": {}}, "b": B}, "required": ["a"]},
            {"properties": {"a": {"const": {}}, "b": A}, "required": ["a"]},
            "breaking",
        ),
        (
            {"type": "object", "additionalProperties": {"title": "anything"}},
            {"type": "object", "additionalProperties": {"title": "anything"}, "minProperties": 1},
            "breaking",
        ),
        (
            {"additionalProperties": {"title": "x"}},
            {"additionalProperties": {"title": "y"}},
            "compatible",
        ),
        ({"type": "object", "not": {"additionalProperties": {"title": "x"}}}, False, "compatible"),
        ({"type": "array", "not": {"items": {"title": "x"}}}, False, "compatible"),
        (
            {"unevaluatedProperties": False, "properties": {"a": B}},
            {"properties": {"a": C}},
            "compatible",
        ),
    ],
)
def test_declared_members_and_open_parts_count_as_in_small_schemas(
    sender: Any, receiver: Any, kind: str
) -> None:
    assert judge(sender, receiver).kind.value == kind
