"""What a generated proxy sees: links, and the states, events and references they give.

Interfaces only. The direct link stands in ``direct.py``; others speak a wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .context import Context
    from .members import EventsMember, Method, StateMember

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")
D = TypeVar("D")
T_co = TypeVar("T_co", covariant=True)


class Subscription(Protocol):
    """Something that goes on until it is closed; closing is idempotent and immediate."""

    def close(self) -> None:
        """End it; a second time does nothing."""
        ...


class State(Protocol[T_co]):
    """The latest value of a provider, as its consumers see it.

    Values are borrowed: never change one.
    """

    @property
    def ready(self) -> bool:
        """Whether there is a current value."""
        ...

    @property
    def value(self) -> T_co:
        """The current value; raises `NotHydrated` while not ready."""
        ...

    def last(self, default: D) -> T_co | D:
        """Return the value last known, also when it is stale, else *default*."""
        ...

    def subscribe(self, listener: Callable[[T_co, Context], object]) -> Subscription:
        """Call *listener* with the current value at once, if there is one, and each later one.

        A coroutine function is awaited, one value at a time; values that arrive
        meanwhile coalesce to the latest.
        """
        ...


class Events(Protocol[T_co]):
    """What a provider emits, as its consumers see it; nothing is replayed."""

    def subscribe(self, listener: Callable[[T_co, Context], object]) -> Subscription:
        """Call *listener* with each event from now on.

        A coroutine function is awaited, one event at a time, in order.
        """
        ...

    def on(self, type: str, listener: Callable[[T_co, Context], object]) -> Subscription:  # noqa: A002 - the word of the contract
        """Call *listener* with each event whose discriminator is *type*."""
        ...


class Instance(Protocol[T_co]):
    """One live instance of a keyed service."""

    @property
    def key(self) -> str:
        """The key that it was spawned under."""
        ...

    @property
    def service(self) -> T_co:
        """The instance itself."""
        ...


class Reference(Protocol[T_co]):
    """A private reference to a service that a method returned; an async context manager."""

    @property
    def service(self) -> T_co:
        """The service itself; its calls raise `StaleReference` after the release."""
        ...

    async def release(self) -> None:
        """Give the reference up; a second time does nothing."""
        ...

    async def __aenter__(self) -> Reference[T_co]: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Link(Protocol):
    """The way from a proxy to a provider of the service."""

    def state(self, member: StateMember[T]) -> State[T]:
        """Return the consumer's view of a state; the same one each time."""
        ...

    def events(self, member: EventsMember[T]) -> Events[T]:
        """Return the consumer's view of a source of events; the same one each time."""
        ...

    async def call(self, method: Method[P, R], params: P, ctx: Context) -> R:
        """Call *method* and return its result.

        Raises the errors of its contract, `InvalidArguments`, `InvalidResult`,
        `Cancelled` and `InternalError`.
        """
        ...

    async def call_reference(
        self, method: Method[Any, Reference[T]], params: object, ctx: Context
    ) -> Reference[T]:
        """Call a method that returns a private reference, and return that."""
        ...
