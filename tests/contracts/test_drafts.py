from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.drafts import (
    ANNOTATIONS,
    KEYWORDS,
    VOCABULARIES,
    Draft,
    find_draft,
    modernize,
    subschemas,
)

D4, D6, D7, D19, D20 = Draft
INSIDE: list[tuple[Draft, Any, list[tuple[str, ...]]]] = [
    (D20, True, []),
    (D20, {"not": {}, "title": {}, "const": {}}, [("not",)]),
    (D20, {"allOf": [{}, True, 5], "anyOf": {}}, [("allOf", "0"), ("allOf", "1")]),
    (D20, {"properties": {"a/b": {}, "c": []}, "not": 5}, [("properties", "a/b")]),
    (D20, {"items": [{}], "additionalItems": {}}, []),
    (D19, {"items": [{}], "additionalItems": {}}, [("items", "0"), ("additionalItems",)]),
    (D7, {"items": {}, "$defs": {"a": {}}}, [("items",)]),
    (
        D20,
        {"definitions": {"a": {}}, "dependencies": {"a": ["b"], "b": {}}},
        [("definitions", "a"), ("dependencies", "b")],
    ),
    (D7, {"$ref": "#", "definitions": {"a": {}}}, [("definitions", "a")]),
    (D4, {"if": {}, "contains": {}}, []),
]
MODERN: list[tuple[Draft, dict[str, Any], dict[str, Any]]] = [
    (D20, {"dependencies": {"a": []}}, {"dependentRequired": {"a": []}}),
    (D4, {"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
    (D4, {"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
    (D4, {"exclusiveMinimum": True}, {}),
    (D6, {"exclusiveMinimum": 1, "minimum": 2}, {"exclusiveMinimum": 1, "minimum": 2}),
    (D7, {"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
    (D7, {"items": [{}]}, {"prefixItems": [{}]}),
    (D7, {"items": [], "additionalItems": False}, {"items": False}),
    (D7, {"items": {}, "additionalItems": False}, {"items": {}}),
    (
        D7,
        {"dependencies": {"a": ["b"], "c": {}}},
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {}}},
    ),
    (
        D19,
        {"dependencies": {"a": ["b"]}, "dependentRequired": {"c": []}},
        {"dependentRequired": {"a": ["b"], "c": []}},
    ),
    (
        D20,
        {"dependencies": {"a": ["b", "c"], "c": ["a"]}, "dependentRequired": {"a": ["d", "b"]}},
        {"dependentRequired": {"a": ["d", "b", "c"], "c": ["a"]}},
    ),
    (
        D20,
        {"dependencies": {"a": False, "c": True}, "dependentSchemas": {"a": {}}},
        {"dependentSchemas": {"a": {"allOf": [{}, False]}, "c": True}},
    ),
    (D20, {"dependencies": {}, "items": {}}, {"items": {}}),
    (D20, {"items": {}}, {"items": {}}),
]
VALUES: list[Any] = [None, 1, 2, 1.5, "a", [], [1], ["a", 2], {}, {"a": 1}, {"a": 1, "b": 2}]


@pytest.mark.parametrize("draft", Draft)
@pytest.mark.parametrize("scheme", ["http:", "https:"])
@pytest.mark.parametrize("end", ["", "#"])
def test_a_draft_is_found_by_its_uri_in_any_spelling(draft: Draft, scheme: str, end: str) -> None:
    uri = draft.value.rstrip("#").partition(":")[2]
    assert find_draft(scheme + uri + end) is draft


def test_another_draft_is_not_found() -> None:
    assert find_draft("http://json-schema.org/draft-03/schema#") is None


def test_a_draft_knows_its_label_its_identifier_and_its_references() -> None:
    assert [draft.label for draft in Draft] == [
        "draft 4",
        "draft 6",
        "draft 7",
        "2019-09",
        "2020-12",
    ]
    assert [draft.id_keyword for draft in Draft] == ["id", *["$id"] * 4]
    assert [draft.has_lone_refs for draft in Draft] == [True, True, True, False, False]


@pytest.mark.parametrize(("draft", "schema", "expected"), INSIDE)
def test_the_schemas_inside_are_those_that_the_draft_knows(
    draft: Draft, schema: Any, expected: list[tuple[str, ...]]
) -> None:
    assert [tokens for tokens, _ in subschemas(schema, draft)] == expected


@pytest.mark.parametrize(("draft", "old", "new"), MODERN)
def test_old_keywords_have_words_in_2020_12_that_mean_the_same(
    draft: Draft, old: dict[str, Any], new: dict[str, Any]
) -> None:
    before = repr(old)
    assert modernize(old, draft) == new
    assert repr(old) == before
    if "exclusiveMinimum" in old and "minimum" not in old:
        return  # draft 4 refuses this one
    if old.get("items") == []:
        return  # every draft refuses this one
    original = jsonschema_rs.validator_for({**old, "$schema": draft.value}, offline=True)
    modern = jsonschema_rs.Draft202012Validator(new, offline=True)
    assert [modern.is_valid(one) for one in VALUES] == [original.is_valid(one) for one in VALUES]


def test_keywords_of_vocabularies_are_keywords_and_annotations_are_in_none() -> None:
    known = {*KEYWORDS[D19], *KEYWORDS[D20]}
    for keywords in VOCABULARIES.values():
        assert keywords <= known
        assert keywords.isdisjoint(ANNOTATIONS)
