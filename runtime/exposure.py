"""An implementation as peers see it: its member table, and its values as text.

A value is turned into text once, whatever the number of those who follow it.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Raw

from .members import EventsMember, Method, StateMember
from .protocol.messages import ErrorEnvelope
from .strict_json import encode
from .traces import write_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import UnsetType

    from .context import Context
    from .events import EventSource
    from .link import Subscription
    from .members import Member
    from .protocol.messages import Kind, Members, States
    from .state import MutableState
    from .tokens import RemoteToken


class TakeText(Protocol):
    """Takes a value as text, with the trace of what caused it."""

    def __call__(self, member: str, text: Raw, trace: Raw | UnsetType, /) -> None:
        """Take a value of *member*."""
        ...


class Exposure:
    """One implementation, and those who follow its states and events."""

    def __init__(
        self, token: RemoteToken[Any], implementation: object, *, source: Exposure | None = None
    ) -> None:
        self.token: Final = token
        self.implementation: Final = implementation
        self.root: Final[Exposure] = self if source is None else source.root
        """What is provided that this came from: itself, or what gave it as a reference."""
        self.members: Final[dict[str, Member]] = {member.name: member for member in token.members}
        self._states: list[_StateTap] = []
        self._events: dict[str, _EventTap] = {}
        self._closing: dict[object, Callable[[], object]] = {}
        self.closed = False
        """Whether the implementation is gone."""
        for member in token.members:
            if isinstance(member, StateMember):
                state: MutableState[Any] = getattr(implementation, member.attribute)
                self._states.append(_StateTap(member, state))
        self.states: Final = tuple(tap.member.name for tap in self._states)
        """The names of its states."""

    def on_close(self, follower: object, callback: Callable[[], object]) -> None:
        """Call *callback* when the implementation is gone, unless *follower* left before."""
        self._closing[follower] = callback

    def close(self) -> None:
        """Tell everybody that the implementation is gone."""
        self.closed = True
        closing, self._closing = self._closing, {}
        for callback in closing.values():
            callback()

    def read_states(self) -> States:
        """Return the current value of each state."""
        return {tap.member.name: tap.read() for tap in self._states}

    def follow_states(self, follower: object, take: TakeText) -> None:
        """Let *take* have each value that is set from now on."""
        for tap in self._states:
            tap.add(follower, take)

    def leave_states(self, follower: object) -> None:
        """End what `follow_states` began."""
        for tap in self._states:
            tap.remove(follower)

    def follow_events(self, member: EventsMember[Any], follower: object, take: TakeText) -> None:
        """Let *take* have each event of *member* from now on."""
        tap = self._events.get(member.name)
        if tap is None:
            source: EventSource[Any] = getattr(self.implementation, member.attribute)
            tap = self._events[member.name] = _EventTap(member, source)
        tap.add(follower, take)

    def leave_events(self, member: EventsMember[Any], follower: object) -> None:
        """End what `follow_events` began."""
        self._events[member.name].remove(follower)

    def leave(self, follower: object) -> None:
        """Forget the callback that waits for the end."""
        self._closing.pop(follower, None)


class _Tap(abc.ABC):
    """One listener at a provider's cell, for all who follow it over the wire."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._takers: dict[object, TakeText] = {}
        self._subscription: Subscription | None = None

    def add(self, follower: object, take: TakeText) -> None:
        """Pass on to *take*."""
        self._takers[follower] = take
        if self._subscription is None:
            self._subscription = self._subscribe()

    def remove(self, follower: object) -> None:
        """Pass nothing on any more; the last one closes the listener."""
        self._takers.pop(follower, None)
        if not self._takers and self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    @abc.abstractmethod
    def _subscribe(self) -> Subscription:
        """Listen at the cell."""

    def _pass_on(self, text: Raw, ctx: Context) -> None:
        trace = write_trace(ctx)
        for follower, take in list(self._takers.items()):
            if follower in self._takers:
                take(self._name, text, trace)


class _StateTap(_Tap):
    """The values of one state."""

    def __init__(self, member: StateMember[Any], state: MutableState[Any]) -> None:
        super().__init__(member.name)
        self.member: Final = member
        self._state = state
        self._encoded: tuple[object, Raw] | None = None
        self._silent = False

    def read(self) -> Raw:
        """Return the current value; the same text until another one is set."""
        return self._encode(self._state.value)

    def _encode(self, value: object) -> Raw:
        # A value is never changed once it was set, so the same object is the same text.
        if self._encoded is None or self._encoded[0] is not value:
            self._encoded = (value, Raw(encode(self.member.value.dump(value))))
        return self._encoded[1]

    def _subscribe(self) -> Subscription:
        self._silent = True  # the current value comes at once, and is in the snapshot already
        try:
            return self._state.subscribe(self._receive)
        finally:
            self._silent = False

    def _receive(self, value: object, ctx: Context) -> None:
        if not self._silent:
            self._pass_on(self._encode(value), ctx)


class _EventTap(_Tap):
    """The events of one source."""

    def __init__(self, member: EventsMember[Any], source: EventSource[Any]) -> None:
        super().__init__(member.name)
        self._member = member
        self._source = source

    def _subscribe(self) -> Subscription:
        return self._source.subscribe(self._receive)

    def _receive(self, event: object, ctx: Context) -> None:
        self._pass_on(Raw(encode(self._member.payload.dump(event))), ctx)


def describe_members(token: RemoteToken[Any]) -> Members:
    """Return the kind of each member, sorted by name, as it is announced."""
    return {member.name: get_kind(member) for member in sorted(token.members, key=_get_name)}


def get_kind(member: Member) -> Kind:
    """Return the kind of a member, as it is announced."""
    if isinstance(member, Method):
        return "method"
    return "state" if isinstance(member, StateMember) else "events"


def describe_unknown(exposure: Exposure, name: str, wanted: str) -> ErrorEnvelope:
    """Return the error of a member that is missing, or is not what is *wanted*."""
    member = exposure.members.get(name)
    service = exposure.token.id
    if member is None:
        return ErrorEnvelope("unknown_member", f'"{service}" has no such member')
    kind = get_kind(member)
    noun = "source of events" if kind == "events" else kind
    return ErrorEnvelope("unknown_member", f'"{service}.{member.name}" is a {noun}, not a {wanted}')


def _get_name(member: Member) -> str:
    return member.name
