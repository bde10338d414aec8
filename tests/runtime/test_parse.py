"""JSON text is read strictly, and a fault has its place."""

from __future__ import annotations

import json
import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pi_contracts.runtime import parse
from pi_contracts.runtime.errors import InvalidJSON
from pi_contracts.runtime.parse import parse_json, parse_payload

GOOD: dict[str, tuple[str | bytes, object]] = {
    "object": ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
    "bytes": (b' {"a":1} ', {"a": 1}),
    "beyond 64 bits": ("123456789012345678901234567890", 123456789012345678901234567890),
    "small exponent": ("1e-400", 0.0),
    "pair of surrogates": (r'"\ud83c\udf35"', "🌵"),
    "escaped colon": (
        r'{"a": {"\u003a": 1, "b": 2}, "\u003A\u003a": 3}',
        {"a": {":": 1, "b": 2}, "::": 3},
    ),
    "other escapes": (r'["\u003c", {"a": 1}]', ["<", {"a": 1}]),
    "colons in strings": ('{"a:b": ":::", "c": {"a:b": 1}}', {"a:b": ":::", "c": {"a:b": 1}}),
    "one name in several objects": ('[{"a": 1}, {"a": {"a": 2}}]', [{"a": 1}, {"a": {"a": 2}}]),
    "names that differ in case": ('{"a": 1, "A": 2}', {"a": 1, "A": 2}),
    "brackets in strings": ('"' + "[" * 600 + '"', "[" * 600),
    "many flat arrays": (json.dumps([[]] * 600), [[]] * 600),
}


@pytest.mark.parametrize(("text", "value"), GOOD.values(), ids=GOOD)
def test_text_is_read_as_the_value_that_it_spells(text: str | bytes, value: object) -> None:
    assert parse_json(text) == value
    assert repr(parse_json(text)) == repr(value)


