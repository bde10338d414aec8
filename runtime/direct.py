"""The direct link: a proxy and its provider in one process, with the boundary of a wire.

Everything is checked and copied as if it had crossed as text, so that what works
here works over a wire. Each call runs in a task of its own under a fresh Context.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import structs

from .calls import Answer, dump_arguments, make_error, read_answer, run_method
from .context import BACKGROUND, Cancellation, Context, check_context, make_delivery_context
from .freezing import lend
from .handles import Handle, HandleReplica
from .implementation import check_implementation
from .references import HeldReference
from .replica import ReplicaFeed
from .strict_json import copy
from .tokens import Keyed, Referenced, Singleton, check_mode

if TYPE_CHECKING:
    from .delivery import Listener, ListenerSubscription
    from .errors import StaleReference
    from .events import EventSource
    from .link import Reference
    from .members import EventsMember, Method, StateMember
    from .references import KnownReferences
    from .state import MutableState
    from .tokens import RemoteToken

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")


def connect_direct(token: Singleton[T, P] | Keyed[T, P] | Referenced[T, P], implementation: P) -> T:
    """Return a proxy of the service that calls *implementation* in this process.

    Raises `InvalidImplementation` for what does not implement the service, and TypeError
    where no token comes first.
    """
    check_mode(token, "connect_direct", Singleton, Keyed, Referenced)
    check_implementation(token, implementation)
    return token.proxy(DirectLink(token, implementation))


class DirectLink:
    """A link to an implementation in this process."""

    def __init__(
        self,
        token: RemoteToken[Any],
        implementation: object,
        references: KnownReferences | None = None,
    ) -> None:
        self._token = token
        self._implementation = implementation
        self._references: KnownReferences = {} if references is None else references
        self._feeds: dict[str, ReplicaFeed[Any]] = {}
        self._sources: dict[str, DirectEvents[Any]] = {}
        self._subscriptions: list[ListenerSubscription[Any]] = []
        self._tasks: set[asyncio.Task[Answer]] = set()
        self._handle = Handle()

    def state(self, member: StateMember[T]) -> HandleReplica[T]:
        """Return a replica that follows the provider's state."""
        if member.name not in self._feeds:
            self._feeds[member.name] = self._follow(member)
        return HandleReplica(self._feeds[member.name], self._handle)

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
            self._sources[member.name] = DirectEvents(member, source, self._handle)
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
        known = self._references.get((id(answer.reference), token.id))
        if known is None:
            known = DirectReference(token, answer.reference, self._references)
        return cast("DirectReference[T]", known)

    def close(self, ending: StaleReference) -> None:
        """Refuse every later use with *ending*, and follow no state any more."""
        self._handle.close(ending)
        for subscription in self._subscriptions:
            subscription.close()
        for feed in self._feeds.values():
            feed.lose()

    async def _run(self, method: Method[Any, Any], params: object, ctx: Context) -> Answer:
        check_context(ctx)
        ctx.check()
        self._handle.check()
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
        return structs.replace(answer, result=copy(answer.result))


class DirectEvents(Generic[T]):
    """The consumer's view of a source of events in this process."""

    def __init__(
        self, member: EventsMember[T], source: EventSource[T], handle: Handle | None = None
    ) -> None:
        self._member = member
        self._source = source
        self._handle = handle or Handle()

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with a copy of each event from now on."""
        self._handle.check()
        return self._handle.keep(self._source.subscribe(self._copy_for(listener)))

    def on(self, type: str, listener: Listener[T]) -> ListenerSubscription[T]:  # noqa: A002 - the word of the contract
        """Call *listener* with a copy of each event whose discriminator is *type*."""
        self._handle.check()
        return self._handle.keep(self._source.on(type, self._copy_for(listener)))

    def _copy_for(self, listener: Listener[T]) -> Listener[T]:
        payload = self._member.payload

        def receive(event: T, ctx: Context) -> object:
            return listener(lend(payload.load(copy(payload.dump(event)))), ctx)

        return receive


class DirectReference(HeldReference, Generic[T]):
    """A private reference to an implementation in this process."""

    def __init__(
        self, token: Referenced[T], implementation: object, known: KnownReferences
    ) -> None:
        self._link = DirectLink(token, implementation)
        self._service = token.proxy(self._link)
        super().__init__(token, implementation, known)

    @property
    def service(self) -> T:
        """The service itself; its calls raise `StaleReference` after the release."""
        return self._service

    def _finish(self, ending: StaleReference) -> None:
        self._link.close(ending)
        super()._finish(ending)
