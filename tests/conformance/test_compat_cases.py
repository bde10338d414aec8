"""The shared cases of containment and of breaking changes, every verdict both ways."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.decide import Kind, decide
from pi_contracts.contracts.compat.flat import FlatSchema, make_document
from pi_contracts.contracts.compat.flows import compare_schemas
from pi_contracts.contracts.compat.verdicts import Direction, Position
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from types import ModuleType

SHARED = Path(__file__).resolve().parents[3] / "shared"
HELPERS = Path(__file__).resolve().parents[1] / "contracts" / "compat"
PAIRS_FILE = SHARED / "cases" / "containment-pairs.json"
CASES_FILE = SHARED / "cases" / "breaking.json"
WIRE = SHARED / "data" / "wire-catalog"
PAIRS: list[Any] = json.loads(PAIRS_FILE.read_bytes()) if PAIRS_FILE.is_file() else []
CASES: list[dict[str, Any]] = json.loads(CASES_FILE.read_bytes()) if CASES_FILE.is_file() else []
SCHEMA_CASES = [case for case in CASES if case["input"]["position"] != "service"]
SERVICE_CASES = [case for case in CASES if case["input"]["position"] == "service"]
OLD, NEW = Direction

pytestmark = pytest.mark.skipif(
    not (PAIRS and CASES and WIRE.is_dir()), reason="the shared cases are not beside this checkout"
)


def load(name: str) -> ModuleType:
    """Return a module of the folder that the comparison's own tests share."""
    spec = importlib.util.spec_from_file_location(name, HELPERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_contained(sender: Any, receiver: Any) -> bool:
    verdict = decide(FlatSchema(make_document(sender)), FlatSchema(make_document(receiver)))
    assert verdict.kind is not Kind.UNDECIDED
    if verdict.has_witness:
        assert jsonschema_rs.Draft202012Validator(sender).is_valid(verdict.witness)
        assert not jsonschema_rs.Draft202012Validator(receiver).is_valid(verdict.witness)
    return verdict.kind is Kind.COMPATIBLE


@pytest.mark.parametrize("pair", PAIRS, ids=[pair[0] for pair in PAIRS])
def test_containment_is_decided_both_ways(pair: Any) -> None:
    _, old, new, forth, back = pair
    assert (is_contained(old, new), is_contained(new, old)) == (forth, back)


@pytest.mark.parametrize("case", SCHEMA_CASES, ids=[case["id"] for case in SCHEMA_CASES])
def test_a_change_of_a_schema_gets_its_verdicts_and_witnesses(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expect"]
    old, new = (FlatSchema(make_document(given[name])) for name in ("old", "new"))
    flow = compare_schemas(old, new, Position(given["position"]))
    verdicts = {
        direction: kind.value.replace("breaking-undeclared", "breaking")
        for direction, kind in flow.verdicts.items()
    }
    assert verdicts == {OLD: expected["verdict"], NEW: expected["reverse"]}
    assert all(one.has_witness and one.explanation for one in flow.breaks)


@pytest.mark.parametrize("case", SERVICE_CASES, ids=[case["id"] for case in SERVICE_CASES])
def test_a_change_of_a_service_gets_its_verdicts(case: dict[str, Any], tmp_path: Path) -> None:
    services = load("compat_services")
    readings = [
        services.write(tmp_path / name, map(services.make_contract, as_list(case["input"][name])))
        for name in ("old", "new")
    ]
    assert all(reading.is_sound for reading in readings)
    verdicts = compare(*readings).verdicts
    expected = case["expect"]
    assert verdicts == {OLD: expected["verdict"], NEW: expected["reverse"]}


def as_list(value: Any) -> list[Any]:
    return [*value] if "id" not in value else [value]


def test_random_edits_of_real_documents_are_decided() -> None:
    """More than nine in ten of the questions are, and every witness is one."""
    edits = load("compat_edits")
    reading = read([WIRE])
    catalogue = reading.catalogue
    documents = [
        make_bundle(catalogue, {"root": Location(uri, "")}, uri)
        for uri, document in catalogue.documents.items()
        if document.generated and not document.path.startswith("common")
    ]
    undecided: list[str] = []
    count = 0
    for seed in range(60):
        bundle = documents[seed % len(documents)]
        kind, edited = edits.edit(bundle.document, random.Random(seed))
        ends = [
            FlatSchema(make_document(document), bundle.pointers["root"])
            for document in (bundle.document, edited)
        ]
        for sender, receiver in (ends, ends[::-1]):
            verdict = decide(sender, receiver)
            count += 1
            if verdict.kind is Kind.UNDECIDED:
                undecided.append(kind)
            if verdict.has_witness:
                assert compile_flat(sender).is_valid(verdict.witness)
                assert not compile_flat(receiver).is_valid(verdict.witness)
    assert len(undecided) * 10 <= count, undecided


def compile_flat(schema: FlatSchema) -> jsonschema_rs.Validator:
    assert isinstance(schema.document.value, dict)
    return jsonschema_rs.Draft202012Validator({**schema.document.value, "$ref": schema.reference})
