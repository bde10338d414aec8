"""Regular languages: expressions with intersection and complement, by derivatives.

The derivative of a language by a character is what may follow that character; an
expression has finitely many of them up to simple laws, which the constructors
apply (Brzozowski 1964; Owens, Reppy and Turon 2009). So a language is empty when
no derivative that can be reached accepts the empty string, and the way to one that
does is a witness.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class TooManyStatesError(Exception):
    """A question has more states than are looked at."""


Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points as sorted ranges that do not touch; both ends are in."""
LAST: Final = 0x10FFFF
ALL: Final[Ranges] = ((0, 0xD7FF), (0xE000, LAST))
"""Every character: a string of JSON text holds no lone surrogate."""


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character of a set; of the empty set, no string at all."""

    ranges: Ranges


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Strings of one language followed by strings of another."""

    first: Language
    second: Language


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """Strings of a language, one after the other, so many times; None is any number."""

    inner: Language
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """Strings of one language of some."""

    parts: frozenset[Language]


@dataclass(frozen=True, slots=True, eq=False)
class Intersection:
    """Strings that are of every language of some."""

    parts: frozenset[Language]


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """Strings that are not of a language."""

    inner: Language


@dataclass(frozen=True, slots=True, eq=False)
class Empty:
    """The empty string."""


Language: TypeAlias = Chars | Sequence | Repeat | Union | Intersection | Complement | Empty
NOTHING: Final = Chars(())
EMPTY: Final = Empty()
ANY: Final = Chars(ALL)
EVERYTHING: Final = Repeat(ANY, 0, None)
_MOST_KEPT: Final = 200_000
_TICKS: Final = 16
_kept: dict[tuple[object, ...], Language] = {}
"""One object for each language as it is written: equality is identity, which costs nothing."""


def _keep(kind: type[Language], *facts: Any) -> Language:
    key = (kind, *facts)
    language = _kept.get(key)
    if language is None:
        language = _kept[key] = kind(*facts)
    return language


def _forget() -> None:
    """Let go of what was written so far; the constants stay what they are."""
    _kept.clear()
    _kept.update({(Chars, ()): NOTHING, (Chars, ALL): ANY, (Repeat, ANY, 0, None): EVERYTHING})
    derive.cache_clear()
    _get_borders.cache_clear()


def chars(ranges: Ranges) -> Language:
    """Return the language of one character of a set."""
    return _keep(Chars, ranges)


def literal(text: str) -> Language:
    """Return the language of one string."""
    language: Language = EMPTY
    for character in reversed(text):
        language = sequence(chars(((ord(character), ord(character)),)), language)
    return language


def sequence(first: Language, second: Language) -> Language:
    """Return the strings of *first* followed by those of *second*."""
    parts: list[Language] = []
    while isinstance(first, Sequence):
        parts.append(first.first)
        first = first.second
    parts.append(first)
    for part in reversed(parts):
        second = _put_before(part, second)
    return second


def _put_before(first: Language, second: Language) -> Language:
    if first is NOTHING or second is NOTHING:
        return NOTHING
    if first is EMPTY:
        return second
    if second is EMPTY or (first is EVERYTHING and second is EVERYTHING):
        return first
    return _keep(Sequence, first, second)


def repeat(inner: Language, low: int, high: int | None) -> Language:
    """Return the strings of *inner*, from *low* to *high* times."""
    if high == 0 or inner is EMPTY:
        return EMPTY
    if inner is NOTHING:
        return NOTHING if low else EMPTY
    if low == high == 1:
        return inner
    if isinstance(inner, Repeat) and inner.low <= 1 and inner.high is None and low <= 1:
        return _keep(Repeat, inner.inner, min(low, inner.low), None)
    if is_nullable(inner):
        low = 0
    return _keep(Repeat, inner, low, high)


def union(parts: Iterable[Language]) -> Language:
    """Return the strings of any of *parts*."""
    flat: set[Language] = set()
    ranges: list[tuple[int, int]] = []
    for part in parts:
        if isinstance(part, Union):
            for inner in part.parts:
                if isinstance(inner, Chars):
                    ranges.extend(inner.ranges)
                else:
                    flat.add(inner)
        elif isinstance(part, Chars):
            ranges.extend(part.ranges)
        else:
            flat.add(part)
    if EVERYTHING in flat:
        return EVERYTHING
    if ranges:
        flat.add(chars(merge_ranges(ranges)))
    if not flat:
        return NOTHING
    return next(iter(flat)) if len(flat) == 1 else _keep(Union, frozenset(flat))


def intersection(parts: Iterable[Language]) -> Language:
    """Return the strings that are of all *parts*."""
    flat: set[Language] = set()
    for part in parts:
        if isinstance(part, Intersection):
            flat |= part.parts
        elif part is not EVERYTHING:
            flat.add(part)
    if NOTHING in flat or any(_is_refused(part, flat) for part in flat):
        return NOTHING
    if not flat:
        return EVERYTHING
    return next(iter(flat)) if len(flat) == 1 else _keep(Intersection, frozenset(flat))


