"""Targets: what a proxy's members go to over a wire, shared by all handles of one process.

A target is a singleton, an instance or a reference at the other side. It holds one
replica of each state and one subscription of each source of events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .calls import make_built_in_error
from .context import BACKGROUND, TRACE, Context
from .delivery import Channel
from .envelopes import read_envelope
from .errors import (
    ContractMismatch,
    ContractViolation,
    Disconnected,
    InvalidJSON,
    ProtocolError,
    ServiceError,
    UnknownMember,
    copy_error,
)
from .exposure import get_kind
from .failures import report
from .freezing import lend
from .members import EventsMember, StateMember
from .parse import parse_payload
from .protocol import Subject
from .protocol.messages import Event
from .replica import ReplicaFeed
from .traces import read_trace

if TYPE_CHECKING:
    from msgspec import Raw, UnsetType

    from .members import Member, Payload
    from .peer import Peer
    from .protocol.happenings import Publication
    from .protocol.messages import ErrorEnvelope, Members, Mode, Snapshot, States, Update
    from .tokens import RemoteToken


class Target:
    """One service, instance or reference at the other side."""

    def __init__(self, token: RemoteToken[Any], mode: Mode, **address: Any) -> None:
        self.token: Final = token
        self.mode: Final[Mode] = mode
        self.address: Final = address
        """The fields of a frame that lead there."""
        self.members: Final[dict[str, Member]] = {member.name: member for member in token.members}
        self.peer: Peer | None = None
        """The connection that leads there now."""
        self.known: Members | None = None
        """The member table of the provider."""
        self.hydrated = False
        """Whether each state is known that the provider has."""
        self.failure: ServiceError | None = None
        """Why nothing works, although there is a connection."""
        self.feeds: Final[dict[str, ReplicaFeed[Any]]] = {
            member.name: ReplicaFeed(member)
            for member in token.members
            if isinstance(member, StateMember)
        }
        self._hubs: dict[str, EventHub] = {}

    def get_peer(self, member: Member) -> Peer:
        """Return the connection to use *member* over, or raise why there is none."""
        if self.failure is not None:
            raise copy_error(self.failure)
        if self.peer is None:
            raise Disconnected
        if self.known is not None and member.name not in self.known:
            raise self.make_missing(member.name)
        return self.peer

    def get_hub(self, member: EventsMember[Any]) -> EventHub:
        """Return what all listeners of a source of events share."""
        hub = self._hubs.get(member.name)
        if hub is None:
            hub = self._hubs[member.name] = EventHub(self, member)
        return hub

    def make_missing(self, name: str) -> UnknownMember:
        """Return the error of a member that the provider does not have."""
        return UnknownMember(f'the provider of "{self.token.id}" has no member "{name}"')

    # What arrives

    def attach(self, peer: Peer) -> None:
        """Use *peer* from now on."""
        self.peer = peer
        self.failure = self.known = None
        self.hydrated = False
        for hub in self._hubs.values():
            hub.attach()

    def detach(self, *, quietly: bool) -> None:
        """Use no connection; *quietly*, listeners get nothing more of what arrived."""
        self.peer = self.known = None
        for hub in self._hubs.values():
            hub.detach(quietly=quietly)
        self.lose()
        if quietly:
            for feed in self.feeds.values():
                feed.channel.drop_waiting()

    def close(self, peer: Peer) -> None:
        """Close the subscriptions of events: *peer* goes on without this target."""
        for hub in self._hubs.values():
            hub.close(peer)

    def fail(self, failure: ServiceError) -> None:
        """Let every use fail."""
        self.failure = failure
        self.known = None
        self.lose(failure)

    def lose(self, failure: ServiceError | None = None) -> None:
        """Take that the states are not known for now, or why they never will be."""
        self.hydrated = False
        for feed in self.feeds.values():
            feed.lose(failure)

    def install(self, known: Members, states: States) -> None:
        """Take the whole of what the provider has; no listener sees a part of it."""
        self.known = known
        values = {
            name: self._load(name, text) for name, text in states.items() if name in self.feeds
        }
        for name, feed in self.feeds.items():
            if name in values:
                feed.store(values[name], BACKGROUND)
            else:
                feed.lose(self.make_missing(name))
        self.hydrated = True
        for name in values:
            self.feeds[name].announce()

    def update(self, message: Update) -> None:
        """Take a value of one state."""
        feed = self.feeds.get(message.member)
        if feed is not None:
            feed.install(self._load(message.member, message.value), make_source(message.trace))

    def _load(self, name: str, text: Raw) -> object:
        member = self.members[name]
        assert isinstance(member, StateMember)  # noqa: S101 - narrows the type
        return load_value(member.value, text, 'the state "', name, '"')


class EventHub:
    """One source of events over there, and its listeners here."""

    def __init__(self, target: Target, member: EventsMember[Any]) -> None:
        self._target = target
        self._member = member
        self.channel: Final[Channel[Any]] = Channel(f'the events "{member.name}"', coalesces=False)
        self.channel.on_demand = self._take_demand
        self._peer: Peer | None = None
        self._since = 0
        """The id of the subscription; what comes under lower ones is late."""

    def attach(self) -> None:
        """Subscribe, if anybody listens."""
        if self.channel.wanted:
            self._open()

    def detach(self, *, quietly: bool) -> None:
        """Take that there is no connection any more."""
        self._peer = None
        if quietly:
            self.channel.drop_waiting()

    def close(self, peer: Peer) -> None:
        """Close the subscription at *peer*; listeners wait for another one."""
        if self._peer is peer:
            self._peer = None
            peer.unsubscribe(self)

    def take(self, message: Publication) -> None:
        """Deliver an event."""
        if isinstance(message, Event) and self._peer is not None and message.id >= self._since:
            try:
                value = load_value(self._member.payload, message.value, self.channel.name)
            except (ContractViolation, InvalidJSON) as error:
                report(f'an event of "{self._member.name}" cannot be read', error)
            else:
                self.channel.publish(value, make_source(message.trace))

    def take_gap(self, error: ErrorEnvelope) -> None:
        """Report that events were lost; later ones arrive."""
        report(f"events of {self.channel.name} were lost", make_failure(error))

    def take_end(self, error: ErrorEnvelope) -> None:
        """End every listener's subscription, and report why, unless they have left already."""
        if self._peer is None:
            return
        self._peer = None
        failure = make_failure(error)
        self.channel.end(failure)
        report(f"the subscription of {self.channel.name} has ended", failure)

    def _take_demand(self, wanted: bool) -> None:  # noqa: FBT001 - called by a channel
        if wanted and self._peer is None:
            self._open()
        elif not wanted and self._peer is not None:
            peer, self._peer = self._peer, None
            peer.unsubscribe(self)

    def _open(self) -> None:
        target = self._target
        if target.peer is not None and target.failure is None:
            self._peer = target.peer
            self._since = self._peer.subscribe(
                self, Subject.EVENTS, target, member=self._member.name
            )


