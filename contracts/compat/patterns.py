"""Patterns: ECMA regular expressions as regular languages, where they are that.

Supported are characters, classes, groups, choices, quantifiers, ``^`` and ``$``
outside repetition, and lookaheads outside groups. Back references, word borders,
lookbehinds and flags are not; neither are Unicode properties.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NoReturn, TypeAlias

from .regular import (
    ANY,
    EMPTY,
    EVERYTHING,
    Language,
    Ranges,
    chars,
    complement,
    intersection,
    invert_ranges,
    is_nullable,
    literal,
    merge_ranges,
    repeat,
    sequence,
    union,
)

_DIGITS: Final[Ranges] = ((0x30, 0x39),)
_WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final[Ranges] = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
_LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_CLASSES: Final = {
    "d": _DIGITS,
    "D": invert_ranges(_DIGITS),
    "w": _WORD,
    "W": invert_ranges(_WORD),
    "s": _SPACE,
    "S": invert_ranges(_SPACE),
}
_CONTROLS: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "0": 0}
_MOST_REPEATS: Final = 4096
_LONGEST: Final = 4000
_Variant: TypeAlias = tuple[bool, bool, Language]
"""Whether a part begins where the string does, whether it ends there, and what it matches."""


class NotRegularError(Exception):
    """An expression is not of the supported kind."""


@lru_cache(maxsize=1000)
def find_language(pattern: str) -> Language | None:
    """Return the strings in which *pattern* is found, None if that is not supported."""
    if len(pattern) > _LONGEST:
        return None
    try:
        return _Parser(pattern).parse()
    except (NotRegularError, RecursionError):
        return None


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def parse(self) -> Language:
        variants = self.parse_choice(is_top=True)
        if self.at < len(self.text):
            self.fail()
        free = (False, False, EVERYTHING)
        return union(
            language if starts else sequence(EVERYTHING, language)
            for starts, _, language in _concatenate(variants, [free], is_end=True)
        )

    def fail(self) -> NoReturn:
        raise NotRegularError

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        if self.at >= len(self.text):
            self.fail()
        self.at += 1
        return self.text[self.at - 1]

    def skip(self, text: str) -> bool:
        """Go past *text* if it is next."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def parse_choice(self, *, is_top: bool) -> list[_Variant]:
        variants = self.parse_sequence(is_top=is_top)
        while self.skip("|"):
            variants = _merge([*variants, *self.parse_sequence(is_top=is_top)])
        return variants

    def parse_sequence(self, *, is_top: bool, is_at_start: bool = False) -> list[_Variant]:
        """Parse one part of a choice; lookaheads are known at the top level alone."""
        variants: list[_Variant] = [(is_at_start, False, EMPTY)]
        while self.peek() and self.peek() not in "|)":
            if self.skip("^"):
                variants = _concatenate(variants, [(True, False, EMPTY)])
            elif self.skip("$"):
                variants = _concatenate(variants, [(False, True, EMPTY)])
            elif is_top and self.text.startswith(("(?=", "(?!"), self.at):
                at_start = all(starts and inner is EMPTY for starts, _, inner in variants)
                ahead = self.parse_lookahead(is_at_start=at_start)
                below = self.parse_sequence(is_top=True, is_at_start=at_start)
                rest = self.finish(below, is_at_start=at_start)
                return _concatenate(variants, [(False, True, intersection((ahead, rest)))])
            else:
                variants = _concatenate(variants, self.parse_quantified())
        return variants

    def parse_lookahead(self, *, is_at_start: bool) -> Language:
        """Parse a lookahead as the language of all that may follow."""
        is_negative = self.text[self.at + 2] == "!"
        self.at += 3
        variants = self.parse_choice(is_top=True)
        if not self.skip(")") or (self.peek() and self.peek() in "*+?{"):
            self.fail()
        language = self.finish(variants, is_at_start=is_at_start)
        return complement(language) if is_negative else language

    def finish(self, variants: list[_Variant], *, is_at_start: bool = False) -> Language:
        """Return what may stand from here to the end of the string."""
        if any(starts for starts, _, _ in variants) and not is_at_start:
            self.fail()
        return union(
            language if ends else sequence(language, EVERYTHING) for _, ends, language in variants
        )

    def parse_quantified(self) -> list[_Variant]:
        variants = self.parse_one()
        bounds = self.parse_quantifier()
        if bounds is None:
            return variants
        if bounds == (0, 1):
            return _merge([*variants, (False, False, EMPTY)])
        if [(starts, ends) for starts, ends, _ in variants] != [(False, False)]:
            self.fail()
        return [(False, False, repeat(variants[0][2], *bounds))]

    def parse_quantifier(self) -> tuple[int, int | None] | None:
        bounds: tuple[int, int | None] | None = None
        if self.skip("*"):
            bounds = 0, None
        elif self.skip("+"):
            bounds = 1, None
        elif self.skip("?"):
            bounds = 0, 1
        elif self.skip("{"):
            low = self.parse_number()
            high: int | None = low
            if self.skip(","):
                high = None if self.peek() == "}" else self.parse_number()
            if not self.skip("}") or low > _MOST_REPEATS or (high or 0) > _MOST_REPEATS:
                self.fail()
            bounds = low, high
        if bounds is not None:
            self.skip("?")
        return bounds

    def parse_number(self) -> int:
        start = self.at
        while self.peek().isdecimal():
            self.at += 1
        if start == self.at:
            self.fail()
        return int(self.text[start : self.at])

    def parse_one(self) -> list[_Variant]:
        character = self.take()
        if character == "(":
            return self.parse_group()
        if character == "[":
            language: Language = chars(self.parse_class())
        elif character == ".":
            language = chars(invert_ranges(_LINE_ENDS))
        elif character == "\\":
            language = chars(self.parse_escape(is_class=False))
        elif character in "*+?{}":
            self.fail()
        else:
            language = literal(character)
        return [(False, False, language)]

    def parse_group(self) -> list[_Variant]:
        if self.skip("?<"):
            if self.peek() in {"=", "!"}:
                self.fail()
            while self.take() != ">":
                pass
        elif self.peek() == "?" and not self.skip("?:"):
            self.fail()
        variants = self.parse_choice(is_top=False)
        if not self.skip(")"):
            self.fail()
        return variants

    def parse_escape(self, *, is_class: bool) -> Ranges:
        character = self.take()
        if character in _CLASSES:
            return _CLASSES[character]
        if character in "uxc":
            code = self.parse_code(character)
        elif character in _CONTROLS and not (character == "0" and self.peek().isdecimal()):
            code = _CONTROLS[character]
        elif character == "b" and is_class:
            code = 0x08
        elif character.isalnum():
            self.fail()
        else:
            code = ord(character)
        return ((code, code),)

    def parse_code(self, kind: str) -> int:
        if kind == "c":
            return ord(self.take()) % 32
        if kind == "u" and self.skip("{"):
            end = self.text.find("}", self.at)
            digits, self.at = self.text[self.at : end], end + 1
        else:
            length = 4 if kind == "u" else 2
            digits = self.text[self.at : self.at + length]
            self.at += length
        try:
            code = int(digits, 16)
        except ValueError:
            self.fail()
        if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 # half of a pair
            self.fail()
        return code

    def parse_class(self) -> Ranges:
        is_negative = self.skip("^")
        if self.peek() == "]":
            self.fail()
        ranges: list[tuple[int, int]] = []
        while not self.skip("]"):
            low = self.parse_class_part()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                high = self.parse_class_part()
                if [len(one) for one in (low, high)] != [1, 1] or low[0][0] != low[0][1]:
                    self.fail()
                ranges.append((low[0][0], high[0][1]))
            else:
                ranges.extend(low)
        merged = merge_ranges(ranges)
        return invert_ranges(merged) if is_negative else merged

    def parse_class_part(self) -> Ranges:
        character = self.take()
        if character == "\\":
            return self.parse_escape(is_class=True)
        return ((ord(character), ord(character)),)


def _concatenate(
    variants: list[_Variant], others: list[_Variant], *, is_end: bool = False
) -> list[_Variant]:
    """Return each variant followed by each other; an anchor allows nothing on its other side."""
    result: list[_Variant] = []
    for starts, ends, first in variants:
        for other_starts, other_ends, second in others:
            if ends and is_end:
                result.append((starts, True, first))
            elif (other_starts and not is_nullable(first)) or (ends and not is_nullable(second)):
                continue
            else:
                before = EMPTY if other_starts else first
                after = EMPTY if ends else second
                joined = sequence(before, after)
                result.append((starts or other_starts, ends or other_ends, joined))
    return _merge(result)


def _merge(variants: list[_Variant]) -> list[_Variant]:
    """Return one variant for each pair of anchors."""
    by_anchors: dict[tuple[bool, bool], list[Language]] = {}
    for starts, ends, language in variants:
        by_anchors.setdefault((starts, ends), []).append(language)
    return [(*anchors, union(languages)) for anchors, languages in by_anchors.items()]


def find_length_language(low: int, high: int | None) -> Language:
    """Return the strings from one length to another."""
    return repeat(ANY, low, high)
