"""Strings: lengths and patterns, as regular languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .long_strings import find_long_member
from .nodes import LENGTH, AtLeast, AtMost, Format, Pattern, Values
from .patterns import find_language, find_length_language
from .regular import (
    EVERYTHING,
    TooManyStatesError,
    complement,
    find_member,
    intersection,
    literal,
)

if TYPE_CHECKING:
    from .budget import Budget
    from .facts import Facts
    from .regular import Language

_MOST_STATES: Final = 1500
_MOST_STATES_WITH_LENGTHS: Final = 6000
_LONG: Final = 100
_LONGEST_MADE: Final = 100_000
_LONGEST: Final = 200
"""Longer strings are not taken out of a language, which only makes it greater."""


@dataclass(frozen=True, slots=True)
class Strings:
    """The strings of some lengths in which patterns are found, and others are not."""

    low: int
    high: int | None
    patterns: tuple[str, ...]
    refused_patterns: tuple[str, ...]
    refused: tuple[str, ...]
    formats: tuple[str, ...]
    refused_formats: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """Whether there are lengths alone."""
        return not (self.patterns or self.refused_patterns)

    def get_language(self, *, with_lengths: bool = True) -> Language:
        """Return the strings as a language, with what is not regular left out."""
        accepted = [find_language(pattern) for pattern in self.patterns]
        refused = [find_language(pattern) for pattern in self.refused_patterns]
        refused.extend(literal(text) for text in self.refused if len(text) <= _LONGEST)
        parts = [one for one in accepted if one is not None]
        parts.extend(complement(one) for one in refused if one is not None)
        if with_lengths:
            parts.append(find_length_language(self.low, self.high))
        return intersection(parts)


def collect_strings(facts: Facts) -> Strings:
    """Return what the literals of *facts* leave of the strings."""
    low = [one.count for one in facts.select(AtLeast) if one.what == LENGTH]
    low += [one.count + 1 for one in facts.reject(AtMost) if one.what == LENGTH]
    high = [one.count for one in facts.select(AtMost) if one.what == LENGTH]
    high += [one.count - 1 for one in facts.reject(AtLeast) if one.what == LENGTH]
    refused = [value for one in facts.reject(Values) for value in one.values.values()]
    return Strings(
        max(low, default=0),
        min(high, default=None),
        tuple(one.text for one in facts.select(Pattern)),
        tuple(one.text for one in facts.reject(Pattern)),
        tuple(value for value in refused if isinstance(value, str)),
        tuple(one.name for one in facts.select(Format)),
        tuple(one.name for one in facts.reject(Format)),
    )


def is_empty(facts: Facts, budget: Budget) -> bool:
    """Whether no string is as *facts* say."""
    strings = collect_strings(facts)
    if strings.high is not None and strings.low > strings.high:
        return True
    if strings.is_plain:
        return strings.high == 0 and "" in strings.refused
    if set(strings.patterns) & set(strings.refused_patterns):
        return True
    bounded = strings.low > 0 or strings.high is not None
    if _is_empty(strings.get_language(with_lengths=False), _MOST_STATES, budget):
        return True
    if not bounded or _find_long(strings, budget) is not None:
        return False
    return _is_empty(strings.get_language(), _MOST_STATES_WITH_LENGTHS, budget)


def _is_empty(language: Language, most: int, budget: Budget) -> bool:
    if language is EVERYTHING:
        return False
    budget.spend()
    try:
        return find_member(language, most, budget.spend) is None
    except TooManyStatesError:
        return False


def _find_long(strings: Strings, budget: Budget) -> str | None:
    """Return one of the strings if even the shortest are long, and one is found."""
    if not _LONG < strings.low <= _LONGEST_MADE:
        return None
    language = strings.get_language(with_lengths=False)
    return find_long_member(language, strings.low, _MOST_STATES, budget.spend)


def find_string(strings: Strings, budget: Budget) -> str | None:
    """Return a shortest of the strings, None if none is found."""
    long = _find_long(strings, budget)
    if long is not None:
        return long
    try:
        return find_member(strings.get_language(), _MOST_STATES_WITH_LENGTHS, budget.spend)
    except TooManyStatesError:
        return None
