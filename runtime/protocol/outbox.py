"""What waits to be sent: in order, bounded, and counted when it leaves.

A state keeps one slot, in place, until it leaves; so does an instance, and a snapshot.
Events are counted. What is no longer wanted when its turn comes leaves nothing.
"""

from __future__ import annotations

import abc
from collections import deque
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from .codec import encode
from .messages import (
    Closed,
    Ended,
    ErrorEnvelope,
    Event,
    Live,
    Snapshot,
    Spawned,
    Subscribed,
    Unavailable,
    Update,
)

if TYPE_CHECKING:
    from msgspec import Raw, UnsetType

    from .messages import Members, Message, States

Place: TypeAlias = tuple[str, str | None]
"""Where something of a subscription waits: key, "" for none, and member.

The member "" is a whole: the snapshot, or the instance; None is the end of the instance.
"""

WHOLE: Final[Place] = ("", "")


class Outgoing:
    """A subscription of the other side, as far as sending goes."""

    __slots__ = ("closed", "id", "number", "slots", "waiting_events")

    def __init__(self, subscription_id: int) -> None:
        self.id: Final = subscription_id
        self.number = 0
        """The number of the last frame that left."""
        self.slots: dict[Place, Parcel] = {}
        """What waits and may be replaced."""
        self.waiting_events = 0
        self.closed = False
        """Whether nothing more is to leave."""

    def count(self) -> int:
        """Return the number of the frame that leaves now."""
        self.number += 1
        return self.number


class Parcel(abc.ABC):
    """Something that becomes a frame when it leaves."""

    __slots__ = ("dropped", "owner", "place")

    def __init__(self, owner: Outgoing, place: Place) -> None:
        self.owner: Final = owner
        self.place: Final = place
        self.dropped = False

    @property
    def wanted(self) -> bool:
        """Whether it is still to leave."""
        return not self.dropped and not self.owner.closed

    @abc.abstractmethod
    def write(self) -> Message:
        """Return the frame, with its number."""

    def leave(self) -> None:
        """Stop waiting."""
        if self.owner.slots.get(self.place) is self:
            del self.owner.slots[self.place]


class StateSlot(Parcel):
    """A value of a state, until a later one takes its place."""

    __slots__ = ("generation", "member", "trace", "value")

    def __init__(
        self, owner: Outgoing, place: Place, member: str, value: Raw, trace: Raw | UnsetType
    ) -> None:
        super().__init__(owner, place)
        self.member: Final = member
        self.value = value
        self.trace = trace
        self.generation = 0

    def write(self) -> Message:
        """Return the update."""
        number, key = self.owner.count(), self.place[0]
        if not key:
            return Update(self.owner.id, number, self.member, self.value, trace=self.trace)
        return Update(
            self.owner.id, number, self.member, self.value, key, self.generation, self.trace
        )


class InstanceSlot(Parcel):
    """An instance that appears; values set before it leaves go with it."""

    __slots__ = ("generation", "states")

    def __init__(self, owner: Outgoing, key: str, generation: int, states: States) -> None:
        super().__init__(owner, (key, ""))
        self.generation: Final = generation
        self.states: Final = dict(states)

    def write(self) -> Message:
        """Return the frame that shows the instance."""
        number = self.owner.count()
        return Spawned(self.owner.id, number, self.place[0], self.generation, self.states)


class ClosedSlot(Parcel):
    """An instance that goes."""

    __slots__ = ("generation",)

    def __init__(self, owner: Outgoing, key: str, generation: int) -> None:
        super().__init__(owner, (key, None))
        self.generation: Final = generation

    def write(self) -> Message:
        """Return the frame that tells of it."""
        return Closed(self.owner.id, self.owner.count(), self.place[0], self.generation)


class SnapshotSlot(Parcel):
    """A snapshot; what happens before it leaves goes with it."""

    __slots__ = ("digest", "instances", "members", "states", "version")

    def __init__(
        self,
        owner: Outgoing,
        version: int,
        digest: str,
        members: Members,
        *,
        states: States | None = None,
        instances: dict[str, Live] | None = None,
    ) -> None:
        super().__init__(owner, WHOLE)
        self.version: Final = version
        self.digest: Final = digest
        self.members: Final = members
        self.states: Final = states
        self.instances: Final = instances

    def write(self) -> Message:
        """Return the snapshot, from which its subscription counts."""
        self.owner.number = 0
        head = (self.owner.id, self.version, self.digest, self.members)
        if self.states is not None:
            return Snapshot(*head, states=self.states)
        return Snapshot(*head, instances=list((self.instances or {}).values()))


