"""What the other side asks of us: its outstanding calls, subscriptions and references."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, Raw, UnsetType
from typing_extensions import TypeIs

from .happenings import ReferenceEnded, SubscriberLeft
from .messages import (
    Call,
    Cancel,
    Ended,
    ErrorEnvelope,
    Failed,
    Granted,
    Live,
    Release,
    Result,
    Subscribe,
    Unsubscribe,
)
from .outbox import (
    WHOLE,
    ClosedSlot,
    EventSlot,
    InstanceSlot,
    Outgoing,
    SnapshotSlot,
    StateSlot,
    SubscribedSlot,
    UnavailableSlot,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .happenings import Happening
    from .limits import Limits
    from .messages import Members, Message, States
    from .outbox import Outbox

_CANCELLED: Final = ErrorEnvelope("cancelled", "the call was cancelled")
_STALE: Final = ErrorEnvelope("stale_reference", "the reference was released, or never given")

SMALL: Final = 16 * 1024
"""Up to how many bytes arguments are bounded by the number of calls alone."""


class Grant:
    """A private reference of the other side."""

    __slots__ = ("idle_since", "received", "uses")

    def __init__(self) -> None:
        self.received = 0
        """How often it was sent and not yet released."""
        self.uses = 0
        """How many calls and subscriptions hold it."""
        self.idle_since = 0.0


class Served:
    """The tables of what the other side holds at us; *put* sends a message."""

    def __init__(
        self,
        limits: Limits,
        outbox: Outbox,
        put: Callable[[Message], object],
        fault: Callable[[str, list[Happening]], None],
    ) -> None:
        self._limits = limits
        self._outbox = outbox
        self._put = put
        self._fault = fault
        self.now = 0.0
        """The time, as the connection was told last."""
        self.calls: Final[dict[int, Grant | None]] = {}
        """Outstanding calls, and the reference that each goes to."""
        self.subscriptions: Final[dict[int, Outgoing]] = {}
        self.grants: Final[dict[str, Grant]] = {}
        self._held: dict[int, Grant] = {}
        self._large: dict[int, int] = {}
        self._large_bytes = 0
        self._idle: OrderedDict[str, Grant] = OrderedDict()
        self._names: dict[int, str] = {}

    def is_free(self, subscription_id: int | None) -> TypeIs[int]:
        """Tell whether *subscription_id* is one, and no subscription is open under it."""
        return subscription_id is not None and subscription_id not in self.subscriptions

    # What arrives

    def take_call(self, message: Call, happenings: list[Happening]) -> None:
        """Admit a call, or refuse it."""
        if message.id in self.calls:
            self._fault(f"the call {message.id} is still outstanding", happenings)
            return
        if len(self.calls) >= self._limits.calls:
            problem = f"more than {self._limits.calls} calls are outstanding"
            self._put(Failed(message.id, ErrorEnvelope("overflow", problem)))
            return
        size = len(message.arguments)
        if size > SMALL and self._large_bytes + size > self._limits.argument_bytes:
            problem = "the arguments of the calls that are outstanding are too large together"
            self._put(Failed(message.id, ErrorEnvelope("overflow", problem)))
            return
        grant = None
        if message.reference:
            grant = self.grants.get(message.reference)
            if grant is None:
                self._put(Failed(message.id, _STALE))
                return
            self._hold(message.reference, grant)
        if size > SMALL:
            self._large[message.id] = size
            self._large_bytes += size
        self.calls[message.id] = grant
        happenings.append(message)

    def take_cancel(self, message: Cancel, happenings: list[Happening]) -> None:
        """Answer a call that is not wanted any more; for any other id this is late."""
        if self.fail(message.id, _CANCELLED):
            happenings.append(message)

    def take_subscribe(self, message: Subscribe, happenings: list[Happening]) -> None:
        """Admit a subscription, or refuse it."""
        if message.id in self.subscriptions:
            problem = f"the subscription {message.id} is still open"
            self._fault(problem, happenings)
            return
        if len(self.subscriptions) >= self._limits.subscriptions:
            problem = f"more than {self._limits.subscriptions} subscriptions are open"
            self._put(Ended(message.id, ErrorEnvelope("overflow", problem)))
            return
        if message.reference:
            grant = self.grants.get(message.reference)
            if grant is None:
                self._put(Ended(message.id, _STALE))
                return
            self._hold(message.reference, grant)
            self._held[message.id] = grant
        self.subscriptions[message.id] = Outgoing(message.id)
        happenings.append(message)

    def take_unsubscribe(self, message: Unsubscribe, happenings: list[Happening]) -> None:
        """Close a subscription; for any other id this is late."""
        if self._close(message.id):
            happenings.append(message)

    def take_release(self, message: Release, happenings: list[Happening]) -> None:
        """Give a reference up, unless it was sent again meanwhile."""
        grant = self.grants.get(message.reference)
        if grant is None:
            return
        grant.received -= message.count
        if grant.received <= 0:
            self._drop(message.reference)
            happenings.append(ReferenceEnded(message.reference))

    # What we answer

    def answer(self, call_id: int, result: Raw | UnsetType) -> bool:
        """Answer a call; False if nobody waits for it any more."""
        return self._answer(Result(call_id, result), call_id)

    def fail(self, call_id: int, error: ErrorEnvelope) -> bool:
        """Let a call fail; False if nobody waits for it any more."""
        return self._answer(Failed(call_id, error), call_id)

    def grant(self, call_id: int, reference: str, service: str) -> bool:
        """Answer a call with a private reference; False if nobody waits for it any more."""
        if call_id not in self.calls:
            return False
        grant = self.grants.get(reference)
        if grant is None:
            if len(self.grants) >= self._limits.references:
                problem = f"more than {self._limits.references} references are held"
                self.fail(call_id, ErrorEnvelope("overflow", problem))
                return False
            grant = self.grants[reference] = Grant()
            self._names[id(grant)] = reference
            self._rest(grant)
        grant.received += 1
        return self._answer(Granted(call_id, reference, service), call_id)

    def _answer(self, message: Message, call_id: int) -> bool:
        if call_id not in self.calls:
            return False
        grant = self.calls.pop(call_id)
        if self._large:
            self._large_bytes -= self._large.pop(call_id, 0)
        if grant is not None:
            self._let_go(grant)
        self._put(message)
        return True

    # What we publish

    def confirm_events(self, subscription_id: int) -> None:
        """Say that events flow from here on."""
        self._outbox.put_parcel(SubscribedSlot(self.subscriptions[subscription_id]))

    def publish_snapshot(
        self, subscription_id: int, version: int, digest: str, members: Members, states: States
    ) -> None:
        """Publish all of a singleton or a reference; what still waits is part of it."""
        outgoing = self._clear(subscription_id)
        self._outbox.put_parcel(SnapshotSlot(outgoing, version, digest, members, states=states))

    def publish_instances(
        self,
        subscription_id: int,
        version: int,
        digest: str,
        members: Members,
        instances: Iterable[Live],
    ) -> None:
        """Publish all of a keyed service.

        Instances beyond what a frame may hold follow one by one.
        """
        outgoing = self._clear(subscription_id)
        room = (self._outbox.longest or self._limits.frame) // 2
        first: dict[str, Live] = {}
        rest: list[Live] = []
        for live in instances:
            room -= _measure(live)
            if room > 0:
                first[live.key] = live
            else:
                rest.append(live)
        self._outbox.put_parcel(SnapshotSlot(outgoing, version, digest, members, instances=first))
        for live in rest:
            slot = InstanceSlot(outgoing, live.key, live.generation, live.states)
            self._outbox.put_parcel(slot)

    def publish_unavailable(self, subscription_id: int) -> None:
        """Say that nobody provides the service, after its last values."""
        outgoing = self.subscriptions[subscription_id]
        whole = outgoing.slots.get(WHOLE)
        if whole is not None:  # nobody has seen it, and values that are set go with it
            self._outbox.drop(whole)
        self._outbox.put_parcel(UnavailableSlot(outgoing))

    def publish_update(
        self,
        subscription_id: int,
        member: str,
        value: Raw,
        trace: Raw | UnsetType = UNSET,
        *,
        key: str = "",
        generation: int = 0,
    ) -> None:
        """Publish a value of a state, in the place of one that still waits."""
        outgoing = self.subscriptions[subscription_id]
        whole = outgoing.slots.get((key, "")) or outgoing.slots.get(WHOLE)
        states = _find_states(whole, key)
        if states is not None:
            states[member] = value
            return
        slot = outgoing.slots.get((key, member))
        if isinstance(slot, StateSlot) and slot.generation == generation:
            slot.value, slot.trace = value, trace
            return
        slot = StateSlot(outgoing, (key, member), member, value, trace)
        slot.generation = generation
        self._outbox.put_parcel(slot)

    def publish_spawned(self, subscription_id: int, live: Live) -> None:
        """Publish an instance that appears."""
        outgoing = self.subscriptions[subscription_id]
        self._outbox.put_parcel(InstanceSlot(outgoing, live.key, live.generation, live.states))

    def publish_closed(self, subscription_id: int, key: str, generation: int) -> None:
        """Publish an end, after the last values; what has not left yet never appears."""
        outgoing = self.subscriptions[subscription_id]
        appearing = outgoing.slots.get((key, ""))
        if appearing is not None:
            self._outbox.drop(appearing)
            return
        whole = outgoing.slots.get(WHOLE)
        if isinstance(whole, SnapshotSlot) and whole.instances and key in whole.instances:
            del whole.instances[key]
            return
        self._outbox.put_parcel(ClosedSlot(outgoing, key, generation))

    def publish_event(
        self,
        subscription_id: int,
        value: Raw,
        trace: Raw | UnsetType,
        happenings: list[Happening],
    ) -> None:
        """Publish an event; one too many ends the subscription with ``overflow``."""
        outgoing = self.subscriptions[subscription_id]
        if (
            outgoing.waiting_events >= self._limits.waiting_events
            or self._outbox.waiting_bytes + len(value) > self._limits.waiting_bytes
        ):
            problem = f"{outgoing.waiting_events} events wait for a reader that is too slow"
            self.end_subscription(subscription_id, ErrorEnvelope("overflow", problem))
            happenings.append(SubscriberLeft(subscription_id))
            return
        self._outbox.put_parcel(EventSlot(self._outbox, outgoing, value, trace))

    def end_subscription(self, subscription_id: int, error: ErrorEnvelope) -> None:
        """End a subscription of theirs, and say why."""
        if self._close(subscription_id):
            self._put(Ended(subscription_id, error))

    def holds(self, subscription_id: int, key: str, member: str) -> bool:
        """Tell whether something waits that a publication of *member* would take the place of."""
        slots = self.subscriptions[subscription_id].slots
        return bool(slots) and ((key, member) in slots or (key, "") in slots or WHOLE in slots)

    # References

    @property
    def next_expiry(self) -> float | None:
        """When the reference that is idle for longest ends."""
        for grant in self._idle.values():
            return grant.idle_since + self._limits.reference_lease
        return None

    def end_idle(self, now: float) -> list[Happening]:
        """End the references whose lease is over."""
        ended: list[Happening] = []
        while (expiry := self.next_expiry) is not None and expiry <= now:
            reference = next(iter(self._idle))
            self._drop(reference)
            ended.append(ReferenceEnded(reference))
        return ended

    def end_reference(self, reference: str) -> None:
        """End a reference of theirs: its calls are answered as stale from now on."""
        if reference in self.grants:
            self._drop(reference)

    def _hold(self, reference: str, grant: Grant) -> None:
        grant.uses += 1
        self._idle.pop(reference, None)

    def _rest(self, grant: Grant) -> None:
        reference = self._names.get(id(grant))
        if not grant.uses and reference is not None:
            grant.idle_since = self.now
            self._idle[reference] = grant

    def _drop(self, reference: str) -> None:
        grant = self.grants.pop(reference)
        self._idle.pop(reference, None)
        del self._names[id(grant)]

    def _let_go(self, grant: Grant) -> None:
        grant.uses -= 1
        self._rest(grant)

    def _clear(self, subscription_id: int) -> Outgoing:
        outgoing = self.subscriptions[subscription_id]
        for parcel in list(outgoing.slots.values()):
            self._outbox.drop(parcel)
        return outgoing

    def _close(self, subscription_id: int) -> bool:
        outgoing = self.subscriptions.pop(subscription_id, None)
        if outgoing is None:
            return False
        self._outbox.close(outgoing)
        grant = self._held.pop(subscription_id, None)
        if grant is not None:
            self._let_go(grant)
        return True


def _find_states(whole: object, key: str) -> States | None:
    """Return the states that wait to leave with their snapshot or instance."""
    if isinstance(whole, InstanceSlot):
        return whole.states
    if isinstance(whole, SnapshotSlot):
        if whole.instances is not None:
            live = whole.instances.get(key)
            return None if live is None else live.states
        return whole.states
    return None


def _measure(live: Live) -> int:
    """Return about how many bytes an instance takes in a frame."""
    return (
        64
        + 6 * len(live.key)
        + sum(len(name) + len(value) + 8 for name, value in live.states.items())
    )
