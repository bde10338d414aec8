"""What ends a connection: silence, goodbyes, peers that do not read, broken transports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from pi_contracts.runtime.protocol import (
    Connection,
    Framing,
    Limits,
    LinkEnded,
    Role,
    State,
)
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.framing import add_header

ARGUMENTS = Raw(b"{}")


def read(chunks: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(chunk[4:]) for chunk in chunks]


def test_a_ping_is_answered(pair: Any) -> None:
    pair.inject(pair.server, m.Ping())
    assert pair.at_client() == []


def test_silence_is_asked_for_a_sign_of_life_and_then_given_up(pair: Any) -> None:
    """TRN-15: a half-open link is noticed within ping_interval and ping_timeout."""
    client, limits = pair.client, Limits()
    asked = pair.now + limits.ping_interval
    assert client.next_deadline == asked
    assert client.handle_deadline(asked - 1) == []
    assert client.handle_deadline(asked) == []
    assert read(client.take_output()) == [{"type": "ping"}]
    assert client.next_deadline == asked + limits.ping_timeout
    assert client.handle_deadline(asked + 1) == []
    (ended,) = client.handle_deadline(asked + limits.ping_timeout)
    assert ended.error.code == "disconnected"
    assert ended.error.message == "the other side gave no sign of life for 25 seconds"
    assert client.next_deadline is None
    assert client.handle_deadline(asked + 99) == []


def test_any_frame_is_a_sign_of_life(pair: Any) -> None:
    limits = Limits()
    pair.client.handle_deadline(pair.now + limits.ping_interval)
    pair.now += limits.ping_interval + 1
    pair.inject(pair.client, m.Pong())
    assert pair.client.next_deadline == pair.now + limits.ping_interval


def test_half_a_frame_is_no_sign_of_life(pair: Any) -> None:
    before = pair.server.next_deadline
    pair.server.receive(add_header(b"x" * 50)[:20], pair.now + 5)
    assert pair.server.next_deadline == before


@pytest.mark.parametrize("framing", Framing)
def test_before_the_handshake_is_done_a_server_keeps_little(
    make_pair: Any, framing: Framing
) -> None:
    """TRN-13, TRN-18: anybody may connect; whoever was accepted may send larger frames."""
    large = encode(m.Call(1, "a", Raw(b'"' + b"x" * 100_000 + b'"'), service="s"))
    data = add_header(large) if framing is Framing.LENGTH else large
    server = Connection(Role.SERVER, framing)
    server.start(0.0)
    (ended,) = server.receive(data, 0.0)
    assert isinstance(ended, LinkEnded)
    assert ended.error.message.endswith("where 65536 are taken")
    pair = make_pair(framing=framing)
    pair.open()
    (call,) = pair.server.receive(data, 0.0)
    assert isinstance(call, m.Call)


def test_what_a_server_sends_right_behind_its_welcome_may_be_large(make_pair: Any) -> None:
    pair = make_pair()
    pair.client.start(0.0)
    welcome = encode(m.Welcome(1, m.Bounds(10_000, 1, 1)))
    call = encode(m.Call(1, "a", Raw(b'"' + b"x" * 100_000 + b'"'), service="s"))
    found = pair.client.receive(add_header(welcome) + add_header(call), 0.0)
    assert [type(one) for one in found] == [m.Welcome, m.Call]


def test_frames_that_are_refused_win_no_time_for_the_handshake() -> None:
    """TRN-18: nor does a fault, which is not answered."""
    server = Connection(Role.SERVER, limits=Limits(handshake=10.0))
    server.start(100.0)
    for now in (105.0, 109.0):
        server.receive(add_header(b"{}") + add_header(b'{"type":"fault"}'), now)
    assert server.next_deadline == 110.0
    (ended,) = server.handle_deadline(110.0)
    assert isinstance(ended, LinkEnded)


def test_a_handshake_that_takes_too_long_is_given_up() -> None:
    """TRN-18."""
    server = Connection(Role.SERVER)
    server.start(50.0)
    assert server.next_deadline == 60.0
    assert server.handle_deadline(59.0) == []
    (ended,) = server.handle_deadline(60.0)
    assert isinstance(ended, LinkEnded)
    assert ended.error.message == "the handshake took more than 10 seconds"


ENDS = {
    "between frames": (b"", "", "the link was lost"),
    "inside a frame": (b"\x00\x00", "", "the link ended inside a frame"),
    "for a reason": (b"", "no cable", "the link was lost: no cable"),
}


@pytest.mark.parametrize(("data", "why", "message"), ENDS.values(), ids=ENDS)
def test_the_end_of_the_transport_ends_the_link(
    pair: Any, data: bytes, why: str, message: str
) -> None:
    """TRN-14."""
    pair.client.receive(data, pair.now)
    (ended,) = pair.client.receive_end(pair.now, why)
    assert (ended.error.code, ended.error.message) == ("disconnected", message)
    assert pair.client.receive_end(pair.now) == []


GOODBYES = {
    "with a reason": (m.ErrorEnvelope("not_authorized", "no"), "not_authorized", "no"),
    "without": (None, "disconnected", "the other side closed the link"),
}


@pytest.mark.parametrize(("error", "code", "message"), GOODBYES.values(), ids=GOODBYES)
def test_a_goodbye_says_why(
    pair: Any, error: m.ErrorEnvelope | None, code: str, message: str
) -> None:
    pair.client.end(error)
    pair.client.end(error)
    (ended,) = pair.at_server()
    assert (ended.error.code, ended.error.message) == (code, message)
    assert (pair.client.has_ended, pair.server.has_ended) == (True, True)


def test_nothing_is_sent_while_the_transport_is_paused(pair: Any) -> None:
    """TRN-12."""
    pair.client.pause()
    pair.client.call("a", ARGUMENTS, {"service": "s"})
    assert (pair.client.has_output, pair.client.take_output(), pair.client.waiting) == (
        False,
        [],
        1,
    )
    pair.client.resume()
    assert len(pair.client.take_output()) == 1


def test_a_peer_that_asks_and_never_reads_is_given_up(make_pair: Any) -> None:
    """TRN-12: what waits for it is bounded."""
    pair = make_pair(limits=Limits(calls=1, subscriptions=1))
    pair.open()
    pair.server.pause()
    happenings: list[Any] = []
    for _ in range(2000):
        happenings += pair.inject(pair.server, m.Ping())
        if happenings:
            break
    assert [one.error.code for one in happenings] == ["overflow"]
    assert pair.server.waiting < 1100


def test_large_answers_to_a_peer_that_never_reads_are_bounded_by_their_bytes(
    make_pair: Any,
) -> None:
    """TRN-12: many small frames are not the only way to fill a memory."""
    pair = make_pair(limits=Limits(unread_bytes=5000))
    pair.open()
    for number in range(1, 4):
        pair.client.call("a", ARGUMENTS, {"service": "s"})
        pair.cross()
        pair.server.pause()
        pair.server.served.answer(number, Raw(b'"' + b"x" * 2000 + b'"'))
    (ended,) = pair.inject(pair.server, m.Ping())
    assert ended.error.code == "overflow"


def test_large_answers_that_leave_are_not_counted(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(unread_bytes=5000))
    pair.open()
    for number in range(1, 9):
        pair.client.call("a", ARGUMENTS, {"service": "s"})
        pair.cross()
        pair.server.pause()
        pair.server.served.answer(number, Raw(b'"' + b"x" * 2000 + b'"'))
        pair.server.resume()
        pair.cross()
    pair.server.pause()
    assert pair.inject(pair.server, m.Ping()) == []


def test_as_many_calls_may_be_outstanding_as_the_other_side_takes(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(calls=2))
    pair.open()
    assert Connection(Role.CLIENT).free_calls == 0
    for left in (2, 1):
        assert pair.client.free_calls == left
        pair.client.call("a", ARGUMENTS, {"service": "s"})
    assert pair.client.free_calls == 0


def test_a_transport_of_messages_gets_each_frame_by_itself() -> None:
    client = Connection(Role.CLIENT, Framing.MESSAGE)
    server = Connection(Role.SERVER, Framing.MESSAGE)
    client.start(0.0)
    server.start(0.0)
    (hello,) = client.take_output()
    assert [type(one) for one in server.receive(hello, 0.0)] == [m.Hello]


@given(st.lists(st.binary(max_size=60), max_size=12))
def test_any_bytes_give_happenings_and_never_an_exception(chunks: list[bytes]) -> None:
    server = Connection(Role.SERVER, limits=Limits(frame=4096))
    server.start(0.0)
    for chunk in chunks:
        server.receive(chunk, 0.0)
    server.receive_end(0.0)
    assert server.has_ended


@given(st.lists(st.sampled_from(m.MESSAGES), max_size=30), st.randoms())
def test_any_frames_in_any_order_leave_the_link_open_or_ended(kinds: Any, random: Any) -> None:
    server = Connection(Role.SERVER)
    server.start(0.0)
    hello = m.Hello([1], m.Bounds(10_000, 3, 3))
    server.receive(add_header(encode(hello)), 0.0)
    server.accept(0.0)
    error = m.ErrorEnvelope("busy", "no")
    for kind in kinds:
        number = random.randint(1, 3)
        values: dict[str, Any] = {
            **dict.fromkeys(("id", "number", "version", "generation", "count"), number),
            **dict.fromkeys(("member", "service", "key", "code", "digest", "message"), "a"),
            "arguments": ARGUMENTS,
            "value": ARGUMENTS,
            "error": error,
            "mode": "singleton",
            "states": {},
            "members": {},
            "versions": [1],
            "bounds": hello.bounds,
        }
        if kind is not m.Update and kind is not m.Closed and kind is not m.Spawned:
            del values["key"], values["generation"]
        if kind is m.Granted or kind is m.Release:
            values["reference"] = "r"
        fields = {name: values[name] for name in kind.__struct_fields__ if name in values}
        server.receive(add_header(encode(kind(**fields))), 0.0)
    assert server.state in {State.OPEN, State.ENDED}
