"""Phrases name kinds, sizes and names, and are cut where they would be long."""

from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.runtime.phrases import (
    describe,
    describe_size,
    join_phrases,
    list_names,
    list_values,
    make_unique,
    name_types,
    quote,
    show_value,
)

KINDS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "a boolean"),
    (1, "an integer"),
    (1.5, "a number"),
    ("", "a string"),
    ([], "an array"),
    ({}, "an object"),
]


@pytest.mark.parametrize(("value", "words"), KINDS, ids=[words for _, words in KINDS])
def test_a_value_is_described_by_its_kind(value: Any, words: str) -> None:
    assert describe(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a🌵", "a string of length 2"),
        ([1], "an array of 1 item"),
        ([], "an array of 0 items"),
        ({"a": 1}, "an object of 1 property"),
        ({}, "an object of 0 properties"),
    ],
)
def test_a_size_is_told_in_its_unit(value: Any, words: str) -> None:
    assert describe_size(value) == words


def test_names_are_quoted_escaped_and_cut() -> None:
    assert quote("a\nb") == '"a\\u000ab"'
    assert quote("x" * 99) == '"' + "x" * 60 + '…"'


def test_long_lists_are_cut_but_never_by_one() -> None:
    assert list_names([str(n) for n in range(9)]).endswith('"7", "8"')
    assert list_names([str(n) for n in range(10)]).endswith('"7" and 2 more')


def test_values_of_a_schema_are_shown_as_json() -> None:
    assert show_value({"a": [None, "é"]}) == '{"a": [null, "é"]}'
    assert list_values([1, 1]) == "1"
    assert list_values(["a", 2]) == 'one of "a", 2'


def test_phrases_are_joined_as_alternatives() -> None:
    assert join_phrases(["a"]) == "a"
    assert join_phrases(["a", "b"]) == "a or b"
    assert join_phrases(["a", "b", "c"]) == "a, b or c"
    assert make_unique(["b", "a", "b"]) == ["b", "a"]


def test_types_come_in_one_order() -> None:
    assert name_types(["null", "string"]) == name_types(["string", "null"]) == ["a string", "null"]
