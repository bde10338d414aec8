"""Cancelling a call over the direct link cancels that call, on both ends."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, Cancellation, Cancelled, connect_direct
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_a_cancelled_context_starts_nothing(sample: Any) -> None:  # CTX-10, FLT-6
    async def test() -> None:
        catalogue, cancellation = sample.Catalogue(), Cancellation()
        models = connect_direct(sample.MODELS, catalogue)
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await models.select("x", BACKGROUND.with_cancellation(cancellation))
        with pytest.raises(Cancelled):
            await models.start(BACKGROUND.with_cancellation(cancellation))
        assert catalogue.calls == []

    run(test)


class Held:
    """Calls that wait until they are let go, and tell how they ended."""

    def __init__(self) -> None:
        self.started = asyncio.Semaphore(0)
        self.go = asyncio.Event()
        self.ended: dict[str, str] = {}
        self.contexts: dict[str, rt.Context] = {}
        self.stubborn = False

    async def __call__(self, name: str, _: Any, ctx: rt.Context) -> str:
        self.contexts[name] = ctx
        self.started.release()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended[name] = "cancelled"
            if not self.stubborn:
                raise
            await self.go.wait()
            self.ended[name] = "late"
            raise ValueError("too late to tell anybody") from None
        self.ended[name] = "done"
        return name


@pytest.mark.parametrize("by", ["context", "task"])
def test_cancelling_cancels_exactly_one_request(sample: Any, by: str) -> None:  # CTX-9
    async def test() -> None:
        held, cancellation = Held(), Cancellation()
        models = connect_direct(sample.MODELS, sample.Catalogue(held))
        ctx = BACKGROUND.with_cancellation(cancellation)
        first = asyncio.create_task(models.select("first", ctx))
        second = asyncio.create_task(models.select("second", BACKGROUND))
        for _ in range(2):
            await held.started.acquire()
        if by == "context":
            cancellation.cancel()
            with pytest.raises(Cancelled):
                await first
        else:
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
        assert held.contexts["first"].cancelled
        assert not held.contexts["second"].cancelled
        held.go.set()
        assert await second == "second"
        assert held.ended == {"first": "cancelled", "second": "done"}

    run(test)


def test_the_caller_does_not_wait_for_a_provider_that_ignores_the_cancellation(
    sample: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:  # CTX-20
    async def test() -> None:
        held, cancellation = Held(), Cancellation()
        held.stubborn = True
        models = connect_direct(sample.MODELS, sample.Catalogue(held))
        call = asyncio.create_task(
            models.select("first", BACKGROUND.with_cancellation(cancellation))
        )
        await held.started.acquire()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await call
        with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
            held.go.set()
            for _ in range(5):
                await asyncio.sleep(0)
        assert held.ended == {"first": "late"}
        assert "too late to tell anybody" in caplog.text

    run(test)


def test_a_provider_that_raises_because_of_the_cancellation_is_no_incident(
    sample: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        started, cancellation = asyncio.Event(), Cancellation()

        async def act(_: Any, __: Any, ctx: rt.Context) -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ctx.check()

        models = connect_direct(sample.MODELS, sample.Catalogue(act))
        call = asyncio.create_task(models.select("x", BACKGROUND.with_cancellation(cancellation)))
        await started.wait()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await call
        for _ in range(5):
            await asyncio.sleep(0)
        assert not caplog.records

    run(test)
