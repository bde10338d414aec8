"""Feeds: what one subscription of a peer is sent, from its opening to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from .exposure import describe_members, describe_unknown
from .members import EventsMember
from .protocol.messages import ErrorEnvelope, Live

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import Raw, UnsetType

    from .exposure import Exposure
    from .keyed import KeyedHandle, LiveInstance
    from .protocol import Happening
    from .protocol.messages import Subscribe
    from .registry import Registry, Slot
    from .serving import Serving
    from .tokens import RemoteToken

_EVENTS_AT_ONCE: Final = 64
"""How many events of one subscription may wait before they are handed to the transport."""


class Feed(Protocol):
    """Publishes to one subscription."""

    @property
    def exposure(self) -> Exposure | None:
        """What is published of now, where it is one thing."""
        ...

    def open(self) -> None:
        """Begin."""
        ...

    def close(self) -> None:
        """End; the subscription is over."""
        ...


class FixedFeed:
    """Publishes a reference, or the events of a reference or an instance."""

    def __init__(self, serving: Serving, request: Subscribe, exposure: Exposure) -> None:
        self._serving = serving
        self._request = request
        self._stream: Final = _Stream(serving, request)
        self._fixed = exposure

    @property
    def exposure(self) -> Exposure | None:
        """What is published of."""
        return self._stream.exposure

    def open(self) -> None:
        """Begin."""
        self._fixed.on_close(self, self._end)
        self._stream.attach(self._fixed)

    def close(self) -> None:
        """End."""
        self._fixed.leave(self)
        self._stream.detach()

    def _end(self) -> None:
        self._stream.let_leave()
        error = ErrorEnvelope(
            "stale_instance", f'this instance of "{self._request.service}" is gone'
        )
        self._serving.end_subscription(self._request.id, error)


class SingletonFeed:
    """Publishes a singleton, or its events, whoever provides it."""

    def __init__(self, serving: Serving, request: Subscribe, registry: Registry) -> None:
        self._serving = serving
        self._request = request
        self._registry = registry
        self._stream: Final = _Stream(serving, request)
        self._slot: Slot | None = None

    @property
    def exposure(self) -> Exposure | None:
        """What provides the service now."""
        return self._stream.exposure

    def open(self) -> None:
        """Begin."""
        self._slot = self._registry.watch(self._request.service, self._request.scope, self)
        self.take_change()

    def close(self) -> None:
        """End."""
        self._stream.detach()
        self._registry.leave(self._request.service, self._request.scope, self)

    def take_change(self) -> None:
        """Publish of what provides the service now."""
        assert self._slot is not None  # noqa: S101 - narrows the type
        exposure = self._slot.exposure
        if self._slot.keyed is not None:
            self._serving.end_subscription(self._request.id, _describe_mode(self._request))
            return
        self._stream.detach()
        if exposure is not None:
            self._stream.attach(exposure)
        else:
            self._stream.publish_unavailable()


class InstancesFeed:
    """Publishes the live instances of a keyed service."""

    exposure: None = None

    def __init__(self, serving: Serving, request: Subscribe, registry: Registry) -> None:
        self._serving = serving
        self._request = request
        self._registry = registry
        self._stream: Final = _Stream(serving, request)
        self._served = serving.peer.connection.served
        self._slot: Slot | None = None
        self._keyed: KeyedHandle[Any] | None = None

    def open(self) -> None:
        """Begin."""
        self._slot = self._registry.watch(self._request.service, self._request.scope, self)
        self.take_change()

    def close(self) -> None:
        """End."""
        self._detach()
        self._registry.leave(self._request.service, self._request.scope, self)

    def take_change(self) -> None:
        """Publish of what provides the service now."""
        assert self._slot is not None  # noqa: S101 - narrows the type
        keyed = self._slot.keyed
        if self._slot.exposure is not None:
            self._serving.end_subscription(self._request.id, _describe_mode(self._request))
            return
        self._detach()
        if keyed is not None:
            self._attach(keyed)
        else:
            self._stream.publish_unavailable()

    def take_spawned(self, instance: LiveInstance) -> None:
        """Publish an instance that appears."""
        self._follow(instance)
        self._stream.make_room(instance.key, "")
        self._served.publish_spawned(self._request.id, _describe_instance(instance))
        self._serving.peer.flush_soon()

    def take_closed(self, instance: LiveInstance) -> None:
        """Publish that an instance is gone."""
        instance.exposure.leave_states(self)
        self._stream.make_room(instance.key, "", *instance.exposure.states)
        self._served.publish_closed(self._request.id, instance.key, instance.generation)
        self._serving.peer.flush_soon()

    def _attach(self, keyed: KeyedHandle[Any]) -> None:
        if not self._stream.check_contract(keyed.token):
            return
        self._keyed = keyed
        keyed.watchers[self] = None
        live = [keyed.live[key] for key in sorted(keyed.live)]
        for instance in live:
            self._follow(instance)
        token = keyed.token
        self._stream.make_room("", "")
        self._served.publish_instances(
            self._request.id,
            token.version,
            token.digest,
            describe_members(token),
            map(_describe_instance, live),
        )
        self._serving.peer.flush_soon()

    def _detach(self) -> None:
        if self._keyed is None:
            return
        self._keyed.watchers.pop(self, None)
        for instance in self._keyed.live.values():
            instance.exposure.leave_states(self)
        self._keyed = None

    def _follow(self, instance: LiveInstance) -> None:
        key, generation = instance.key, instance.generation

        def take(member: str, text: Raw, trace: Raw | UnsetType) -> None:
            self._stream.publish_update(member, text, trace, key=key, generation=generation)

        instance.exposure.follow_states(self, take)


class _Stream:
    """The publications of one subscription about one exposure at a time."""

    def __init__(self, serving: Serving, request: Subscribe) -> None:
        self._serving = serving
        self._request = request
        self._peer = serving.peer
        self._connection = serving.peer.connection
        self._served = serving.peer.connection.served
        self._leave: Callable[[], None] | None = None
        self.exposure: Exposure | None = None

    def attach(self, exposure: Exposure) -> None:
        """Publish all of *exposure*, and what comes later."""
        if not self.check_contract(exposure.token):
            return
        self.exposure = exposure
        name = self._request.member
        if not name:
            exposure.follow_states(self, self.publish_update)
            self._leave = lambda: exposure.leave_states(self)
            self._publish_snapshot(exposure)
            return
        member = exposure.members.get(name)
        if not isinstance(member, EventsMember):
            error = describe_unknown(exposure, name, "source of events")
            self._serving.end_subscription(self._request.id, error)
            return
        exposure.follow_events(member, self, self._publish_event)
        self._leave = lambda: exposure.leave_events(member, self)
        self._served.confirm_events(self._request.id)
        self._peer.flush_soon()

    def detach(self) -> None:
        """Publish no more of it."""
        if self._leave is not None:
            self._leave()
            self._leave = None
        self.exposure = None

    def check_contract(self, token: RemoteToken[Any]) -> bool:
        """End the subscription unless its contract may be that of the provider."""
        request = self._request
        if request.digest == token.digest or request.version == token.version:
            return True
        problem = (
            f'"{token.id}" is provided in version {token.version},'
            f" and used in version {request.version}"
        )
        error = ErrorEnvelope("contract_mismatch", problem)
        self._serving.end_subscription(request.id, error)
        return False

    def publish_unavailable(self) -> None:
        """Publish that nothing provides the service."""
        self.let_leave()
        self._served.publish_unavailable(self._request.id)
        self._peer.flush_soon()

    def publish_update(
        self,
        member: str,
        text: Raw,
        trace: Raw | UnsetType,
        *,
        key: str = "",
        generation: int = 0,
    ) -> None:
        """Publish a value of a state."""
        self.make_room(key, member)
        self._served.publish_update(
            self._request.id, member, text, trace, key=key, generation=generation
        )
        self._peer.flush_soon()

    def let_leave(self) -> None:
        """Let what waits leave before something ends, if the other side keeps up."""
        if not self._connection.paused:
            self._peer.flush()

    def make_room(self, key: str, *members: str) -> None:
        """Let what waits leave, so that nothing coalesces while the other side keeps up."""
        if self._connection.paused:
            return
        for member in members:
            if self._served.holds(self._request.id, key, member):
                self._peer.flush()
                return

    def _publish_snapshot(self, exposure: Exposure) -> None:
        token = exposure.token
        self.make_room("", "")
        self._served.publish_snapshot(
            self._request.id,
            token.version,
            token.digest,
            describe_members(token),
            exposure.read_states(),
        )
        self._peer.flush_soon()

    def _publish_event(self, member: str, text: Raw, trace: Raw | UnsetType) -> None:
        del member
        happenings: list[Happening] = []
        outgoing = self._served.subscriptions[self._request.id]
        if outgoing.waiting_events >= _EVENTS_AT_ONCE and not self._connection.paused:
            self._peer.flush()
        self._served.publish_event(self._request.id, text, trace, happenings)
        if happenings:
            self._serving.take_unsubscribe(self._request.id)
        self._peer.flush_soon()


def _describe_instance(instance: LiveInstance) -> Live:
    return Live(instance.key, instance.generation, instance.exposure.read_states())


def _describe_mode(request: Subscribe) -> ErrorEnvelope:
    is_keyed = request.mode == "keyed"
    problem = "is not keyed" if is_keyed else "is keyed: its instances are observed"
    return ErrorEnvelope("mode_mismatch", f'"{request.service}" {problem}')
