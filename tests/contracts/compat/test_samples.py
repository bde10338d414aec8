from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat.flat import FlatDocument
from pi_contracts.contracts.compat.samples import Sampler

TREE = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/tree"}, "b": {"$ref": "#/$defs/tree"}},
    "required": ["b", "a"],
}
RING = {"$ref": "#/$defs/ring"}
ROOT = FlatDocument({"$defs": {"a": {"type": "boolean"}, "ring": RING, "tree": TREE}})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (True, None),
        ({}, None),
        ({"type": []}, None),
        ({"$ref": "#/$defs/a"}, False),
        ({"const": 4, "type": "integer"}, 4),
        ({"enum": [[1], "b", "c"]}, "b"),
        ({"anyOf": [{"type": "string", "minLength": 2}, True]}, "aa"),
        ({"type": ["null", "string"]}, None),
        ({"type": "number", "minimum": 3}, 3),
        ({"type": "number", "exclusiveMinimum": 3}, 4),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": True},
                "required": ["a", "c"],
            },
            {"a": "", "c": None},
        ),
        (
            {"type": "array", "minItems": 3, "prefixItems": [{"const": 1}], "items": {"const": 2}},
            [1, 2, 2],
        ),
        ({"type": "array", "minItems": 1, "prefixItems": [{"const": 1}, False]}, [1]),
    ],
)
def test_a_sample_is_what_a_schema_says_in_so_many_words(schema: Any, value: Any) -> None:
    assert Sampler(ROOT).make(schema) == value


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"const": {"a": 1}},
        {"$ref": "#/$defs/ring"},
        {"$ref": "#/$defs/tree"},
        {"type": "string", "minLength": 10**12},
        {"type": "array", "minItems": 10**12},
        {"type": "array", "minItems": 10**4, "items": {"type": "array", "minItems": 10**4}},
    ],
)
def test_no_sample_is_given_where_none_is_seen_at_once(schema: Any) -> None:
    with pytest.raises(LookupError):
        Sampler(ROOT).make(schema)
