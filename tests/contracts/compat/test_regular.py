from __future__ import annotations

import pytest
from pi_contracts.contracts.compat.regular import (
    ALL,
    ANY,
    EMPTY,
    EVERYTHING,
    NOTHING,
    TooManyStatesError,
    chars,
    complement,
    derive,
    find_member,
    intersection,
    invert_ranges,
    is_nullable,
    literal,
    merge_ranges,
    repeat,
    sequence,
    union,
)

A = literal("a")
B = literal("b")


def accepts(language: object, text: str) -> bool:
    for character in text:
        language = derive(language, ord(character))  # type: ignore[arg-type]
    return is_nullable(language)  # type: ignore[arg-type]


def test_languages_that_are_written_alike_are_one_object() -> None:
    assert union((A, B)) is union((B, A))
    assert sequence(sequence(A, B), A) is sequence(A, sequence(B, A))


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (sequence(NOTHING, A), NOTHING),
        (sequence(EMPTY, A), A),
        (sequence(A, EMPTY), A),
        (sequence(EVERYTHING, EVERYTHING), EVERYTHING),
        (repeat(A, 0, 0), EMPTY),
        (repeat(EMPTY, 3, 4), EMPTY),
        (repeat(NOTHING, 1, 2), NOTHING),
        (repeat(NOTHING, 0, 2), EMPTY),
        (repeat(A, 1, 1), A),
        (repeat(repeat(A, 0, None), 1, None), repeat(A, 0, None)),
        (union(()), NOTHING),
        (union((A, EVERYTHING)), EVERYTHING),
        (union((union((A, EMPTY)), B)), union((A, B, EMPTY))),
        (intersection(()), EVERYTHING),
        (intersection((A, complement(A))), NOTHING),
        (intersection((A, NOTHING)), NOTHING),
        (
            intersection((intersection((repeat(A, 0, None), complement(A))), EVERYTHING)),
            intersection((repeat(A, 0, None), complement(A))),
        ),
        (complement(complement(A)), A),
        (complement(NOTHING), EVERYTHING),
        (complement(EVERYTHING), NOTHING),
    ],
)
def test_constructors_apply_the_laws(language: object, expected: object) -> None:
    assert language is expected


def test_what_a_conjunction_of_parts_refuses_is_seen_among_more_parts() -> None:
    some = (complement(A), complement(B))
    more = (*some, repeat(ANY, 0, None), complement(literal("ab")))
    assert intersection((*more, complement(intersection(some)))) is NOTHING


@pytest.mark.parametrize(
    ("language", "accepted", "refused"),
    [
        (repeat(A, 2, 3), ["aa", "aaa"], ["a", "aaaa", "ab"]),
        (union((A, sequence(A, B))), ["a", "ab"], ["b", ""]),
        (complement(A), ["", "b", "aa"], ["a"]),
        (intersection((repeat(ANY, 2, 2), complement(literal("ab")))), ["aa"], ["ab", "a"]),
        (chars(((0x61, 0x63),)), ["a", "c"], ["d"]),
        (repeat(repeat(A, 0, 1), 2, 2), ["", "a", "aa"], ["aaa"]),
    ],
)
def test_derivatives_accept_what_a_language_holds(
    language: object, accepted: list[str], refused: list[str]
) -> None:
    assert all(accepts(language, text) for text in accepted)
    assert not any(accepts(language, text) for text in refused)


@pytest.mark.parametrize(
    ("language", "member"),
    [
        (EMPTY, ""),
        (NOTHING, None),
        (literal("xyz"), "xyz"),
        (intersection((repeat(A, 0, None), complement(EMPTY), complement(A))), "aa"),
        (intersection((sequence(A, EVERYTHING), sequence(B, EVERYTHING))), None),
        (chars(((0x0A, 0x0A),)), "\n"),
    ],
)
def test_a_shortest_member_is_found_or_none_is_there(language: object, member: str | None) -> None:
    assert find_member(language, 100) == member  # type: ignore[arg-type]


def test_a_search_ends_at_its_bound() -> None:
    with pytest.raises(TooManyStatesError):
        find_member(literal("a" * 50), 10)


def test_a_search_can_be_ended_from_outside() -> None:
    def tick() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_member(repeat(A, 100, 100), 1000, tick)


def test_an_expression_that_nests_too_deeply_is_given_up() -> None:
    deep = EMPTY
    for _ in range(2000):
        deep = intersection((repeat(union((sequence(deep, A), B)), 0, None), complement(EMPTY)))
    with pytest.raises(TooManyStatesError):
        find_member(deep, 10_000)


def test_ranges_are_joined_and_turned_around() -> None:
    assert merge_ranges([(5, 6), (1, 2), (3, 3), (6, 9)]) == ((1, 3), (5, 9))
    assert invert_ranges(()) == ALL
    assert invert_ranges(ALL) == ()
    assert invert_ranges(((0, 0x60), (0x62, 0x10FFFF))) == ((0x61, 0x61),)