def find_mismatch(target: Target, message: Snapshot) -> ContractMismatch | None:
    """Return what stands between the contract of the provider and ours."""
    token = target.token
    if message.digest == token.digest:
        return None
    if message.version != token.version:
        return ContractMismatch(
            f'"{token.id}" is provided in version {message.version},'
            f" and used in version {token.version}"
        )
    for member in token.members:
        theirs, ours = message.members.get(member.name), get_kind(member)
        if theirs is not None and theirs != ours:
            return ContractMismatch(
                f'"{token.id}.{member.name}" is provided as {theirs}, and used as {ours}'
            )
    return None


def make_failure(error: ErrorEnvelope) -> ServiceError:
    """Return an error of the other side as it is raised here."""
    return make_built_in_error(read_envelope(error))


def make_source(trace: Raw | UnsetType) -> Context:
    """Return the Context that a delivery's Context is made from."""
    carrier = read_trace(trace)
    return BACKGROUND if carrier is None else BACKGROUND.with_value(TRACE, carrier)


def load_value(payload: Payload[Any], text: Raw, *place: str) -> object:
    """Return a value of a state or an event.

    Raises `InvalidJSON`, or `ContractViolation` for what the contract does not allow.
    """
    value = parse_payload(bytes(text))
    payload.check_json(value, *place)
    return lend(payload.load(value))


def make_unreadable(name: str, error: Exception) -> ProtocolError:
    """Return the error of a value that cannot be read."""
    return ProtocolError(f'the state "{name}" cannot be read: {error}')
