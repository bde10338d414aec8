from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.catalogue import Catalogue
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import KEYWORDS, Dialect, Draft
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.keywords import check_keywords, find_pattern_problem
from pi_contracts.contracts.meta_schemas import check_by_meta_schema
from pi_contracts.contracts.source import parse_source

D4, D6, D7, D19, D20 = Draft


def check(schema: Any, dialect: Dialect, *, by_meta_schema: bool = False) -> list[Finding]:
    source = parse_source(json.dumps(schema), "x")
    document = Document("file:///x", "file:///x", "x", source, dialect, "schema")
    catalogue = Catalogue()
    catalogue.add(document)
    findings = list(check_keywords(catalogue, document))
    if by_meta_schema and all(one.severity is not Severity.ERROR for one in findings):
        findings.extend(check_by_meta_schema(catalogue, document))
    return findings


REFUSED: list[tuple[Draft, Any, str, str]] = [
    (D20, {"type": "strnig"}, "/type", '"strnig" is no type; did you mean "string"?'),
    (D20, {"type": "zzz"}, "/type", "types are array, boolean, integer, null, number"),
    (D20, {"type": ["null", "Strnig"]}, "/type/1", 'did you mean "string"?'),
    (D20, {"type": 5}, "/type", "the name of a type or an array of such names, found a number"),
    (D20, {"type": []}, "/type", "found an array"),
    (D20, {"type": ["null", "null"]}, "/type", "names a type twice"),
    (D20, {"minLength": -1}, "/minLength", "a whole number from 0, found a number"),
    (D20, {"minLength": True}, "/minLength", "found a boolean"),
    (D20, {"minLength": 1.5}, "/minLength", "a whole number from 0"),
    (D20, {"minimum": "1"}, "/minimum", "a number, found a string"),
    (D20, {"multipleOf": 0}, "/multipleOf", "a number above 0"),
    (D20, {"uniqueItems": None}, "/uniqueItems", "true or false, found null"),
    (D20, {"enum": {}}, "/enum", "an array, found an object"),
    (D20, {"title": 5}, "/title", "a string, found a number"),
    (D20, {"required": ["a", "a"]}, "/required", "an array of names, each once"),
    (D20, {"required": ["a", 1]}, "/required", "an array of names, each once"),
    (D20, {"properties": []}, "/properties", "an object of schemas, found an array"),
    (D20, {"properties": {"a/b": 5}}, "/properties/a~1b", "schemas under its names, found a"),
    (D20, {"items": [{}]}, "/items", "a schema, found an array"),
    (D20, {"allOf": {}}, "/allOf", "an array of schemas, found an object"),
    (D20, {"allOf": []}, "/allOf", "an array that is not empty"),
    (D20, {"allOf": [True, 5]}, "/allOf/1", "schemas in its array, found a number"),
    (D20, {"pattern": 5}, "/pattern", "a regular expression, as a string"),
    (D20, {"pattern": "("}, "/pattern", "no ECMA-262 pattern"),
    (D20, {"pattern": "a" * 30_000}, "/pattern", "longer than 20000 characters"),
    (D20, {"patternProperties": {"(": {}}}, "/patternProperties/(", "no ECMA-262 pattern"),
    (D20, {"patternProperties": 5}, "/patternProperties", "an object of schemas"),
    (D20, {"dependentRequired": []}, "/dependentRequired", "an object of arrays of names"),
    (D20, {"dependentRequired": {"a": [1]}}, "/dependentRequired/a", "found an array"),
    (D7, {"dependencies": {"a": 5}}, "/dependencies/a", "schemas or arrays of names, each once"),
    (D20, {"$ref": 5}, "/$ref", "a reference, as a string"),
    (D20, {"$id": "a#b"}, "/$id", "a URI reference without a fragment"),
    (D20, {"$anchor": "a:b"}, "/$anchor", "begins with a letter or _"),
    (D20, {"$dynamicAnchor": ""}, "/$dynamicAnchor", "begins with a letter or _"),
    (D20, {"$vocabulary": {"u": 1}}, "/$vocabulary/u", "booleans under its names"),
    (D20, {"$vocabulary": 1}, "/$vocabulary", "an object of booleans"),
    (D20, {"$schema": 5}, "/$schema", "a string"),
    (D19, {"$anchor": "_a"}, "/$anchor", "begins with a letter"),
    (D19, {"$recursiveAnchor": "a"}, "/$recursiveAnchor", "true or false"),
    (D7, {"items": 5}, "/items", "a schema or an array of schemas"),
    (D7, {"items": []}, "/items", "an array that is not empty"),
    (D7, {"$id": 5}, "/$id", "a URI reference, as a string"),
    (D4, {"maxLength": 2.0}, "/maxLength", "in draft 4 without a fraction"),
    (D4, {"required": []}, "/required", "in draft 4 not empty"),
    (D4, {"dependencies": {"a": []}}, "/dependencies/a", "found an array"),
    (D4, {"properties": {"additionalItems": True}}, "/properties/additionalItems", "no boolean"),
    (D4, {"not": False}, "/not", "draft 4 has no boolean schemas"),
    (
        D4,
        {"exclusiveMinimum": True},
        "/exclusiveMinimum",
        'stands beside "minimum", which is missing',
    ),
    (D4, {"minimum": 1, "exclusiveMinimum": 1}, "/exclusiveMinimum", "true or false in draft 4"),
    (D4, {"additionalProperties": 5}, "/additionalProperties", "a schema or a boolean"),
]
ACCEPTED: list[tuple[Draft, Any]] = [
    (D20, True),
    (D20, {"minLength": 2.0, "default": None, "x-note": 1, "$comment": "", "id": 5}),
    (D7, {"dependencies": {"a": ["b"], "c": {}}, "definitions": {"a": False}}),
    (D20, {"$id": "a#", "$anchor": "_a.b-c", "pattern": "^\\p{L}+$"}),
    (D19, {"items": [{}], "additionalItems": False, "$anchor": "a:b"}),
    (D6, {"required": [], "dependencies": {"a": []}, "contentEncoding": "base64"}),
    (D4, {"additionalProperties": False, "additionalItems": True, "id": "#a"}),
    (D4, {"minimum": 1, "exclusiveMinimum": True}),
]
UNKNOWN = [
    (D20, "propertes", 'did you mean "properties"?', 'write "properties"'),
    (D20, "Type", 'did you mean "type"?', 'write "type"'),
    (D20, "mystery", "changes nothing", 'remove it, or begin its name with "x-"'),
    (D20, "additionalItems", "it is a keyword of draft 4 to 2019-09", "in the words of 2020-12"),
    (D7, "prefixItems", "it is a keyword of 2020-12", "name another draft in $schema"),
]


