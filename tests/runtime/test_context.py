"""A Context is immutable, layered, and cancels exactly what hangs on it."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any

import pytest
from pi_contracts.runtime.context import (
    BACKGROUND,
    TRACE,
    Cancellation,
    Context,
    ContextKey,
    make_delivery_context,
)
from pi_contracts.runtime.errors import Cancelled

USER: ContextKey[str] = ContextKey("user")
COUNT: ContextKey[int] = ContextKey("count")


def test_deriving_leaves_the_parent_as_it_was() -> None:  # CTX-1
    outer = BACKGROUND.with_value(USER, "ann")
    inner = outer.with_value(USER, "bob").with_value(COUNT, 3)
    assert (outer.get(USER), outer.get(COUNT)) == ("ann", None)
    assert (inner.get(USER), inner.get(COUNT)) == ("bob", 3)
    assert BACKGROUND.get(USER) is None


def test_a_missing_value_is_the_default() -> None:
    assert BACKGROUND.get(USER, "nobody") == "nobody"
    assert BACKGROUND.with_value(USER, "ann").get(USER, "nobody") == "ann"


def test_keys_of_one_name_are_two_keys() -> None:
    assert BACKGROUND.with_value(ContextKey("user"), "ann").get(USER) is None
    assert repr(USER) == "ContextKey('user')"


def test_the_string_form_shows_layers_and_no_values() -> None:  # CTX-2
    cancellation = Cancellation()
    ctx = BACKGROUND.with_value(USER, "secret").with_cancellation(cancellation)
    assert repr(BACKGROUND) == "background"
    assert repr(ctx) == "background > user > cancellation"
    assert (
        repr(ctx.without_cancellation())
        == "background > user > cancellation > without cancellation"
    )
    cancellation.cancel()
    assert repr(ctx) == "background > user > cancelled"


def test_a_context_cannot_be_changed_or_made_from_nothing() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        BACKGROUND.cancelled = True  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match="BACKGROUND"):
        Context()


def test_either_cancellation_cancels() -> None:  # CTX-3
    first, second = Cancellation(), Cancellation()
    outer = BACKGROUND.with_cancellation(first)
    inner = outer.with_cancellation(second).with_value(USER, "ann")
    second.cancel()
    assert inner.cancelled
    assert not outer.cancelled
    first.cancel()
    assert outer.cancelled
    assert not BACKGROUND.cancelled


def test_without_cancellation_keeps_the_values() -> None:
    cancellation = Cancellation()
    ctx = BACKGROUND.with_cancellation(cancellation).with_value(USER, "ann")
    cancellation.cancel()
    kept = ctx.without_cancellation()
    assert not kept.cancelled
    assert kept.get(USER) == "ann"
    kept.check()
    with pytest.raises(Cancelled):
        ctx.check()


def test_callbacks_run_once_in_order_and_not_after_closing() -> None:
    seen: list[str] = []
    first, second = Cancellation(), Cancellation()
    ctx = BACKGROUND.with_cancellation(first).with_cancellation(second)
    ctx.on_cancel(lambda: seen.append("a"))
    closed = ctx.on_cancel(lambda: seen.append("never"))
    ctx.on_cancel(lambda: seen.append("b"))
    closed.close()
    closed.close()
    second.cancel()
    second.cancel()
    first.cancel()
    assert seen == ["a", "b"]


def test_a_callback_that_an_earlier_one_closes_does_not_run() -> None:
    seen: list[str] = []
    cancellation = Cancellation()
    ctx = BACKGROUND.with_cancellation(cancellation)
    ctx.on_cancel(lambda: last.close())  # noqa: PLW0108 - it exists only later
    last = ctx.on_cancel(lambda: seen.append("never"))
    cancellation.cancel()
    assert seen == []


def test_a_callback_of_a_cancelled_context_runs_at_once() -> None:
    seen: list[str] = []
    cancellation = Cancellation()
    cancellation.cancel()
    BACKGROUND.with_cancellation(cancellation).on_cancel(lambda: seen.append("a"))
    assert seen == ["a"]


def test_a_failing_callback_stops_neither_the_others_nor_the_caller(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[str] = []
    cancellation = Cancellation()
    ctx = BACKGROUND.with_cancellation(cancellation)
    ctx.on_cancel(lambda: 1 / 0)
    ctx.on_cancel(lambda: seen.append("b"))
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        cancellation.cancel()
    assert seen == ["b"]
    assert "a callback of a cancellation failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def give(value: Any) -> Any:
    return value


def test_waiting_returns_what_was_waited_for() -> None:
    async def main() -> None:
        ctx = BACKGROUND.with_cancellation(Cancellation())
        task = asyncio.create_task(give(2))
        assert await BACKGROUND.wait(give(1)) == 1
        assert await BACKGROUND.wait(task) == 2
        assert await ctx.wait(give(3)) == 3
        assert await ctx.wait(task) == 2
        with pytest.raises(ZeroDivisionError):
            await ctx.wait(fail())

    async def fail() -> None:
        raise ZeroDivisionError

    asyncio.run(main())


def test_cancelling_rejects_one_waiter_and_leaves_what_others_wait_for() -> None:  # CTX-4, CTX-19
    async def main() -> None:
        shared: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        cancellation = Cancellation()
        ctx = BACKGROUND.with_cancellation(cancellation)
        waiters = [asyncio.create_task(c.wait(shared)) for c in (ctx, BACKGROUND)]
        await asyncio.sleep(0)
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await waiters[0]
        shared.set_result(7)
        assert await waiters[1] == 7
        assert not cancellation._callbacks  # pyright: ignore[reportPrivateUsage]

    asyncio.run(main())


def test_cancelling_cancels_a_coroutine_that_nobody_else_holds() -> None:
    async def main() -> None:
        ended = asyncio.Event()
        started = asyncio.Event()

        async def work() -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        cancellation = Cancellation()
        waiter = asyncio.create_task(BACKGROUND.with_cancellation(cancellation).wait(work()))
        await started.wait()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await waiter
        await ended.wait()

    asyncio.run(main())


def test_waiting_under_a_cancelled_context_rejects_at_once() -> None:
    async def main() -> None:
        cancellation = Cancellation()
        cancellation.cancel()
        ctx = BACKGROUND.with_cancellation(cancellation)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        for awaitable in (give(1), future):
            with pytest.raises(Cancelled):
                await ctx.wait(awaitable)
        assert not future.cancelled()

    asyncio.run(main())


@pytest.mark.parametrize("cancellation", [None, Cancellation()], ids=["background", "cancellable"])
def test_cancelling_the_waiting_task_leaves_a_shared_future(
    cancellation: Cancellation | None,
) -> None:
    async def main() -> None:
        ctx = BACKGROUND if cancellation is None else BACKGROUND.with_cancellation(cancellation)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        waiter = asyncio.create_task(ctx.wait(future))
        await asyncio.sleep(0)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert not future.cancelled()

    asyncio.run(main())


def test_a_cancellation_in_the_same_step_as_the_result_gives_one_outcome() -> None:
    async def main() -> None:
        cancellation = Cancellation()
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        waiter = asyncio.create_task(BACKGROUND.with_cancellation(cancellation).wait(future))
        await asyncio.sleep(0)
        future.set_result(1)
        cancellation.cancel()
        assert await waiter == 1

    asyncio.run(main())


def test_a_delivery_takes_the_trace_and_nothing_else() -> None:  # STA-9, STA-10
    cancellation, scope = Cancellation(), Cancellation()
    source = BACKGROUND.with_value(USER, "ann").with_cancellation(cancellation)
    traced = source.with_value(TRACE, {"traceparent": "00-1"})
    cancellation.cancel()
    delivered = make_delivery_context(traced, BACKGROUND.with_cancellation(scope))
    assert delivered.get(TRACE) == {"traceparent": "00-1"}
    assert delivered.get(USER) is None
    assert not delivered.cancelled
    scope.cancel()
    assert delivered.cancelled
    assert make_delivery_context(source, BACKGROUND) is BACKGROUND


def test_nothing_is_ambient() -> None:  # CTX-18
    async def main() -> None:
        BACKGROUND.with_value(USER, "ann")
        assert await asyncio.create_task(give(BACKGROUND.get(USER))) is None

    asyncio.run(main())


def test_what_fails_after_its_wait_was_cancelled_is_reported() -> None:
    """CTX-4: asyncio has nothing to complain of."""
    failures: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(f"{context['message']}: {context['exception']}")
        )
        cancellation = Cancellation()

        async def fail(now: asyncio.Event) -> None:
            try:
                await now.wait()
            finally:
                raise ValueError("in the end")

        waiting = asyncio.create_task(
            BACKGROUND.with_cancellation(cancellation).wait(fail(asyncio.Event()))
        )
        await asyncio.sleep(0)
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await waiting
        now = asyncio.Event()
        waiting = asyncio.create_task(BACKGROUND.with_cancellation(Cancellation()).wait(fail(now)))
        for _ in range(3):
            await asyncio.sleep(0)
        now.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.sleep(0)
        gc.collect()

    asyncio.run(main())
    assert failures == ["a wait was cancelled, and what it waited for failed: in the end"] * 2


def test_a_callback_that_raises_a_cancellation_stops_no_other() -> None:
    failures: list[BaseException] = []
    called: list[int] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(context["exception"])
        )
        cancellation = Cancellation()
        ctx = BACKGROUND.with_cancellation(cancellation)

        def fail() -> None:
            raise asyncio.CancelledError

        ctx.on_cancel(fail)
        ctx.on_cancel(lambda: called.append(1))
        cancellation.cancel()

    asyncio.run(main())
    assert called == [1]
    assert [type(failure) for failure in failures] == [asyncio.CancelledError]
