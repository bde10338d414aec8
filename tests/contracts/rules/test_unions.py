from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.check import lint

if TYPE_CHECKING:
    from pi_contracts.contracts.read import Reading

Find = Callable[..., list[str]]
AT = "/members/e"


def event(tag: str, name: str = "type", **more: object) -> dict[str, Any]:
    return {"properties": {name: {"const": tag}}, "required": [name], **more}


def send(
    payload: object, discriminator: str | None = None, **definitions: object
) -> dict[str, Any]:
    named = {"discriminator": discriminator} if discriminator else {}
    member = {"kind": "events", "payload": payload, **named}
    return {"members": {"e": member}, "$defs": definitions}


REFERRED: dict[str, Any] = {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}


@pytest.mark.parametrize(
    ("payload", "is_found"),
    [
        ({"oneOf": [event("a"), event("b")]}, True),
        ({"anyOf": [event("a"), event("b")]}, True),
        (REFERRED, True),
        ({"$ref": "#/$defs/Union"}, True),
        ({"oneOf": [event("a"), {"oneOf": [event("b")]}]}, True),
        ({"oneOf": [event("a"), {"type": "null"}]}, False),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, False),
        (event("a"), False),
        (True, False),
    ],
    ids=str,
)
def test_events_of_several_types_name_what_tells_them(
    find: Find, payload: object, *, is_found: bool
) -> None:
    definitions: dict[str, object] = {"A": event("a"), "B": event("b"), "Union": REFERRED}
    contract = send(payload, None, **definitions)
    assert find("missing-discriminator", contract) == ([AT] if is_found else [])
    named = send(payload, "type", **definitions)
    assert find("missing-discriminator", named) == []


@pytest.mark.parametrize(
    ("branches", "fix"),
    [
        ([event("a"), event("b")], 'add "discriminator": "type"'),
        ([event("a", "kind"), event("b", "kind")], 'add "discriminator": "kind"'),
        ([event("a", "kind"), event("b")], "give each type a required property"),
        ([event("a"), {"properties": {"type": {"const": "b"}}}], "give each type a required"),
    ],
    ids=["type", "kind", "two names", "not required"],
)
def test_the_way_out_names_the_property_if_there_is_one(
    read_files: Callable[[dict[str, Any]], Reading], branches: list[object], fix: str
) -> None:
    service = {"id": "shop", "mode": "singleton"}
    contract = {"$schema": "urn:pi-contracts:dialect:1", "service": service}
    reading = read_files({"shop.contract.json": {**contract, **send({"oneOf": branches})}})
    found = lint(reading.catalogue, reading.catalogue.documents, {})
    (finding,) = [one for one in found if one.rule == "missing-discriminator"]
    assert (finding.fix or "").startswith(fix)


@pytest.mark.parametrize(
    ("payload", "is_found"),
    [
        ({"oneOf": [event("a"), event("b")]}, False),
        (event("a"), False),
        ({"oneOf": [event("a"), event("b", "kind")]}, True),
        ({"oneOf": [event("a"), {"properties": {"type": {"const": "b"}}}]}, True),
        ({"properties": {"kind": {"const": "b"}}}, True),
        ({"required": ["type"], "oneOf": [{"properties": {"b": True}}, event("b")]}, False),
        ({"allOf": [event("a"), {"properties": {"b": True}}]}, False),
        ({"$ref": "#/$defs/A", "oneOf": [{"title": "x"}, {"title": "y"}]}, False),
        ({"oneOf": [event("a"), {"$ref": "#/$defs/Nested"}]}, False),
    ],
    ids=str,
)
def test_a_discriminator_is_in_every_event(find: Find, payload: object, *, is_found: bool) -> None:
    nested = {"oneOf": [event("c"), {"$ref": "#/$defs/Inner"}]}
    inner = {"anyOf": [event("d"), event("e")]}
    contract = send(payload, "type", A=event("a"), Nested=nested, Inner=inner)
    places = [f"{AT}/discriminator"] if is_found else []
    assert find("wrong-discriminator", contract) == places


def test_types_without_number_come_to_an_end(find: Find) -> None:
    levels = {f"L{one}": {"oneOf": [{"$ref": f"#/$defs/L{one + 1}"}] * 2} for one in range(40)}
    contract = send({"$ref": "#/$defs/L0"}, "type", **levels, L40=event("a"))
    assert find("wrong-discriminator", contract) == []
