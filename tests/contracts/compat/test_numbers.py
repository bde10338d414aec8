from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.compat.numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO = "compatible", "breaking"
INTEGER, NUMBER = {"type": "integer"}, {"type": "number"}
LARGEST = 1.7976931348623157e308

BOTH_WAYS: list[tuple[str, Any, Any, str, str]] = [
    ("integers are numbers", INTEGER, NUMBER, YES, NO),
    ("limits beyond doubles", {**INTEGER, "minimum": 10**400}, {"minimum": 1e308}, YES, NO),
    ("integers are multiples of one", INTEGER, {**NUMBER, "multipleOf": 1}, YES, YES),
    (
        "a multiple of five is one of two and a half",
        {"multipleOf": 5},
        {"multipleOf": 2.5},
        YES,
        NO,
    ),
    (
        "multiples of four and six are those of twelve",
        {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}]},
        {"multipleOf": 12},
        YES,
        YES,
    ),
    ("neither divides the other", {"multipleOf": 4}, {"multipleOf": 6}, NO, NO),
    (
        "an integer above 0 is one from 1",
        {**INTEGER, "exclusiveMinimum": 0},
        {**INTEGER, "minimum": 1},
        YES,
        YES,
    ),
    (
        "a number above 0 may be below 1",
        {**NUMBER, "exclusiveMinimum": 0},
        {**NUMBER, "minimum": 1},
        NO,
        YES,
    ),
    (
        "an implied limit adds nothing",
        {"minimum": 3},
        {"minimum": 3, "exclusiveMinimum": 2},
        YES,
        YES,
    ),
    ("a limit that excludes its end", {"maximum": 3}, {"exclusiveMaximum": 3}, NO, YES),
    (
        "few integers can be listed",
        {**INTEGER, "minimum": 1, "maximum": 3},
        {"enum": [1, 2, 3]},
        YES,
        YES,
    ),
    (
        "a fraction between two integers",
        {**NUMBER, "minimum": 1, "maximum": 2},
        {"enum": [1, 2]},
        NO,
        YES,
    ),
    ("the largest double", {**NUMBER, "maximum": LARGEST}, NUMBER, YES, NO),
    ("its negative", {**NUMBER, "minimum": -LARGEST}, NUMBER, YES, NO),
    (
        "below the largest double",
        {**NUMBER, "exclusiveMaximum": LARGEST},
        {**NUMBER, "maximum": LARGEST},
        YES,
        NO,
    ),
    (
        "nothing between 0 and the least double",
        {**NUMBER, "minimum": 5e-324},
        {**NUMBER, "exclusiveMinimum": 0},
        YES,
        YES,
    ),
    (
        "no fraction among large doubles",
        {**NUMBER, "minimum": 2**52},
        {**INTEGER, "minimum": 2**52},
        YES,
        YES,
    ),
    (
        "no fraction far below 0",
        {**NUMBER, "maximum": -(2**52)},
        {**INTEGER, "maximum": -(2**52)},
        YES,
        YES,
    ),
    (
        "a limit below every double",
        {**NUMBER, "minimum": -(10**400), "maximum": 5},
        {**INTEGER, "minimum": -(10**400), "maximum": 5},
        NO,
        YES,
    ),
    (
        "no fraction between a limit below every double and large doubles",
        {**NUMBER, "minimum": -(10**400), "maximum": -(2**52)},
        {**INTEGER, "minimum": -(10**400), "maximum": -(2**52)},
        YES,
        YES,
    ),
    (
        "integers beyond what a double tells apart",
        {**INTEGER, "maximum": 2**53},
        {**INTEGER, "maximum": 2**53 + 1},
        YES,
        NO,
    ),
    (
        "integers beyond every double",
        {**INTEGER, "maximum": 10**400},
        {**INTEGER, "maximum": 10**400 + 1},
        YES,
        NO,
    ),
    ("a double as the integer that it is", {"const": 1e23}, {"const": int(1e23)}, YES, YES),
    ("a double near an integer", {"const": 1e23}, {"const": 10**23}, NO, NO),
    ("multiples of a small number", {**NUMBER, "multipleOf": 1e-9}, NUMBER, YES, NO),
    ("one point", {**NUMBER, "minimum": 2, "maximum": 2}, {"const": 2.0}, YES, YES),
    ("one point that is a fraction", {**NUMBER, "minimum": 0.5, "maximum": 0.5}, INTEGER, NO, NO),
    (
        "no multiple between",
        {**INTEGER, "minimum": 5, "maximum": 6, "multipleOf": 7},
        False,
        YES,
        YES,
    ),
    ("large numbers", {**INTEGER, "minimum": 10**30}, {**INTEGER, "minimum": 10**30 + 1}, NO, YES),
    ("multiples of a tenth", {"multipleOf": 0.2}, {"multipleOf": 0.1}, YES, NO),
    (
        "an excluded multiple",
        {**INTEGER, "not": {"multipleOf": 2}},
        {**INTEGER, "not": {"multipleOf": 4}},
        YES,
        NO,
    ),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"),
    [row[1:] for row in BOTH_WAYS],
    ids=[row[0] for row in BOTH_WAYS],
)
def test_sets_of_numbers_are_compared_exactly(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    assert ask_both(one, other) == (forth, back)


def make(
    low: int | None = None, high: int | None = None, step: Fraction | None = None, **more: Any
) -> Numbers:
    return Numbers(
        more.get("is_integer", True),
        None if low is None else Fraction(low),
        False,
        None if high is None else Fraction(high),
        False,
        step,
        more.get("refused_steps", ()),
        more.get("refused", frozenset()),
    )


def test_an_interval_with_a_number_that_is_not_refused_is_not_empty() -> None:
    assert make(1, 3, refused=frozenset({Fraction(1), Fraction(2), Fraction(3)})).is_empty
    assert not make(1, 3, refused=frozenset({Fraction(1), Fraction(3)})).is_empty


def test_a_long_interval_is_not_searched() -> None:
    assert not make(0, 10**9, refused_steps=(Fraction(7),)).is_empty


def test_fractions_that_are_multiples_of_an_integer_do_not_exist() -> None:
    assert make(step=Fraction(3), is_integer=False).is_empty
    assert not make(step=Fraction(1, 3), is_integer=False).is_empty


@pytest.mark.parametrize("is_integer", [True, False])
@pytest.mark.parametrize("ends", [(None, None), (5, None), (None, -5), (2, 9), (-3, 4)])
def test_numbers_that_are_found_are_of_the_set(
    ends: tuple[int | None, int | None],
    is_integer: bool,  # noqa: FBT001
) -> None:
    numbers = make(*ends, is_integer=is_integer, refused=frozenset({Fraction(6)}))
    found = list(numbers.find_some())
    assert found
    assert all(one in numbers for one in found)
    assert len(set(found)) == len(found)
