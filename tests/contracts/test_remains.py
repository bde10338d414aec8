from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.remains import Remains

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

TEXT: dict[str, Any] = {"type": "string"}
CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "m", "mode": "keyed", "key": TEXT},
    "members": {
        "call": {
            "kind": "method",
            "params": {"b": {"$ref": "#/$defs/A"}},
            "optional": ["b"],
            "result": {"$ref": "b.schema.json#/$defs/B"},
            "errors": ["lost"],
        },
        "now": {"kind": "state", "value": TEXT},
        "news": {"kind": "events", "payload": {"items": {"$ref": "#/$defs/A/properties/a"}}},
    },
    "errors": {"lost": {"data": TEXT}},
    "$defs": {"A": {"properties": {"a": TEXT}}, "A-b": TEXT},
}
OTHER: dict[str, Any] = {"$defs": {"B": TEXT, "C": {"$ref": "#/$defs/B"}}}
ALL = {"call.params", "call.result", "now", "news", "lost.error", "$key", "A", "A-b"}
CASES: list[tuple[str, Any, set[str]]] = [
    ("/members/call/optional", ["c"], {"call.params"}),
    ("/members/call/params/b", {"type": "zzz"}, {"call.params"}),
    ("/members/call/params", 5, {"call.params"}),
    ("/members/call/errors", ["zzz"], set()),
    ("/members/call/result", 5, {"call.result"}),
    ("/members/call/returns", "n", {"call.params", "call.result"}),
    ("/members/call/kind", "methods", {"call.params", "call.result"}),
    ("/members/now/value", 5, {"now"}),
    ("/members/now/kind", "events", {"now"}),
    ("/members/now", 5, {"now"}),
    ("/members/news/payload", {"$ref": "#/$defs/Z"}, {"news"}),
    ("/members/news/payload", {"$dynamicRef": "#/$defs/A"}, {"news"}),
    ("/members/call/params/b", {"type": "object", "required": True}, {"call.params"}),
    ("/service/key", {"type": "zzz"}, {"$key"}),
    ("/service", 5, {"$key"}),
    ("/errors/lost/data", {"type": "zzz"}, {"lost.error"}),
    ("/errors/lost", 5, {"lost.error"}),
    ("/$defs/A/type", "zzz", {"A", "call.params"}),
    ("/$defs/A/properties/a", {"type": "zzz"}, {"A", "call.params", "news"}),
    ("/$defs/A-b/type", "zzz", {"A-b"}),
    ("/formats", "zzz", ALL),
]


def change(pointer: str, value: Any) -> dict[str, Any]:
    *above, last = pointer.split("/")[1:]
    changed = place = dict(CONTRACT)
    for token in above:
        place[token] = dict(place[token])
        place = place[token]
    place[last] = value
    return changed


def list_sound(reading: Reading, path: str) -> set[str]:
    (document,) = (one for one in reading.catalogue.documents.values() if one.path == path)
    return {one.subject for one in Remains(reading).list_payloads(document)}


@pytest.mark.parametrize(
    ("pointer", "value", "lost"),
    CASES,
    ids=[f"{pointer} {str(value)[:40]}" for pointer, value, _ in CASES],
)
def test_a_mistake_reaches_the_payloads_that_lead_to_it_and_no_others(
    read_files: Callable[[dict[str, Any]], Reading], pointer: str, value: Any, lost: set[str]
) -> None:
    reading = read_files({"m.contract.json": change(pointer, value), "b.schema.json": OTHER})
    if "$dynamicRef" not in str(value):
        assert not reading.is_sound
    assert ALL - list_sound(reading, "m.contract.json") == lost


def test_a_mistake_in_another_file_reaches_what_leads_there(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    broken = {"$defs": {**OTHER["$defs"], "B": {"type": "zzz"}, "D": TEXT}}
    reading = read_files({"m.contract.json": CONTRACT, "b.schema.json": broken})
    assert ALL - list_sound(reading, "m.contract.json") == {"call.result"}
    assert list_sound(reading, "b.schema.json") == {"D"}


def test_a_long_chain_of_definitions_that_ends_in_a_mistake_takes_no_time_to_speak_of(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    most = 2000
    chain: dict[str, Any] = {
        f"D{number}": {"properties": {"next": {"$ref": f"#/$defs/D{number + 1}"}}}
        for number in range(most)
    }
    chain[f"D{most}"] = {"type": "zzz"}
    links = [{"$ref": f"#/$defs/{name}"} for name in ("D1", "D2", "Gone")]
    more = {"X": {"allOf": links}, "Y": {"$ref": "#/$defs/X"}, "Z": TEXT}
    reading = read_files({"a.schema.json": {"$defs": {**chain, **more}}})
    begun = time.perf_counter()
    assert list_sound(reading, "a.schema.json") == {"Z"}
    assert time.perf_counter() - begun < 1
