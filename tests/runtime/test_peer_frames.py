"""What a peer does with frames, silence and the end of its link."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Disconnected,
)
from pi_contracts.runtime.protocol import Limits, Role
from pi_contracts.runtime.testing import ControlledLink
from runtime_frames import HELLO, answers, inject, make_call, make_peer

BAD: dict[str, object] = {
    "a number": 5,
    "an array": [],
    "null": None,
    "an empty object": {},
    "no JSON": b"\xff{",
    "a request without an id": {"type": "call", "member": "a", "arguments": {}, "service": "s"},
    "an unknown kind": {"type": "notify", "id": 5},
    "a method that is a number": make_call(5, member=7),
    "more members": make_call(5, context={"client": "root"}),
    "an id that is a text": make_call("1"),
    "an id that is a fraction": make_call(1.5),
    "an id that is true": make_call(True),
    "an id that is null": make_call(None),
    "an answer to nobody": {"type": "result", "id": 99},
    "an update of nothing": {"type": "update", "id": 9, "number": 1, "member": "s", "value": 1},
    "another hello": HELLO,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_frame_is_answered_and_the_next_good_call_works(
    make_wire: Any, run: Any, sample: Any, bad: object
) -> None:
    """TRN-10, r-fra-03, r-rid-04."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        async with wire.connect():
            before = len(answers(wire.link))
            inject(wire.link, bad, make_call(77))
            await sample.settle()
            fault, result = answers(wire.link)[before:]
            assert (fault["type"], fault["error"]["code"]) == ("fault", "protocol_error")
            assert (result["type"], result["id"]) == ("result", 77)
            assert "Traceback" not in fault["error"]["message"]

    run(test)


def test_an_id_may_be_used_again_once_it_is_answered(make_wire: Any, run: Any, sample: Any) -> None:
    """TRN-10, r-rid-02: not before; and the first call gets its own answer."""

    async def test() -> None:
        wire = make_wire()
        go_on = asyncio.Event()

        async def wait(model: str) -> str:
            await go_on.wait()
            return model

        wire.provide().act = lambda model, *_: wait(model)
        async with wire.connect():
            before = len(answers(wire.link))
            first, second = make_call(7), make_call(7, arguments={"modelId": "y"})
            inject(wire.link, first, second)
            await sample.settle()
            go_on.set()
            await sample.settle()
            inject(wire.link, second)
            await sample.settle()
            fault, one, two = answers(wire.link)[before:]
            assert fault["type"] == "fault"
            assert (one["result"], two["result"]) == ("x", "y")

    run(test)


