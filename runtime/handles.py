"""Handles: what one user of a service holds of it, over whatever leads there.

Replicas and sources of events are shared; what was subscribed to through a handle ends
with the handle, and it refuses everything from then on.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import copy_error
from .replica import Replica

if TYPE_CHECKING:
    from .delivery import Channel, Listener, ListenerSubscription
    from .errors import PiContractsError
    from .members import EventsMember
    from .replica import ReplicaFeed

T = TypeVar("T")


class Handle:
    """One user's hold on a service, until it is closed."""

    __slots__ = ("_open", "ending")

    def __init__(self) -> None:
        self._open: weakref.WeakSet[ListenerSubscription[Any]] = weakref.WeakSet()
        self.ending: PiContractsError | None = None
        """Why it has ended, if it has."""

    def check(self) -> None:
        """Raise why it has ended, if it has."""
        if self.ending is not None:
            raise copy_error(self.ending)

    def keep(self, subscription: ListenerSubscription[T]) -> ListenerSubscription[T]:
        """Close *subscription* at the end, which its first delivery may have made."""
        self._open.add(subscription)
        if self.ending is not None:
            subscription.close()
        return subscription

    def close(self, ending: PiContractsError) -> None:
        """Refuse every use with *ending*, and end every subscription; once and for all."""
        if self.ending is None:
            self.ending = ending
            for subscription in list(self._open):
                subscription.close()


class HandleReplica(Replica[T]):
    """A replica as one handle sees it."""

    __slots__ = ("_handle",)

    def __init__(self, feed: ReplicaFeed[T], handle: Handle) -> None:
        super().__init__(feed)
        self._handle = handle

    @property
    def ready(self) -> bool:
        """Whether there is a current value, and the handle has not ended."""
        return self._handle.ending is None and super().ready

    @property
    def value(self) -> T:
        """The current value.

        Raises `NotHydrated` while not ready, or the error why it never will be.
        """
        self._handle.check()
        return super().value

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with the current value at once, if there is one, and each later one."""
        self._handle.check()
        return self._handle.keep(super().subscribe(listener))


class HandleEvents(Generic[T]):
    """A source of events as one handle sees it."""

    def __init__(self, member: EventsMember[T], channel: Channel[T], handle: Handle) -> None:
        self._member = member
        self._channel = channel
        self._handle = handle

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with each event from now on."""
        self._handle.check()
        return self._handle.keep(self._channel.subscribe(listener))

    def on(self, type: str, listener: Listener[T]) -> ListenerSubscription[T]:  # noqa: A002 - the word of the contract
        """Call *listener* with each event whose discriminator is *type*."""
        self._handle.check()
        accepts = self._member.make_filter(type)
        return self._handle.keep(self._channel.subscribe(listener, accepts))
