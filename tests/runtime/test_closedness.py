"""A closed schema accepts nothing that is no JSON; what is not surely closed is open."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pi_contracts.runtime.closedness import ClosednessSurvey, measure_levels

MODERN = "https://json-schema.org/draft/2020-12/schema"
S: dict[str, Any] = {"type": "string"}
N: dict[str, Any] = {"type": "null"}

LEVELS: dict[str, tuple[Any, int | None]] = {
    "false": (False, 0),
    "true": (True, None),
    "nothing": ({}, None),
    "scalar": (S, 0),
    "scalars": ({"type": ["integer", "boolean"]}, 0),
    "a bound without a type": ({"minLength": 1}, None),
    "const": ({"const": {"a": [1]}}, 2),
    "enum": ({"enum": [1, "x", [2]]}, 2),
    "open array": ({"type": "array"}, None),
    "array": ({"type": "array", "items": S}, 1),
    "array of anything": ({"type": "array", "items": True}, None),
    "tuple with open rest": ({"type": "array", "prefixItems": [S]}, None),
    "tuple with closed rest": ({"type": "array", "prefixItems": [S, N], "items": False}, 1),
    "tuple of bounded length": ({"type": "array", "prefixItems": [S, N], "maxItems": 2}, 1),
    "empty array": ({"type": "array", "maxItems": 0}, 1),
    "open object": ({"type": "object", "properties": {"a": S}}, None),
    "object": ({"type": "object", "properties": {"a": S}, "additionalProperties": False}, 1),
    "map": ({"type": "object", "additionalProperties": {"type": "array", "items": S}}, 2),
    "object with an open member": (
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        None,
    ),
    "object with an open pattern": (
        {"type": "object", "patternProperties": {"a": {}}, "additionalProperties": False},
        None,
    ),
    "empty object": ({"type": "object", "maxProperties": 0}, 1),
    "open array or closed object": (
        {"type": ["array", "object"], "additionalProperties": False},
        None,
    ),
    "properties without a type": ({"properties": {"a": S}, "additionalProperties": False}, None),
    "reference": ({"$ref": "#/$defs/pair"}, 1),
    "reference beside more": ({"$ref": "#/$defs/any", "type": "string"}, 0),
    "reference into a definition": ({"$ref": "#/$defs/pair/items"}, None),
    "reference to nothing": ({"$ref": "#/$defs/none"}, None),
    "reference of another kind": ({"$ref": "other.json"}, None),
    "recursion": ({"$ref": "#/$defs/tree"}, None),
    "allOf with a closed part": ({"allOf": [{}, S]}, 0),
    "allOf of open parts": ({"allOf": [{}, {"minLength": 1}]}, None),
    "anyOf of closed branches": ({"anyOf": [S, {"$ref": "#/$defs/pair"}]}, 1),
    "oneOf with an open branch": ({"oneOf": [S, {}]}, None),
    "then and else": ({"if": {}, "then": S, "else": {"type": "array", "items": S}}, 1),
    "then alone": ({"if": {}, "then": S}, None),
    "not": ({"not": {}}, None),
    "the tightest of several": (
        {"allOf": [{"$ref": "#/$defs/pair"}, {"type": "array", "items": {"$ref": "#/$defs/pair"}}]},
        1,
    ),
}
ANYTHING: dict[str, Any] = {}
DEFS: dict[str, Any] = {
    "pair": {"type": "array", "items": S},
    "any": {},
    "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
}


@pytest.mark.parametrize(("schema", "levels"), LEVELS.values(), ids=LEVELS)
def test_closed_schemas_have_a_depth_and_open_ones_none(schema: Any, levels: int | None) -> None:
    document = {"$schema": MODERN, "$defs": copy.deepcopy(DEFS)}
    assert ClosednessSurvey(document).find_levels(copy.deepcopy(schema)) == levels


OLDER: dict[str, tuple[str, Any, int | None]] = {
    "tuple": ("draft-07", {"type": "array", "items": [S], "additionalItems": False}, 1),
    "open tuple": ("draft-07", {"type": "array", "items": [S]}, None),
    "list": ("draft-04", {"type": "array", "items": S}, 1),
    "tuple of 2019": ("2019-09", {"type": "array", "items": [S], "additionalItems": N}, 1),
    "prefixItems means nothing": ("2019-09", {"type": "array", "prefixItems": [S]}, None),
    "reference stands alone": ("draft-06", {"$ref": "#/$defs/any", "type": "string"}, None),
    "reference beside more": ("2019-09", {"$ref": "#/$defs/any", "type": "string"}, 0),
}


@pytest.mark.parametrize(("draft", "schema", "levels"), OLDER.values(), ids=OLDER)
def test_older_drafts_close_arrays_in_their_own_way(
    draft: str, schema: Any, levels: int | None
) -> None:
    document = {"$schema": f"https://json-schema.org/{draft}/schema", "$defs": DEFS}
    assert ClosednessSurvey(document).find_levels(copy.deepcopy(schema)) == levels


def test_strings_that_nothing_else_reads_are_made_to_be_read() -> None:
    plain: dict[str, Any] = {"type": "string"}
    patterned: dict[str, Any] = {"type": "string", "pattern": "x"}
    negated: dict[str, Any] = {"type": "string", "not": {"const": "x"}, "allOf": [{}]}
    survey = ClosednessSurvey({"$defs": {}})
    for schema in (plain, patterned, negated, plain, negated):
        survey.find_levels(schema)
    assert "not" in plain
    assert patterned == {"type": "string", "pattern": "x"}
    assert negated["not"] == {"const": "x"}
    for schema in (plain, patterned, negated):
        with pytest.raises(UnicodeEncodeError):
            jsonschema_rs.validator_for({"items": schema}, offline=True).is_valid(["\ud800"])
    assert jsonschema_rs.validator_for(plain, offline=True).is_valid("a")
    assert jsonschema_rs.validator_for(plain, offline=True).is_valid("b")


@pytest.mark.parametrize(("value", "levels"), [(1, 0), ([1], 1), ({"a": [[1]], "b": 1}, 3)])
def test_levels_of_a_value_are_counted(value: object, levels: int) -> None:
    assert measure_levels(value) == levels


def schemas_and_values() -> st.SearchStrategy[tuple[Any, Any]]:
    """Return pairs of a schema and a value that it accepts."""
    scalars: st.SearchStrategy[tuple[Any, Any]] = st.one_of(
        st.tuples(st.just({"type": "string"}), st.text(st.characters(codec="utf-8"), max_size=3)),
        st.tuples(st.just({"type": "integer"}), st.integers()),
        st.tuples(
            st.just({"type": ["number", "null"]}), st.floats(allow_nan=False, allow_infinity=False)
        ),
        st.tuples(
            st.just({"enum": ["a", [1], {"b": None}]}), st.sampled_from(["a", [1], {"b": None}])
        ),
        st.tuples(st.just(ANYTHING), st.booleans()),
    )

    def extend(inner: st.SearchStrategy[tuple[Any, Any]]) -> st.SearchStrategy[tuple[Any, Any]]:
        arrays = inner.map(lambda p: ({"type": "array", "items": p[0]}, [p[1], p[1]]))
        objects = st.tuples(inner, inner, st.booleans()).map(
            lambda t: (
                {
                    "type": "object",
                    "properties": {"x": t[0][0], "y": t[1][0]},
                    **({"additionalProperties": False} if t[2] else {}),
                },
                {"x": t[0][1], "y": t[1][1]},
            )
        )
        maps = inner.map(
            lambda p: ({"type": "object", "additionalProperties": p[0]}, {"k": p[1], "l": p[1]})
        )
        unions = st.tuples(inner, inner).map(lambda t: ({"anyOf": [t[0][0], t[1][0]]}, t[1][1]))
        return st.one_of(arrays, objects, maps, unions)

    return st.recursive(scalars, extend, max_leaves=6)


def plant(value: Any, foreign: object) -> list[Any]:
    """Return copies of *value*, each with *foreign* in another place."""
    found: list[Any] = [foreign]
    places: list[Any] = []
    if hasattr(value, "keys"):
        places = list(value)
    elif hasattr(value, "append"):
        places = list(range(len(value)))
    for place in places:
        for inner in plant(value[place], foreign):
            changed = copy.copy(value)
            changed[place] = inner
            found.append(changed)
    return found


@settings(max_examples=150, deadline=None)
@given(
    schemas_and_values(),
    st.sampled_from(["\ud800", math.nan, b"x", {1}, object(), {1: 2}, {"\ud800": 1}]),
)
def test_a_closed_schema_accepts_nothing_that_is_no_json(
    pair: tuple[Any, Any], foreign: object
) -> None:
    schema = json.loads(json.dumps(pair[0]))
    if ClosednessSurvey({"$schema": MODERN}).find_levels(schema) is None:
        return
    validator = jsonschema_rs.validator_for(schema, offline=True)
    assert validator.is_valid(pair[1])
    for value in plant(pair[1], foreign):
        try:
            accepted = validator.is_valid(value)
        except ValueError:
            accepted = False
        assert not accepted, (schema, value)


@pytest.mark.parametrize(
    "draft",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        MODERN,
    ],
)
def test_reading_strings_refuses_none_but_those_with_lone_surrogates(draft: str) -> None:
    document = {"$schema": draft, "type": "array", "items": {"type": "string"}}
    assert ClosednessSurvey(document).find_levels(document) == 1
    validator = jsonschema_rs.validator_for(document)
    for text in ("", "a", "b", "\0", "\U0001f680"):
        assert validator.is_valid([text])
    with pytest.raises(ValueError, match="surrogates not allowed"):
        validator.is_valid(["\ud800"])
