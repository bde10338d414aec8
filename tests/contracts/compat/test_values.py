from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from pi_contracts.contracts.compat.values import (
    are_disjoint,
    count_parts,
    find_types,
    freeze,
    freeze_all,
    to_fraction,
)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ([1], {"1": 1}, False),
        (1e23, int(1e23), True),
        (1e23, 10**23, False),
        (2**53 + 1, 2.0**53, False),
    ],
)
def test_frozen_forms_are_equal_where_values_are(one: Any, other: Any, equal: bool) -> None:  # noqa: FBT001
    assert (freeze(one) == freeze(other)) is equal
    assert (len(freeze_all([one, other])) == 1) is equal


def test_a_fraction_is_its_shortest_spelling_and_a_whole_double_is_itself() -> None:
    assert to_fraction(0.1) == Fraction(1, 10)
    assert to_fraction(1.7976931348623157e308) == int(1.7976931348623157e308)
    assert to_fraction(float("inf")) > to_fraction(1.7976931348623157e308)


def test_types_are_found_of_all_values() -> None:
    assert find_types([1, "a", None]) == {"integer", "string", "null"}
    assert find_types([1.0, 1.5]) == {"integer", "fraction"}
    assert find_types([]) == frozenset()


def test_mappings_without_a_common_key_are_disjoint() -> None:
    assert are_disjoint({1: 1}, {2: 2, 3: 3})
    assert not are_disjoint({1: 1, 2: 2}, {2: 3})


def test_the_parts_of_a_value_are_counted_as_often_as_they_are_met() -> None:
    value: Any = {"a": 1, "b": []}
    assert count_parts(value) == 3
    for _ in range(100):
        value = [value, value]
    assert count_parts(value) == 2**100 * 3 + 2**100 - 1
