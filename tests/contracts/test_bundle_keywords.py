"""Of each keyword in each draft: bundles are judged like the documents that they are made of."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.catalogue import Catalogue
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import ANNOTATIONS, KEYWORDS, Dialect, Draft, find_draft
from pi_contracts.contracts.findings import Severity
from pi_contracts.contracts.keywords import check_keywords
from pi_contracts.contracts.meta_schemas import check_by_meta_schema
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.source import parse_source

D4, D6, D7, D19, D20 = Draft
BASE = "http://x/"
STRING = {"type": "string"}
SCHEMAS: dict[str, list[dict[str, Any]]] = {
    "$anchor": [{"$ref": "#x", "$defs": {"q": {"$anchor": "x", "type": "string"}}}],
    "$defs": [{"$ref": "#/$defs/a", "$defs": {"a": STRING}}],
    "$dynamicAnchor": [{"$dynamicAnchor": "m", "properties": {"a": {"$dynamicRef": "#m"}}}],
    "$dynamicRef": [{"type": "object", "properties": {"a": {"$dynamicRef": "#"}}}],
    "$id": [
        {"$ref": "http://e/x", "definitions": {"q": {"$id": "http://e/x", "type": "string"}}},
        {"$ref": "#foo", "definitions": {"q": {"$id": "#foo", "type": "string"}}},
    ],
    "$recursiveAnchor": [{"$recursiveAnchor": True, "items": {"$recursiveRef": "#"}}],
    "$recursiveRef": [{"type": "object", "properties": {"a": {"$recursiveRef": "#"}}}],
    "$ref": [{"$ref": "#/definitions/a", "definitions": {"a": {}}, "type": "string"}],
    "additionalItems": [
        {"additionalItems": False},
        {"additionalItems": False, "items": STRING},
        {"additionalItems": STRING, "items": [STRING]},
        {"additionalItems": False, "prefixItems": [STRING]},
        {"allOf": [{"items": [{}], "additionalItems": STRING}], "unevaluatedItems": False},
    ],
    "additionalProperties": [{"additionalProperties": False, "properties": {"a": {}}}],
    "allOf": [{"allOf": [STRING]}],
    "anyOf": [{"anyOf": [STRING, {"minimum": 2}]}],
    "const": [{"const": 1}, {"const": None}],
    "contains": [{"contains": STRING}, {"contains": STRING, "unevaluatedItems": False}],
    "contentEncoding": [{"contentEncoding": "base64"}],
    "contentMediaType": [{"contentMediaType": "application/json"}],
    "contentSchema": [{"contentMediaType": "application/json", "contentSchema": {"type": "null"}}],
    "definitions": [{"$ref": "#/definitions/a", "definitions": {"a": STRING}}],
    "dependencies": [
        {"dependencies": {"a": ["b"]}},
        {"dependencies": {"a": {"required": ["b"]}, "b": ["a"]}},
        {"dependencies": {"a": {"properties": {"b": {"dependencies": {"a": ["b"]}}}}}},
        {"dependencies": {"a": False}},
        {"dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"], "c": ["b"]}},
        {
            "dependencies": {"a": {"required": ["b"]}},
            "dependentSchemas": {"a": {"maxProperties": 2}},
        },
        {"dependencies": {"a": True}, "dependentSchemas": {"a": {"required": ["b"]}}},
        {
            "properties": {"a": {}},
            "dependencies": {"a": {"properties": {"b": {}}}},
            "unevaluatedProperties": False,
        },
    ],
    "dependentRequired": [{"dependentRequired": {"a": ["b"]}}],
    "dependentSchemas": [{"dependentSchemas": {"a": {"required": ["b"]}}}],
    "disallow": [{"disallow": "string"}],
    "divisibleBy": [{"divisibleBy": 2}],
    "else": [{"if": {"type": "object"}, "else": {"type": "array"}}],
    "enum": [{"enum": [1, "a", None]}, {"enum": []}],
    "exclusiveMaximum": [{"exclusiveMaximum": 1}, {"maximum": 1, "exclusiveMaximum": True}],
    "exclusiveMinimum": [
        {"exclusiveMinimum": 1},
        {"minimum": 1, "exclusiveMinimum": True},
        {"minimum": 1, "exclusiveMinimum": False},
    ],
    "extends": [{"extends": STRING}],
    "id": [{"$ref": "http://e/x", "definitions": {"q": {"id": "http://e/x", "type": "string"}}}],
    "if": [{"if": STRING, "then": {"maxLength": 1}, "else": {"type": "array"}}],
    "items": [{"items": STRING}, {"items": [STRING]}, {"items": False}, {"items": [{}, STRING]}],
    "maxContains": [{"contains": STRING, "maxContains": 1}, {"maxContains": 0}],
    "maxItems": [{"maxItems": 1}],
    "maxLength": [{"maxLength": 1}],
    "maxProperties": [{"maxProperties": 1}],
    "maximum": [{"maximum": 1}],
    "minContains": [{"contains": STRING, "minContains": 2}, {"contains": STRING, "minContains": 0}],
    "minItems": [{"minItems": 1}],
    "minLength": [{"minLength": 2}],
    "minProperties": [{"minProperties": 1}],
    "minimum": [{"minimum": 2}],
    "multipleOf": [{"multipleOf": 2}],
    "not": [{"not": STRING}],
    "oneOf": [{"oneOf": [STRING, {"minimum": 2}]}],
    "pattern": [{"pattern": "^a$"}],
    "patternProperties": [{"patternProperties": {"^a": STRING}}],
    "prefixItems": [{"prefixItems": [STRING]}, {"prefixItems": [STRING], "items": False}],
    "properties": [{"properties": {"a": STRING}}, {"properties": {"a": False}}],
    "propertyNames": [{"propertyNames": {"pattern": "^a"}}],
    "required": [{"required": ["a"]}, {"properties": {"a": {"required": True}}}],
    "then": [{"if": STRING, "then": {"maxLength": 1}}],
    "type": [{"type": "integer"}, {"type": ["string", "null"]}, {"type": "any"}],
    "unevaluatedItems": [
        {"items": [{}], "unevaluatedItems": False},
        {"prefixItems": [{}], "unevaluatedItems": False},
    ],
    "unevaluatedProperties": [{"properties": {"a": {}}, "unevaluatedProperties": STRING}],
    "uniqueItems": [{"uniqueItems": True}],
}
"""Of each keyword, of whichever draft, schemas in which it stands."""
VALUES: list[Any] = [
    None,
    True,
    1,
    2,
    1.5,
    "",
    "a",
    "!!",
    [],
    [1],
    ["a"],
    [1, "a"],
    ["a", "a"],
    [["a"], "b", 1],
    {},
    {"a": 1},
    {"a": "a"},
    {"a": 1, "b": 1},
    {"a": 1, "c": 1},
    {"a": {"a": 1}, "b": {"a": 1}},
    {"a": 1, "b": "a", "c": 1},
    {"c": "a"},
]
CASES = [(keyword, schema) for keyword, schemas in SCHEMAS.items() for schema in schemas]
LOST = {"contentEncoding", "contentMediaType", "contentSchema"}
"""What only the validators of drafts 6 and 7 check."""


def make_catalogue(files: dict[str, Any]) -> Catalogue:
    catalogue = Catalogue()
    for path, value in files.items():
        draft = find_draft(value.get("$schema", D20.value)) or D20
        source = parse_source(json.dumps(value), path)
        uri = BASE + path
        catalogue.add(Document(uri, uri, path, source, Dialect(draft), "schema"))
    catalogue.settle()
    return catalogue


def judge_bundle(files: dict[str, Any], home: str) -> list[bool]:
    made = make_bundle(make_catalogue(files), {"root": Location(BASE + home, "")}, BASE + home)
    entry = {**made.document, "$ref": made.pointers["root"]}
    validator = jsonschema_rs.validator_for(entry, offline=True)
    return [validator.is_valid(value) for value in VALUES]


@pytest.mark.parametrize("draft", [*Draft, None])
@pytest.mark.parametrize(("keyword", "schema"), CASES)
def test_a_bundle_is_judged_like_the_document_that_it_is_made_of(
    keyword: str, schema: dict[str, Any], draft: Draft | None
) -> None:
    marked = {**schema, "$schema": draft.value} if draft else schema
    catalogue = make_catalogue({"a.json": marked})
    (document,) = catalogue.documents.values()
    findings = (*check_keywords(catalogue, document), *check_by_meta_schema(catalogue, document))
    is_refused = any(one.severity is Severity.ERROR for one in findings)
    is_refused = is_refused or not all(one.target for one in catalogue.get_references())
    try:
        original = jsonschema_rs.validator_for(marked, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        assert is_refused
        return
    assert not is_refused
    expected = [original.is_valid(value) for value in VALUES]
    assert judge_bundle({"a.json": marked}, "a.json") == expected
    if keyword in LOST:
        return
    other = {"$schema": (D7 if draft in {D20, None} else D20).value, "allOf": [{"$ref": "a.json"}]}
    assert judge_bundle({"a.json": marked, "b.json": other}, "b.json") == expected


def test_every_keyword_of_every_draft_is_judged() -> None:
    known = {keyword for keywords in KEYWORDS.values() for keyword in keywords}
    silent = ANNOTATIONS | {"$schema", "$vocabulary", "format"}
    assert known - silent <= SCHEMAS.keys()
