"""Values: JSON values as sets and intervals need them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from pi_contracts.contracts.json_values import is_array, is_object


def freeze(value: Any) -> Any:
    """Return a hashable form of a JSON value; equal forms are equal JSON values."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return to_fraction(value)
    if is_object(value):
        return frozenset((name, freeze(item)) for name, item in value.items())
    if is_array(value):
        return ("array", *map(freeze, value))
    return value


def to_fraction(value: float) -> Fraction:
    """Return a JSON number exactly as its shortest spelling says."""
    if isinstance(value, float) and not math.isfinite(value):
        return Fraction(math.copysign(1, value)) * _BEYOND
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


_BEYOND: Final = 10**400
"""What a number that no double can hold counts as."""


def to_number(value: Fraction) -> int | float:
    """Return a JSON number; one that no double is exactly becomes the nearest.

    Beyond the doubles that is the nearest whole number: integers have no bound.
    """
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        return round(value)


def get_type(value: Any) -> str:
    """Return which of the types that partition all values a value has."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "fraction"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
