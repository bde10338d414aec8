from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import (
    DEEPEST_FRAME,
    Malformed,
    decode,
    encode_data,
    is_too_deep,
)

REFUSED: dict[str, tuple[bytes, tuple[type | None, int | None] | None]] = {
    "a number": (b"5", None),
    "an array": (b"[]", None),
    "null": (b"null", None),
    "an empty object": (b"{}", None),
    "no text": (b"", None),
    "half a text": (b'{"type":"ping"', None),
    "two texts": (b'{"type":"ping"}{"type":"ping"}', None),
    "no UTF-8": (b'{"type":"hello","credential":"\xff"}', (m.Hello, None)),
    "an unknown kind": (b'{"type":"shout","id":3}', (None, 3)),
    "a kind that is a number": (b'{"type":7}', None),
    "a call without an id": (
        b'{"type":"call","member":"a","arguments":{},"service":"s"}',
        (m.Call, None),
    ),
    "a call of a number": (
        b'{"type":"call","id":3,"member":5,"arguments":{},"service":"s"}',
        (m.Call, 3),
    ),
    "a call without arguments": (b'{"type":"call","id":3,"member":"a","service":"s"}', (m.Call, 3)),
    "a call with more": (
        b'{"type":"call","id":3,"member":"a","arguments":{},"service":"s","context":{}}',
        (m.Call, 3),
    ),
    "a call of nothing": (b'{"type":"call","id":3,"member":"a","arguments":{}}', (m.Call, 3)),
    "a call of two things": (
        b'{"type":"call","id":3,"member":"a","arguments":{},"service":"s","reference":"r"}',
        (m.Call, 3),
    ),
    "a key without a generation": (
        b'{"type":"call","id":3,"member":"a","arguments":{},"service":"s","key":"k"}',
        (m.Call, 3),
    ),
    "a generation without a key": (
        b'{"type":"call","id":3,"member":"a","arguments":{},"service":"s","generation":1}',
        (m.Call, 3),
    ),
    "a key of a reference": (
        b'{"type":"call","id":3,"member":"a","arguments":{},"reference":"r","key":"k","generation":1}',
        (m.Call, 3),
    ),
    "a subscription to an instance": (
        b'{"type":"subscribe","id":3,"mode":"keyed","version":1,"digest":"","service":"s","key":"k","generation":1}',
        (m.Subscribe, 3),
    ),
    "an id that is a text": (b'{"type":"cancel","id":"1"}', (m.Cancel, None)),
    "an id that is a fraction": (b'{"type":"cancel","id":1.5}', (m.Cancel, None)),
    "an id that is true": (b'{"type":"cancel","id":true}', (m.Cancel, None)),
    "an id that is null": (b'{"type":"cancel","id":null}', (m.Cancel, None)),
    "an id of 0": (b'{"type":"cancel","id":0}', (m.Cancel, None)),
    "an id beyond doubles": (b'{"type":"cancel","id":9007199254740992}', (m.Cancel, None)),
    "a name twice": (b'{"type":"cancel","id":1,"id":2}', (m.Cancel, 2)),
    "a name twice in a payload": (
        b'{"type":"call", "id":3,"member":"a","arguments":{"a":1,"a":2},"service":"s"}',
        (m.Call, 3),
    ),
    "NaN": (b'{"type":"result","id":3,"result":NaN}', (m.Result, 3)),
    "a lone surrogate": (b'{"type":"event","id":3,"number":1,"value":"\\ud800"}', (m.Event, 3)),
    "no UTF-8 in an answer": (b'{"type":"failed","id":3,"error":{"code":"\xff"}}', (m.Failed, 3)),
    "an id and no kind": (b'{"id":3}', (None, 3)),
    "an id of many digits": (b'{"type":"result","id":' + b"9" * 5000 + b"}", (m.Result, None)),
    "data of an error that no double holds": (
        b'{"type":"failed","id":3,"error":{"code":"c","message":"m","data":1e999}}',
        (m.Failed, 3),
    ),
    "data of an error with a name twice": (
        b'{"type":"ended","id":3,"error":{"code":"c","message":"m","data":{"a":1,"a":2}}}',
        (m.Ended, 3),
    ),
    "data of a goodbye that no double holds": (
        b'{"type":"goodbye","error":{"code":"c","message":"m","data":1e999}}',
        (m.Goodbye, None),
    ),
    "data of a fault that no double holds": (
        b'{"type":"fault","error":{"code":"c","message":"m","data":1e999},"call":3}',
        (m.Fault, 3),
    ),
    "an unsorted mess": (b"\x00\xff{[", None),
}


