from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.plugins.similar import SimilarIds, fold, group_confusable, show_difference


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Lamp", "lamp"),
        ("caf\u00e9", "cafe\u0301"),
        ("\uff4c\uff41\uff4d\uff50", "lamp"),
        ("stra\u00dfe", "STRASSE"),
        ("la\u200bmp", "lamp"),
    ],
    ids=["case", "combining mark", "full width", "sharp s", "zero width"],
)
def test_ids_that_differ_in_case_or_unicode_form_fold_to_the_same(first: str, second: str) -> None:
    assert fold(first) == fold(second)
    assert group_confusable(["other", second, first]) == [sorted([first, second])]


def test_ids_that_differ_otherwise_are_not_confusable() -> None:
    assert group_confusable(["lamp", "lamps", "camp"]) == []
    assert group_confusable(["Lamp", "Camp"]) == []


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("Lamp", "lamp", ('"Lamp" (U+004C)', '"lamp" (U+006C)')),
        ("caf\u00e9", "cafe\u0301", ('"caf\u00e9" (U+00E9)', '"cafe\u0301" (U+0065 U+0301)')),
        ("la\u200bmp", "lamp", ('"la\\u200bmp" (U+200B)', '"lamp" (nothing there)')),
        (
            "ABCDEFGH",
            "abcdefgh",
            (
                '"ABCDEFGH" (U+0041 U+0042 U+0043 U+0044 U+0045 U+0046 …)',
                '"abcdefgh" (U+0061 U+0062 U+0063 U+0064 U+0065 U+0066 …)',
            ),
        ),
    ],
)
def test_a_difference_is_shown_by_its_code_points(
    first: str, second: str, shown: tuple[str, str]
) -> None:
    assert show_difference(first, second) == shown


@pytest.mark.parametrize(
    ("text", "ids", "found"),
    [
        ("models", ["model", "mode", "chat"], ["model"]),
        ("models", ["modles"], ["modles"]),
        ("models", ["models", "Models"], ["Models"]),
        ("models", ["nodels", "modelz"], ["modelz", "nodels"]),
        ("session-directory", ["sessionDirectory", "session-directories"], ["sessionDirectory"]),
        ("session-directory", ["session-diretcroy"], ["session-diretcroy"]),
        ("session-directory", ["session-management"], []),
        ("job1", ["job2"], []),
        ("oauth", ["oauth2"], ["oauth2"]),
        ("abc", ["abd"], []),
        ("abc", ["ABC"], ["ABC"]),
        ("caf\u00e9", ["cafe\u0301"], ["cafe\u0301"]),
        ("chat", [], []),
        ("chat", ["ch\0t", "chat\0"], ["ch\0t", "chat\0"]),
    ],
)
def test_similar_ids_are_those_of_a_slip(text: str, ids: list[str], found: list[str]) -> None:
    assert SimilarIds(ids).find(text) == found


def test_a_crowd_of_like_ids_says_nothing() -> None:
    crowd = [f"{a}{b}zzzz" for a in "abcdefghij" for b in "klmnopqrst"]
    similar = SimilarIds(crowd)
    assert similar.find("xyzzzz") == []
    assert similar.find("xyzzzz") == []


@given(st.text("abcdef", min_size=5, max_size=12), st.data())
def test_one_changed_character_is_always_found(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    changed = data.draw(
        st.sampled_from([text[:place] + text[place + 1 :], f"{text[:place]}x{text[place:]}"])
    )
    assert changed in SimilarIds([changed]).find(text)


@given(st.lists(st.text(max_size=8), max_size=8))
def test_ids_are_grouped_exactly_if_they_fold_to_the_same(ids: list[str]) -> None:
    expected = {
        frozenset(other for other in ids if fold(other) == fold(text))
        for text in ids
        if any(fold(other) == fold(text) and other != text for other in ids)
    }
    assert {frozenset(group) for group in group_confusable(ids)} == expected
