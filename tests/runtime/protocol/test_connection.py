from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET, Raw
from pi_contracts.runtime.protocol import (
    Connection,
    FrameTooLarge,
    Framing,
    Limits,
    LinkEnded,
    LocalProtocolError,
    Refused,
    Role,
    State,
)
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.framing import add_header

if TYPE_CHECKING:
    from collections.abc import Callable

ARGUMENTS = Raw(b"{}")


def read(chunks: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(chunk[4:]) for chunk in chunks]


def test_the_handshake_tells_each_side_what_the_other_takes(make_pair: Any) -> None:
    """TRN-18: nothing is open before the server has accepted."""
    pair = make_pair(limits=Limits(frame=5000, calls=7, subscriptions=8))
    pair.client.start(0.0)
    pair.server.start(0.0)
    bounds = m.Bounds(5000, 7, 8)
    assert pair.cross() == [("server", m.Hello([1], bounds))]
    assert (pair.client.state, pair.server.state) == (State.GREETING, State.GREETING)
    pair.server.accept(0.0)
    assert pair.cross() == [("client", m.Welcome(1, bounds))]
    assert (pair.client.state, pair.server.state) == (State.OPEN, State.OPEN)
    assert (pair.client.version, pair.server.version) == (1, 1)
    assert (pair.client.bounds, pair.server.bounds) == (bounds, bounds)


def test_the_credential_is_in_the_hello_and_nowhere_else() -> None:
    """TRN-2."""
    client = Connection(Role.CLIENT, credential="s3cret")
    client.start(0.0)
    assert read(client.take_output())[0]["credential"] == "s3cret"


def test_two_sides_without_a_common_version_part_and_name_both() -> None:
    """TRN-11: before any call is dispatched."""
    client, server = Connection(Role.CLIENT, versions=(3, 2)), Connection(Role.SERVER)
    client.start(0.0)
    server.start(0.0)
    (happening,) = server.receive(client.take_output()[0], 0.0)
    (told,) = client.receive(server.take_output()[0], 0.0)
    for one in (happening, told):
        assert isinstance(one, LinkEnded)
        assert one.error.code == "protocol_version"
        assert one.error.message == (
            "this side speaks versions [1] of the protocol, the other one [2, 3]"
        )
        assert one.error.data is not UNSET
        assert json.loads(bytes(one.error.data)) == {"accepted": [1], "offered": [2, 3]}
    assert (client.state, server.state) == (State.ENDED, State.ENDED)


def test_the_greatest_common_version_is_spoken() -> None:
    client = Connection(Role.CLIENT, versions=(1, 2, 3))
    server = Connection(Role.SERVER, versions=(2, 1))
    client.start(0.0)
    server.receive(client.take_output()[0], 0.0)
    server.accept(0.0)
    client.receive(server.take_output()[0], 0.0)
    assert (client.version, server.version) == (2, 2)


def test_a_client_refuses_a_version_that_it_did_not_offer(pair: Any) -> None:
    client = Connection(Role.CLIENT)
    client.start(0.0)
    happenings = pair.inject(client, m.Welcome(9, m.Bounds(1024, 1, 1)))
    assert [one.error.code for one in happenings] == ["protocol_version"]
    assert client.state is State.ENDED


def test_a_call_and_its_answer_cross(pair: Any) -> None:
    call_id = pair.client.call("a", ARGUMENTS, {"service": "s"})
    assert pair.at_server() == [m.Call(call_id, "a", ARGUMENTS, service="s")]
    assert pair.client.outstanding == 1
    assert pair.server.served.answer(call_id, Raw(b"5"))
    assert pair.at_client() == [m.Result(call_id, Raw(b"5"))]
    assert pair.client.outstanding == 0
    assert pair.server.served.calls == {}


def test_both_sides_call_under_the_same_ids(pair: Any) -> None:
    """TRN-8: request ids are per sender."""
    assert pair.client.call("a", ARGUMENTS, {"service": "s"}) == 1
    assert pair.server.call("b", ARGUMENTS, {"service": "t"}) == 1
    calls = {name: one.member for name, one in pair.cross()}
    assert calls == {"server": "a", "client": "b"}
    pair.server.served.answer(1, Raw(b"1"))
    pair.client.served.answer(1, Raw(b"2"))
    assert {name: bytes(one.result) for name, one in pair.cross()} == {
        "client": b"1",
        "server": b"2",
    }


def test_a_call_before_the_link_is_open_is_a_fault_of_ours() -> None:
    with pytest.raises(LocalProtocolError):
        Connection(Role.CLIENT).call("a", ARGUMENTS, {"service": "s"})


def test_a_call_that_the_other_side_does_not_take_is_not_sent(make_pair: Any) -> None:
    """TRN-13: its sender is told, with the limit."""
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    with pytest.raises(FrameTooLarge, match="where the other side takes 1024") as caught:
        pair.client.call("a", Raw(b'"' + b"x" * 1100 + b'"'), {"service": "s"})
    assert caught.value.limit == 1024
    assert pair.client.outstanding == 0
    assert not pair.client.has_output


