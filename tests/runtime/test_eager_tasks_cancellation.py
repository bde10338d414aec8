"""Cancelling in the first step and after it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.eager_tasks import start_task
from runtime_tasks import get_task, start

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine


async def cancel_after(turns: int, waiting: Callable[[], Awaitable[object]]) -> list[str]:
    """Cancel what waits a number of turns after its start; return what it was told."""
    loop = asyncio.get_running_loop()
    told: list[str] = []

    async def work() -> None:
        try:
            await waiting()
        except asyncio.CancelledError as error:
            told.extend(error.args)
            raise

    def begin() -> None:
        task = start_task(loop, work())
        if not turns:
            task.cancel("enough")
        started.set_result(task)

    started: asyncio.Future[asyncio.Task[None]] = loop.create_future()
    loop.call_soon(begin)
    task = await started
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel("enough")
    await asyncio.wait([task])
    assert task.cancelled()
    return told


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_a_cancellation_reaches_what_is_awaited_first(run: Any, turns: int) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        for awaited in (loop.create_future(), loop.create_task(asyncio.sleep(60))):
            assert await cancel_after(turns, lambda awaited=awaited: awaited) == ["enough"]
            assert awaited.cancelled()

    run(main)


def test_a_cancellation_reaches_work_that_gives_up_its_turn(run: Any) -> None:
    async def main() -> None:
        assert await cancel_after(0, lambda: asyncio.sleep(0)) == ["enough"]

    run(main)


def test_a_cancellation_reaches_work_whose_wait_is_over(run: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def wait() -> Awaitable[object]:
            # Comes before the task's next step.
            loop.call_soon(lambda: future.done() or future.set_result(None))
            return future

        assert await cancel_after(0, wait) == ["enough"]

    run(main)


def test_work_may_go_on_after_a_cancellation(run: Any) -> None:
    told: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        async def work() -> None:
            try:
                await loop.create_future()
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                told.append("cleaned up")

        task = await start(work())
        task.cancel()
        await task
        assert told == ["cleaned up"]

    run(main)


def test_work_that_cancels_its_task_is_cancelled_at_its_first_wait(run: Any) -> None:
    async def main() -> None:
        async def work() -> None:
            task = get_task()
            task.cancel()
            await asyncio.sleep(0)

        with pytest.raises(asyncio.CancelledError):
            await (await start(work()))

    run(main)


async def cancel_and_wait() -> None:
    get_task().cancel("enough")
    await asyncio.sleep(0)


async def cancel_twice_and_go_on() -> None:
    task = get_task()
    task.cancel()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(0)
    assert task.cancelling() == 2
    await asyncio.sleep(0)


async def cancel_and_take_back() -> None:
    task = get_task()
    task.cancel()
    task.uncancel()
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        assert task.cancelling() == 0
        raise


async def cancel_and_return() -> None:
    get_task().cancel("enough")


async def cancel_and_fail() -> None:
    get_task().cancel()
    raise ZeroDivisionError


CANCELLING = [
    cancel_and_wait,
    cancel_twice_and_go_on,
    cancel_and_take_back,
    cancel_and_return,
    cancel_and_fail,
]


@pytest.mark.parametrize("work", CANCELLING, ids=lambda work: str(work.__name__))
def test_a_cancellation_by_the_first_step_does_what_it_does_in_any_task(
    run: Any, work: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    async def main() -> None:
        outcomes: list[object] = []
        for task in (asyncio.create_task(work()), await start(work())):
            await asyncio.wait([task])
            try:
                outcomes.append((type(task.exception()), ()))
            except asyncio.CancelledError as error:
                outcomes.append((type(error), error.args))
        assert outcomes[0] == outcomes[1]

    run(main)


@pytest.mark.parametrize("turns", [0, 1])
def test_what_the_first_step_makes_of_its_task_stays(run: Any, turns: int) -> None:
    """Its name, and what is to be called at its end."""
    told: list[str] = []

    async def main() -> None:
        async def work() -> None:
            task = get_task()
            assert task.get_name().startswith("Task-")
            task.set_name("a name")
            task.add_done_callback(lambda task: told.append(task.get_name()))
            assert "running" in repr(task)
            for _ in range(turns):
                await asyncio.sleep(0)

        task = await start(work())
        await task
        await asyncio.sleep(0)
        assert told == ["a name"]
        assert "finished name='a name'" in repr(task)

    run(main)


@pytest.mark.parametrize("turns", [0, 1])
def test_what_work_raises_is_its_tasks(run: Any, turns: int) -> None:
    class Odd(BaseException):
        pass

    async def main() -> None:
        async def work() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            raise Odd

        task = await start(work())
        with pytest.raises(Odd):
            await task

    run(main)


@pytest.mark.parametrize("turns", [0, 1])
def test_work_that_raises_a_cancellation_is_cancelled(run: Any, turns: int) -> None:
    async def main() -> None:
        async def work() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            raise asyncio.CancelledError

        task = await start(work())
        await asyncio.wait([task])
        assert task.cancelled()

    run(main)
