"""What a connection tells the layer above besides frames."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .messages import (
    Call,
    Cancel,
    Closed,
    ErrorEnvelope,
    Event,
    Failed,
    Granted,
    Hello,
    Result,
    Snapshot,
    Spawned,
    Subscribe,
    Subscribed,
    Unavailable,
    Unsubscribe,
    Update,
    Welcome,
)

Publication: TypeAlias = Subscribed | Snapshot | Update | Event | Spawned | Closed | Unavailable


class Published(NamedTuple):
    """Something arrived for a subscription of ours, named by its handle."""

    handle: Any
    message: Publication


class Gap(NamedTuple):
    """A subscription of ours lost count; it was opened anew, and a snapshot will follow."""

    handle: Any
    error: ErrorEnvelope


class SubscriptionEnded(NamedTuple):
    """A subscription of ours is over, other than by our own wish."""

    handle: Any
    error: ErrorEnvelope


class SubscriberLeft(NamedTuple):
    """A subscription of theirs is over because its reader was too slow."""

    id: int


class ReferenceEnded(NamedTuple):
    """A private reference of theirs is gone: released, or idle for too long."""

    reference: str


class Refused(NamedTuple):
    """A frame was refused, by us or by the other side; for the log."""

    by_us: bool
    error: ErrorEnvelope


class LinkEnded(NamedTuple):
    """The connection is over, other than by our own wish."""

    error: ErrorEnvelope


Happening: TypeAlias = (
    Hello
    | Welcome
    | Call
    | Cancel
    | Result
    | Granted
    | Failed
    | Subscribe
    | Unsubscribe
    | Published
    | Gap
    | SubscriptionEnded
    | SubscriberLeft
    | ReferenceEnded
    | Refused
    | LinkEnded
)
