"""What counts as JSON is copied plainly; what does not is named with its place."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from pi_contracts.runtime import parse_json
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.strict_json import (
    DEEPEST,
    copy,
    encode,
    get_json_validator,
    is_json,
    make_plain,
)
from pi_contracts.runtime.unset import UNSET


class Text(str):
    __slots__ = ()


class Count(int):
    pass


class Weight(float):
    pass


class Point(NamedTuple):
    x: int
    y: int


class Shade(enum.StrEnum):
    DARK = "dark"


PLAIN: dict[str, tuple[object, object]] = {
    "scalars": ([None, True, 1, 1.5, "x"], [None, True, 1, 1.5, "x"]),
    "tuple": ((1, (2,)), [1, [2]]),
    "named tuple": (Point(1, 2), [1, 2]),
    "ordered dict": (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    "subclass of str": ({Text("a"): Text("x")}, {"a": "x"}),
    "member of a string enum": (Shade.DARK, "dark"),
    "subclass of int": (Count(3), 3),
    "subclass of float": (Weight(1.5), 1.5),
    "whole decimal": (Decimal(7), 7),
    "decimal": (Decimal("1.10"), 1.1),
    "decimal with an exponent": (Decimal("1E+2"), 100.0),
}


@pytest.mark.parametrize(("value", "plain"), PLAIN.values(), ids=PLAIN)
def test_what_counts_as_json_becomes_plain(value: object, plain: object) -> None:
    made = make_plain(value)
    assert repr(made) == repr(plain)


def test_parts_that_are_shared_are_copied_twice() -> None:
    part = ["x"]
    made = make_plain({"a": part, "b": [part, part]})
    assert made == {"a": ["x"], "b": [["x"], ["x"]]}


FOREIGN: dict[str, tuple[object, str]] = {
    "nan": (math.nan, "NaN"),
    "infinity": (math.inf, "an infinite number"),
    "decimal nan": (Decimal("NaN"), "NaN"),
    "decimal infinity": (Decimal("-Infinity"), "an infinite number"),
    "decimal beyond a double": (Decimal("1E+500"), "an infinite number"),
    "bytes": (b"secret", "bytes"),
    "set": ({"secret"}, "a set"),
    "date": (date(2026, 1, 1), "a Python object of type date"),
    "object": (object(), "a Python object of type object"),
    "class": (Text, "a class"),
    "unset": (UNSET, "a Python object of type Unset"),
    "lone surrogate": ("\udead", "a string with a lone surrogate"),
}


@pytest.mark.parametrize(("value", "found"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_json_is_named_with_its_place(value: object, found: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        make_plain({"a/b": [0, {"c": value}]})
    violation = caught.value
    assert str(violation) == f"at /a~1b/1/c: expected a JSON value, found {found}"
    assert (violation.pointer, violation.keyword) == ("/a~1b/1/c", "json")
    assert not violation.schema_location


NAMES: dict[str, tuple[object, str]] = {
    "integer": (1, "an object with a name that is an integer"),
    "none": (None, "an object with a name that is null"),
    "tuple": ((1,), "an object with a name that is a Python object of type tuple"),
    "lone surrogate": ("\udead", "an object with a lone surrogate in a name"),
}


@pytest.mark.parametrize(("name", "found"), NAMES.values(), ids=NAMES)
def test_names_must_be_strings(name: object, found: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        make_plain([{name: 1}])
    assert str(caught.value) == f"at /0: expected a JSON value, found {found}"


def test_a_value_that_contains_itself_is_refused() -> None:
    ring: dict[str, object] = {"a": 1}
    ring["b"] = [ring]
    with pytest.raises(ContractViolation) as caught:
        make_plain(ring)
    assert str(caught.value) == "at /b/0: expected a JSON value, found a value that contains itself"


def test_512_levels_and_no_more_are_json() -> None:
    value: list[object] = []
    for _ in range(DEEPEST - 1):
        value = [value]
    assert make_plain(value) == value
    assert is_json(value)
    with pytest.raises(ContractViolation, match="more than 512 levels"):
        make_plain([value])
    assert not is_json([value])


def test_the_validator_of_json_agrees_with_what_is_made_plain() -> None:
    for value, _ in (*PLAIN.values(), *FOREIGN.values()):
        try:
            fast = is_json([value])
        except ValueError:
            continue  # a type that only make_plain decides about
        try:
            make_plain([value])
        except ContractViolation:
            slow = False
        else:
            slow = True
        if value != Decimal("1E+500"):
            assert fast is slow, value


def test_the_validator_of_json_is_made_once() -> None:
    assert get_json_validator() is get_json_validator()


def test_a_copy_is_what_the_far_side_of_a_wire_would_hold() -> None:
    value = {"a": (1, 1.0, "x"), "b": Decimal("1.50"), "c": 2**70}
    made = copy(value)
    assert repr(made) == repr({"a": [1, 1.0, "x"], "b": 1.5, "c": 2**70})


def test_a_copy_keeps_integers_of_thousands_of_digits() -> None:
    assert copy([10**5000]) == [10**5000]


def test_a_copy_refuses_decimals_that_no_reader_takes() -> None:
    with pytest.raises(ContractViolation):
        copy([Decimal("1E+500")])


SPELLED: dict[str, tuple[Any, bytes]] = {
    "a subclass of str": (Text("a"), b'"a"'),
    "a subclass of int": ([Count(1)], b"[1]"),
    "a subclass of dict with such a name": ({Text("a"): Count(1)}, b'{"a":1}'),
    "a Decimal": (Decimal("1.50"), b"1.50"),
    "a large integer": ([10**5000, 1], b"[1" + b"0" * 5000 + b",1]"),
    "a large integer inside": ({"a": [-(10**5000)]}, b'{"a":[-1' + b"0" * 5000 + b"]}"),
}


@pytest.mark.parametrize(("value", "text"), SPELLED.values(), ids=SPELLED)
def test_what_counts_as_json_can_be_sent(value: Any, text: bytes) -> None:
    """CON-10: as what it extends, and exactly."""
    assert encode(value) == text
    assert copy(value) == parse_json(text)
