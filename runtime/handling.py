"""Interfaces of what takes frames from a peer: requests, and what subscriptions bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from .protocol.messages import ErrorEnvelope

if TYPE_CHECKING:
    from .peer import Peer
    from .protocol.happenings import Publication
    from .protocol.messages import Call, Subscribe


class Follower(Protocol):
    """Takes what is published to one subscription."""

    def take(self, message: Publication, /) -> None:
        """Take a publication."""
        ...

    def take_gap(self, error: ErrorEnvelope, /) -> None:
        """Take that something was lost; a snapshot will follow."""
        ...

    def take_end(self, error: ErrorEnvelope, /) -> None:
        """Take the end, which the other side or a second gap has made."""
        ...


class Handler(Protocol):
    """Takes what the other side asks for."""

    def take_call(self, message: Call, /) -> None:
        """Take a call that was admitted."""
        ...

    def take_cancel(self, call_id: int, /) -> None:
        """Take that a call, which is answered already, is not wanted any more."""
        ...

    def take_subscribe(self, message: Subscribe, /) -> None:
        """Take a subscription that was admitted."""
        ...

    def take_unsubscribe(self, subscription_id: int, /) -> None:
        """Take that a subscription is over."""
        ...

    def take_reference_end(self, reference: str, /) -> None:
        """Take that a private reference is over."""
        ...

    def end(self) -> None:
        """End everything: the link is gone."""
        ...


class Handlers(Protocol):
    """Makes the handler of each peer; a registry is one."""

    def serve(self, peer: Peer, /) -> Handler:
        """Return what takes the requests of *peer*, whose link is about to open."""
        ...


class NoHandler:
    """Answers for a process that provides nothing."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def take_call(self, message: Call) -> None:
        """Refuse it."""
        self._peer.connection.served.fail(message.id, _NOTHING_PROVIDED)
        self._peer.flush_answer()

    def take_cancel(self, call_id: int) -> None:
        """Do nothing: no call is ever outstanding."""

    def take_subscribe(self, message: Subscribe) -> None:
        """Refuse it."""
        self._peer.connection.served.end_subscription(message.id, _NOTHING_PROVIDED)
        self._peer.flush_answer()

    def take_unsubscribe(self, subscription_id: int) -> None:
        """Do nothing: no subscription is ever open."""

    def take_reference_end(self, reference: str) -> None:
        """Do nothing: no reference is ever given."""

    def end(self) -> None:
        """Do nothing."""


_NOTHING_PROVIDED: Final = ErrorEnvelope("service_not_allowed", "this side provides no service")
