from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.json_values import (
    ABSENT,
    Hints,
    describe,
    escape_token,
    find_nearest,
    is_array,
    is_object,
    is_schema,
    look_up,
    unescape,
)

VALUE: Any = {"a": [1, {"b/c": 2}], "": 3, "~": 4, "n": None}
POINTERS = {
    "": VALUE,
    "/a/0": 1,
    "/a/1/b~1c": 2,
    "/": 3,
    "/~0": 4,
    "/n": None,
    "/a/2": ABSENT,
    "/a/00": ABSENT,
    "/a/-": ABSENT,
    "/a/٣": ABSENT,
    "/a/0/x": ABSENT,
    "/x": ABSENT,
}
NEAREST = [
    ("propertes", ["properties", "pattern"], "properties"),
    ("Type", ["type", "title"], "type"),
    ("type", ["type"], "type"),
    ("zzz", ["type"], None),
    ("x" * 1000, ["x" * 999], None),
]
KINDS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "a boolean"),
    (1, "a number"),
    (1.5, "a number"),
    ("x", "a string"),
    ([], "an array"),
    ({}, "an object"),
]


@pytest.mark.parametrize("pointer", POINTERS)
def test_a_pointer_leads_to_a_value_or_nowhere(pointer: str) -> None:
    assert look_up(VALUE, pointer, ABSENT) is POINTERS[pointer]


@given(st.text())
def test_escaping_a_name_is_undone(name: str) -> None:
    token = escape_token(name)
    assert "/" not in token
    assert unescape(token) == name
    assert look_up({name: 1}, f"/{token}") == 1


@pytest.mark.parametrize(("name", "known", "expected"), NEAREST, ids=lambda one: str(one)[:9])
def test_the_nearest_name_is_the_one_meant(
    name: str, known: list[str], expected: str | None
) -> None:
    assert find_nearest(name, known) == expected


@pytest.mark.parametrize(("value", "kind"), KINDS, ids=str)
def test_a_value_is_described_by_its_kind(value: object, kind: str) -> None:
    assert describe(value) == kind
    assert is_object(value) == (kind == "an object")
    assert is_array(value) == (kind == "an array")
    assert is_schema(value) == (kind in {"an object", "a boolean"})


def test_hints_are_given_for_the_first_of_many_slips() -> None:
    hints = Hints(most=2)
    found = [
        hints.find("colour", ["color"]),
        hints.find("x", ["color"]),
        hints.find("colr", ["color"]),
    ]
    assert found == ["color", None, None]
