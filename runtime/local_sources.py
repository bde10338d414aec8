"""What views of this process forward to, now or later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from .delivery import Channel
from .errors import UnknownService
from .replica import ReplicaFeed
from .tokens import Local

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .delivery import Listener, ListenerSubscription
    from .events import EventSource
    from .link import Subscription
    from .members import EventsMember, Member, StateMember
    from .registry import Registry
    from .state import MutableState
    from .tokens import RemoteToken

T = TypeVar("T")


class LocalSource:
    """An object of this process, or the place of one that is still to come.

    States and events pass through as they are: the same values, in the same order.
    """

    def __init__(self, service: str, members: Mapping[str, Member]) -> None:
        self.service: Final = service
        self.members: Final = members
        self.implementation: object | None = None
        """What provides the service now."""
        self._feeds: dict[str, ReplicaFeed[Any]] = {}
        self._channels: dict[str, Channel[Any]] = {}
        self._subscriptions: dict[str, Subscription] = {}

    def get_implementation(self) -> object:
        """Return what provides the service now, or raise `UnknownService`."""
        if self.implementation is None:
            raise UnknownService(f'nothing provides "{self.service}" now')
        return self.implementation

    def get_feed(self, member: StateMember[Any]) -> ReplicaFeed[Any]:
        """Return what follows a state, whoever provides it."""
        if member.name not in self._feeds:
            self._feeds[member.name] = ReplicaFeed(member)
            self._follow(member)
        return self._feeds[member.name]

    def get_channel(self, member: EventsMember[Any]) -> Channel[Any]:
        """Return what passes events on, whoever emits them."""
        if member.name not in self._channels:
            name = f'the events "{member.name}"'
            self._channels[member.name] = Channel(name, coalesces=False)
            self._follow(member)
        return self._channels[member.name]

    def set_implementation(self, implementation: object | None) -> None:
        """Forward to *implementation* from now on."""
        if implementation is self.implementation:
            return
        self.implementation = implementation
        for subscription in self._subscriptions.values():
            subscription.close()
        self._subscriptions.clear()
        for member in self.members.values():
            if member.name in self._feeds or member.name in self._channels:
                self._follow(member)

    def close(self) -> None:
        """Forward to nothing any more."""
        self.set_implementation(None)

    def _follow(self, member: Member) -> None:
        feed, channel = self._feeds.get(member.name), self._channels.get(member.name)
        if self.implementation is None:
            if feed is not None:
                feed.lose()
        elif feed is not None:
            state: MutableState[Any] = getattr(self.implementation, member.attribute)
            self._subscriptions[member.name] = state.subscribe(feed.install)
        elif channel is not None:
            source: EventSource[Any] = getattr(self.implementation, member.attribute)
            self._subscriptions[member.name] = source.subscribe(channel.publish)


class FixedSource(LocalSource):
    """One object, for as long as it lasts."""

    def __init__(self, token: RemoteToken[Any], implementation: object) -> None:
        super().__init__(token.id, {member.name: member for member in token.members})
        self.set_implementation(implementation)


class SlotSource(LocalSource):
    """Whatever provides a service of a registry."""

    def __init__(
        self, registry: Registry, service: RemoteToken[Any] | Local[Any], scope: str
    ) -> None:
        members = () if isinstance(service, Local) else service.members
        super().__init__(service.id, {member.name: member for member in members})
        self._registry = registry
        self._scope = scope
        self._is_local = isinstance(service, Local)
        if isinstance(service, Local):
            self._slot = registry.watch_local(service.id, self)
        else:
            self._slot = registry.watch(service.id, scope, self)
        self.take_change()

    def take_change(self) -> None:
        """Forward to what provides the service now."""
        self.set_implementation(self._slot.implementation)

    def close(self) -> None:
        """Forward to nothing any more."""
        if self._is_local:
            self._registry.leave_local(self.service, self)
        else:
            self._registry.leave(self.service, self._scope, self)
        super().close()


class LocalEvents(Generic[T]):
    """The events of this process, as one view sees them."""

    def __init__(self, member: EventsMember[T], channel: Channel[T]) -> None:
        self._member = member
        self._channel = channel

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with each event from now on."""
        return self._channel.subscribe(listener)

    def on(self, type: str, listener: Listener[T]) -> ListenerSubscription[T]:  # noqa: A002 - the word of the contract
        """Call *listener* with each event whose discriminator is *type*."""
        return self._channel.subscribe(listener, self._member.make_filter(type))
