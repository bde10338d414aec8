"""Strict JSON: which Python values count as JSON, and how they cross as text.

A value that would change silently on its way through text is none: NaN, infinities,
bytes, dates, sets, other objects, names that are no strings, lone surrogates, cycles
and more than `DEEPEST` levels. Tuples count as arrays, Decimal as a number,
subclasses of str, int, float, list and dict as what they extend.
"""

from __future__ import annotations

import functools
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import jsonschema_rs
import msgspec

from .errors import ContractViolation
from .pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    JsonValue: TypeAlias = (
        "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
    )
    JsonObject: TypeAlias = "dict[str, JsonValue]"
    JsonArray: TypeAlias = "list[JsonValue]"
else:  # recursive aliases stand in the way of get_type_hints and of pydantic
    JsonValue = Any
    JsonObject = dict[str, Any]
    JsonArray = list[Any]

DEEPEST: Final = 512
"""How many arrays and objects may stand inside each other."""

READ_STRINGS: Final = {"enum": [""], "minLength": 1}
"""A schema that nothing fits in any draft; under ``not`` a validator reads each string for it.

A bare ``{"type": "string"}`` takes a lone surrogate, since it never looks inside.
"""

MOST_DIGITS: Final = 10_000
"""How long an integer may be in text: reading one of millions of digits would take minutes."""

_MOST_BITS: Final = 14_000
"""About how large an integer Python spells; it bounds the digits, not the bits."""

_encoder: Final = msgspec.json.Encoder(decimal_format="number")
decode: Final = msgspec.json.Decoder().decode


@functools.cache
def get_json_validator() -> jsonschema_rs.Validator:
    """Return the validator that accepts exactly JSON of at most `DEEPEST` levels.

    It looks at every position of a value, at the speed of any other schema, and ends
    on cycles because it ends at a depth.
    """
    scalars = ["null", "boolean", "number", "string"]
    levels = {
        str(level): {
            "type": [*scalars, "array", "object"],
            "not": READ_STRINGS,
            "items": {"$ref": f"#/$defs/{level + 1}"},
            "additionalProperties": {"$ref": f"#/$defs/{level + 1}"},
        }
        for level in range(DEEPEST)
    }
    schema = {
        "$ref": "#/$defs/0",
        "$defs": {**levels, str(DEEPEST): {"type": scalars, "not": READ_STRINGS}},
    }
    return jsonschema_rs.Draft202012Validator(schema, offline=True)


def is_json(value: object) -> bool:
    """Tell whether *value* is strict JSON, by exact types only.

    Raises ValueError for a type that the validator does not know; `make_plain`
    decides about those.
    """
    return get_json_validator().is_valid(value)


