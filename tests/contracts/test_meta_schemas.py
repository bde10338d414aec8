from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.catalogue import Catalogue
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import Dialect, Draft
from pi_contracts.contracts.findings import Finding
from pi_contracts.contracts.meta_schemas import check_by_meta_schema, find_dialect
from pi_contracts.contracts.source import parse_source

VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/"
CORE = {f"{VOCABULARY}core": True, f"{VOCABULARY}applicator": True}
META: dict[str, Any] = {
    "http://x/2020": {},
    "http://x/core": {"$vocabulary": CORE},
    "http://x/formats": {"$vocabulary": {**CORE, f"{VOCABULARY}format-assertion": True}},
    "http://x/optional": {"$vocabulary": {**CORE, "http://x/mine": False}},
    "http://x/required": {"$vocabulary": {**CORE, "http://x/mine": True}},
    "http://x/above": {"$schema": "http://x/core"},
    "http://x/seven": {"$schema": "http://json-schema.org/draft-07/schema#", "$vocabulary": CORE},
    "http://x/ring": {"$schema": "http://x/ring"},
    "http://x/odd": {"$schema": 5},
}


def find(declared: object, path: str = "x.schema.json") -> Dialect | Finding:
    source = parse_source(json.dumps({"$schema": declared, "formats": "assert"}), path)
    return find_dialect(source, META.get)


SERVED = [
    ("http://json-schema.org/draft-04/schema", Draft.DRAFT4),
    ("https://json-schema.org/draft-06/schema#", Draft.DRAFT6),
    ("http://json-schema.org/draft-07/schema#", Draft.DRAFT7),
    ("https://json-schema.org/draft/2019-09/schema", Draft.DRAFT201909),
    ("https://json-schema.org/draft/2020-12/schema#", Draft.DRAFT202012),
    ("http://x/2020", Draft.DRAFT202012),
    ("http://x/seven", Draft.DRAFT7),
]
REFUSED = [
    ("http://json-schema.org/draft-03/schema#", "names no draft that is served"),
    ("http://x/missing", "names no draft that is served"),
    ("http://x/ring", "names no draft that is served"),
    ("http://x/odd", "names no draft that is served"),
    ("http://x/required", 'requires the vocabulary "http://x/mine"'),
    (5, "takes the URI of a draft, as a string"),
    (None, "takes the URI of a draft, as a string"),
]


@pytest.mark.parametrize(("declared", "draft"), SERVED)
def test_a_draft_is_served_by_its_name_or_through_a_meta_schema(
    declared: str, draft: Draft
) -> None:
    assert find(declared) == Dialect(draft)


@pytest.mark.parametrize(("declared", "message"), REFUSED)
def test_what_is_not_served_is_refused_by_name(declared: object, message: str) -> None:
    found = find(declared)
    assert isinstance(found, Finding)
    assert (found.rule, found.pointer) == ("invalid-keyword", "/$schema")
    assert message in found.message
    assert found.fix is not None


def test_a_contract_is_told_which_dialect_it_is_written_in() -> None:
    found = find("urn:typo", "m.contract.json")
    assert isinstance(found, Finding)
    assert found.fix == 'write "$schema": "urn:pi-contracts:dialect:1", as every contract does'


def test_a_document_without_a_draft_is_one_of_2020_12() -> None:
    assert find_dialect(parse_source("true", "x"), META.get) == Dialect(Draft.DRAFT202012)
    assert find_dialect(parse_source("{}", "x"), META.get) == Dialect(Draft.DRAFT202012)


def test_the_dialect_of_contracts_may_assert_formats() -> None:
    assert find("urn:pi-contracts:dialect:1") == Dialect(Draft.DRAFT202012, asserts_format=True)


@pytest.mark.parametrize(
    ("meta", "asserts"), [("core", False), ("optional", False), ("above", False), ("formats", True)]
)
def test_vocabularies_say_which_keywords_count(meta: str, asserts: bool) -> None:  # noqa: FBT001
    found = find(f"http://x/{meta}")
    assert isinstance(found, Dialect)
    assert found.asserts_format is asserts
    assert {"minLength", "pattern"} <= found.void
    assert found.void.isdisjoint({"properties", "$ref", "title"})
    assert ("format" in found.void) is not asserts


def judge(value: Any, dialect: Dialect, role: Any = "schema") -> list[tuple[str | None, str]]:
    source = parse_source(json.dumps(value), "x")
    document = Document("file:///x", "file:///x", "x", source, dialect, role)
    catalogue = Catalogue()
    catalogue.add(document)
    findings = check_by_meta_schema(catalogue, document)
    return [(finding.pointer, finding.message) for finding in findings]


def test_what_the_meta_schema_refuses_is_told_in_the_words_of_the_validator() -> None:
    told = (
        "/items/$recursiveRef",
        'the meta-schema of 2020-12 refuses this: 5 is not of type "string"',
    )
    assert judge({"items": {"$recursiveRef": 5}}, Dialect(Draft.DRAFT202012)) == [told]


def test_the_schemas_of_a_contract_are_judged_one_by_one() -> None:
    value = {"$defs": {"a": {"$recursiveRef": 5}, "b": {"$recursiveRef": 5}, "c": True}}
    told = judge(value, Dialect(Draft.DRAFT202012), "contract")
    assert [pointer for pointer, _ in told] == ["/$defs/a/$recursiveRef", "/$defs/b/$recursiveRef"]


def test_documents_of_several_drafts_are_passed_over() -> None:
    embedded = {"$schema": Draft.DRAFT7.value, "$id": "x"}
    value = {"items": embedded, "$recursiveRef": 5}
    assert judge(value, Dialect(Draft.DRAFT202012)) == []
    assert judge({"$recursiveRef": 5}, Dialect(Draft.DRAFT202012, frozenset({"type"}))) == []


PUBLISHED: dict[str, dict[str, Any]] = {
    file.name.removesuffix(".schema.json"): json.loads(file.read_text("utf-8"))
    for file in (Path(__file__).resolve().parents[2] / "contracts/meta").glob("*.json")
}


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_published_schema_needs_no_other_one(name: str) -> None:
    references = re.findall(r'"\$ref": "([^"]*)"', json.dumps(PUBLISHED[name]))
    ours = [one for one in references if not one.startswith("https://json-schema.org/")]
    assert [one for one in ours if not one.startswith("#/$defs/")] == []
    jsonschema_rs.validator_for(PUBLISHED[name], offline=True).is_valid({})


@pytest.mark.parametrize("name", ["manifest", "report"])
def test_what_two_published_schemas_define_is_the_same(name: str) -> None:
    facets, other = PUBLISHED["facet-report"]["$defs"], PUBLISHED[name]["$defs"]
    shared = facets.keys() & other.keys()
    assert {"Declaration", "Declarations", "Name"} <= shared
    assert {key: other[key] for key in shared} == {key: facets[key] for key in shared}
