"""Pointers are escaped and taken apart as RFC 6901 says."""

from __future__ import annotations

import pytest
from pi_contracts.runtime.pointers import escape_token, join_pointer, split_reference


def test_tokens_are_escaped_and_joined() -> None:
    assert escape_token("a/b~c") == "a~1b~0c"
    assert join_pointer(["a/b", 0, ""]) == "/a~1b/0/"
    assert not join_pointer([])


@pytest.mark.parametrize(
    ("reference", "tokens"),
    [
        ("#", []),
        ("#/$defs/a~1b~01", ["$defs", "a/b~1"]),
        ("#/$defs/a%20b%25/0", ["$defs", "a b%", "0"]),
        ("other.json#/a", None),
        ("#anchor", None),
    ],
)
def test_references_within_a_document_have_tokens(reference: str, tokens: list[str] | None) -> None:
    assert split_reference(reference) == tokens
