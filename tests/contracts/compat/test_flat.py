from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.compat.decide import Kind, decide
from pi_contracts.contracts.compat.flat import (
    FlatDocument,
    FlatSchema,
    absolve,
    make_absolute,
    make_document,
    make_schemas,
)
from pi_contracts.contracts.model import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT4 = "http://json-schema.org/draft-04/schema#"


@pytest.mark.parametrize(
    ("pointer", "found"),
    [("#", {}), ("#/items/1", False), ("#/properties/a~1b", True), ("#/properties/%25", False)],
)
def test_a_pointer_leads_to_a_schema(pointer: str, found: Any) -> None:
    value = {"items": [True, False], "properties": {"a/b": True, "%": False}}
    got = FlatDocument(value).get(pointer)
    assert got == (value if pointer == "#" else found)


@pytest.mark.parametrize(
    "pointer", ["#/x", "#/items/2", "#/items/x", "#/type/0/0", "#/type", "#/minimum/x"]
)
def test_a_pointer_that_leads_to_no_schema_is_an_error(pointer: str) -> None:
    with pytest.raises(KeyError):
        FlatDocument({"items": [True, False], "type": ["string"], "minimum": 1}).get(pointer)


def test_what_an_older_draft_says_is_said_in_the_words_of_today() -> None:
    document = make_document(
        {
            "$schema": DRAFT4,
            "type": "object",
            "properties": {
                "a": {"minimum": 1, "exclusiveMinimum": True},
                "b": {
                    "items": [{"$ref": "#/definitions/c", "type": "null"}],
                    "additionalItems": False,
                },
            },
            "dependencies": {"a": ["b"]},
            "definitions": {"c": {"type": "string"}},
        }
    )
    assert document.value == {
        "type": "object",
        "properties": {
            "a": {"exclusiveMinimum": 1},
            "b": {"prefixItems": [{"$ref": "#/definitions/c"}], "items": False},
        },
        "dependentRequired": {"a": ["b"]},
        "definitions": {"c": {"type": "string"}},
    }


def test_booleans_and_schemas_of_today_stay_as_they_are() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "null"}
    assert make_document(schema).value is schema
    assert make_document(True).value is True
    assert make_document({"$schema": "urn:other"}).asserts_format is False
    assert make_document({"$schema": DRAFT7, "formats": "assert"}).asserts_format


def test_the_roots_of_a_bundle_are_schemas_of_one_document(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    reading = read_files({"a.schema.json": {"$defs": {"A": {"type": "null"}}, "$ref": "#/$defs/A"}})
    (uri,) = reading.catalogue.documents
    bundle = make_bundle(
        reading.catalogue, {"x": Location(uri, ""), "y": Location(uri, "/$defs/A")}, uri
    )
    schemas = make_schemas(bundle)
    assert schemas["x"].document is schemas["y"].document
    assert schemas["x"].schema == schemas["y"].schema == {"type": "null"}


def test_references_hold_anywhere_once_they_name_their_document() -> None:
    assert absolve("#/a", "urn:x") == "urn:x#/a"
    assert absolve("urn:y#/a", "urn:x") == "urn:y#/a"
    schema = {"$ref": "#/a", "const": {"$ref": "#/b"}, "not": {"$ref": "#/c"}}
    assert make_absolute(schema, "urn:x") == {
        "$ref": "urn:x#/a",
        "const": {"$ref": "#/b"},
        "not": {"$ref": "urn:x#/c"},
    }
    assert make_absolute(False, "urn:x") is False


def test_a_flat_schema_is_the_one_its_reference_leads_to() -> None:
    assert FlatSchema(FlatDocument({"not": {"type": "null"}}), "#/not").schema == {"type": "null"}


OLD_DRAFTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "draft 4, an exclusive limit": (
        DRAFT4,
        {"type": "number", "minimum": 3},
        {"type": "number", "minimum": 3, "exclusiveMinimum": True},
    ),
    "draft 7, dependencies": (
        DRAFT7,
        {"type": "object", "properties": {"a": {}, "b": {}}},
        {"type": "object", "properties": {"a": {}, "b": {}}, "dependencies": {"a": ["b"]}},
    ),
    "draft 7, a closed tuple": (
        DRAFT7,
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
    ),
}


@pytest.mark.parametrize(("draft", "wide", "narrow"), OLD_DRAFTS.values(), ids=OLD_DRAFTS)
def test_a_bundle_of_an_older_draft_is_read_in_its_own_words(
    draft: str, wide: dict[str, Any], narrow: dict[str, Any]
) -> None:
    sides = [
        FlatSchema(make_document({"$schema": draft, "$defs": {"root": one}}), "#/$defs/root")
        for one in (wide, narrow)
    ]
    assert decide(sides[0], sides[1]).kind is Kind.BREAKING
    assert decide(sides[1], sides[0]).kind is Kind.COMPATIBLE
