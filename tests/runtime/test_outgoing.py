"""Calls of this side: cancellation both ways, turns, and the end of the link."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancellation,
    Cancelled,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.protocol import Limits, Role
from runtime_calls import Slow, by_context

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def by_task(call: Callable[[rt.Context], Awaitable[Any]], settle: Any) -> None:
    task = asyncio.ensure_future(call(BACKGROUND))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def by_timeout(call: Callable[[rt.Context], Awaitable[Any]], settle: Any) -> None:
    del settle
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.005):
            await call(BACKGROUND)


async def by_both(call: Callable[[rt.Context], Awaitable[Any]], settle: Any) -> None:
    cancellation = Cancellation()
    task = asyncio.ensure_future(call(BACKGROUND.with_cancellation(cancellation)))
    await settle()
    task.cancel()
    cancellation.cancel()  # before the task has noticed
    with pytest.raises(asyncio.CancelledError):
        await task


WAYS = {
    "its Context": by_context,
    "its task": by_task,
    "both at once": by_both,
    "a timeout": by_timeout,
}


@pytest.mark.parametrize("cancel", WAYS.values(), ids=WAYS)
def test_cancelling_ends_exactly_that_call_at_both_sides(
    make_wire: Any, run: Any, sample: Any, cancel: Any
) -> None:
    """CTX-6, CTX-9, CTX-20, r-can-01."""

    async def test() -> None:
        wire = make_wire()
        slow = wire.provide().act = Slow()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            other = asyncio.create_task(models.select("other", BACKGROUND))
            await sample.settle()
            await cancel(lambda ctx: models.select("x", ctx), sample.settle)
            await sample.settle()
            assert slow.log == ["+other", "+x", "-x"]
            assert wire.link.list_kinds(Role.CLIENT).count("cancel") == 1
            slow.go_on.set()
            assert await other == "other"
            assert await models.select("fast", BACKGROUND) == "fast"
            assert wire.pair.client.connection.outstanding == 0
            assert wire.pair.client.calls._pending == {}
            assert wire.pair.server.connection.served.calls == {}

    run(test)


def test_a_call_under_a_cancelled_context_sends_nothing(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-10, FLT-6."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        cancellation = Cancellation()
        cancellation.cancel()
        async with wire.connect():
            before = len(wire.link.frames)
            with pytest.raises(Cancelled):
                await models.select("x", BACKGROUND.with_cancellation(cancellation))
            await sample.settle()
            assert (len(wire.link.frames), catalogue.calls) == (before, [])

    run(test)


def test_a_cancellation_that_races_the_answer_has_one_outcome(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-11: whichever comes first, and nothing is left."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            for turns in range(8):
                cancellation = Cancellation()
                call = asyncio.create_task(
                    models.select("x", BACKGROUND.with_cancellation(cancellation))
                )
                await sample.settle(turns)
                cancellation.cancel()
                with contextlib.suppress(Cancelled):
                    assert await call == "x"
                await sample.settle()
                assert wire.pair.client.connection.outstanding == 0
            both = asyncio.create_task(
                models.select("x", BACKGROUND.with_cancellation(cancellation := Cancellation()))
            )
            await asyncio.sleep(0)
            cancellation.cancel()
            both.cancel()
            with pytest.raises(asyncio.CancelledError):
                await both
            assert await models.select("y", BACKGROUND) == "y"

    run(test)


def test_a_handler_that_ignores_its_cancellation_answers_nobody(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-20."""

    async def test() -> None:
        wire = make_wire()
        go_on = asyncio.Event()

        async def ignore() -> str:
            try:
                await go_on.wait()
            except asyncio.CancelledError:
                await go_on.wait()
            return "late"

        wire.provide().act = lambda *_: ignore()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            await by_task(lambda ctx: models.select("x", ctx), sample.settle)
            await sample.settle()
            go_on.set()
            await sample.settle()
            kinds = wire.link.list_kinds(Role.SERVER)
            assert kinds.count("failed") == 1
            assert "result" not in kinds

    run(test)


def test_ten_thousand_timeouts_leave_nothing_behind(make_wire: Any, run: Any, sample: Any) -> None:
    """r-can-03: also those that were still waiting for their turn."""

    async def test() -> None:
        wire = make_wire()
        slow = wire.provide().act = Slow()
        models = wire.namespace.use(sample.MODELS)
        timeouts = 0

        async def call() -> None:
            nonlocal timeouts
            try:
                async with asyncio.timeout(0.05):
                    await models.select("x", BACKGROUND)
            except TimeoutError:
                timeouts += 1

        async with wire.connect(limits=Limits(calls=64)):
            await asyncio.gather(*[call() for _ in range(2000)])
            slow.go_on.set()
            await sample.settle()
            assert timeouts == 2000
            assert wire.pair.client.calls._pending == {}
            assert not wire.pair.client.calls._turns
            assert wire.pair.server.connection.served.calls == {}
            assert await models.select("y", BACKGROUND) == "y"

    run(test)