def test_a_frame_that_is_too_deep_ends_its_own_link_only(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-13, r-fra-05."""

    async def test() -> None:
        wire, other = make_wire(), make_wire()
        wire.provide()
        other.registry = wire.registry
        models = other.namespace.use(sample.MODELS)
        async with wire.connect(), other.connect():
            inject(wire.link, b'{"type":"call","id":5,"arguments":' + b"[" * 100_000)
            await sample.settle()
            assert wire.pair.server.ending.code == "too_large"
            assert answers(wire.link)[-1]["type"] == "goodbye"
            assert await models.select("x", BACKGROUND) == "x"

    run(test)


def test_a_link_that_falls_silent_is_given_up_at_both_sides(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-15, r-hal-01, r-hal-03: within ping_interval and ping_timeout."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        go_on = asyncio.Event()
        catalogue.act = lambda *_: go_on.wait()
        models = wire.namespace.use(sample.MODELS)
        models.changed.subscribe(sample.Seen())
        endings = sample.Seen()
        async with wire.connect():
            wire.pair.client.on_end(lambda failure: endings.append(failure.message))
            call = asyncio.create_task(models.select("x", BACKGROUND))
            await sample.settle()
            for direction in (wire.link.to_server, wire.link.to_client):
                direction.hold()
            limits = Limits()
            await wire.clock.advance(limits.ping_interval + limits.ping_timeout - 1)
            assert not call.done()
            await wire.clock.advance(2)
            with pytest.raises(Disconnected, match="gave no sign of life for 25 seconds"):
                await call
            assert endings == ["the other side gave no sign of life for 25 seconds"]
            await sample.settle()
            assert not catalogue.state._channel.wanted
            assert not catalogue.changed._channel.wanted
            assert wire.pair.server.ending is not None

    run(test)


def test_a_link_that_is_used_or_answers_pings_lives_on(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            await wire.clock.advance(1000)
            assert wire.pair.client.opened
            assert await models.select("x", BACKGROUND) == "x"
            assert "pong" in wire.link.list_kinds()

    run(test)


def test_any_number_of_closes_return_and_the_end_is_told_once(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-4, FLT-11, r-clo-01."""

    async def test() -> None:
        wire = make_wire()
        endings = sample.Seen()
        async with wire.connect():
            wire.pair.client.on_end(endings.append)
            await asyncio.gather(*[wire.pair.client.close() for _ in range(3)])
            await wire.pair.client.close()
            wire.pair.client.close_soon()
            late = sample.Seen()
            wire.pair.client.on_end(late.append)
            assert endings == late == [wire.pair.client.ending]

    run(test)


def test_a_close_waits_for_an_unread_inbox_only_so_long(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """r-slo-04, r-can-07: then the transport is given up, whatever waits."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_client.hold(pause=True)
            catalogue.state.set({"list": [1]}, BACKGROUND)
            wire.link.server._closing = True  # as if its buffer never became empty
            closing = asyncio.create_task(wire.pair.server.close())
            await sample.settle()
            assert not closing.done()
            await wire.clock.advance(Limits().closing)
            await closing

    run(test)


def test_what_was_answered_is_sent_before_the_goodbye(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """r-dis-03: every call is answered, or fails as disconnected."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)

        def close(*_: Any) -> str:
            asyncio.get_running_loop().call_soon(wire.pair.server.close_soon)
            return "done"

        catalogue.act = close
        async with wire.connect():
            assert await models.select("x", BACKGROUND) == "done"
            await sample.settle()
            assert answers(wire.link)[-1] == {"type": "goodbye"}

    run(test)


def test_a_callback_that_fails_at_the_end_stops_no_other(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        endings = sample.Seen()

        def fail(_: Any) -> None:
            raise RuntimeError("mine")

        async with wire.connect():
            wire.pair.client.on_end(fail)
            wire.pair.client.on_end(endings.append)
            await wire.pair.client.close()
            assert len(wire.reported()) == 1
            assert len(endings) == 1

    run(test)


def test_a_transport_that_fails_ends_the_link_and_says_how(
    make_wire: Any, run: Any, sample: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """TRN-15."""

    async def test() -> None:
        wire = make_wire()
        with caplog.at_level(logging.DEBUG):
            async with wire.connect():
                wire.link.end(OSError("cable"))
                await sample.settle()
                assert wire.pair.client.ending.message == "the link was lost: cable"
        assert "cable" in caplog.text

    run(test)


def test_a_handler_that_fails_stops_no_other_frame(
    make_wire: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        async with wire.connect():
            from pi_contracts.runtime.protocol.messages import Call

            def fail(_: Any) -> None:
                raise RuntimeError("mine")

            takers = wire.pair.server._takers
            monkeypatch.setitem(takers, Call, fail)
            inject(wire.link, make_call(5))
            assert wire.pair.server.opened
            (text,) = wire.reported()
            assert text == "a frame could not be handled: mine"

    run(test)


def test_a_peer_that_provides_nothing_says_so(make_wire: Any, run: Any, sample: Any) -> None:
    """SEC-1."""

    async def test() -> None:
        wire = make_wire()
        async with wire.connect(server=None):
            calls = wire.pair.client.calls
            answer = await calls.call("s", "a", b"{}", BACKGROUND, {"service": "s"})
            assert answer.error.code == "service_not_allowed"
            wire.namespace.use(sample.MODELS)
            with pytest.raises(Exception, match="this side provides no service"):
                await wire.namespace.ready(BACKGROUND)
            inject(wire.link, {"type": "cancel", "id": 1}, {"type": "unsubscribe", "id": 1})
            await sample.settle()
            assert wire.pair.server.opened

    run(test)


def test_a_peer_may_be_closed_before_it_was_started(run: Any) -> None:
    async def test() -> None:
        link = ControlledLink()
        peer = make_peer(link, Role.CLIENT)
        await peer.close()
        assert link.client.closed
        with pytest.raises(Disconnected):
            await peer.open(BACKGROUND)

    run(test)
