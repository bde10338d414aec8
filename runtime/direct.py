"""The direct link: a proxy and its provider in one process, with the boundary of a wire.

Everything is checked and copied as if it had crossed as text, so that what works
here works over a wire. Each call runs in a task of its own under a fresh Context.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .calls import Answer, dump_arguments, make_error, read_answer, run_method
from .context import BACKGROUND, Cancellation, Context, make_delivery_context
from .errors import StaleReference
from .freezing import lend
from .implementation import check_implementation
from .replica import Replica, ReplicaFeed
from .strict_json import copy

if TYPE_CHECKING:
    from types import TracebackType

    from .delivery import Listener, ListenerSubscription
    from .events import EventSource
    from .link import Reference
    from .members import EventsMember, Method, StateMember
    from .state import MutableState
    from .tokens import Keyed, Referenced, RemoteToken, Singleton

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")


def connect_direct(token: Singleton[T, P] | Keyed[T, P] | Referenced[T, P], implementation: P) -> T:
    """Return a proxy of the service that calls *implementation* in this process.

    Raises `InvalidImplementation` for what does not implement the service.
    """
    check_implementation(token, implementation)
    return token.proxy(DirectLink(token, implementation))


class DirectLink:
    """A link to an implementation in this process."""

    def __init__(self, token: RemoteToken[Any], implementation: object) -> None:
        self._token = token
        self._implementation = implementation
        self._feeds: dict[str, ReplicaFeed[Any]] = {}
        self._sources: dict[str, DirectEvents[Any]] = {}
        self._subscriptions: list[ListenerSubscription[Any]] = []
        self._tasks: set[asyncio.Task[Answer]] = set()
        self._references: dict[int, DirectReference[Any]] = {}
        self._closed = False

    def state(self, member: StateMember[T]) -> Replica[T]:
        """Return a replica that follows the provider's state."""
        if member.name not in self._feeds:
            self._feeds[member.name] = self._follow(member)
        return Replica(self._feeds[member.name])

    def _follow(self, member: StateMember[T]) -> ReplicaFeed[T]:
        source: MutableState[T] = getattr(self._implementation, member.attribute)
        feed: ReplicaFeed[T] = ReplicaFeed(member)

        def receive(value: T, ctx: Context) -> None:
            feed.install(lend(member.value.load(copy(member.value.dump(value)))), ctx)

        self._subscriptions.append(source.subscribe(receive))
        return feed

    def events(self, member: EventsMember[T]) -> DirectEvents[T]:
        """Return a view of the provider's source of events."""
        if member.name not in self._sources:
            source: EventSource[T] = getattr(self._implementation, member.attribute)
            self._sources[member.name] = DirectEvents(member, source)
        return self._sources[member.name]

    async def call(self, method: Method[P, R], params: P, ctx: Context) -> R:
        """Call the implementation and return a copy of its result, or raise its error."""
        return read_answer(self._token, method, await self._run(method, params, ctx))

    async def call_reference(
        self, method: Method[Any, Reference[T]], params: object, ctx: Context
    ) -> Reference[T]:
        """Call the implementation and return a reference to what it returns.

        One object has one reference, as long as that is not released.
        """
        answer = await self._run(method, params, ctx)
        if answer.failure is not None:
            raise make_error(self._token, method, answer.failure)
        token = cast("Referenced[T]", method.get_returned())
        known = self._references.get(id(answer.reference))
        if known is not None:
            return cast("DirectReference[T]", known)
        reference = DirectReference(token, answer.reference, self._references)
        self._references[id(answer.reference)] = reference
        return reference

    def close(self) -> None:
        """Refuse every later call as stale, and follow no state any more."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.close()
        for feed in self._feeds.values():
            feed.lose()

    async def _run(self, method: Method[Any, Any], params: object, ctx: Context) -> Answer:
        ctx.check()
        if self._closed:
            raise StaleReference(f'the reference to "{self._token.id}" was released')
        arguments = copy(dump_arguments(self._token, method, params))
        cancellation = Cancellation()
        inner = make_delivery_context(ctx, BACKGROUND.with_cancellation(cancellation))
        task = asyncio.get_running_loop().create_task(
            run_method(self._token, method, self._implementation, arguments, inner)
        )
        self._tasks.add(task)  # a loop alone would not keep it
        task.add_done_callback(self._tasks.discard)
        try:
            answer = await ctx.wait(task)
        finally:
            if not task.done():
                cancellation.cancel()
                task.cancel()
        return answer._replace(result=copy(answer.result))


class DirectEvents(Generic[T]):
    """The consumer's view of a source of events in this process."""

    def __init__(self, member: EventsMember[T], source: EventSource[T]) -> None:
        self._member = member
        self._source = source

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with a copy of each event from now on."""
        return self._source.subscribe(self._copy_for(listener))

    def on(self, type: str, listener: Listener[T]) -> ListenerSubscription[T]:  # noqa: A002 - the word of the contract
        """Call *listener* with a copy of each event whose discriminator is *type*."""
        return self._source.on(type, self._copy_for(listener))

    def _copy_for(self, listener: Listener[T]) -> Listener[T]:
        payload = self._member.payload

        def receive(event: T, ctx: Context) -> object:
            return listener(lend(payload.load(copy(payload.dump(event)))), ctx)

        return receive


class DirectReference(Generic[T]):
    """A private reference to an implementation in this process."""

    def __init__(
        self, token: Referenced[T], implementation: object, known: dict[int, DirectReference[Any]]
    ) -> None:
        self._implementation = implementation
        self._known = known
        self._link = DirectLink(token, implementation)
        self._service = token.proxy(self._link)

    @property
    def service(self) -> T:
        """The service itself; its calls raise `StaleReference` after the release."""
        return self._service

    async def release(self) -> None:
        """Give the reference up; a second time does nothing."""
        self._link.close()
        self._known.pop(id(self._implementation), None)

    async def __aenter__(self) -> DirectReference[T]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.release()
