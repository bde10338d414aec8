"""What views of this process forward to, now or later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .delivery import Channel
from .errors import UnknownService
from .handles import Handle
from .replica import ReplicaFeed
from .tokens import Local

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .context import Context
    from .errors import PiContractsError
    from .events import EventSource
    from .link import Subscription
    from .members import EventsMember, Member, StateMember
    from .references import KnownReferences
    from .registry import Registry
    from .state import MutableState
    from .tokens import RemoteToken


class LocalSource:
    """An object of this process, or the place of one that is still to come.

    States and events pass through as they are: the same values, in the same order.
    """

    def __init__(self, service: str, members: Mapping[str, Member]) -> None:
        self.service: Final = service
        self.members: Final = members
        self.implementation: object | None = None
        """What provides the service now."""
        self.handle: Final = Handle()
        """What is closed with the views of it."""
        self.references: Final[KnownReferences] = {}
        """The references that the implementation has given."""
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
            feed = self._feeds[member.name] = ReplicaFeed(member)
            self._follow(member)
            feed.announce()
        return self._feeds[member.name]

    def get_channel(self, member: EventsMember[Any]) -> Channel[Any]:
        """Return what passes events on, whoever emits them."""
        if member.name not in self._channels:
            channel: Channel[Any] = Channel(f'the events "{member.name}"', coalesces=False)
            channel.on_demand = lambda _: self._follow(member)
            self._channels[member.name] = channel
        return self._channels[member.name]

    def set_implementation(self, implementation: object | None) -> None:
        """Forward to *implementation* from now on.

        Its states take the place of the old ones together: no listener sees some of both.
        """
        if implementation is self.implementation:
            return
        self.implementation = implementation
        for reference in list(self.references.values()):
            reference.end(f'what "{self.service}" has given ended with its provider')
        for subscription in self._subscriptions.values():
            subscription.close()
        self._subscriptions.clear()
        for member in self.members.values():
            self._follow(member)
        for feed in list(self._feeds.values()):
            feed.announce()

    def close(self, ending: PiContractsError) -> None:
        """Forward to nothing any more, and let what was subscribed to end."""
        self.handle.close(ending)
        self.set_implementation(None)

    def _follow(self, member: Member) -> None:
        """Follow a member as far as anybody wants it; its state is stored, not announced."""
        feed, channel = self._feeds.get(member.name), self._channels.get(member.name)
        if feed is not None:
            self._follow_state(member, feed)
        elif channel is not None:
            known = self._subscriptions.pop(member.name, None)
            if known is not None:
                known.close()
            if self.implementation is not None and channel.wanted:
                source: EventSource[Any] = getattr(self.implementation, member.attribute)
                self._subscriptions[member.name] = source.subscribe(channel.publish)

    def _follow_state(self, member: Member, feed: ReplicaFeed[Any]) -> None:
        if self.implementation is None:
            feed.lose()
            return
        state: MutableState[Any] = getattr(self.implementation, member.attribute)
        take = feed.store

        def receive(value: Any, ctx: Context) -> None:
            take(value, ctx)

        self._subscriptions[member.name] = state.subscribe(receive)
        take = feed.install


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

    def close(self, ending: PiContractsError) -> None:
        """Forward to nothing any more, and let what was subscribed to end."""
        if self._is_local:
            self._registry.leave_local(self.service, self)
        else:
            self._registry.leave(self.service, self._scope, self)
        super().close(ending)
