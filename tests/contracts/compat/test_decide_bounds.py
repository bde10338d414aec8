"""Schemas of megabytes: each question about them ends in time, and never in a crash."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import Any

import pytest
from pi_contracts.contracts.compat import decide as module
from pi_contracts.contracts.compat.budget import ExhaustedError
from pi_contracts.contracts.compat.decide import Decider, Kind
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.pool import Pool

SIZE = 28_000


def make_record(index: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": index % 977 + 1},
            "count": {"type": "integer", "minimum": index},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def make_members() -> dict[str, Any]:
    return {"type": "object", "properties": {f"p{i}": make_record(i) for i in range(SIZE)}}


def make_chain(last: object) -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    for index in range(SIZE):
        record = make_record(index)
        record["properties"]["next"] = {"$ref": f"#/$defs/d{index + 1}"}
        definitions[f"d{index}"] = record
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{SIZE}": last}}


def make_list() -> dict[str, Any]:
    return make_chain({"type": "null"})


def make_ring() -> dict[str, Any]:
    return make_chain({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/d0"}]})


@pytest.mark.parametrize("make", [make_members, make_list, make_ring])
def test_a_question_about_megabytes_ends_in_two_seconds(make: Any) -> None:
    old = make()
    new = deepcopy(old)
    records = new["$defs"] if "$defs" in new else new["properties"]
    records[next(iter(records))]["properties"]["count"]["minimum"] = -1
    decider = Decider({"urn:a": make_document(old), "urn:b": make_document(new)})
    for ends in (("urn:a#", "urn:b#"), ("urn:b#", "urn:a#")):
        start = time.thread_time()
        decider.decide(*ends)
        assert time.thread_time() - start < 2


RING = {"$ref": "#/$defs/R", "$defs": {"R": {"properties": {"next": {"$ref": "#/$defs/R"}}}}}


def test_without_the_recursive_definitions_nothing_is_asked_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BUILDING_SECONDS", -1.0)
    decider = Decider({"urn:a": make_document(RING), "urn:b": make_document({})})
    assert decider.decide("urn:a#", "urn:b#").kind is Kind.UNDECIDED
    monkeypatch.setattr(module, "BUILDING_SECONDS", 1.0)
    assert decider.decide("urn:a#", "urn:a#").kind is Kind.UNDECIDED


def test_a_pool_takes_nothing_apart_after_its_time() -> None:
    pool = Pool({"urn:a": make_document({"type": "null"})})
    pool.until = 0.0
    with pytest.raises(ExhaustedError):
        pool.get("urn:a#")
