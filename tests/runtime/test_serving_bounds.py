"""What a provider's side keeps at most, and which calls never start."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from msgspec import Raw
from pi_contracts.runtime import (
    BACKGROUND,
    Disconnected,
    Overflow,
)
from pi_contracts.runtime.protocol import Limits
from pi_contracts.runtime.protocol.messages import Call
from runtime_frames import inject, make_call


async def wait_out(event: asyncio.Event) -> str:
    """Wait for *event* in spite of every cancellation, and return a result that is late."""
    while not event.is_set():
        with contextlib.suppress(asyncio.CancelledError):
            await event.wait()
    return "late"


def test_calls_that_were_cancelled_and_run_on_are_bounded(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SEC-6 aside, nothing that a peer does makes this side keep more and more."""

    async def test() -> None:
        wire = make_wire()
        go_on = asyncio.Event()

        wire.provide().act = lambda *_: wait_out(go_on)
        async with wire.connect(limits=Limits(calls=2)):
            for _ in range(4):
                task = asyncio.create_task(wire.call())
                await sample.settle()
                task.cancel()
                await sample.settle()
            answer = await wire.call()
            assert answer.error.code == "overflow"
            go_on.set()
            await sample.settle()
            assert (await wire.call()).result is not None

    run(test)


def test_large_arguments_count_until_the_calls_end_that_were_cancelled(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        go_on = asyncio.Event()

        wire.provide().act = lambda *_: wait_out(go_on)
        large = b'{"modelId":"' + b"x" * 60_000 + b'"}'
        async with wire.connect(limits=Limits(argument_bytes=100_000)):
            task = asyncio.create_task(wire.call(large))
            await sample.settle()
            task.cancel()
            await sample.settle()
            answer = await wire.call(large)
            assert answer.error.code == "overflow"
            assert "cancelled" in answer.error.message
            go_on.set()
            await sample.settle()
            assert (await wire.call()).result is not None
            assert (await wire.call(large)).result is not None

    run(test)


def test_large_arguments_of_calls_that_never_start_do_not_count(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        large = b'{"modelId":"' + b"x" * 60_000 + b'"}'
        async with wire.connect(limits=Limits(argument_bytes=100_000)):
            for _ in range(3):
                task = asyncio.create_task(wire.call(large))
                await asyncio.sleep(0)
                task.cancel()
                await sample.settle()
            assert (await wire.call(large)).result is not None

    run(test)


def test_more_references_than_may_be_held_are_refused(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(references=1)):
            await models.start(BACKGROUND)
            catalogue.job = sample.Download(progress=0)
            with pytest.raises(Overflow, match="more than 1 references"):
                await models.start(BACKGROUND)

    run(test)


def test_a_call_that_is_cancelled_with_its_arrival_never_starts(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-10."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        async with wire.connect():
            call = make_call(5, member="refresh", arguments={})
            inject(wire.link, call, {"type": "cancel", "id": 5})
            await sample.settle()
            assert catalogue.calls == []
            assert wire.pair.server._handler._tasks == set()
            (failed,) = [one.content for one in wire.link.frames if one.content["type"] == "failed"]
            assert failed["error"]["code"] == "cancelled"

    run(test)


def test_a_call_whose_sender_leaves_with_it_never_starts(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-20: both frames come in one chunk."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        async with wire.connect():
            connection, handler = wire.pair.server.connection, wire.pair.server._handler
            connection.end()
            call = Call(5, "refresh", Raw(b"{}"), scope="session", service="models")
            handler.take_call(call)
            await sample.settle()
            assert catalogue.calls == []
            assert handler._tasks == set()

    run(test)


def test_a_method_that_closes_its_connection_is_cancelled(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-20: also where it does so in its first step."""
    told: list[bool] = []

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)

        async def refresh(ctx: Any, **_: Any) -> int:
            wire.pair.server.close_soon()
            try:
                return await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                told.append(ctx.cancelled)
                raise

        catalogue.refresh = refresh
        async with wire.connect():
            with pytest.raises(Disconnected):
                await models.refresh(BACKGROUND)
            await sample.settle()

    run(test)
    assert told == [True]


def test_a_cancel_of_what_was_refused_together_with_it_is_late(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-11: two frames of one chunk are admitted before the first is handled."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        async with wire.connect():
            connection, handler = wire.pair.server.connection, wire.pair.server._handler
            address = b'"scope":"session","service":"nobody","arguments":{}}'
            happenings = [
                *connection.receive(b'{"type":"call","id":5,"member":"m",' + address, 0.0),
                *connection.receive(b'{"type":"cancel","id":5}', 0.0),
            ]
            call, cancel = happenings
            handler.take_call(call)
            handler.take_cancel(cancel.id)
            wire.pair.server.flush()
            await sample.settle()
            (failed,) = [one.content for one in wire.link.frames if one.content["type"] == "failed"]
            assert failed["error"]["code"] == "cancelled"

    run(test)


def test_an_id_that_is_used_again_gets_no_answer_of_the_call_that_had_it_before(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """A cancelled method that runs on to its end answers nobody."""

    async def test() -> None:
        wire = make_wire()
        finishing = [asyncio.Event(), asyncio.Event()]
        running = iter(finishing)

        async def stubborn() -> str:
            finish = next(running)
            await wait_out(finish)
            return "first" if finish is finishing[0] else "second"

        wire.provide().act = lambda *_: stubborn()
        async with wire.connect():
            for frame in (make_call(5), {"type": "cancel", "id": 5}, make_call(5)):
                inject(wire.link, frame)
                await sample.settle()
            for finish in finishing:
                finish.set()
                await sample.settle()
            answers = [one.content for one in wire.link.frames if one.content.get("id") == 5]
            assert [one.get("result") for one in answers if one["type"] == "result"] == ["second"]

    run(test)