@pytest.mark.parametrize(
    ("draft", "schema", "pointer", "message"), REFUSED, ids=lambda one: str(one)[:40]
)
def test_a_value_that_a_keyword_does_not_take_is_refused_where_it_stands(
    draft: Draft, schema: Any, pointer: str, message: str
) -> None:
    (finding,) = check({"properties": {"p": schema}}, Dialect(draft))
    assert finding.severity is Severity.ERROR
    assert finding.rule == (
        "unknown-type" if " is no type" in finding.message else "invalid-keyword"
    )
    assert finding.pointer == f"/properties/p{pointer}"
    assert message in finding.message


@pytest.mark.parametrize(("draft", "schema"), ACCEPTED, ids=lambda one: str(one)[:40])
def test_what_a_draft_takes_is_no_finding(draft: Draft, schema: Any) -> None:
    assert check(schema, Dialect(draft), by_meta_schema=True) == []


@pytest.mark.parametrize(("draft", "keyword", "message", "fix"), UNKNOWN)
def test_an_unknown_keyword_is_a_warning_with_the_nearest_known_one(
    draft: Draft, keyword: str, message: str, fix: str
) -> None:
    (finding,) = check({keyword: 1}, Dialect(draft))
    assert (finding.rule, finding.severity) == ("unknown-keyword", Severity.WARNING)
    assert (finding.pointer, finding.column) == (f"/{keyword}", 2)
    assert message in finding.message
    assert fix in str(finding.fix)


DEPRECATED: list[tuple[Draft, Any, str]] = [
    (D19, {"a": ["b"]}, 'write "dependentRequired" instead'),
    (D20, {"a": {}}, 'write "dependentSchemas" instead'),
    (D20, {"a": True, "b": []}, 'write "dependentRequired" and "dependentSchemas" instead'),
    (D20, {}, "leave it out"),
]


