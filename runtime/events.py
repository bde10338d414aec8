"""Event sources: what a provider emits, checked where it is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from .context import check_context
from .delivery import Channel, Listener, ListenerSubscription
from .freezing import lend

if TYPE_CHECKING:
    from .context import Context
    from .members import EventsMember

T = TypeVar("T")


class EventSource(Generic[T]):
    """A provider's source of events; who subscribes sees what is emitted from then on."""

    def __init__(self, member: EventsMember[T]) -> None:
        self._member = member
        self._channel: Channel[T] = Channel(f'the events "{member.name}"', coalesces=False)

    def emit(self, event: T, ctx: Context) -> None:
        """Deliver *event* to every listener, in order of emission.

        Raises `ContractViolation` for what the schema refuses; it reaches nobody then.
        """
        check_context(ctx)
        self._member.payload.check(event, self._channel.name)
        self._channel.publish(lend(event), ctx)

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with each event from now on."""
        return self._channel.subscribe(listener)

    def on(self, type: str, listener: Listener[T]) -> ListenerSubscription[T]:  # noqa: A002 - the word of the contract
        """Call *listener* with each event whose discriminator is *type*."""
        return self._channel.subscribe(listener, self._member.make_filter(type))

    def get_member(self) -> EventsMember[T]:
        """Return the row of the member table that the source was made from."""
        return self._member
