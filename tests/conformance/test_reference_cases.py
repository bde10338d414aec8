"""Other people's bug reports about schemas and references: each is read and judged right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read

FILE = (Path(__file__).resolve().parents[3] / "shared" / "cases" / "validators.json").resolve()
KINDS = {"schema-error", "ref", "pointer", "dynamic-ref"}
CASES: list[dict[str, Any]] = (
    [
        case
        for case in json.loads(FILE.read_bytes())
        if case["kind"] in KINDS or case["expect"].get("compile") == "error"
    ]
    if FILE.is_file()
    else []
)


def test_the_cases_are_there() -> None:
    if not FILE.is_file():
        pytest.skip("the shared cases are not beside us")
    assert {case["kind"] for case in CASES} >= KINDS


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_a_case_is_read_and_judged_right(case: dict[str, Any], tmp_path: Path) -> None:
    source = case["input"]
    file = tmp_path / "case.schema.json"
    file.write_text(source.get("schema_raw") or json.dumps(source["schema"]), "utf-8")
    reading = read([file], base=tmp_path)
    expect = case["expect"]
    if expect.get("compile") == "error":
        assert not reading.is_sound
        said = " ".join(finding.message for finding in reading.findings)
        pointers = " ".join(str(finding.pointer) for finding in reading.findings)
        for word in expect["must_mention"]:
            assert word in f"{said} {pointers}"
        return
    assert reading.is_sound, reading.findings
    uri = file.as_uri()
    bundle = make_bundle(reading.catalogue, {"root": Location(uri, "")}, uri)
    entry = {**bundle.document, "$ref": bundle.pointers["root"]}
    validator = jsonschema_rs.validator_for(entry, offline=True)
    for instance in expect["instances"]:
        if "data" in instance and instance["valid"] is not None:
            assert validator.is_valid(instance["data"]) is instance["valid"], instance