BAD: dict[str, tuple[str | bytes, str]] = {
    "a word that runs on": ("[NaN01]", "line 1, column 2: expected JSON, found NaN"),
    "a number that runs on": (
        '["1e999", 1e999x]',
        "line 1, column 11: expected a number that a double can hold",
    ),
    "name twice, then nothing but numbers": (
        '[{"\\u003a": 1, "a": 1, "a": 2}, 1, 2]',
        'line 1, column 24: the name "a" stands twice in one object',
    ),
    "name twice behind empty objects and names like brackets": (
        '{"}": [{}, { }, "{", "a"], "{": "\\"}", "}" : 1}',
        'line 1, column 40: the name "}" stands twice in one object',
    ),
    "nothing": ("", "line 1, column 1: expecting value"),
    "cut": ('{"a":\n', "line 2, column 1: expecting value"),
    "trailing comma": ("[1,]", "line 1, column 4: expecting value"),
    "trailing comma in an object": (
        '{"a": 1, \n}',
        "line 2, column 1: expecting property name enclosed in double quotes",
    ),
    "two values": ("1 2", "line 1, column 3: extra data"),
    "number as a name": (
        "{1: 2}",
        "line 1, column 2: expecting property name enclosed in double quotes",
    ),
    "nan": ("[NaN]", "line 1, column 2: expected JSON, found NaN"),
    "infinity": ('{"a": -Infinity}', "line 1, column 7: expected JSON, found -Infinity"),
    "too large a number": (
        "[1, 1e400]",
        "line 1, column 5: expected a number that a double can hold",
    ),
    "name twice": (
        '{"a": 1,\n "b": 2, "a": 3}',
        'line 2, column 10: the name "a" stands twice in one object',
    ),
    "name twice further in": (
        '[{"x": {"k": [], "k": {}}}]',
        'line 1, column 18: the name "k" stands twice in one object',
    ),
    "name twice, escaped": (
        r'{"a": 1, "\u0061": 2}',
        'line 1, column 10: the name "a" stands twice in one object',
    ),
    "name twice beside an escaped colon": (
        r'{"\u003a": 0, "b": 1, "b": 2}',
        'line 1, column 23: the name "b" stands twice in one object',
    ),
    "name that is no single line": (
        '{"\\n": 1, "\\n": 2}',
        'line 1, column 11: the name "\\u000a" stands twice in one object',
    ),
    "lone surrogate in a string": (
        r'["\ud83c"]',
        "line 1, column 2: a string with a lone surrogate",
    ),
    "lone surrogate in a name": (
        r'{"\udf35": 1}',
        "line 1, column 2: a string with a lone surrogate",
    ),
    "surrogates apart": (
        r'["\ud83c", "\udf35"]',
        "line 1, column 2: a string with a lone surrogate",
    ),
    "lone surrogate as such": (
        '"\ud83c"',
        "line 1, column 2: a lone surrogate, which no JSON text can carry",
    ),
    "not utf-8": (b'["a\xff"]', "line 1, column 4: expected UTF-8, found other bytes"),
    "byte order mark": (
        b"\xef\xbb\xbf[]",
        "line 1, column 1: expected JSON, found a byte order mark",
    ),
    "513 levels": ("[" * 513 + "]" * 513, "line 1, column 513: more than 512 levels of nesting"),
    "513 levels of objects": (
        '{"a":' * 513 + "1" + "}" * 513,
        "line 1, column 2561: more than 512 levels of nesting",
    ),
    "levels without end": ("[" * 100_000, "line 1, column 513: more than 512 levels of nesting"),
    "an integer of too many digits": (
        '{"a": -' + "9" * 10_001 + "}",
        "line 1, column 7: expected an integer of at most 10,000 digits",
    ),
    "an integer of millions of digits": (
        "[" + "9" * 3_000_000 + "]",
        "line 1, column 2: expected an integer of at most 10,000 digits",
    ),
    "code points": ('"🌵🌵" x', "line 1, column 6: extra data"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_what_is_no_strict_json_is_refused_with_its_place(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidJSON) as caught:
        parse_json(text)
    assert str(caught.value) == message
    assert f"line {caught.value.line}, column {caught.value.column}: " in message
    assert message.endswith(caught.value.problem)


def test_512_levels_are_read() -> None:
    value = parse_json("[" * 512 + "]" * 512)
    for _ in range(511):
        assert isinstance(value, list)
        value = value[0]
    assert value == []


def test_a_payload_may_be_as_deep_as_a_schema_lets_it_be() -> None:
    value = parse_payload(b"[" * 515 + b"]" * 515)
    for _ in range(515):
        assert isinstance(value, list)
        value = value[0] if value else None
    assert value is None


@pytest.mark.parametrize("text", [b'{"a": 1, "a": 2}', b"[1,]", b'"\\ud800"', b"[" * 100_000])
def test_a_payload_is_read_as_strictly_as_any_text(text: bytes) -> None:
    with pytest.raises(InvalidJSON) as caught:
        parse_payload(text)
    with pytest.raises(InvalidJSON) as same:
        parse_json(text)
    assert str(caught.value) == str(same.value)


def test_integers_of_thousands_of_digits_are_exact() -> None:
    assert parse_json("9" * 5000) == 10**5000 - 1
    assert parse_json('{"a": -' + "9" * 5000 + "}") == {"a": 1 - 10**5000}
    assert parse_json("1" + "0" * 4000 + "7" * 4000) == 10**8000 + 7 * (10**4000 - 1) // 9
    assert parse_json("-" + "9" * 10_000) == 1 - 10**10_000


def test_numbers_beside_a_large_integer_are_read_as_ever() -> None:
    large = "9" * 5000
    assert parse_json(f"[{large}, 1.5, 2]") == [10**5000 - 1, 1.5, 2]
    with pytest.raises(InvalidJSON, match="a double can hold"):
        parse_json(f"[{large}, 1e400]")


def test_a_fault_among_many_flat_brackets_is_found() -> None:
    with pytest.raises(InvalidJSON, match="line 1, column 2402: expecting value"):
        parse_json("[" + "[], " * 600 + "]")


def test_a_name_that_stands_twice_is_found_beside_a_large_integer() -> None:
    with pytest.raises(InvalidJSON, match="stands twice"):
        parse_json('{"a": ' + "9" * 5000 + ', "a": 1}')


def test_a_stack_that_is_nearly_used_up_is_no_crash() -> None:
    def descend(levels: int) -> object:
        return parse_json("[" * 400 + "]" * 400) if levels == 0 else descend(levels - 1)

    try:
        value = descend(850)
    except (InvalidJSON, RecursionError):
        assert sys.version_info < (3, 12)
    else:  # C has a stack of its own
        assert isinstance(value, list)
        assert sys.version_info >= (3, 12)
    assert parse_json("[]") == []


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [("[1, \n]", "array", "expecting value"), ('{"a": 1,\n}', "object", "expecting property name")],
)
def test_a_trailing_comma_is_worded_alike_by_every_python(
    monkeypatch: pytest.MonkeyPatch, text: str, kind: str, sentence: str
) -> None:
    message = f"Illegal trailing comma before end of {kind}"

    def loads(*_: object, **__: object) -> None:
        raise json.JSONDecodeError(message, text, text.index(",", 2))

    monkeypatch.setattr(json, "loads", loads)
    with pytest.raises(InvalidJSON, match=f"line 2, column 1: {sentence}"):
        parse_json(text)


def test_a_large_integer_stands_beside_escapes() -> None:
    text = r'["\u0061", "b", ' + "7" * 5000 + "]"
    assert parse_json(text) == ["a", "b", 7 * (10**5000 - 1) // 9]


def test_names_are_looked_at_where_the_stack_is_too_short_for_the_quick_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def look(_: bytes) -> bool:
        return False

    monkeypatch.setattr(parse, "_has_own_names", look)
    assert parse_payload(rb'[{"\u003a": {}, "a": {"a": 1}}, 7]') == [{":": {}, "a": {"a": 1}}, 7]
    with pytest.raises(InvalidJSON, match="stands twice"):
        parse_payload(rb'[{"\u003a": {}, "a": {"a": 1}, "a": 1}]')


FAULTS = {
    "a cut": ("1", "1", "expecting ',' delimiter"),
    "a word": ("1", "NaN]", "found NaN"),
    "a number": ("1.5", "1e999]", "a double can hold"),
    "a name twice": ("{}", '{"a":1,"a":2}]', "stands twice"),
    "a lone surrogate": ('""', '"\\ud800"]', "lone surrogate"),
    "levels": ("[]", "[" * 520 + "]" * 521, "levels of nesting"),
}


@pytest.mark.parametrize(("unit", "end", "problem"), FAULTS.values(), ids=FAULTS)
def test_a_fault_behind_very_much_is_found_without_a_call_for_each_number(
    monkeypatch: pytest.MonkeyPatch, unit: str, end: str, problem: str
) -> None:
    def fail(_: str) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(parse, "_parse_integer", fail)
    text = "[" + f"{unit}," * 100_000 + end
    with pytest.raises(InvalidJSON, match=problem) as caught:
        parse_json(text)
    assert caught.value.line == 1
    assert caught.value.column >= len(text) - len(end)


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(codec="utf-8")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner, max_size=3),
    ),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(JSON, st.booleans())
def test_what_was_written_is_read_back(value: object, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=20),
        st.text(max_size=20),
        st.text(alphabet='{}[]":,1a\\u0d8 ', max_size=16),
    )
)
def test_any_input_gives_a_value_or_one_error(text: str | bytes) -> None:
    try:
        value = parse_json(text)
    except InvalidJSON:
        return
    assert not isinstance(value, float) or math.isfinite(value)
    assert value == json.loads(text)
