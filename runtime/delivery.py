"""Delivering values to listeners: in order, one failure apart from the others.

Shared by state cells and event sources, and later by replicas. A listener that
returns an awaitable is awaited by the one task of its subscription; what arrives
meanwhile waits in an inbox, which bounds itself.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from .context import BACKGROUND, Cancellation, Context, make_delivery_context
from .errors import Overflow, ServiceError
from .failures import FAILURES, find_current_task, is_being_cancelled, report

T = TypeVar("T")

Listener = Callable[[T, Context], object]

MOST_WAITING: Final = 1024
"""How many events may wait for one coroutine listener before its subscription ends."""


class ListenerSubscription(Generic[T]):
    """One listener of one channel, and the task that awaits it if it is a coroutine function."""

    def __init__(
        self,
        channel: Channel[T],
        listener: Listener[T],
        *,
        since: int,
        accepts: Callable[[T], bool],
    ) -> None:
        self._channel = channel
        self._listener = listener
        self._accepts = accepts
        self._inbox: deque[tuple[T, Context]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._cancellation = Cancellation()
        self._scope = BACKGROUND.with_cancellation(self._cancellation)
        self.since: Final = since
        """The number of the last value that this subscription must not see again."""
        self.failure: ServiceError | None = None
        """Why it was ended by something else than `close`, if it was."""

    @property
    def closed(self) -> bool:
        """Whether the subscription has ended."""
        return self._cancellation.cancelled

    def close(self) -> None:
        """End the subscription at once: what waits is dropped, a running listener is cancelled."""
        if self.closed:
            return
        self._channel.forget(self)
        self._inbox.clear()
        self._cancellation.cancel()
        if self._task is not None and self._task is not find_current_task():
            self._task.cancel()

    def drop_waiting(self) -> None:
        """Forget what waits for the listener."""
        self._inbox.clear()

    def deliver(self, value: T, source: Context) -> BaseException | None:
        """Hand *value* to the listener, or to its inbox; return what went wrong."""
        if self.closed:
            return None
        try:
            if not self._accepts(value):
                return None
            ctx = make_delivery_context(source, self._scope)
            if self._task is not None:
                return self._keep(value, ctx)
            outcome = self._listener(value, ctx)
            if outcome is not None and inspect.isawaitable(outcome):
                self._start(outcome)
        except FAILURES as error:
            return error
        return None

    def _keep(self, value: T, ctx: Context) -> Exception | None:
        if self._channel.coalesces:
            self._inbox.clear()
        elif len(self._inbox) == MOST_WAITING:
            self.failure = Overflow(
                f"{MOST_WAITING} events wait for a listener; its subscription has ended"
            )
            self.close()
            return self.failure
        self._inbox.append((value, ctx))
        return None

    def _start(self, outcome: Awaitable[object]) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            _close_unstarted(outcome)
            raise RuntimeError("a coroutine listener needs a running event loop") from None
        self._task = loop.create_task(self._run(outcome))
        self._task.add_done_callback(lambda task: self._finish(task, outcome))

    def _finish(self, task: asyncio.Task[None], outcome: Awaitable[object]) -> None:
        """Clean up after a task that was cancelled before its first step."""
        _close_unstarted(outcome)
        if self._task is task:
            self._task = None
            self._inbox.clear()

    async def _run(self, outcome: Awaitable[object]) -> None:
        """Await *outcome*, then the listener for each value that has arrived meanwhile."""
        try:
            await self._await(outcome)
            while self._inbox:
                value, ctx = self._inbox.popleft()
                await self._call(value, ctx)
        finally:
            self._task = None
            self._inbox.clear()  # of a task that somebody has cancelled

    async def _call(self, value: T, ctx: Context) -> None:
        try:
            outcome = self._listener(value, ctx)
        except FAILURES as error:
            self._channel.report(error)
        else:
            if inspect.isawaitable(outcome):
                await self._await(outcome)

    async def _await(self, outcome: Awaitable[object]) -> None:
        try:
            await outcome
        except FAILURES as error:
            if isinstance(error, asyncio.CancelledError) and is_being_cancelled():
                raise
            self._channel.report(error)


class Channel(Generic[T]):
    """The listeners of one cell, and the values on their way to them."""

    def __init__(self, name: str, *, coalesces: bool) -> None:
        self.name: Final = name
        """What failures of listeners are reported under."""
        self.coalesces: Final = coalesces
        """Whether only the latest value matters to a listener that is still busy."""
        self._subscriptions: dict[ListenerSubscription[T], None] = {}
        self.on_demand: Callable[[bool], object] | None = None
        """Is called with True before the first listener, and with False after the last."""
        self._queue: deque[tuple[int, T, Context]] = deque()
        self._delivering = False
        self._number = 0
        self._drops = 0
        """How often what waits was dropped, which ends a delivery that is going on."""

    def subscribe(
        self, listener: Listener[T], accepts: Callable[[T], bool] = lambda _: True
    ) -> ListenerSubscription[T]:
        """Deliver to *listener* what is published from now on and passes *accepts*."""
        if not callable(listener):
            raise TypeError("a listener is a function of a value and a Context")
        subscription = ListenerSubscription(self, listener, since=self._number, accepts=accepts)
        is_first = not self._subscriptions
        self._subscriptions[subscription] = None
        if is_first and self.on_demand is not None:
            self.on_demand(True)
        return subscription

    def forget(self, subscription: ListenerSubscription[T]) -> None:
        """Deliver nothing more to *subscription*."""
        was_there = self._subscriptions.pop(subscription, self) is None
        if was_there and not self._subscriptions and self.on_demand is not None:
            self.on_demand(False)

    @property
    def wanted(self) -> bool:
        """Whether anybody listens."""
        return bool(self._subscriptions)

    def end(self, failure: ServiceError) -> None:
        """Close every subscription, each of which tells why; later ones are as good as any."""
        ended, self._subscriptions = self._subscriptions, {}
        if ended and self.on_demand is not None:
            self.on_demand(False)
        for subscription in ended:
            subscription.failure = failure
            subscription.close()

    def drop_waiting(self) -> None:
        """Forget what listeners have not been given yet."""
        self._drops += 1
        self._queue.clear()
        for subscription in self._subscriptions:
            subscription.drop_waiting()

    def deliver_first(self, subscription: ListenerSubscription[T], value: T) -> None:
        """Deliver a value that is there already to a subscription that is new.

        What its listener publishes meanwhile is delivered afterwards.
        """
        outermost = not self._delivering
        self._delivering = True
        try:
            failure = subscription.deliver(value, BACKGROUND)
            if failure is not None:
                self.report(failure)
        finally:
            self._delivering = not outermost
        if outermost:
            self._drain()

    def publish(self, value: T, source: Context) -> None:
        """Deliver *value* to everyone, after the delivery that may be going on.

        Failures of listeners are reported after all of them ran.
        """
        self.enqueue(value, source)
        self.deliver_enqueued()

    def enqueue(self, value: T, source: Context) -> None:
        """Let *value* be what new listeners have seen already, without delivering it yet."""
        self._number += 1
        self._queue.append((self._number, value, source))

    def deliver_enqueued(self) -> None:
        """Deliver what was enqueued, after the delivery that may be going on."""
        if not self._delivering:
            self._drain()

    def _drain(self) -> None:
        self._delivering = True
        try:
            while self._queue:
                number, value, source = self._queue.popleft()
                drops = self._drops
                failures: list[BaseException] = []
                for subscription in list(self._subscriptions):
                    if subscription.since < number and self._drops == drops:
                        failure = subscription.deliver(value, source)
                        if failure is not None:
                            failures.append(failure)
                for failure in failures:
                    self.report(failure)
        finally:
            self._delivering = False

    def report(self, failure: BaseException) -> None:
        """Report what a listener raised; it has no caller to raise it at."""
        report(f"a listener of {self.name} failed", failure)


def _close_unstarted(outcome: Awaitable[object]) -> None:
    """Close a coroutine that nobody has begun to await, so that Python does not complain."""
    if inspect.iscoroutine(outcome) and inspect.getcoroutinestate(outcome) == inspect.CORO_CREATED:
        outcome.close()
