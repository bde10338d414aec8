"""Coroutine listeners are awaited one value at a time, in order, by one task."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND, Context
from pi_contracts.runtime.delivery import MOST_WAITING, Channel
from pi_contracts.runtime.errors import Overflow

if TYPE_CHECKING:
    from collections.abc import Callable


class Gate:
    """A coroutine listener that waits at each value until it is let through."""

    def __init__(self) -> None:
        self.started: list[Any] = []
        self.ended: list[Any] = []
        self.contexts: list[Context] = []
        self._open = asyncio.Semaphore(0)

    async def __call__(self, value: Any, ctx: Context) -> None:
        self.started.append(value)
        self.contexts.append(ctx)
        await self._open.acquire()
        self.ended.append(value)

    async def let_through(self, count: int) -> None:
        for _ in range(count):
            self._open.release()
        await settle()


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


def run(test: Callable[[list[BaseException]], Any]) -> list[BaseException]:
    """Run *test* in a loop and return the failures that the loop was told of."""
    failures: list[BaseException] = []

    async def main() -> None:
        handler = asyncio.get_running_loop().set_exception_handler
        handler(lambda _, context: failures.append(context["exception"]))
        await test(failures)

    asyncio.run(main())
    return failures


def test_events_are_awaited_one_at_a_time_in_order() -> None:  # EVT-3
    async def test(_: list[BaseException]) -> None:
        channel, gate = Channel[int]("x", coalesces=False), Gate()
        channel.subscribe(gate)
        for value in (1, 2, 3):
            channel.publish(value, BACKGROUND)
        await settle()
        assert (gate.started, gate.ended) == ([1], [])
        await gate.let_through(1)
        assert (gate.started, gate.ended) == ([1, 2], [1])
        await gate.let_through(2)
        assert gate.ended == [1, 2, 3]
        channel.publish(4, BACKGROUND)
        await gate.let_through(1)
        assert gate.ended == [1, 2, 3, 4]

    assert run(test) == []


def test_a_busy_listener_of_a_state_gets_the_latest_value_only() -> None:  # STA-29
    async def test(_: list[BaseException]) -> None:
        channel, gate = Channel[int]("x", coalesces=True), Gate()
        channel.subscribe(gate)
        for value in range(10_000):
            channel.publish(value, BACKGROUND)
        await settle()
        await gate.let_through(2)
        assert gate.ended == [0, 9_999]

    assert run(test) == []


def test_a_listener_too_slow_for_events_ends_with_overflow() -> None:  # EVT-10
    async def test(failures: list[BaseException]) -> None:
        channel, gate, seen = Channel[int]("x", coalesces=False), Gate(), list[int]()
        slow = channel.subscribe(gate)
        channel.subscribe(lambda value, _: seen.append(value))
        for value in range(MOST_WAITING + 5):
            channel.publish(value, BACKGROUND)
        await settle()
        assert slow.closed
        assert len(seen) == MOST_WAITING + 5
        assert [type(failure) for failure in failures] == [Overflow]
        await gate.let_through(5)
        assert gate.ended == []

    run(test)


def test_a_failing_coroutine_is_reported_and_the_next_value_follows() -> None:
    async def test(failures: list[BaseException]) -> None:
        channel, seen = Channel[int]("x", coalesces=False), list[int]()

        async def listener(value: int, _: Context) -> None:
            await asyncio.sleep(0)
            if value == 2:
                raise ValueError("broken")
            seen.append(value)

        channel.subscribe(listener)
        for value in (1, 2, 3):
            channel.publish(value, BACKGROUND)
        await settle()
        assert seen == [1, 3]
        assert [repr(failure) for failure in failures] == ["ValueError('broken')"]

    run(test)


def test_a_listener_may_be_a_coroutine_function_now_and_then() -> None:
    async def test(failures: list[BaseException]) -> None:
        channel, seen = Channel[int]("x", coalesces=False), list[str]()

        async def wait(value: int) -> None:
            await asyncio.sleep(0)
            seen.append(f"awaited {value}")

        def listener(value: int, _: Context) -> object:
            if value == 3:
                raise ValueError("broken")
            if value % 2:
                return wait(value)
            seen.append(f"plain {value}")
            return None

        channel.subscribe(listener)
        for value in (0, 1, 2, 3, 4, 5):
            channel.publish(value, BACKGROUND)
        await settle()
        assert seen == ["plain 0", "awaited 1", "plain 2", "plain 4", "awaited 5"]
        assert len(failures) == 1

    run(test)


def test_closing_drops_what_waits_and_cancels_the_listener() -> None:
    async def test(_: list[BaseException]) -> None:
        channel, gate = Channel[int]("x", coalesces=False), Gate()
        subscription = channel.subscribe(gate)
        channel.publish(1, BACKGROUND)
        channel.publish(2, BACKGROUND)
        await settle()
        subscription.close()
        assert gate.contexts[0].cancelled
        await gate.let_through(5)
        assert gate.ended == []

    assert run(test) == []


def test_a_coroutine_listener_may_close_its_own_subscription() -> None:
    async def test(_: list[BaseException]) -> None:
        channel, seen = Channel[int]("x", coalesces=False), list[int]()

        async def listener(value: int, _: Context) -> None:
            subscription.close()
            await asyncio.sleep(0)
            seen.append(value)

        subscription = channel.subscribe(listener)
        channel.publish(1, BACKGROUND)
        channel.publish(2, BACKGROUND)
        await settle()
        assert seen == [1]

    assert run(test) == []


def test_a_coroutine_listener_needs_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    channel = Channel[int]("x", coalesces=False)

    async def listener(value: int, _: Context) -> None: ...

    channel.subscribe(listener)
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        channel.publish(1, BACKGROUND)
    assert "a coroutine listener needs a running event loop" in caplog.text


def test_a_listener_may_return_a_future_only_within_a_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Later:
        def __await__(self) -> Any:
            yield from ()

    def listener(_: int, __: Context) -> Later:
        return Later()

    channel = Channel[int]("x", coalesces=False)
    channel.subscribe(listener)
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        channel.publish(1, BACKGROUND)
    assert "a coroutine listener needs a running event loop" in caplog.text


def test_a_subscription_may_be_closed_while_no_loop_runs() -> None:
    channel, gate, loop = Channel[int]("x", coalesces=False), Gate(), asyncio.new_event_loop()

    async def start() -> None:
        channel.publish(1, BACKGROUND)
        await settle()

    subscription = channel.subscribe(gate)
    loop.run_until_complete(start())
    subscription.close()
    loop.run_until_complete(settle())
    loop.close()
    assert (gate.started, gate.ended) == ([1], [])


def test_a_listener_whose_loop_has_ended_is_called_in_the_next_one() -> None:
    channel, gate = Channel[int]("x", coalesces=False), Gate()
    channel.subscribe(gate)

    async def publish(value: int) -> None:
        channel.publish(value, BACKGROUND)
        await settle()

    asyncio.run(publish(1))
    asyncio.run(publish(2))
    assert (gate.started, gate.ended) == ([1, 2], [])


def test_an_interrupt_passes_through_and_leaves_the_channel_usable() -> None:
    channel, seen = Channel[int]("x", coalesces=False), list[int]()

    def interrupt(value: int, _: Context) -> None:
        if value == 1:
            raise KeyboardInterrupt

    channel.subscribe(interrupt)
    channel.subscribe(lambda value, _: seen.append(value))
    with pytest.raises(KeyboardInterrupt):
        channel.publish(1, BACKGROUND)
    channel.publish(2, BACKGROUND)
    assert seen == [2]


def test_a_listener_that_raises_a_cancellation_hurts_only_itself() -> None:
    """STA-21, EVT-13: it is reported like any other failure."""

    async def test(_: list[BaseException]) -> None:
        channel: Channel[int] = Channel("it", coalesces=False)
        seen: list[int] = []

        def fail(*_: Any) -> None:
            raise asyncio.CancelledError

        channel.subscribe(fail)
        channel.subscribe(lambda value, _: seen.append(value))
        channel.publish(1, BACKGROUND)
        channel.publish(2, BACKGROUND)
        assert seen == [1, 2]

    assert [type(failure) for failure in run(test)] == [asyncio.CancelledError] * 2


def test_a_coroutine_that_awaits_something_cancelled_gets_the_next_values() -> None:
    """EVT-3: and in order."""

    async def test(_: list[BaseException]) -> None:
        channel: Channel[int] = Channel("it", coalesces=False)
        seen: list[int] = []

        async def listen(value: int, _: Context) -> None:
            seen.append(value)
            cancelled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            cancelled.cancel()
            await cancelled

        channel.subscribe(listen)
        for value in (1, 2, 3):
            channel.publish(value, BACKGROUND)
        await settle()
        channel.publish(4, BACKGROUND)
        await settle()
        assert seen == [1, 2, 3, 4]

    assert [type(failure) for failure in run(test)] == [asyncio.CancelledError] * 4


@pytest.mark.parametrize("turns", [0, 3], ids=["before its first step", "later"])
def test_a_listener_whose_task_was_cancelled_hears_what_comes_next(turns: int) -> None:
    """What waited is lost with the task; nothing is delivered late."""

    async def test(_: list[BaseException]) -> None:
        channel: Channel[int] = Channel("it", coalesces=False)
        listener = Gate()
        channel.subscribe(listener)
        mine = asyncio.current_task()
        channel.publish(1, BACKGROUND)
        channel.publish(2, BACKGROUND)
        for _turn in range(turns):
            await asyncio.sleep(0)
        for task in asyncio.all_tasks() - {mine}:
            task.cancel()
        await settle()
        listener.started.clear()
        channel.publish(3, BACKGROUND)
        await listener.let_through(5)
        assert listener.started == [3]

    assert run(test) == []


def test_who_listens_again_when_its_subscription_ends_is_wanted_again() -> None:
    """EVT-10: demand is asked for anew."""

    async def test(_: list[BaseException]) -> None:
        channel: Channel[int] = Channel("it", coalesces=False)
        demand: list[bool] = []
        channel.on_demand = demand.append
        again: list[int] = []

        async def listen(_: int, ctx: Context) -> None:
            ctx.on_cancel(lambda: channel.subscribe(lambda value, _: again.append(value)))
            await asyncio.Event().wait()

        channel.subscribe(listen)
        channel.publish(1, BACKGROUND)
        await settle()
        channel.end(Overflow("too slow"))
        channel.publish(2, BACKGROUND)
        assert demand == [True, False, True]
        assert again == [2]

    assert run(test) == []


def test_what_is_dropped_reaches_nobody_else() -> None:
    """r-clo-03: a listener that ends everything is the last one that runs."""

    async def test(_: list[BaseException]) -> None:
        channel: Channel[int] = Channel("it", coalesces=False)
        seen: list[str] = []

        def first(value: int, _: Context) -> None:
            seen.append(f"first {value}")
            channel.publish(value + 1, BACKGROUND)
            channel.drop_waiting()

        channel.subscribe(first)
        channel.subscribe(lambda value, _: seen.append(f"second {value}"))
        channel.publish(1, BACKGROUND)
        assert seen == ["first 1"]

    assert run(test) == []