TOO_LARGE: dict[str, Callable[[Connection], object]] = {
    "a result": lambda server: server.served.answer(1, Raw(b'"' + b"x" * 1100 + b'"')),
    "an error": lambda server: server.served.fail(1, m.ErrorEnvelope("busy", "x" * 1100)),
}


@pytest.mark.parametrize("answer", TOO_LARGE.values(), ids=TOO_LARGE)
def test_an_answer_that_the_other_side_does_not_take_becomes_an_error(
    make_pair: Any, answer: Callable[[Connection], object]
) -> None:
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    pair.client.call("a", ARGUMENTS, {"service": "s"})
    pair.cross()
    answer(pair.server)
    (failed,) = pair.at_client()
    assert isinstance(failed, m.Failed)
    assert failed.error.code == "too_large"
    assert "takes 1024" in failed.error.message


def test_an_end_that_the_other_side_does_not_take_is_worded_shorter(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    subscription_id = pair.follow()
    pair.server.served.end_subscription(subscription_id, m.ErrorEnvelope("busy", "x" * 1100))
    (ended,) = pair.at_client()
    assert ended.error.code == "too_large"


def test_another_frame_that_the_other_side_does_not_take_is_refused_here(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    with pytest.raises(FrameTooLarge):
        pair.follow(service="s" * 1100)


OVERSIZED = {
    "a stream": (Framing.LENGTH, add_header(b"x" * 1025)[:10]),
    "messages": (Framing.MESSAGE, b"x" * 1025),
}


@pytest.mark.parametrize(("framing", "data"), OVERSIZED.values(), ids=OVERSIZED)
def test_a_frame_over_the_limit_ends_the_link(framing: Framing, data: bytes) -> None:
    """TRN-13, TRN-10: refused at the header, with a goodbye that names the limit."""
    server = Connection(Role.SERVER, framing, limits=Limits(frame=1024))
    server.start(0.0)
    (ended,) = server.receive(data, 0.0)
    assert isinstance(ended, LinkEnded)
    assert (ended.error.code, ended.error.message) == (
        "too_large",
        "a frame of 1025 bytes, where 1024 are taken",
    )
    assert b'"goodbye"' in b"".join(server.take_output())
    assert server.receive(data, 0.0) == []


def test_a_frame_that_is_too_deep_ends_the_link(pair: Any) -> None:
    happenings = pair.inject(pair.server, b"[" * 100_000)
    assert [one.error.code for one in happenings] == ["too_large"]
    assert pair.server.state is State.ENDED


def test_frames_before_a_broken_one_are_taken(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    call = add_header(encode(m.Call(1, "a", ARGUMENTS, service="s")))
    happenings = pair.server.receive(call + b"\xff\xff\xff\xff", 0.0)
    assert [type(one) for one in happenings] == [m.Call, LinkEnded]


def test_a_malformed_frame_is_answered_and_the_link_goes_on(pair: Any) -> None:
    """TRN-10: the fault names the call that has failed with it."""
    pair.inject(pair.server, b'{"type":"call","id":7,"member":5}')
    fault = read(pair.server.take_output())[0]
    assert (fault["type"], fault["error"]["code"], fault["call"]) == ("fault", "protocol_error", 7)
    assert pair.inject(pair.server, m.Ping()) == []
    assert read(pair.server.take_output()) == [{"type": "pong"}]


def test_a_subscription_ends_that_is_asked_for_in_a_malformed_frame(pair: Any) -> None:
    """Nobody waits for what will never come; one that is open under the id stays."""
    text = b'{"type":"subscribe","id":7,"mode":"shouting"}'
    (refused,) = pair.inject(pair.server, text)
    assert isinstance(refused, Refused)
    ended = read(pair.server.take_output())[0]
    assert (ended["type"], ended["id"]) == ("ended", 7)
    assert ended["error"]["code"] == "protocol_error"
    one = pair.follow()
    pair.inject(pair.server, text.replace(b"7", str(one).encode()))
    assert read(pair.server.take_output())[0]["type"] == "fault"
    assert one in pair.server.served.subscriptions


def test_very_many_texts_in_a_row_that_are_no_frames_end_the_link(pair: Any) -> None:
    """Whoever sends them speaks something else; a frame between them begins anew."""
    nothing = add_header(b"")
    pair.server.receive(nothing * 1023, pair.now)
    assert not pair.server.has_ended
    pair.inject(pair.server, m.Ping())
    pair.server.receive(nothing * 1023, pair.now)
    assert not pair.server.has_ended
    happenings = pair.server.receive(nothing * 100_000, pair.now)
    assert [type(one) for one in happenings] == [Refused, LinkEnded]
    assert happenings[1].error.code == "protocol_error"


def test_before_the_link_is_open_a_malformed_frame_is_only_refused(make_pair: Any) -> None:
    pair = make_pair()
    pair.server.start(0.0)
    pair.inject(pair.server, b'{"type":"subscribe","id":7}', b'{"type":"result","id":7,"a":1}')
    assert [one["type"] for one in read(pair.server.take_output())] == ["fault", "fault"]


ANSWERS = {
    "no field of it": b'{"type":"result","id":1,"result":3,"more":4}',
    "no JSON": b'{"type":"result","id":1,"result":NaN}',
    "a name twice": b'{"type":"result", "id":1,"result":{"a":1,"a":2}}',
    "data that no double holds": (
        b'{"type":"failed","id":1,"error":{"code":"c","message":"m","data":1e999}}'
    ),
    "no name of a reference": b'{"type":"granted","id":1,"reference":"","service":"s"}',
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_a_call_whose_answer_is_malformed_fails(pair: Any, text: bytes) -> None:
    """TRN-10: nothing hangs. The link stays, and a second answer is late."""
    call_id = pair.call()
    refused, failed = pair.inject(pair.client, text)
    assert isinstance(refused, Refused)
    assert (type(failed), failed.id) == (m.Failed, call_id)
    assert failed.error.code == "protocol_error"
    assert pair.client.outstanding == 0
    assert [one["type"] for one in read(pair.client.take_output())] == ["fault"]
    assert pair.inject(pair.client, m.Result(call_id)) == []
    assert pair.inject(pair.client, text.replace(b'"id":1', b'"id":9'))[0].by_us


def test_a_malformed_fault_is_not_answered_and_its_call_fails(pair: Any) -> None:
    """Two sides that refuse each other's faults would go on for ever."""
    call_id = pair.call()
    fault = b'{"type":"fault","error":{"code":"c","message":"m","data":1e999}%s}'
    (refused,) = pair.inject(pair.client, fault % b"")
    assert isinstance(refused, Refused)
    _, failed = pair.inject(pair.client, fault % b',"call":1')
    assert (failed.id, failed.error.code) == (call_id, "protocol_error")
    assert not pair.client.has_output


def test_a_malformed_goodbye_is_a_goodbye(pair: Any) -> None:
    """Nobody waits for more of one who is leaving."""
    (ended,) = pair.inject(pair.client, b'{"type":"goodbye","error":7}')
    assert isinstance(ended, LinkEnded)
    assert ended.error.code == "protocol_error"
    assert pair.client.has_ended


def test_a_call_fails_that_the_other_side_finds_malformed(pair: Any) -> None:
    call_id = pair.client.call("a", ARGUMENTS, {"service": "s"})
    error = m.ErrorEnvelope("protocol_error", "no")
    happenings = pair.inject(pair.client, m.Fault(error, call_id), m.Fault(error, call_id))
    assert happenings == [
        Refused(by_us=False, error=error),
        m.Failed(call_id, error),
        Refused(by_us=False, error=error),
    ]
    assert pair.client.outstanding == 0


def test_an_id_that_is_still_outstanding_is_refused_and_the_first_call_is_answered(
    pair: Any,
) -> None:
    """TRN-10: the fault names no call, or the first one would seem to have failed."""
    call = m.Call(7, "a", ARGUMENTS, service="s")
    happenings = pair.inject(pair.server, call, call, b'{"type":"call","id":7,"member":5}')
    assert [type(one) for one in happenings] == [m.Call, Refused, Refused]
    assert all("call" not in one for one in read(pair.server.take_output()))
    assert pair.server.served.answer(7, UNSET)
    assert not pair.server.served.answer(7, UNSET)
    assert pair.inject(pair.server, call) == [call]


UNKNOWN_ANSWERS = {
    "a result": m.Result(9),
    "a reference": m.Granted(9, "r", "s"),
    "an error": m.Failed(9, m.ErrorEnvelope("busy", "no")),
}


@pytest.mark.parametrize("answer", UNKNOWN_ANSWERS.values(), ids=UNKNOWN_ANSWERS)
def test_an_answer_to_a_call_that_never_was_is_refused(pair: Any, answer: m.Message) -> None:
    """TRN-10."""
    (refused,) = pair.inject(pair.client, answer)
    assert refused.error.message == "there never was a call 9"


def test_an_answer_to_a_call_that_is_over_is_late(pair: Any) -> None:
    """CTX-11, SRV-17: dropped; a reference that it holds is given back."""
    call_id = pair.client.call("a", ARGUMENTS, {"service": "s"})
    pair.client.cancel(call_id)
    pair.client.cancel(call_id)
    pair.client.take_output()
    assert pair.inject(pair.client, m.Result(call_id)) == []
    assert not pair.client.has_output
    assert pair.inject(pair.client, m.Granted(call_id, "r", "s")) == []
    assert read(pair.client.take_output()) == [{"type": "release", "reference": "r", "count": 1}]