def encode(value: object) -> bytes:
    """Return the text of *value*, which is strict JSON."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, msgspec.MsgspecError):
        return _encoder.encode(_respell(make_plain(value)))


def encode_message(value: object) -> bytes:
    """Return the text of arguments or a result, which are strict JSON.

    Raises `ContractViolation`, with the place, for an integer that nobody would read.
    """
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, msgspec.MsgspecError):
        plain = make_plain(value)
        _check_digits(plain, [])
        return _encoder.encode(_respell(plain))


def _check_digits(value: JsonValue, path: list[object]) -> None:
    """Refuse integers of more than `MOST_DIGITS` digits."""
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for token, item in entries:
            _check_digits(item, [*path, token])
    elif isinstance(value, int) and abs(value) >= _BOUND:
        raise ContractViolation(
            f"an integer of at most {MOST_DIGITS:,} digits",
            "a longer one",
            pointer=join_pointer(path),
            keyword="json",
            schema_location="",
        )


_BOUND: Final = 10**MOST_DIGITS


def _respell(value: JsonValue) -> object:
    """Return *value* with integers that Python does not spell as numbers that it does."""
    if isinstance(value, dict):
        return {name: _respell(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_respell(item) for item in value]
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return Decimal(value)
    return value


def copy(value: object) -> JsonValue:
    """Return *value*, which is strict JSON, as the far side of a wire would read it."""
    try:
        return cast("JsonValue", decode(_encoder.encode(value)))
    except (TypeError, ValueError, msgspec.MsgspecError):
        # Subclasses that msgspec does not know, and numbers beyond what text is read for.
        return make_plain(value)


def make_plain(value: object) -> JsonValue:
    """Return *value* as a tree of dict, list, str, int, float, bool and None.

    Raises `ContractViolation`, with the place, for what is no strict JSON.
    """
    top: list[JsonValue] = []
    levels = [_Level(None, top, iter([(None, value)]))]
    above: set[int] = set()
    while levels:
        level = levels[-1]
        entry = next(level.items, None)
        if entry is None:
            above.discard(id(level.source))
            levels.pop()
            continue
        level.token, item = entry
        plain, inside = _make_plain_entry(item, levels)
        level.add(level.token, plain, levels)
        if inside is not None:
            if id(item) in above:
                raise _refuse("a value that contains itself", levels)
            if len(levels) > DEEPEST:
                raise _refuse(f"more than {DEEPEST} levels of arrays and objects", levels)
            above.add(id(item))
            levels.append(inside)
    return top[0]


class _Level:
    """One array or object that is being copied, and how far its copy has come."""

    __slots__ = ("items", "source", "target", "token")

    def __init__(
        self,
        source: object,
        target: dict[str, JsonValue] | list[JsonValue],
        items: Iterator[tuple[object, object]],
    ) -> None:
        self.source = source
        self.target = target
        self.items = items
        self.token: object = None

    def add(self, token: object, plain: JsonValue, levels: list[_Level]) -> None:
        if isinstance(self.target, dict):
            self.target[_name_member(token, levels)] = plain
        else:
            self.target.append(plain)


def _make_plain_entry(value: object, levels: list[_Level]) -> tuple[JsonValue, _Level | None]:
    """Return the copy of *value*; of an array or object an empty one, and what fills it."""
    if value is None or isinstance(value, bool):
        return value, None
    for kind, make in _SCALARS:
        if isinstance(value, kind):
            return make(value, levels), None
    if isinstance(value, dict):
        members: dict[str, JsonValue] = {}
        pairs = iter(cast("dict[object, object]", value).items())
        return members, _Level(cast("object", value), members, pairs)
    if isinstance(value, list | tuple):
        items: list[JsonValue] = []
        entries = enumerate(cast("list[object]", value))
        return items, _Level(cast("object", value), items, entries)
    raise _refuse(_name_kind(value), levels)


def _name_member(name: object, levels: list[_Level]) -> str:
    if not isinstance(name, str):
        raise _refuse(f"an object with a name that is {_name_kind(name)}", _leave(levels))
    if not _is_text(name):
        raise _refuse("an object with a lone surrogate in a name", _leave(levels))
    return str.__str__(name)


def _plain_string(value: Any, levels: list[_Level]) -> JsonValue:
    if not _is_text(value):
        raise _refuse("a string with a lone surrogate", levels)
    return str.__str__(value)


def _plain_integer(value: Any, levels: list[_Level]) -> JsonValue:
    del levels
    return int.__int__(value)


def _plain_float(value: Any, levels: list[_Level]) -> JsonValue:
    if not math.isfinite(value):
        raise _refuse("NaN" if math.isnan(value) else "an infinite number", levels)
    return float.__float__(value)


def _plain_decimal(value: Any, levels: list[_Level]) -> JsonValue:
    number: Decimal = value
    if not number.is_finite():
        raise _refuse("NaN" if number.is_nan() else "an infinite number", levels)
    if number == number.to_integral_value() and number.as_tuple().exponent == 0:
        return int(number)
    return cast("float", _plain_float(float(number), levels))


_SCALARS: Final[tuple[tuple[type, Callable[[Any, list[_Level]], JsonValue]], ...]] = (
    (str, _plain_string),
    (int, _plain_integer),
    (float, _plain_float),
    (Decimal, _plain_decimal),
)

_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    bytes: "bytes",
    set: "a set",
    type: "a class",
}


def _name_kind(value: object) -> str:
    kind = type(value)
    if isinstance(value, type):
        kind = type
    return _KINDS.get(kind) or f"a Python object of type {kind.__name__}"


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _leave(levels: list[_Level]) -> list[_Level]:
    """Return *levels* as they were before the innermost one was entered."""
    return levels[:-1]


def _refuse(found: str, levels: list[_Level]) -> ContractViolation:
    return ContractViolation(
        "a JSON value",
        found,
        pointer=join_pointer(level.token for level in levels[1:]),
        keyword="json",
        schema_location="",
    )
