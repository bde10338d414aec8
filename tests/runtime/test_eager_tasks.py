"""A task's first step runs at once, and is like any other step of it."""

from __future__ import annotations

import asyncio
import contextvars
import gc
from typing import Any

import pytest
from pi_contracts.runtime.eager_tasks import start_task
from runtime_tasks import get_task, start

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="outside")


async def get_nothing() -> None:
    """Do nothing."""


def test_what_never_waits_is_done_at_once(run: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        told: list[str] = []

        async def work() -> None:
            await get_nothing()
            told.append("worked")

        def begin() -> None:
            task = start_task(loop, work())
            told.append("returned")
            assert task.done()
            assert task.result() is None

        loop.call_soon(begin)
        await asyncio.sleep(0)
        assert told == ["worked", "returned"]

    run(main)


def test_what_waits_goes_on_as_the_same_task(run: Any) -> None:
    seen: list[asyncio.Task[Any] | None] = []

    async def main() -> None:
        async def work() -> None:
            seen.append(asyncio.current_task())
            async with asyncio.timeout(60):
                await asyncio.sleep(0.001)
                seen.append(asyncio.current_task())
            async with asyncio.TaskGroup() as group:
                group.create_task(get_nothing())
            seen.append(asyncio.current_task())

        task = await start(work())
        assert task in asyncio.all_tasks()
        await task
        assert seen == [task] * 3
        assert asyncio.current_task() is not task

    run(main)


def test_a_timeout_that_began_in_the_first_step_ends_the_wait(run: Any) -> None:
    async def main() -> None:
        async def work() -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.001):
                    await asyncio.get_running_loop().create_future()

        await (await start(work()))

    run(main)


def test_variables_are_the_tasks_own(run: Any) -> None:
    async def main() -> None:
        async def work() -> None:
            VARIABLE.set("inside")
            await asyncio.sleep(0)
            assert VARIABLE.get() == "inside"

        async def work_at_once() -> None:
            VARIABLE.set("inside")

        first, second = await start(work()), await start(work_at_once())
        assert VARIABLE.get() == "outside"
        await asyncio.gather(first, second)
        assert VARIABLE.get() == "outside"

    run(main)


def test_a_task_in_its_first_step_can_be_looked_at(run: Any) -> None:
    shown: list[str] = []

    async def main() -> None:
        async def work() -> None:
            for _ in range(2):
                task = get_task()
                task.set_name(task.get_name())
                assert task.get_loop() is asyncio.get_running_loop()
                assert not task.done()
                assert "work" in str(task.get_coro())
                task.get_stack()
                shown.append(repr(task))
                await asyncio.sleep(0)

        await (await start(work()))
        assert all("Task" in one and "work" in one for one in shown)

    run(main)


def test_a_running_task_starts_an_ordinary_one(run: Any) -> None:
    async def main() -> None:
        told: list[str] = []

        async def work() -> None:
            told.append("worked")

        task = start_task(asyncio.get_running_loop(), work())
        told.append("returned")
        await task
        assert sorted(told) == ["returned", "worked"]

    run(main)


def test_a_factory_of_tasks_makes_them(run: Any) -> None:
    made: list[object] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def make(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
            made.append(work)
            return asyncio.Task(work, loop=loop, **more)

        loop.set_task_factory(make)
        work = get_nothing()
        await (await start(work))
        assert made == [work]

    run(main)


def test_work_that_is_thrown_away_is_closed(run: Any) -> None:
    told: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        complaints: list[str] = []
        loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))

        async def work() -> None:
            try:
                await loop.create_future()  # which nobody else holds
            finally:
                told.append("closed")

        task = await start(work())
        await asyncio.sleep(0)
        del task
        gc.collect()
        assert told == ["closed"]
        assert complaints == ["Task was destroyed but it is pending!"]

    run(main)
