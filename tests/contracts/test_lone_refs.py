from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.read import read
from pi_contracts.contracts.soundness import find_broken

if TYPE_CHECKING:
    from pathlib import Path

D4 = "http://json-schema.org/draft-04/schema#"
D7 = "http://json-schema.org/draft-07/schema#"
D19 = "https://json-schema.org/draft/2019-09/schema"
A: dict[str, Any] = {"$ref": "#/definitions/A"}
GONE: dict[str, Any] = {"$ref": "#/nowhere"}
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("a property beside", D7, {"a": {**A, "properties": {"x": GONE}}}, "warning"),
    ("in draft 4", D4, {"a": {**A, "properties": {"x": GONE}}}, "warning"),
    ("in a later draft", D19, {"a": {**A, "properties": {"x": GONE}}}, "error"),
    ("a schema beside", D7, {"a": {**A, "not": GONE}}, "warning"),
    ("far below", D7, {"a": {**A, "not": {"allOf": [{}, {"items": GONE}]}}}, "warning"),
    ("below a boolean's neighbour", D7, {"a": {**A, "anyOf": [True, GONE]}}, "warning"),
    ("no reference beside", D7, {"a": {"not": GONE}}, "error"),
    ("a reference in an allOf", D7, {"a": {"allOf": [A], "not": GONE}}, "error"),
    ("a definition beside", D7, {"a": {**A, "definitions": {"x": GONE}}}, "error"),
    (
        "a definition beside that is void itself",
        D7,
        {"a": {**A, "not": {**A, "definitions": {"x": GONE}}}},
        "warning",
    ),
    ("the reference itself", D7, {"a": GONE}, "error"),
    (
        "reached by another reference",
        D7,
        {"a": {**A, "not": {"items": GONE}}, "b": {"$ref": "#/properties/a/not"}},
        "error",
    ),
    (
        "reached above",
        D7,
        {"a": {**A, "not": {"items": GONE}}, "b": {"$ref": "#/properties/a"}},
        "warning",
    ),
    ("a file that is not there", D7, {"a": {**A, "not": {"$ref": "gone.json"}}}, "warning"),
    ("a property that is named $ref", D7, {"$ref": {"not": GONE}}, "error"),
]


def write(folder: Path, draft: str, properties: dict[str, Any]) -> Path:
    file = folder / "a.schema.json"
    schema = {"$schema": draft, "properties": properties, "definitions": {"A": {"type": "string"}}}
    file.write_text(json.dumps(schema))
    return file


@pytest.mark.parametrize(
    ("draft", "properties", "severity"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_a_reference_that_leads_nowhere_counts_where_it_is_not_void(
    tmp_path: Path, draft: str, properties: dict[str, Any], severity: str
) -> None:
    reading = read([write(tmp_path, draft, properties)], base=tmp_path)
    (finding,) = reading.findings
    assert (finding.rule, finding.severity) == ("unresolved-ref", severity)
    assert ("passes over what stands beside a $ref" in finding.message) == (severity == "warning")
    assert reading.is_sound == (severity == "warning")
    assert bool(find_broken(reading)) == (severity == "error")


def test_what_is_void_makes_a_document_no_more_broken(tmp_path: Path) -> None:
    file = write(tmp_path, D7, {"a": {**A, "not": GONE}})
    (tmp_path / "b.schema.json").write_text('{"type": "strin"}')
    broken = find_broken(read([file, tmp_path / "b.schema.json"], base=tmp_path))
    assert broken == {(tmp_path / "b.schema.json").as_uri()}


def test_a_ring_through_what_is_void_is_none(tmp_path: Path) -> None:
    ring = {"a": {**A, "allOf": [{"$ref": "#/properties/a"}], "not": GONE}}
    assert read([write(tmp_path, D7, ring)], base=tmp_path).is_sound
