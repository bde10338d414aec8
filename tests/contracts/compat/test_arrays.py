from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO = "compatible", "breaking"
STRINGS = {"type": "array", "items": {"type": "string"}}
A, B, C = {"const": "a"}, {"const": "b"}, {"type": "string"}


def array(**more: Any) -> dict[str, Any]:
    return {"type": "array", **more}


BOTH_WAYS: list[tuple[str, Any, Any, str, str]] = [
    ("any items", STRINGS, array(), YES, NO),
    ("items narrowed", array(items={"enum": ["a"]}), STRINGS, YES, NO),
    (
        "a longer closed tuple",
        array(prefixItems=[C], items=False),
        array(prefixItems=[C, C], items=False),
        YES,
        NO,
    ),
    (
        "an open tuple that names a place",
        array(prefixItems=[C]),
        array(prefixItems=[C, C]),
        NO,
        YES,
    ),
    ("a closed tuple is short", array(prefixItems=[C, C], items=False), array(maxItems=2), YES, NO),
    ("a tuple of strings", array(prefixItems=[C, C], items=False), STRINGS, YES, NO),
    (
        "a tuple whose second place nothing fits",
        array(prefixItems=[C, False, C], minItems=1),
        array(prefixItems=[C], minItems=1, maxItems=1),
        YES,
        YES,
    ),
    ("lengths", array(minItems=2, maxItems=3), array(minItems=1, maxItems=3), YES, NO),
    ("lengths that exclude everything", array(minItems=3, maxItems=2), False, YES, YES),
    ("at least one of anything", array(contains=True), array(minItems=1), YES, YES),
    (
        "at most two of anything",
        array(contains={}, minContains=0, maxContains=2),
        array(maxItems=2),
        YES,
        YES,
    ),
    ("more of a narrower schema", array(contains=A, minContains=2), array(contains=C), YES, NO),
    ("every item is one", array(items=C, minItems=2), array(contains=C, minContains=2), YES, NO),
    (
        "at most some",
        array(contains=C, maxContains=1),
        array(contains=A, minContains=0, maxContains=1),
        YES,
        NO,
    ),
    (
        "too few to have many",
        array(maxItems=2),
        array(contains=A, minContains=0, maxContains=2),
        YES,
        NO,
    ),
    (
        "none of what no item is",
        array(items=A),
        array(contains=B, minContains=0, maxContains=0),
        YES,
        NO,
    ),
    ("must be there and cannot", array(items=A, contains=B), False, YES, YES),
    ("must be there and may not", array(contains=A, maxContains=0, minContains=1), False, YES, YES),
    (
        "more than there may be",
        array(prefixItems=[A, A], minItems=2, contains=A, maxContains=1),
        False,
        YES,
        YES,
    ),
    ("one unique item", array(maxItems=1), array(uniqueItems=True), YES, NO),
    ("unique removed", array(uniqueItems=True), array(), YES, NO),
    (
        "more unique items than values",
        array(items={"enum": [1, 2]}, uniqueItems=True, minItems=3),
        False,
        YES,
        YES,
    ),
    (
        "places that differ are unique",
        array(prefixItems=[A, B], items=False),
        array(uniqueItems=True),
        YES,
        NO,
    ),
    (
        "unevaluated items of a tuple",
        {"allOf": [array(prefixItems=[C])], "unevaluatedItems": False},
        array(prefixItems=[C], items=False),
        YES,
        YES,
    ),
    (
        "unevaluated items beside contained ones",
        array(contains=A, unevaluatedItems=B),
        array(items={"enum": ["a", "b"]}, contains=A),
        YES,
        YES,
    ),
    (
        "unevaluated items of branches",
        array(anyOf=[{"prefixItems": [A]}, {"prefixItems": [B, B]}], unevaluatedItems=False),
        array(maxItems=2),
        YES,
        NO,
    ),
    ("items below items", array(items=array(items=A)), array(items=array(items=C)), YES, NO),
    (
        "a place that must not fit",
        array() | {"not": {"prefixItems": [A]}},
        array(minItems=1),
        YES,
        NO,
    ),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"),
    [row[1:] for row in BOTH_WAYS],
    ids=[row[0] for row in BOTH_WAYS],
)
def test_sets_of_arrays_are_compared(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    assert ask_both(one, other) == (forth, back)
