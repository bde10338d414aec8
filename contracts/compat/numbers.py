"""Numbers: intervals of multiples, and whether one is empty."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from .nodes import Lower, Multiple, Upper, Values
from .values import to_fraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .facts import Facts

_MOST_TRIED: Final = 2000
_FEW: Final = 8
_ALL_WHOLE: Final = 2**52
"""From here on every double is a whole number."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The integers, or the fractions, of an interval that are multiples of some numbers."""

    is_integer: bool
    low: Fraction | None
    low_exclusive: bool
    high: Fraction | None
    high_exclusive: bool
    step: Fraction | None
    """Every number is a multiple of it."""
    refused_steps: tuple[Fraction, ...]
    refused: frozenset[object]

    def __contains__(self, number: Fraction) -> bool:
        """Return whether *number* is one of them."""
        return (
            (number.denominator == 1) is self.is_integer
            and (self.low is None or number > self.low or self._is_low(number))
            and (self.high is None or number < self.high or self._is_high(number))
            and (self.step is None or (number / self.step).denominator == 1)
            and all((number / step).denominator != 1 for step in self.refused_steps)
            and number not in self.refused
        )

    def _is_low(self, number: Fraction) -> bool:
        return number == self.low and not self.low_exclusive

    def _is_high(self, number: Fraction) -> bool:
        return number == self.high and not self.high_exclusive

    @property
    def grid(self) -> Fraction | None:
        """The number that all are multiples of, None if there is none."""
        if not self.is_integer:
            return self.step
        return _get_common_multiple(self.step, Fraction(1)) if self.step else Fraction(1)

    @property
    def is_empty(self) -> bool:
        """Whether there is certainly no such number."""
        if self.low is not None and self.high is not None:
            open_end = self.low_exclusive or self.high_exclusive
            if self.low > self.high or (self.low == self.high and open_end):
                return True
        grid = self.grid
        if grid is None:
            return self._has_no_double()
        if any((grid / step).denominator == 1 for step in self.refused_steps):
            return True
        if not self.is_integer and grid.denominator == 1:
            return True
        first, last = self._get_ends(grid)
        if first is None or last is None:
            return False
        if last - first >= _MOST_TRIED:
            return False
        return all(grid * index not in self for index in range(first, last + 1))

    def _has_no_double(self) -> bool:
        """Whether no double that is a fraction lies in the interval."""
        if self.low is not None and self.low >= _ALL_WHOLE:
            return True
        if self.high is not None and self.high <= -_ALL_WHOLE:
            return True
        if self.low is None or self.high is None:
            return False
        low = max(self.low, Fraction(-_ALL_WHOLE))  # it may be beyond the doubles
        doubles = list(itertools.islice(self._find_doubles(low, self.high), _FEW))
        return len(doubles) < _FEW and not any(one in self for one in doubles)

    @staticmethod
    def _find_doubles(low: Fraction, high: Fraction) -> Iterator[Fraction]:
        """Yield the doubles from one that is at most *low* on, up to *high*."""
        double = math.nextafter(float(low), -math.inf)
        while (number := to_fraction(double)) <= high:
            yield number
            double = math.nextafter(double, math.inf)

    def _get_ends(self, grid: Fraction) -> tuple[int | None, int | None]:
        """Return the first and the last multiple of *grid* in the interval."""
        first = last = None
        if self.low is not None:
            first = math.ceil(self.low / grid)
            first += self.low_exclusive and grid * first == self.low
        if self.high is not None:
            last = math.floor(self.high / grid)
            last -= self.high_exclusive and grid * last == self.high
        return first, last

    def find_some(self) -> Iterator[Fraction]:
        """Yield some of the numbers, those near the ends first."""
        seen: set[Fraction] = set()
        for number in self._guess():
            if number not in seen and number in self:
                seen.add(number)
                yield number

    def _guess(self) -> Iterator[Fraction]:
        grid = self.grid or Fraction(1, 2)
        first, last = self._get_ends(grid)
        near = 0 if first is None and last is None else first if first is not None else last or 0
        for index in range(60):
            yield grid * (near + index)
            yield grid * ((last if last is not None else near) - index)
        if self.grid is None:
            low = self.low if self.low is not None else (self.high or Fraction(0)) - 1
            high = self.high if self.high is not None else low + 1
            yield from map(to_fraction, (1 / 3, -1 / 3, 1 / 3 * 10**-9, 1 / 3 + 10**6))
            if max(abs(low), abs(high)) < _ALL_WHOLE:
                yield from itertools.islice(self._find_doubles(low, high), _FEW)
            yield from (low, high, (low + high) / 2, low + (high - low) / 3)
            for power in (10, 1000, 10**6):
                yield low + Fraction(1, power)
                yield high - Fraction(1, power)


def collect_numbers(facts: Facts, name: str) -> Numbers:
    """Return what the literals of *facts* leave of the integers, or of the fractions."""
    lower = [(one.limit, one.is_exclusive) for one in facts.select(Lower)]
    upper = [(one.limit, one.is_exclusive) for one in facts.select(Upper)]
    lower += [(one.limit, not one.is_exclusive) for one in facts.reject(Upper)]
    upper += [(one.limit, not one.is_exclusive) for one in facts.reject(Lower)]
    low, low_exclusive = max(lower, default=(None, False))
    high, open_high = min(((limit, not ends) for limit, ends in upper), default=(None, True))
    step: Fraction | None = None
    for multiple in facts.select(Multiple):
        step = _get_common_multiple(step, multiple.of) if step else multiple.of
    return Numbers(
        name == "integer",
        low,
        low_exclusive,
        high,
        not open_high,
        step,
        tuple(one.of for one in facts.reject(Multiple)),
        frozenset(value for one in facts.reject(Values) for value in one.frozen),
    )


def is_empty(facts: Facts, name: str) -> bool:
    """Whether no integer, or no fraction, is as *facts* say."""
    return collect_numbers(facts, name).is_empty


def _get_common_multiple(one: Fraction, other: Fraction) -> Fraction:
    """Return the least number that both divide."""
    return Fraction(
        math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator)
    )
