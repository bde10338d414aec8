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
FAR_TOO_LONG = 15
"""Seconds: far above what a question may take, which benchmarks/compat.py measures, so that
a busy machine fails no test, and far below what anything without a bound takes."""


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
def test_a_question_about_megabytes_ends(make: Any) -> None:
    old = make()
    new = deepcopy(old)
    records = new["$defs"] if "$defs" in new else new["properties"]
    records[next(iter(records))]["properties"]["count"]["minimum"] = -1
    decider = Decider({"urn:a": make_document(old), "urn:b": make_document(new)})
    for ends in (("urn:a#", "urn:b#"), ("urn:b#", "urn:a#")):
        start = time.thread_time()
        decider.decide(*ends)
        assert time.thread_time() - start < FAR_TOO_LONG


def judge(old: Any, new: Any) -> tuple[str, str]:
    """Return the verdicts both ways; each question must end in time."""
    decider = Decider({"urn:a": make_document(old), "urn:b": make_document(new)})
    kinds: list[str] = []
    for ends in (("urn:a#", "urn:b#"), ("urn:b#", "urn:a#")):
        start = time.thread_time()
        kinds.append(decider.decide(*ends).kind.value)
        assert time.thread_time() - start < FAR_TOO_LONG
    return kinds[0], kinds[1]


OPEN = "breaking-undeclared"


def make_enum(count: int) -> dict[str, Any]:
    return {"enum": [f"value-{index}" for index in range(count)]}


def make_open_record(minimum: int) -> dict[str, Any]:
    members = {f"p{index}": make_record(index) for index in range(5000)}
    members["p2500"]["properties"]["count"]["minimum"] = minimum
    return {"type": "object", "properties": members}


def make_tagged(count: int) -> dict[str, Any]:
    return {"oneOf": [{**make_tag(index), "required": ["kind"]} for index in range(count)]}


def make_tag(index: int) -> dict[str, Any]:
    properties = {"kind": {"const": f"k{index}"}, "v": {"type": "integer", "minimum": index}}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def make_tuple(minimum: int) -> dict[str, Any]:
    first = [{"type": "integer", "minimum": index} for index in range(1000)]
    return {"type": "array", "prefixItems": [*first, {"minimum": minimum}]}


def make_definitions(count: int, minimum: int) -> dict[str, Any]:
    definitions = {f"d{index}": make_record(index) for index in range(count)}
    definitions["d7"]["properties"]["count"]["minimum"] = minimum
    members = {f"p{index}": {"$ref": f"#/$defs/d{index}"} for index in range(count)}
    return {"type": "object", "properties": members, "$defs": definitions}


def make_constants(count: int) -> dict[str, Any]:
    return {"oneOf": [{"const": f"v{index}"} for index in range(count)]}


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (make_enum(100_000), make_enum(100_001)),
        ({"properties": {"a": make_enum(50_000)}}, {"properties": {"a": make_enum(50_001)}}),
        (make_enum(20_000), {"type": "string", "maxLength": 20}),
        (make_open_record(0), make_open_record(-1)),
        (make_tagged(3000), make_tagged(3001)),
        (make_tuple(0), make_tuple(-1)),
        (make_definitions(3000, 0), make_definitions(3000, -1)),
        (make_constants(10_000), make_constants(10_001)),
        ({"required": [f"p{i}" for i in range(20_000)]}, {"required": ["p7"]}),
        (
            {"allOf": [{"properties": {f"p{i}": {"minimum": i or 1}}} for i in range(2000)]},
            {"allOf": [{"properties": {f"p{i}": {"minimum": i}}} for i in range(2000)]},
        ),
    ],
    ids=[
        *("list", "member-list", "list-length", "members", "branches", "items"),
        *("definitions", "constants", "required", "parts"),
    ],
)
def test_one_edit_of_a_large_schema_is_decided_both_ways(narrow: Any, wide: Any) -> None:
    assert judge(narrow, wide) == ("compatible", "breaking")


def nest(levels: int, last: Any, kind: str) -> Any:
    for _ in range(levels):
        last = {
            "object": {"type": "object", "properties": {"a": last}, "required": ["a"]},
            "array": {"type": "array", "items": last, "minItems": 1},
            "map": {"type": "object", "additionalProperties": last, "minProperties": 1},
            "union": {"anyOf": [{"type": "null"}, {"type": "array", "prefixItems": [last]}]},
        }[kind]
    return last


def test_one_of_many_listed_values_is_found_that_breaks() -> None:
    values = {"enum": [f"{index:05d}" for index in range(50_001)]}
    assert judge(values, {"pattern": "^[0-4]"}) == ("breaking", "breaking")


@pytest.mark.parametrize(
    ("members", "back"),
    [
        ({"patternProperties": {f"^p{i}$": {"minimum": i} for i in range(15_000)}}, "undecided"),
        ({"dependentRequired": {f"p{i}": [f"q{i}"] for i in range(15_000)}}, OPEN),
        ({"dependentSchemas": {f"p{i}": {"required": ["q"]} for i in range(10_000)}}, OPEN),
    ],
    ids=lambda one: next(iter(one)),
)
def test_one_of_very_many_entries_goes(members: Any, back: str) -> None:
    keyword, some = next(iter(members.items()))
    fewer = dict(list(some.items())[1:])
    wide = {"type": "object", keyword: fewer}
    assert judge({"type": "object", keyword: some}, wide) == ("compatible", back)


def test_what_takes_too_long_to_compile_is_undecided_though_the_difference_is_seen() -> None:
    assert judge(make_definitions(21_000, 0), make_definitions(21_000, -1)) == (
        "compatible",
        "undecided",
    )


@pytest.mark.parametrize(
    ("kind", "levels"), [("object", 115), ("array", 230), ("map", 230), ("union", 55)]
)
def test_an_edit_at_the_bottom_of_deep_nesting_is_decided(kind: str, levels: int) -> None:
    narrow, wide = (nest(levels, {"type": name}, kind) for name in ("integer", "number"))
    assert judge(narrow, wide) == ("compatible", "breaking")


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


def make_doubling(levels: int, last: Any) -> dict[str, Any]:
    """Return a schema whose smallest value has two values of each level in the one above."""
    definitions: dict[str, Any] = {f"d{levels}": last}
    for level in range(levels):
        below = {"$ref": f"#/$defs/d{level + 1}"}
        definitions[f"d{level}"] = {
            "type": "object",
            "properties": {"a": below, "b": below},
            "required": ["a", "b"],
        }
    return {"$ref": "#/$defs/d0", "$defs": definitions}


@pytest.mark.parametrize(("levels", "back"), [(10, "breaking"), (60, "undecided")])
def test_definitions_that_each_use_another_twice_are_no_way_to_a_hang(
    levels: int, back: str
) -> None:
    narrow, wide = (make_doubling(levels, {"type": name}) for name in ("integer", "number"))
    assert judge(narrow, wide) == ("compatible", back)
