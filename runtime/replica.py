"""Replicas: a provider's state as a consumer holds it, filled by a link.

The link writes to a `ReplicaFeed`; consumers get a `Replica` of it, which only reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from .delivery import Channel, Listener, ListenerSubscription
from .errors import NotHydrated, copy_error

if TYPE_CHECKING:
    from .context import Context
    from .errors import ServiceError
    from .members import StateMember

T = TypeVar("T")
D = TypeVar("D")


class ReplicaFeed(Generic[T]):
    """What a link knows of one state of its provider."""

    def __init__(self, member: StateMember[T]) -> None:
        self.name: Final = member.name
        self.channel: Final[Channel[T]] = Channel(f'the state "{member.name}"', coalesces=True)
        self.ready = False
        self.known: tuple[T] | tuple[()] = ()
        """The value last installed, if one was."""
        self.failure: ServiceError | None = None
        """Why there will be no value."""

    def install(self, value: T, source: Context) -> None:
        """Make *value*, a snapshot or an update, the current one, and deliver it."""
        self.store(value, source)
        self.announce()

    def store(self, value: T, source: Context) -> None:
        """Make *value* the current one, without delivering it yet."""
        self.known = (value,)
        self.ready = True
        self.failure = None
        self.channel.enqueue(value, source)

    def announce(self) -> None:
        """Deliver what was stored."""
        self.channel.deliver_enqueued()

    def lose(self, failure: ServiceError | None = None) -> None:
        """Make the state not ready; what is known of it is stale from now on."""
        self.ready = False
        self.failure = failure


class Replica(Generic[T]):
    """The consumer's view of one state; not ready until its link has installed a value."""

    __slots__ = ("_feed",)

    def __init__(self, feed: ReplicaFeed[T]) -> None:
        self._feed = feed

    @property
    def ready(self) -> bool:
        """Whether there is a current value."""
        return self._feed.ready

    @property
    def value(self) -> T:
        """The current value.

        Raises `NotHydrated` while not ready, or the error why it never will be.
        """
        if self._feed.failure is not None:
            raise copy_error(self._feed.failure)
        if not self._feed.ready or not self._feed.known:
            raise NotHydrated(self._feed.name)
        return self._feed.known[0]

    def last(self, default: D) -> T | D:
        """Return the value last known, also when it is stale, else *default*."""
        return self._feed.known[0] if self._feed.known else default

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with the current value at once, if there is one, and each later one."""
        subscription = self._feed.channel.subscribe(listener)
        if self._feed.ready:
            self._feed.channel.deliver_first(subscription, self.value)
        return subscription
