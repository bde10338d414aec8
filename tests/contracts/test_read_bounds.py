"""However large or deep the input, reading ends in a result or a message, in seconds."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.digest import get_digest, make_contract_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import MAX_SCHEMA_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pi_contracts.contracts.read import Reading

    ReadFiles = Callable[[dict[str, Any]], Reading]

LONGEST = 20.0
"""Seconds: many times what is needed, and a small part of what anything quadratic takes."""


@pytest.fixture(autouse=True)
def clock() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < LONGEST


def nest(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = {"not": inner}
    return inner


def test_the_deepest_schema_compiles(read_files: ReadFiles) -> None:
    reading = read_files({"a.schema.json": nest(MAX_SCHEMA_DEPTH - 1, {"type": "null"})})
    assert reading.findings == ()
    (uri,) = reading.catalogue.documents
    bundle = make_bundle(reading.catalogue, {"root": Location(uri, "")}, uri)
    entry = {**bundle.document, "$ref": bundle.pointers["root"]}
    validator = jsonschema_rs.validator_for(entry, offline=True)
    # an odd number of times not
    assert [validator.is_valid(value) for value in (None, 1)] == [False, True]


def test_the_deepest_contract_has_a_digest(read_files: ReadFiles) -> None:
    value = {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": "s", "mode": "singleton"},
        "members": {"m": {"kind": "method", "params": {"p": nest(MAX_SCHEMA_DEPTH - 6, {})}}},
    }
    reading = read_files({"s.contract.json": value})
    assert reading.findings == ()
    (contract,) = reading.catalogue.contracts.values()
    bundle = make_contract_bundle(reading.catalogue, contract)
    assert get_digest(contract, bundle).startswith("sha256:")
    jsonschema_rs.validator_for(bundle.document, offline=True)


COUNT = 20_000
LARGE: dict[str, tuple[Any, int]] = {
    "definitions": ({f"d{one}": {"type": "null"} for one in range(COUNT)}, 0),
    "references in a circle": (
        {f"d{one}": {"items": {"$ref": f"#/$defs/d{(one + 1) % COUNT}"}} for one in range(COUNT)},
        0,
    ),
    "references in a chain": (
        {f"d{one}": {"$ref": f"#/$defs/d{one + 1}"} for one in range(COUNT)} | {f"d{COUNT}": {}},
        0,
    ),
    "a long ring": (
        {f"d{one}": {"$ref": f"#/$defs/d{(one + 1) % COUNT}"} for one in range(COUNT)},
        1,
    ),
    "anchors that stand twice": ({f"d{one}": {"$anchor": "a"} for one in range(5000)}, 4999),
    "types with a typo": ({f"d{one}": {"type": "nul"} for one in range(5000)}, 5000),
    "broken references": ({f"d{one}": {"$ref": f"#/$defs/e{one}"} for one in range(5000)}, 5000),
    "unknown keywords": ({"d": {f"keyword{one}": 1 for one in range(5000)}}, 5000),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_large_is_read_in_linear_time(name: str, read_files: ReadFiles) -> None:
    definitions, count = LARGE[name]
    assert len(read_files({"a.schema.json": json.dumps({"$defs": definitions})}).findings) == count


def test_many_files_that_refer_on_are_read(read_files: ReadFiles) -> None:
    files = {f"f{one}.schema.json": {"$ref": f"f{one + 1}.schema.json"} for one in range(500)}
    reading = read_files({**files, "f500.schema.json": True})
    assert reading.findings == ()
    assert len(reading.catalogue.documents) == 501
