"""State cells: the provider's latest value, checked where it is set.

Replicas of a remote provider belong to the links that fill them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from .context import check_context
from .delivery import Channel, Listener, ListenerSubscription
from .freezing import lend

if TYPE_CHECKING:
    from .context import Context
    from .members import StateMember

T = TypeVar("T")
D = TypeVar("D")


class MutableState(Generic[T]):
    """A provider's state: it always has a value, and its owner sets it.

    A value is given up by who sets it and borrowed by who reads it: nobody changes
    one afterwards.
    """

    def __init__(self, member: StateMember[T], initial: T) -> None:
        self._member = member
        self._channel: Channel[T] = Channel(f'the state "{member.name}"', coalesces=True)
        self._check(initial)
        self._value = lend(initial)

    @property
    def ready(self) -> bool:
        """True: a providing state always has a value."""
        return True

    @property
    def value(self) -> T:
        """The value last set."""
        return self._value

    def last(self, default: D) -> T | D:
        """Return the value last set; the default is for replicas."""
        del default
        return self._value

    def set(self, value: T, ctx: Context) -> None:
        """Make *value* the current one and deliver it to every listener, equal or not.

        Raises `ContractViolation` for what the schema refuses, and has changed
        nothing then. Inside a listener, delivery follows the one that is going on.
        """
        check_context(ctx)
        self._check(value)
        self._value = lend(value)
        self._channel.publish(self._value, ctx)

    def subscribe(self, listener: Listener[T]) -> ListenerSubscription[T]:
        """Call *listener* with the current value at once, and with each later one."""
        subscription = self._channel.subscribe(listener)
        self._channel.deliver_first(subscription, self._value)
        return subscription

    def get_member(self) -> StateMember[T]:
        """Return the row of the member table that the state was made from."""
        return self._member

    def _check(self, value: T) -> None:
        self._member.value.check(value, f'the state "{self._member.name}"')
