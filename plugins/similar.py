"""Ids that are nearly the same: in case, in Unicode form, or by a slip of the pen."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pi_contracts.contracts.findings import quote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_SHORTEST: Final = 4
"""Ids of fewer characters differ by one for good reasons."""
_LONG: Final = 8
"""Ids of this many characters or more may differ by two."""
_CROWD: Final = 64
"""A part that more ids than this have in common says nothing about them."""
_SEPARATORS: Final = str.maketrans("", "", "-_. /")
_DIGITS: Final = str.maketrans("", "", "0123456789")
_CODE_POINTS_SHOWN: Final = 6


def fold(text: str) -> str:
    """Return what ids have in common that differ only in case or Unicode form."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")


def group_confusable(ids: Collection[str]) -> list[list[str]]:
    """Return the groups of different ids that fold to the same, each sorted."""
    # One pass in C tells that nothing can fold: by far the most common case.
    joined = "\0".join(ids)
    if joined.isascii() and joined.lower() == joined:
        return []
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for text in ids:
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
        self._by_form: defaultdict[str, list[str]] = defaultdict(list)
        for text in ids:
            self._by_form[_normalize(text)].append(text)
        self._by_half: defaultdict[tuple[int, int, str], list[str]] = defaultdict(list)
        for form in self._by_form:
            half = len(form) // 2
            self._by_half[len(form), 0, form[:half]].append(form)
            self._by_half[len(form), 1, form[half:]].append(form)

    def find(self, text: str) -> list[str]:
        """Return the ids most like *text*, itself left out, sorted; often none."""
        form = _normalize(text)
        same = [other for other in self._by_form.get(form, ()) if other != text]
        if same or len(form) < _SHORTEST:
            return sorted(same)
        reach = 2 if len(form) >= _LONG else 1
        candidates: dict[str, int] = {}
        for other in self._iter_candidates(form, reach):
            if other != form and other not in candidates and not _differ_in_digits(form, other):
                distance = _measure_distance(form, other, reach)
                if distance <= reach:
                    candidates[other] = distance
        if not candidates:
            return []
        nearest = min(candidates.values())
        return sorted(
            text
            for other, distance in candidates.items()
            if distance == nearest
            for text in self._by_form[other]
        )

    def _iter_candidates(self, form: str, reach: int) -> Iterable[str]:
        for length in range(max(len(form) - reach, _SHORTEST), len(form) + reach + 1):
            half = length // 2
            rest = length - half
            for key in ((length, 0, form[:half]), (length, 1, form[-rest:])):
                found = self._by_half.get(key, ())
                if len(found) <= _CROWD:
                    yield from found


def _normalize(text: str) -> str:
    return fold(text).translate(_SEPARATORS)


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
