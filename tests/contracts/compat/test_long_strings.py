from __future__ import annotations

import pytest
from pi_contracts.contracts.compat.long_strings import find_long_member
from pi_contracts.contracts.compat.patterns import find_language


@pytest.mark.parametrize("pattern", ["^x[ab]*y$", "", "^a+$", "end$"])
def test_a_string_stays_in_a_state_until_it_is_long(pattern: str) -> None:
    language = find_language(pattern)
    assert language is not None
    found = find_long_member(language, 5000, 100, lambda: None)
    assert found is not None
    assert len(found) == 5000


@pytest.mark.parametrize("pattern", ["^a{0,9}$", "^(ab)*$", "^x{20}[ab]*y{20}$"])
def test_without_a_state_to_stay_in_or_room_nothing_is_found(pattern: str) -> None:
    language = find_language(pattern)
    assert language is not None
    assert find_long_member(language, 30, 100, lambda: None) is None


def test_states_that_lead_nowhere_soon_are_given_up() -> None:
    language = find_language("^a*b{50}$")
    assert language is not None
    assert find_long_member(language, 3000, 10, lambda: None) is None
