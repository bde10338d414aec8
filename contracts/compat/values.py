"""Values: JSON values as sets and intervals need them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from pi_contracts.contracts.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def freeze(value: Any) -> Any:
    """Return a hashable form of a JSON value; equal forms are equal JSON values."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return to_fraction(value)
    if is_object(value):
        return frozenset((name, freeze(item)) for name, item in value.items())
    if is_array(value):
        # items of a long array are often one and the same object
        known = {id(item): item for item in value}
        if len(known) == len(value):
            return ("array", *map(freeze, value))
        frozen = {key: freeze(item) for key, item in known.items()}
        return ("array", *(frozen[id(item)] for item in value))
    return value


def count_parts(value: Any, known: dict[int, int] | None = None) -> int:
    """Return how many values there are in a JSON value; one that is met again counts again.

    Args:
        value: The value.
        known: The counts of arrays and objects that have been met, by their identity.
    """
    if is_object(value):
        parts: Iterable[Any] = value.values()
    elif is_array(value):
        parts = value
    else:
        return 1
    known = {} if known is None else known
    key = id(value)
    if key not in known:
        known[key] = 1 + sum(count_parts(part, known) for part in parts)
    return known[key]


def freeze_all(values: Iterable[Any]) -> dict[Any, Any]:
    """Return JSON values by their frozen forms; of equal ones the last."""
    values = tuple(values)
    if _ARE_THEMSELVES.issuperset(map(type, values)):
        return dict(zip(values, values, strict=True))
    return {freeze(value): value for value in values}


_ARE_THEMSELVES: Final = frozenset({str, int, type(None)})
"""Types of values that are their own frozen forms."""


def are_disjoint(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    """Whether two mappings have no key in common; looks through the smaller one."""
    few, many = sorted((one, other), key=len)
    return many.keys().isdisjoint(few)


def to_fraction(value: float) -> Fraction:
    """Return a JSON number as the validator sees it.

    Whole numbers are what the double is, others what its shortest spelling says.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return Fraction(math.copysign(1, value)) * _BEYOND
    if isinstance(value, int) or value.is_integer():
        return Fraction(value)
    return Fraction(repr(value))


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


def find_types(values: Iterable[Any]) -> frozenset[str]:
    """Return the types of some values."""
    values = tuple(values)
    kinds = dict(zip(map(type, values), values, strict=True))
    if float in kinds:
        return frozenset(map(get_type, values))
    return frozenset(map(get_type, kinds.values()))


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
