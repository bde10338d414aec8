from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO = "compatible", "breaking"
STRING = {"type": "string"}


def pattern(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "pattern": text, **more}


BOTH_WAYS: list[tuple[str, Any, Any, str, str]] = [
    ("limits", {**STRING, "maxLength": 2}, {**STRING, "maxLength": 5}, YES, NO),
    ("longer at least", {**STRING, "minLength": 3}, {**STRING, "minLength": 2}, YES, NO),
    ("limits that exclude everything", {**STRING, "minLength": 3, "maxLength": 2}, False, YES, YES),
    ("a longer prefix", pattern("^ab"), pattern("^a"), YES, NO),
    ("spelled otherwise", pattern("^[a-c]+$"), pattern("^(a|b|c)(a|b|c)*$"), YES, YES),
    ("a pattern that bounds the length", pattern("^a{2,5}$"), {**STRING, "maxLength": 5}, YES, NO),
    (
        "a length that a pattern needs",
        pattern("^[a-z]*$", minLength=1),
        pattern("^[a-z]+$"),
        YES,
        YES,
    ),
    (
        "lookaheads and lengths",
        pattern("^(?!/)[a-z/]*$", minLength=1, maxLength=1024),
        pattern("^(?!/)[a-z/]+$", maxLength=1024),
        YES,
        YES,
    ),
    ("a very long limit", pattern("^[a-z]*$"), pattern("^[a-z]*$", maxLength=32768), NO, YES),
    (
        "the empty string alone",
        {**STRING, "not": {"const": ""}},
        {**STRING, "minLength": 1},
        YES,
        YES,
    ),
    ("a dot and a line end", {**STRING, "not": {"const": ""}}, pattern(".+"), NO, YES),
    ("listed strings", {"enum": ["a", "bb"]}, pattern("^(a|bb)$"), YES, YES),
    ("two patterns", {"allOf": [pattern("^a"), pattern("b$")]}, pattern("^a.*b$|^ab$"), NO, YES),
    (
        "a pattern that is not regular, the same",
        pattern(r"\bx"),
        pattern(r"\bx", minLength=0),
        YES,
        YES,
    ),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"),
    [row[1:] for row in BOTH_WAYS],
    ids=[row[0] for row in BOTH_WAYS],
)
def test_sets_of_strings_are_compared(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    assert ask_both(one, other) == (forth, back)


def test_patterns_that_are_not_regular_stay_undecided_without_a_witness(
    ask: Callable[[Any, Any], str],
) -> None:
    assert ask(pattern(r"^(a+)\1$"), pattern(r"^(aa)+\B")) == "undecided"


def test_a_format_counts_where_it_is_checked(ask: Callable[[Any, Any], str]) -> None:
    from pi_contracts.contracts.compat.decide import Kind, decide
    from pi_contracts.contracts.compat.flat import FlatDocument, FlatSchema

    dated = FlatSchema(FlatDocument({"type": "string", "format": "date"}, asserts_format=True))
    free = FlatSchema(FlatDocument({"type": "string"}, asserts_format=True))
    assert decide(dated, free).kind is Kind.COMPATIBLE
    assert decide(dated, dated).kind is Kind.COMPATIBLE
    assert decide(free, dated).kind is Kind.BREAKING
    unlike = FlatSchema(FlatDocument({"type": "string", "format": "email"}, asserts_format=True))
    assert decide(dated, unlike).kind is Kind.BREAKING
    assert ask({"format": "date"}, {"format": "email"}) == YES
