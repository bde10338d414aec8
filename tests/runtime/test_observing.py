"""Observers: one task for each live instance, and what may go wrong in it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancelled,
    Disconnected,
    StaleInstance,
    UnknownService,
)
from pi_contracts.runtime.observing import Observer

if TYPE_CHECKING:
    from collections.abc import Callable


class Source:
    """Something live."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.closed = 0
        self.hydrated = asyncio.Event()
        self.hydrated.set()

    async def wait_hydrated(self) -> None:
        await self.hydrated.wait()

    def make_view(self) -> tuple[Any, Callable[[], object]]:
        def close() -> None:
            self.closed += 1

        return f"view of {self.key}", close


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def watch_failures() -> list[str]:
    failures: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: failures.append(f"{context['message']}: {context['exception']}")
    )
    return failures


DUE = {
    "Cancelled": Cancelled(),
    "StaleInstance": StaleInstance("x"),
    "Disconnected": Disconnected(),
    "UnknownService": UnknownService("x"),
    "a group of them": ExceptionGroup(
        "g", [Cancelled(), ExceptionGroup("h", [StaleInstance("x")])]
    ),
}


@pytest.mark.parametrize("error", DUE.values(), ids=DUE)
def test_what_a_handler_raises_because_its_instance_is_gone_is_not_reported(
    run: Any, error: Exception
) -> None:
    """KEY-12, KEY-13."""

    async def test() -> None:
        failures = watch_failures()

        async def handle(*_: Any) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise error from None

        observer, source = Observer("s", handle, lambda _: None), Source("a")
        observer.begin(source)
        await settle()
        observer.end(source)
        observer.end(source)
        await settle()
        assert (failures, source.closed) == ([], 1)

    run(test)


def test_any_other_failure_is_reported_and_others_go_on(run: Any) -> None:
    """KEY-12."""

    async def test() -> None:
        failures = watch_failures()
        done: list[str] = []

        async def handle(instance: Any, _: Any) -> None:
            if instance.key == "bad":
                raise Cancelled
            await asyncio.sleep(0)
            done.append(instance.service)

        observer = Observer("s", handle, lambda _: None)
        observer.begin(Source("bad"))
        observer.begin(Source("good"))
        await settle()
        assert failures == ['the observer of "s" failed at "bad": the context was cancelled']
        assert done == ["view of good"]

    run(test)


OWN_FAILURES: dict[str, BaseException] = {
    "what is not due": ValueError("mine"),
    "a group with something that is not due": ExceptionGroup(
        "g", [Cancelled(), ValueError("mine")]
    ),
    "a group of what would be due": ExceptionGroup("g", [Cancelled()]),
    "that something it awaited was cancelled": asyncio.CancelledError(),
}


@pytest.mark.parametrize("error", OWN_FAILURES.values(), ids=OWN_FAILURES)
def test_what_a_handler_raises_while_its_instance_is_live_is_reported(
    run: Any, error: BaseException
) -> None:
    """KEY-12."""

    async def test() -> None:
        failures = watch_failures()

        async def handle(*_: Any) -> None:
            await asyncio.sleep(0)
            raise error

        observer = Observer("s", handle, lambda _: None)
        observer.begin(Source("a"))
        await settle()
        assert len(failures) == 1
        assert failures[0].startswith('the observer of "s" failed at "a": ')
        observer.close()

    run(test)


def test_a_handler_starts_when_each_state_has_a_value(run: Any) -> None:
    """KEY-9: and not at all if its instance goes before."""

    async def test() -> None:
        started: list[str] = []

        async def handle(instance: Any, _: Any) -> None:
            started.append(instance.key)

        observer = Observer("s", handle, lambda _: None)
        sources = [Source("a"), Source("b")]
        for source in sources:
            source.hydrated.clear()
            observer.begin(source)
        await settle()
        assert started == []
        observer.end(sources[0])
        for source in sources:
            source.hydrated.set()
        await settle()
        assert started == ["b"]
        observer.close()

    run(test)