@pytest.mark.parametrize(("draft", "value", "fix"), DEPRECATED)
def test_a_keyword_that_a_draft_has_left_behind_is_a_warning_with_its_successor(
    draft: Draft, value: Any, fix: str
) -> None:
    (finding,) = check({"properties": {"p": {"dependencies": value}}}, Dialect(draft))
    assert (finding.rule, finding.severity) == ("deprecated-keyword", Severity.WARNING)
    assert (finding.pointer, finding.fix) == ("/properties/p/dependencies", fix)
    assert f"draft 7 and before, which {draft.label} has left behind" in finding.message


def test_a_keyword_is_left_behind_by_no_draft_that_has_it_and_refused_with_a_wrong_value() -> None:
    assert check({"dependencies": {"a": ["b"]}}, Dialect(D7)) == []
    assert check({"dependencies": {"a": ["b"]}}, Dialect(D20, frozenset({"dependencies"}))) == []
    found = check({"dependencies": 5}, Dialect(D20))
    assert [one.rule for one in found] == ["deprecated-keyword", "invalid-keyword"]


def test_keywords_of_a_vocabulary_that_is_left_out_are_not_judged() -> None:
    assert check({"minLength": "x"}, Dialect(D20, frozenset({"minLength"}))) == []


EMBEDDED = [
    ({"$schema": "urn:x"}, "invalid-keyword", '"urn:x" names no draft that is served'),
    ({"$schema": D7.value}, "unknown-keyword", "without an identifier, 2020-12 goes on"),
    ({"$schema": D7.value, "$id": "y"}, None, ""),
    ({"$schema": D20.value}, None, ""),
    ({"$schema": "http://x/meta"}, None, ""),
]


@pytest.mark.parametrize(("schema", "rule", "message"), EMBEDDED)
def test_a_draft_is_switched_at_the_root_of_a_resource_only(
    schema: Any, rule: str | None, message: str
) -> None:
    findings = check({"$schema": "http://x/meta", "items": schema}, Dialect(D20))
    assert [finding.rule for finding in findings] == ([rule] if rule else [])
    assert all(message in one.message and one.pointer == "/items/$schema" for one in findings)


def test_patterns_that_explode_are_refused_in_good_time() -> None:
    assert find_pattern_problem("(\\p{L}{1000}){1000}") is not None
    assert find_pattern_problem("(a|b)*" * 100_000) is not None
    assert find_pattern_problem("(a+)+$") is None


# Patterns aside: meta-schemas take any text for them. Nor do they judge references of draft 4.
NAMES = sorted(
    {keyword for kinds in KEYWORDS.values() for keyword in kinds}
    - {"$dynamicRef", "$ref", "$schema", "contentEncoding", "contentMediaType", "pattern"}
)
atoms: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(5, 0, -1, 2.0, 1.5, "a", "string", "", "#a", "a:b", None, True, False),
        *([], ["a"], ["a", "a"], ["string"], ["null", "string"], [5]),
        *({}, {"a": ["x"]}, {"a": []}, {"a": 5}, {"a": True}),
    ]
)
schemas = st.recursive(
    st.dictionaries(st.sampled_from(NAMES), atoms, max_size=2) | st.booleans(),
    lambda inner: st.dictionaries(
        st.sampled_from(NAMES),
        inner | atoms | st.lists(inner, max_size=2) | st.dictionaries(st.just("a/b"), inner),
        max_size=2,
    ),
    max_leaves=6,
)


@given(schemas, st.sampled_from(Draft))
def test_findings_agree_with_the_meta_schema_of_every_draft(schema: Any, draft: Draft) -> None:
    if isinstance(schema, bool):
        return
    document = {**schema, "$schema": draft.value}
    findings = check(document, Dialect(draft), by_meta_schema=True)
    errors = [one for one in findings if one.severity is Severity.ERROR]
    assert jsonschema_rs.meta.is_valid(document) is (not errors)


def test_near_names_are_looked_for_to_the_first_of_many_unknown_keywords() -> None:
    slips = {f"propertie{'s' * (number + 2)}": 1 for number in range(3)}
    many = {f"zz{number}": 1 for number in range(300)}
    said = [one.message for one in check({"not": {**many, **slips}}, Dialect(D20))]
    assert len(said) == 303
    assert not any("did you mean" in one for one in said)
    assert "did you mean" in check({**slips, **many}, Dialect(D20))[0].message
