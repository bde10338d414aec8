from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

    ReadFiles = Callable[[dict[str, Any]], Reading]

D4 = "http://json-schema.org/draft-04/schema#"
D7 = "http://json-schema.org/draft-07/schema#"
D19 = "https://json-schema.org/draft/2019-09/schema"
HERE = {"$ref": "#"}
LINK = {"type": "object", "required": ["next"], "properties": {"next": HERE}}
ENDLESS: dict[str, Any] = {
    "itself": {"$ref": "#"},
    "allOf": {"allOf": [{}, HERE]},
    "anyOf": {"anyOf": [{}, HERE]},
    "oneOf": {"oneOf": [HERE]},
    "not": {"not": HERE},
    "if": {"if": HERE},
    "then": {"if": {}, "then": HERE},
    "else": {"if": {}, "else": HERE},
    "dependentSchemas": {"dependentSchemas": {"a": HERE}},
    "dependencies": {"$schema": D4, "dependencies": {"a": HERE}},
    "$recursiveRef": {"$schema": D19, "$recursiveRef": "#"},
    "$dynamicRef": {"$dynamicAnchor": "a", "$dynamicRef": "#a"},
    "a dynamic scope": {
        "$id": "http://x/strict",
        "$dynamicAnchor": "T",
        "items": {"$ref": "list"},
        "$defs": {
            "list": {
                "$id": "list",
                "$defs": {"t": {"$dynamicAnchor": "T"}},
                "anyOf": [{"$dynamicRef": "#T"}, {"$ref": "#/$defs/loop"}],
            },
        },
        "$ref": "list",
    },
}
ENDING: dict[str, Any] = {
    "a property": {"properties": {"a": HERE}},
    "an item": {"items": HERE, "contains": HERE, "prefixItems": [HERE]},
    "a name": {"propertyNames": HERE},
    "then without if": {"then": HERE, "else": HERE},
    "beside a lone reference": {
        "$schema": D7,
        "definitions": {"a": {}},
        "allOf": [{"$ref": "#/definitions/a", "allOf": [HERE]}],
    },
    "a keyword of a later draft": {"$schema": D4, "if": HERE, "dependentSchemas": {"a": HERE}},
    "a constant": {"const": HERE, "enum": [HERE], "default": HERE},
    "a dynamic reference below a value": {
        "$dynamicAnchor": "a",
        "properties": {"b": {"$dynamicRef": "#a"}},
    },
}
HOPELESS: dict[str, Any] = {
    "a required member": LINK,
    "through allOf": {"allOf": [LINK]},
    "an array of one type": {**LINK, "type": ["object"]},
    "two schemas": {
        "$defs": {
            "a": {**LINK, "properties": {"next": {"$ref": "#/$defs/b"}}},
            "b": {**LINK, "properties": {"next": {"$ref": "#/$defs/a"}}},
        }
    },
}
HOPEFUL: dict[str, Any] = {
    "an optional member": {**LINK, "required": []},
    "no type": {"required": ["next"], "properties": {"next": HERE}},
    "another type": {**LINK, "type": ["object", "null"]},
    "a branch": {**LINK, "properties": {"next": {"anyOf": [HERE, {"type": "null"}]}}},
    "a member without a schema": {
        **LINK,
        "required": ["other", "more"],
        "additionalProperties": True,
    },
    "a boolean": {**LINK, "properties": {"next": True}, "allOf": [True], "items": HERE},
    "beside a lone reference": {
        "$schema": D7,
        "definitions": {"a": {}, "b": {**LINK, "$ref": "#/definitions/a"}},
        "items": {"$ref": "#/definitions/b"},
    },
}


def find(read_files: ReadFiles, schema: Any) -> list[Finding]:
    findings = read_files({"a.schema.json": schema}).findings
    return [one for one in findings if one.rule == "impossible-schema"]


@pytest.mark.parametrize("name", ENDLESS)
def test_a_ring_at_one_value_is_an_error(name: str, read_files: ReadFiles) -> None:
    findings = find(read_files, ENDLESS[name])
    assert findings
    assert {finding.severity for finding in findings} == {Severity.ERROR}


@pytest.mark.parametrize("name", ENDING)
def test_a_ring_that_descends_into_a_value_is_none(name: str, read_files: ReadFiles) -> None:
    assert find(read_files, ENDING[name]) == []


@pytest.mark.parametrize("name", HOPELESS)
def test_a_ring_of_required_members_is_a_warning(name: str, read_files: ReadFiles) -> None:
    (finding,) = find(read_files, HOPELESS[name])
    assert finding.severity is Severity.WARNING
    assert "no finite value" in finding.message


@pytest.mark.parametrize("name", HOPEFUL)
def test_a_ring_that_some_value_ends_is_none(name: str, read_files: ReadFiles) -> None:
    assert find(read_files, HOPEFUL[name]) == []


def test_a_ring_is_shown_from_its_first_place_with_its_files(read_files: ReadFiles) -> None:
    files = {
        "b.schema.json": {"$ref": "a.schema.json"},
        "a.schema.json": {"allOf": [{"$ref": "b.schema.json"}]},
    }
    (finding,) = read_files(files).findings
    assert (finding.path, finding.line, finding.pointer) == ("a.schema.json", 1, "")
    assert finding.message.endswith(": # -> #/allOf/0 -> b.schema.json -> #")
    assert "a property, an item" in str(finding.fix)


def test_a_long_ring_is_shown_in_part(read_files: ReadFiles) -> None:
    chain = {f"d{one:03}": {"$ref": f"#/$defs/d{(one + 1) % 500:03}"} for one in range(500)}
    (finding,) = find(read_files, {"$defs": chain})
    assert finding.message.endswith("#/$defs/d011 -> 488 more -> #/$defs/d000")


def test_rings_that_hang_together_are_told_up_to_a_bound(read_files: ReadFiles) -> None:
    assert len(find(read_files, {"allOf": [HERE] * 300})) == 100


def test_a_ring_is_told_once_however_it_is_reached(read_files: ReadFiles) -> None:
    schema = {
        "$dynamicAnchor": "T",
        "$defs": {
            "ring": {"$ref": "#/$defs/ring"},
            "other": {
                "$id": "other",
                "$dynamicAnchor": "T",
                "items": {"$ref": "a.schema.json"},
            },
        },
        "items": {"$ref": "#/$defs/ring"},
        "contains": {"$dynamicRef": "#T"},
        "prefixItems": [{"$ref": "other"}],
    }
    assert len(find(read_files, schema)) == 1