def test_a_failure_while_ending_that_is_not_due_is_reported(run: Any) -> None:
    async def test() -> None:
        failures = watch_failures()

        async def handle(*_: Any) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                raise RuntimeError("mine")

        observer = Observer("s", handle, lambda _: None)
        observer.begin(Source("a"))
        await settle()
        observer.close()
        await settle()
        assert failures == ['the observer of "s" failed at "a": mine']

    run(test)


def test_a_handler_that_ends_early_is_not_started_again(run: Any) -> None:
    """KEY-27; and a plain function will do."""

    async def test() -> None:
        started: list[str] = []
        observer = Observer("s", lambda instance, _: started.append(instance.key), lambda _: None)
        source = Source("a")
        observer.begin(source)
        await settle()
        observer.begin(source)
        await settle()
        assert started == ["a"]

    run(test)


def test_a_task_that_somebody_else_cancels_stays_cancelled(run: Any) -> None:
    async def test() -> None:
        failures = watch_failures()

        async def handle(*_: Any) -> None:
            await asyncio.Event().wait()

        observer = Observer("s", handle, lambda _: None)
        observer.begin(Source("a"))
        (task,) = observer._tasks  # pyright: ignore[reportPrivateUsage]
        await settle()
        task.cancel()
        await settle()
        assert task.cancelled()
        assert failures == []

    run(test)


def test_a_handler_that_closes_its_own_instance_is_cancelled(run: Any) -> None:
    """KEY-11: in one process as over a wire."""

    async def test() -> None:
        failures, log = watch_failures(), list[str]()
        source = Source("a")

        async def handle(*_: Any) -> None:
            observer.end(source)
            try:
                await asyncio.Event().wait()
            finally:
                log.append("cancelled")

        observer = Observer("s", handle, lambda _: None)
        observer.begin(source)
        await settle()
        assert (log, failures) == (["cancelled"], [])
        observer.close()

    run(test)


def test_a_closed_observer_observes_nothing(run: Any) -> None:
    """KEY-23: a handler may close its own observer and go on to its end."""

    async def test() -> None:
        forgotten: list[Observer] = []
        ended: list[bool] = []

        async def handle(_: Any, ctx: Any) -> None:
            observer.close()
            await asyncio.sleep(0)
            ended.append(ctx.cancelled)

        observer = Observer("s", handle, forgotten.append)
        observer.begin(Source("a"))
        await settle()
        observer.close()
        observer.begin(Source("b"))
        await settle()
        assert forgotten == [observer]
        assert ended == [True]

    run(test)


def test_closing_needs_no_running_loop() -> None:
    observers: list[Observer] = []

    async def test() -> None:
        async def handle(*_: Any) -> None:
            await asyncio.Event().wait()

        observers.append(Observer("s", handle, lambda _: None))
        observers[0].begin(Source("a"))

    asyncio.run(test())
    observers[0]._tasks.clear()  # pyright: ignore[reportPrivateUsage]
    source = Source("b")
    observers[0].end(source)
    assert source.closed == 0


def test_a_view_refuses_access_once_its_instance_is_gone(run: Any) -> None:
    """KEY-24."""

    async def test() -> None:
        kept: list[Any] = []
        observer = Observer("s", lambda instance, _: kept.append(instance), lambda _: None)
        source = Source("a")
        observer.begin(source)
        await settle()
        assert (kept[0].key, kept[0].service) == ("a", "view of a")
        observer.end(source)
        with pytest.raises(StaleInstance, match='the instance "a" is gone'):
            _ = kept[0].service

    run(test)


def test_a_handler_is_a_function() -> None:
    with pytest.raises(TypeError, match="a handler is a coroutine function"):
        Observer("s", 5, lambda _: None)  # type: ignore[arg-type]
    assert not BACKGROUND.cancelled
