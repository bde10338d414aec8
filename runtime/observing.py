"""Observing keyed services: one task for each observer and live instance."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast

from .context import BACKGROUND, Cancellation, Context
from .errors import Cancelled, Disconnected, StaleInstance, UnknownService
from .failures import FAILURES, find_current_task, is_being_cancelled, report

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_DUE: Final = (Cancelled, StaleInstance, Disconnected, UnknownService, asyncio.CancelledError)
"""What a handler may raise because its instance is gone."""


class InstanceSource(Protocol):
    """Something live that observers get views of."""

    @property
    def key(self) -> str:
        """The key that it was spawned under."""
        ...

    async def wait_hydrated(self) -> None:
        """Return once each of its states has a value; at once if that is so."""
        ...

    def make_view(self) -> tuple[Any, Callable[[], object]]:
        """Return a fresh service over it, and what closes that."""
        ...


class InstanceView(Generic[T]):
    """One live instance, as one observer sees it."""

    def __init__(self, key: str, service: T, ctx: Context) -> None:
        self.key: Final = key
        self._service = service
        self._ctx = ctx

    @property
    def service(self) -> T:
        """The instance itself; raises `StaleInstance` once it is gone."""
        if self._ctx.cancelled:
            raise StaleInstance(f'the instance "{self.key}" is gone')
        return self._service


class _Observation:
    """One handler's work on one instance."""

    __slots__ = ("cancellation", "close_view", "task")

    def __init__(self, cancellation: Cancellation, close_view: Callable[[], object]) -> None:
        self.cancellation = cancellation
        self.close_view = close_view
        self.task: asyncio.Task[None] | None = None


def check_handler(handler: object) -> None:
    """Raise TypeError for what cannot handle an instance."""
    if not callable(handler):
        raise TypeError("a handler is a coroutine function of an instance and a Context")


class Observer:
    """One registration of a handler; closing it cancels its tasks, and no others."""

    def __init__(
        self,
        service: str,
        handler: Callable[[Any, Context], Any],
        forget: Callable[[Observer], Any],
    ) -> None:
        check_handler(handler)
        self._service = service
        self._handler = handler
        self._forget = forget
        self._observations: dict[InstanceSource, _Observation] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def begin(self, instance: InstanceSource) -> None:
        """Run the handler on an instance, in a task and under a Context of its own."""
        if self._closed or instance in self._observations:
            return
        cancellation = Cancellation()
        ctx = BACKGROUND.with_cancellation(cancellation)
        service, close_view = instance.make_view()
        observation = _Observation(cancellation, close_view)
        self._observations[instance] = observation
        view = InstanceView(instance.key, service, ctx)
        task = asyncio.get_running_loop().create_task(self._run(instance, view, ctx))
        observation.task = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self, instance: InstanceSource) -> None:
        """Cancel the handler of an instance that is gone, also if it has closed it itself."""
        self._end(instance, spared=None)

    def close(self) -> None:
        """Observe no more; a second time does nothing.

        A handler that closes its own observer goes on to its end.
        """
        if not self._closed:
            self._closed = True
            for instance in list(self._observations):
                self._end(instance, spared=find_current_task())
            self._forget(self)

    def _end(self, instance: InstanceSource, *, spared: asyncio.Task[Any] | None) -> None:
        observation = self._observations.pop(instance, None)
        if observation is None:
            return
        observation.cancellation.cancel()
        observation.close_view()
        if observation.task is not None and observation.task is not spared:
            observation.task.cancel()

    async def _run(self, instance: InstanceSource, view: InstanceView[Any], ctx: Context) -> None:
        try:
            await instance.wait_hydrated()
            outcome = self._handler(view, ctx)
            if inspect.isawaitable(outcome):
                await outcome
        except FAILURES as error:
            if isinstance(error, asyncio.CancelledError) and is_being_cancelled():
                if not ctx.cancelled:
                    raise
            elif not (ctx.cancelled and _is_due(error)):
                report(f'the observer of "{self._service}" failed at "{view.key}"', error)


def _is_due(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return all(_is_due(each) for each in group.exceptions)
    return isinstance(error, _DUE)