def _is_refused(part: Language, others: set[Language]) -> bool:
    """Whether no string of *others*, which are all to hold, can be of *part*."""
    if not isinstance(part, Complement):
        return False
    inner = part.inner
    return inner in others or (isinstance(inner, Intersection) and inner.parts <= others)


def complement(inner: Language) -> Language:
    """Return the strings that are not of *inner*."""
    if isinstance(inner, Complement):
        return inner.inner
    if inner is NOTHING:
        return EVERYTHING
    return NOTHING if inner is EVERYTHING else _keep(Complement, inner)


def is_nullable(language: Language) -> bool:
    """Whether the empty string is of a language."""
    match language:
        case Empty():
            return True
        case Chars():
            return False
        case Sequence(first, second):
            return is_nullable(first) and is_nullable(second)
        case Repeat(inner, low, _):
            return low == 0 or is_nullable(inner)
        case Union(parts):
            return any(map(is_nullable, parts))
        case Intersection(parts):
            return all(map(is_nullable, parts))
        case Complement(inner):
            return not is_nullable(inner)


@lru_cache(maxsize=20_000)
def derive(language: Language, character: int) -> Language:
    """Return what may follow a character at the begin of the strings of a language."""
    match language:
        case Empty():
            return NOTHING
        case Chars(ranges):
            return EMPTY if any(low <= character <= high for low, high in ranges) else NOTHING
        case Sequence(first, second):
            after = sequence(derive(first, character), second)
            return union((after, derive(second, character))) if is_nullable(first) else after
        case Repeat(inner, low, high):
            rest = repeat(inner, max(low - 1, 0), None if high is None else high - 1)
            return sequence(derive(inner, character), rest)
        case Union(parts):
            return union(derive(part, character) for part in parts)
        case Intersection(parts):
            return intersection(derive(part, character) for part in parts)
        case Complement(inner):
            return complement(derive(inner, character))


@lru_cache(maxsize=20_000)
def _get_borders(language: Language) -> frozenset[int]:
    """Return where sets of characters begin by which the derivatives differ."""
    match language:
        case Empty():
            return frozenset()
        case Chars(ranges):
            return frozenset(
                border for low, high in ranges for border in (low, high + 1) if border <= LAST
            )
        case Sequence(first, second):
            return _get_borders(first) | (
                _get_borders(second) if is_nullable(first) else frozenset[int]()
            )
        case Repeat(inner, _, _) | Complement(inner):
            return _get_borders(inner)
        case Union(parts) | Intersection(parts):
            return frozenset[int]().union(*map(_get_borders, parts))


_LIKED: Final = "axz0A1_- "


def choose_characters(language: Language) -> list[int]:
    """Return one character of each set by which the derivatives differ, readable if it can be."""
    starts = sorted({0, *_get_borders(language)})
    chosen: list[int] = []
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else LAST + 1
        liked = next((ord(one) for one in _LIKED if start <= ord(one) < end), None)
        printable = max(start, 0x21) if start < 0x7F and end > 0x21 else start  # noqa: PLR2004
        character = printable if liked is None else liked
        if not 0xD800 <= character <= 0xDFFF:  # noqa: PLR2004 # a surrogate
            chosen.append(character)
    return sorted(chosen, key=lambda one: (chr(one) not in _LIKED, not 0x20 < one < 0x7F, one))  # noqa: PLR2004


def find_member(
    language: Language, most: int, tick: Callable[[], object] = lambda: None
) -> str | None:
    """Return a shortest string of a language, None if it has none.

    Args:
        language: The language.
        most: Of how many derivatives one is looked for.
        tick: Is called now and then, and may raise what ends the search.

    Raises:
        TooManyStatesError: After *most* derivatives there is no answer.
    """
    if len(_kept) > _MOST_KEPT:
        _forget()
    try:
        return _search(language, most, tick)
    except RecursionError:
        raise TooManyStatesError from None


def _search(language: Language, most: int, tick: Callable[[], object]) -> str | None:
    seen: dict[Language, tuple[Language, int] | None] = {language: None}
    pending = deque([language])
    taken = 0
    while pending:
        state = pending.popleft()
        taken += 1
        if not taken % _TICKS:
            tick()
        if is_nullable(state):
            return _spell(seen, state)
        for character in choose_characters(state):
            after = derive(state, character)
            if after not in seen and after is not NOTHING:
                if len(seen) >= most:
                    raise TooManyStatesError
                seen[after] = (state, character)
                pending.append(after)
    return None


def _spell(seen: dict[Language, tuple[Language, int] | None], state: Language) -> str:
    characters: list[str] = []
    step = seen[state]
    while step is not None:
        state, character = step
        characters.append(chr(character))
        step = seen[state]
    return "".join(reversed(characters))


def merge_ranges(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return ranges sorted, and joined where they touch."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def invert_ranges(ranges: Ranges) -> Ranges:
    """Return every character that is not in *ranges*."""
    gaps: list[tuple[int, int]] = []
    for start, end in ALL:
        at = start
        for low, high in ranges:
            if high < at or low > end:
                continue
            if low > at:
                gaps.append((at, low - 1))
            at = max(at, high + 1)
        if at <= end:
            gaps.append((at, end))
    return tuple(gaps)


_forget()
