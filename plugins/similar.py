"""Ids that are nearly the same: in case, in Unicode form, or by a slip of the pen."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SHORTEST: Final = 4
"""Ids of fewer characters differ by one for good reasons."""
_LONG: Final = 8
"""Ids of this many characters or more may differ by two."""
_CROWD: Final = 64
"""A part that more ids than this have in common says nothing about them."""
_SEPARATOR_BYTES: Final = b"-_. /"
_SEPARATORS: Final = str.maketrans("", "", _SEPARATOR_BYTES.decode())
_DIGITS: Final = str.maketrans("", "", "0123456789")
_CODE_POINTS_SHOWN: Final = 6


def fold(text: str) -> str:
    """Return what ids have in common that differ only in case or Unicode form."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")


def group_confusable(ids: Sequence[str]) -> list[list[str]]:
    """Return the groups of different ids that fold to the same, each sorted.

    An id may stand in *ids* many times.
    """
    # One pass in C tells that nothing can fold: by far the most common case.
    joined = "\0".join(ids)
    if joined.isascii() and joined.lower() == joined:
        return []
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for text in set(ids):
        groups[fold(text)].add(text)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def show_difference(first: str, second: str) -> tuple[str, str]:
    """Return both ids in quotes, with the code points in which they differ."""
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return (
        f"{quote(first)} ({_list_code_points(first[start : len(first) - end])})",
        f"{quote(second)} ({_list_code_points(second[start : len(second) - end])})",
    )


def _list_code_points(part: str) -> str:
    if not part:
        return "nothing there"
    listed = " ".join(f"U+{ord(c):04X}" for c in part[:_CODE_POINTS_SHOWN])
    return f"{listed} …" if len(part) > _CODE_POINTS_SHOWN else listed


class SimilarIds:
    """Finds ids like a given one among many, without comparing it with each.

    Two ids that differ in few places have their first or their second half in
    common; only those that do are compared.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = list(ids)
        self._forms = _normalize_all(self._ids)
        self._halves: dict[int, tuple[_Index, _Index]] = {}
        """Of each length, the forms of that length by their first and by their second half."""
        halves = self._halves
        for number, form in enumerate(self._forms):
            length = len(form)
            half = length // 2
            if (known := halves.get(length)) is None:
                known = halves[length] = (_Index({}, {}), _Index({}, {}))
            (firsts, before_firsts), (seconds, before_seconds) = known
            key = form[:half]
            if key in firsts:
                before_firsts[number] = firsts[key]
            firsts[key] = number
            key = form[half:]
            if key in seconds:
                before_seconds[number] = seconds[key]
            seconds[key] = number

    def find(self, text: str) -> list[str]:
        """Return the ids most like *text*, itself left out, sorted; often none.

        Separators count for nothing. Shorter ids may differ in one place,
        longer ones in two; ids that differ in their numbers only are not alike.
        """
        form = _normalize(text)
        reach = 0 if len(form) < _SHORTEST else 1 if len(form) < _LONG else 2
        nearest: set[str] = set()
        for number in self._iter_candidates(form, reach):
            other, found = self._forms[number], self._ids[number]
            if found == text or (other != form and _differ_in_digits(form, other)):
                continue
            distance = _measure_distance(form, other, reach)
            if distance < reach:
                nearest.clear()
            if distance <= reach:
                reach = distance
                nearest.add(found)
        return sorted(nearest)

    def _iter_candidates(self, form: str, reach: int) -> Iterator[int]:
        for length in range(len(form) - reach, len(form) + reach + 1):
            if indexes := self._halves.get(length):
                half = length // 2
                yield from indexes[0].find(form[:half])
                yield from indexes[1].find(form[half - length :])


class _Index(NamedTuple):
    """Numbers by key, in chains instead of many small lists."""

    latest: dict[str, int]
    """Of each key, the number that was added last."""
    previous: dict[int, int]
    """Of each number, the one of its key that was added before."""

    def find(self, key: str) -> list[int]:
        """Return the numbers of *key*; none if they are a crowd."""
        number = self.latest.get(key)
        numbers: list[int] = []
        while number is not None:
            numbers.append(number)
            if len(numbers) > _CROWD:
                self.latest.pop(key)  # not to be counted again
                return []
            number = self.previous.get(number)
        return numbers


def _normalize(text: str) -> str:
    return fold(text).translate(_SEPARATORS)


def _normalize_all(ids: list[str]) -> list[str]:
    joined = "\0".join(ids)
    if not joined.isascii() or joined.count("\0") >= len(ids):
        return [_normalize(text) for text in ids]
    # The same in one pass in C, which is what makes 100,000 ids no matter.
    bare = joined.lower().encode().translate(None, _SEPARATOR_BYTES)
    return bare.decode().split("\0")


def _differ_in_digits(first: str, second: str) -> bool:
    """Tell whether two ids number things of one kind, which makes neither a slip."""
    return (
        first.translate(_DIGITS) == second.translate(_DIGITS)
        and any(map(str.isdecimal, first))
        and any(map(str.isdecimal, second))
    )


def _measure_distance(first: str, second: str, reach: int) -> int:
    """Count the characters to change, insert, remove or swap; more than *reach* is not counted."""
    if abs(len(first) - len(second)) > reach:
        return reach + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, mine in enumerate(first):
        before, row, above = row, [i + 1], before
        for j, theirs in enumerate(second):
            cost = min(before[j] + (mine != theirs), before[j + 1] + 1, row[j] + 1)
            if i and j and mine == second[j - 1] and first[i - 1] == theirs:
                cost = min(cost, above[j - 1] + 1)
            row.append(cost)
    return row[-1]