@pytest.mark.parametrize(("text", "named"), REFUSED.values(), ids=REFUSED)
def test_a_text_that_is_no_frame_is_a_value_with_the_kind_and_id_that_it_names(
    text: bytes, named: tuple[type | None, int | None] | None
) -> None:
    """TRN-10."""
    found = decode(text)
    assert isinstance(found, Malformed)
    assert found.problem
    assert (found.kind, found.id) == (named or (None, None))
    assert not found.deep


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_malformed(text: bytes) -> None:
    assert decode(text) is not None


@given(st.text('{}[]":,\\tyepidcal0123456789', max_size=60))
def test_any_text_is_a_message_or_malformed(text: str) -> None:
    assert decode(text.encode()) is not None


def test_other_spellings_of_a_frame_are_taken() -> None:
    assert decode(b' { "id" : 3 , "type" : "cancel" } ') == m.Cancel(3)
    assert decode(b'{"type":"c\\u0061ncel","id":3}') == m.Cancel(3)


DEEP = {
    "as deep as may be": (b"[" * DEEPEST_FRAME + b"]" * DEEPEST_FRAME, False),
    "one level more": (b"[" * (DEEPEST_FRAME + 1) + b"]" * (DEEPEST_FRAME + 1), True),
    "many side by side": (b"[" + b"[]," * 2000 + b"[]]", False),
    "brackets in a string": (b'["' + b"[" * 2000 + b'"]', False),
    "brackets after an escape": (b'["\\"' + b"[" * 2000 + b'"]', False),
    "objects": (b'{"a":' * 600, True),
    "the shortest objects": (b'{"":' * (DEEPEST_FRAME - 1) + b"{}" + b"}" * DEEPEST_FRAME, False),
    "one of them more": (b'{"":' * DEEPEST_FRAME + b"{}" + b"}" * DEEPEST_FRAME, True),
    "objects behind a string": (b'["' + b"[" * 300 + b'",' + b'{"":' * DEEPEST_FRAME, True),
    "objects in arrays": (b'[{"":' * (DEEPEST_FRAME // 2) + b"[", True),
    "a million": (b"[" * 1_000_000, True),
}


@pytest.mark.parametrize(("text", "deep"), DEEP.values(), ids=DEEP)
def test_depth_is_what_stands_inside_each_other(text: bytes, *, deep: bool) -> None:
    """TRN-13, CON-10."""
    assert is_too_deep(text) == deep
    found = decode(text)
    assert isinstance(found, Malformed)
    assert found.deep == deep


def test_nothing_of_a_payload_stands_in_what_is_wrong_with_a_frame() -> None:
    """SEC-6."""
    found = decode(b'{"type":"call","id":"s3cret","member":"a","arguments":{},"service":"s"}')
    assert isinstance(found, Malformed)
    assert "s3cret" not in found.problem


def test_a_stack_that_is_nearly_full_makes_a_frame_malformed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pi_contracts.runtime.protocol import codec

    def decode_on_a_full_stack(_: bytes) -> object:
        raise RecursionError

    monkeypatch.setattr(codec, "_decode", decode_on_a_full_stack)
    found = decode(b'{"type":"ping"}')
    assert isinstance(found, Malformed)
    assert found.problem == "nested too deeply for the stack that is left"


def test_data_of_an_error_are_written_as_json() -> None:
    assert encode_data({"a": [1]}) == b'{"a":[1]}'


WORDED: dict[str, tuple[bytes, str]] = {
    "a lone surrogate": (
        b'{"type":"result","id":3,"result":"\\ud800"}',
        "line 1, column 34: a string with a lone surrogate",
    ),
    "NaN": (
        b'{"type":"result","id":3,"result":NaN}',
        "line 1, column 34: expected JSON, found NaN",
    ),
    "nothing": (b"", "line 1, column 1: expecting value"),
    "data of an error": (
        b'{"type":"ended","id":3,"error":{"code":"c","message":"m","data":1e999}}',
        "the data of an error: line 1, column 1: expected a number that a double can hold",
    ),
    "a text too long to be read twice": (
        b'{"type":"result","id":3,"result":[' + b"1," * 40_000,
        "Input data was truncated",
    ),
}


@pytest.mark.parametrize(("text", "problem"), WORDED.values(), ids=WORDED)
def test_what_is_no_json_is_told_with_its_place(text: bytes, problem: str) -> None:
    found = decode(text)
    assert isinstance(found, Malformed)
    assert found.problem == problem


def test_a_payload_may_be_as_deep_as_json_may_be_however_it_is_spelled() -> None:
    """CON-10: the levels of the frame itself come on top."""
    payload = b"[" * 512 + b"]" * 512
    for space in (b"", b" "):
        text = b'{"type":"result","id":3,' + space + b'"result":' + payload + b"}"
        assert isinstance(decode(text), m.Result)
