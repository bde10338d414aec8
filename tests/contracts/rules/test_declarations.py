from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Find = Callable[..., list[str]]
SAID = {"description": "What it is."}


def test_descriptions_are_missed_where_people_look_for_them(find: Find) -> None:
    contract: dict[str, Any] = {
        "members": {
            "state": {"kind": "state", "value": {"type": "integer"}},
            "call": {
                "kind": "method",
                **SAID,
                "params": {"a": True, "b": {"type": "integer"}, "c": {**SAID}, "d": ref("Said")},
            },
        },
        "errors": {"none_left": {}, "sold_out": SAID},
        "$defs": {"Bare": ref("Unsaid"), "Said": {**SAID}, "Unsaid": {}, "a/b": ref("Said")},
    }
    assert find("missing-description", contract) == [
        "",
        "/members/state",
        "/members/call/params/a",
        "/members/call/params/b",
        "/errors/none_left",
        "/$defs/Bare",
        "/$defs/Unsaid",
    ]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_blanks_describe_nothing(find: Find, text: str) -> None:
    assert find("missing-description", {"description": text}) == [""]
    assert find("missing-description", {"description": "Sells."}) == []


def test_an_error_is_used_where_a_method_lists_it(find: Find) -> None:
    members: dict[str, Any] = {
        "call": {"kind": "method", "errors": ["sold_out"]},
        "state": {"kind": "state", "value": True},
    }
    errors: dict[str, Any] = {"sold_out": {}, "none_left": {}}
    contract = {"members": members, "errors": errors}
    assert find("unused-error", contract) == ["/errors/none_left"]


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ({"Used": {}}, []),
        ({"Used": ref("Deep"), "Deep": {}}, []),
        ({"Used": {"properties": {"a": ref("Deep")}}, "Deep": {}}, []),
        ({"Used": {"if": ref("Deep")}, "Deep": {}}, []),
        ({"Used": {"$dynamicRef": "#deep"}, "Deep": {"$dynamicAnchor": "deep"}}, []),
        ({"Used": ref("Deep/properties/a"), "Deep": {"properties": {"a": {}}}}, []),
        ({"Used": {}, "Left": {}}, ["/$defs/Left"]),
        ({"Used": {}, "Second": {}, "First": ref("Second")}, ["/$defs/First"]),
        ({"Used": {}, "A": {"items": ref("B")}, "B": {"items": ref("A")}}, ["/$defs/A"]),
        ({"Used": {}, "A": {"items": ref("A")}}, ["/$defs/A"]),
        ({"Used": {}, "A": ref("Used")}, ["/$defs/A"]),
    ],
    ids=str,
)
def test_a_definition_is_used_where_a_payload_leads_to_it(
    find: Find, definitions: dict[str, Any], expected: list[str]
) -> None:
    members = {"state": {"kind": "state", "value": ref("Used")}}
    assert find("unused-definition", {"members": members, "$defs": definitions}) == expected


def test_a_definition_that_another_file_uses_is_used(find: Find) -> None:
    contract = {"$defs": {"Item": ref("Name"), "Name": {}}}
    other = {"$ref": "shop.contract.json#/$defs/Item"}
    assert find("unused-definition", contract, {"other.schema.json": other}) == []


DEPRECATED = {"deprecated": True}
ANSWERED = {"deprecated": True, "deprecation": {"use": "market"}}


@pytest.mark.parametrize(
    ("mark", "is_found"),
    [
        (DEPRECATED, True),
        ({"deprecation": {"since": "2"}}, True),
        ({**DEPRECATED, "deprecation": {"use": " "}}, True),
        (ANSWERED, False),
        ({"deprecated": False}, False),
        ({}, False),
    ],
    ids=str,
)
def test_what_is_deprecated_says_what_to_use(
    find: Find, mark: dict[str, Any], *, is_found: bool
) -> None:
    contract: dict[str, Any] = {
        **mark,
        "members": {
            "state": {"kind": "state", "value": {**mark}, **mark},
            "call": {"kind": "method", **mark},
        },
        "errors": {"sold_out": mark},
    }
    places = ["", "/members/state", "/members/call", "/errors/sold_out", "/members/state/value"]
    assert find("deprecated-without-use", contract) == (places if is_found else [])
