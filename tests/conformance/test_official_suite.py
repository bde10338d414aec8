"""Bundles give the official answer on every case of the official test suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read

SUITE = (Path(__file__).resolve().parents[3] / "shared/data/json-schema-test-suite").resolve()
CASES = SUITE / "tests" / "draft2020-12"
COUNT = 1299

pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason="the folder shared with the official test suite is not beside us"
)


def judge(schema: Any, instances: list[Any], folder: Path) -> list[bool]:
    """Return the verdicts of the bundle that is made of one schema."""
    file = folder / "case.schema.json"
    file.write_text(json.dumps(schema), "utf-8")
    reading = read([file], mapped={"http://localhost:1234/": SUITE / "remotes"}, base=folder)
    assert reading.is_sound, reading.findings
    uri = file.as_uri()
    bundle = make_bundle(reading.catalogue, {"root": Location(uri, "")}, uri)
    entry = {**bundle.document, "$ref": bundle.pointers["root"]}
    validator = jsonschema_rs.validator_for(entry, offline=True)
    return [validator.is_valid(instance) for instance in instances]


@pytest.mark.parametrize("file", sorted(CASES.glob("*.json")), ids=lambda file: file.stem)
def test_bundles_give_the_official_answers(file: Path, tmp_path: Path) -> None:
    for group in json.loads(file.read_bytes()):
        verdicts = judge(group["schema"], [case["data"] for case in group["tests"]], tmp_path)
        wrong = [
            f"{group['description']}: {case['description']}"
            for case, verdict in zip(group["tests"], verdicts, strict=True)
            if verdict is not case["valid"]
        ]
        assert not wrong


def test_the_suite_is_whole() -> None:
    cases = [
        case
        for file in CASES.glob("*.json")
        for group in json.loads(file.read_bytes())
        for case in group["tests"]
    ]
    assert len(cases) == COUNT
