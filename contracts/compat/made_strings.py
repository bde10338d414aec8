"""Strings made: short ones of the lengths, patterns and formats that are asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .strings import collect_strings, find_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .budget import Budget
    from .facts import Facts
    from .strings import Strings

_LONGEST: Final = 100_000
_MOST: Final = 64
_MOST_NUMBERED: Final = 1000
_WORDS: Final = ("", "a", "b", "0", "A", "-", " ", "\n", "é", "ab", "A1", "a-b", "x y", "12", "_")
_FORMATS: Final = {
    "date": "2020-01-01",
    "date-time": "2020-01-01T00:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "hostname": "example.com",
    "idn-email": "a@example.com",
    "idn-hostname": "example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "iri": "https://example.com/",
    "iri-reference": "a",
    "json-pointer": "/a",
    "regex": "a",
    "relative-json-pointer": "0",
    "time": "00:00:00Z",
    "uri": "https://example.com/",
    "uri-reference": "a",
    "uri-template": "a",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def make_strings(facts: Facts, budget: Budget) -> Iterator[str]:
    """Yield strings that the literals of *facts* allow, short ones first."""
    strings = collect_strings(facts)
    if strings.high is not None and strings.low > strings.high:
        return
    if strings.formats or strings.refused_formats:
        yield from (_FORMATS[name] for name in strings.formats if name in _FORMATS)
    if strings.is_plain:
        yield from _make_plain(strings)
    else:
        yield from _make_regular(strings, budget)
        for pattern in strings.patterns:
            # what no language is known of may be found in what it spells out
            yield re.sub(r"\\(.)|[\^$*+?]", r"\1", pattern)
    yield from _WORDS
    if strings.is_plain and strings.low <= _LONGEST:
        yield from (f"{number:0{max(strings.low, 1)}d}" for number in range(_MOST_NUMBERED))


def _make_plain(strings: Strings) -> Iterator[str]:
    if strings.low > _LONGEST:
        return
    for length in (max(strings.low, 1), strings.low + 1, strings.low):
        if strings.high is None or length <= strings.high:
            for character in "ab0":
                yield character * length
    if strings.high is not None and strings.high <= _LONGEST:
        yield "a" * strings.high


def _make_regular(strings: Strings, budget: Budget) -> Iterator[str]:
    refused = strings.refused
    for _ in range(_MOST):
        found = find_string(replace(strings, refused=refused), budget)
        if found is None:
            return
        yield found
        refused = (*refused, found)