class UnavailableSlot(Parcel):
    """That nobody provides the service."""

    __slots__ = ()

    def __init__(self, owner: Outgoing) -> None:
        super().__init__(owner, WHOLE)

    def write(self) -> Message:
        """Return the frame that says so."""
        return Unavailable(self.owner.id)


class SubscribedSlot(Parcel):
    """That events flow from here on; what was emitted before leaves before, as it counts."""

    __slots__ = ()

    def __init__(self, owner: Outgoing) -> None:
        super().__init__(owner, WHOLE)

    def write(self) -> Message:
        """Return the frame from which its subscription counts."""
        self.owner.number = 0
        return Subscribed(self.owner.id)


class EventSlot(Parcel):
    """An event."""

    __slots__ = ("outbox", "trace", "value")

    def __init__(self, outbox: Outbox, owner: Outgoing, value: Raw, trace: Raw | UnsetType) -> None:
        super().__init__(owner, WHOLE)
        self.outbox: Final = outbox
        self.value: Final = value
        self.trace: Final = trace
        owner.waiting_events += 1
        outbox.waiting_bytes += len(value)

    def write(self) -> Message:
        """Return the event."""
        return Event(self.owner.id, self.owner.count(), self.value, self.trace)

    def leave(self) -> None:
        """Stop waiting."""
        self.owner.waiting_events -= 1
        self.outbox.waiting_bytes -= len(self.value)


class Outbox:
    """The frames and parcels that wait, oldest first."""

    def __init__(self) -> None:
        self.waiting: deque[bytes | Parcel] = deque()
        """What waits, oldest first."""
        self._parcels_when_swept = 0
        self.longest = 0
        """The most bytes of one frame that the other side takes; 0 while not known."""
        self.waiting_bytes = 0
        """How many bytes of events wait."""
        self.waiting_frames = 0
        """How many ready frames wait: answers, requests, refusals."""
        self.frame_bytes = 0
        """How many bytes these frames have."""

    def put_frame(self, text: bytes) -> None:
        """Keep a frame that is ready."""
        self.waiting_frames += 1
        self.frame_bytes += len(text)
        self.waiting.append(text)

    def put_parcel(self, parcel: Parcel) -> None:
        """Keep what becomes a frame when it leaves, in its place if it has one."""
        if not isinstance(parcel, EventSlot | SubscribedSlot):
            parcel.owner.slots[parcel.place] = parcel
        self.waiting.append(parcel)
        if len(self.waiting) - self.waiting_frames > 2 * self._parcels_when_swept + 64:
            self._sweep()

    def drop(self, parcel: Parcel) -> None:
        """Let *parcel* leave nothing."""
        parcel.dropped = True
        parcel.leave()

    def close(self, owner: Outgoing) -> None:
        """Let nothing of *owner* leave any more."""
        owner.closed = True
        owner.slots.clear()

    def take(self, budget: int) -> list[bytes]:
        """Return the oldest frames of about *budget* bytes, at least one if there is any."""
        waiting = self.waiting
        if len(waiting) == 1 and type(waiting[0]) is bytes:  # as nearly always
            self.waiting_frames = self.frame_bytes = 0
            return [cast("bytes", waiting.popleft())]
        taken: list[bytes] = []
        size = 0
        while waiting and size < budget:
            entry = waiting.popleft()
            if isinstance(entry, bytes):
                self.waiting_frames -= 1
                self.frame_bytes -= len(entry)
                text = entry
            else:
                entry.leave()
                if not entry.wanted:
                    continue
                text = self._write(entry)
            taken.append(text)
            size += len(text)
        return taken

    def _write(self, parcel: Parcel) -> bytes:
        text = encode(parcel.write())
        if self.longest and len(text) > self.longest:
            self.close(parcel.owner)
            problem = f"a frame of {len(text)} bytes, where the other side takes {self.longest}"
            return encode(Ended(parcel.owner.id, ErrorEnvelope("too_large", problem)))
        return text

    def _sweep(self) -> None:
        """Forget what is not wanted any more, so that a slow reader's churn does not pile up."""
        kept: deque[bytes | Parcel] = deque()
        for entry in self.waiting:
            if isinstance(entry, bytes) or entry.wanted:
                kept.append(entry)
            elif not entry.dropped:
                entry.leave()
        self.waiting = kept
        self._parcels_when_swept = len(kept) - self.waiting_frames
