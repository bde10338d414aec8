"""The frames of the wire, one class each; payloads stay as raw text.

What a frame means stands in ``docs/wire.md``; who may send which when in ``states.py``.
An optional field that is left out is ``UNSET``, empty or 0.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

SMALLEST_FRAME: Final = 1024
"""How many bytes of a frame everybody takes at least."""

LARGEST: Final = 2**53 - 1
"""The greatest number in a frame: every reader of JSON takes it as it is."""

Id: TypeAlias = Annotated[int, Meta(ge=1, le=LARGEST)]
"""Names a call or a subscription among those of its sender; rises."""
Count: TypeAlias = Annotated[int, Meta(ge=1, le=LARGEST)]
Whole: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]
Size: TypeAlias = Annotated[int, Meta(ge=SMALLEST_FRAME, le=LARGEST)]
Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Handle: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]
"""The name of a private reference; whoever holds it can always send it back."""
Kind: TypeAlias = Literal["method", "state", "events"]
Mode: TypeAlias = Literal["singleton", "keyed", "reference"]
Members: TypeAlias = dict[str, Kind]
States: TypeAlias = dict[str, Raw]


class Message(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False
):
    """Any frame; frames make no rings, so the garbage collector need not look at them."""


class ErrorEnvelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An error as it crosses: a stable code, a text for people, and perhaps data."""

    code: Name
    message: str
    data: Raw | UnsetType = UNSET


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the sender takes: bytes of a frame, outstanding calls, subscriptions."""

    frame: Size
    calls: Count
    subscriptions: Count


class Hello(Message, frozen=True, tag_field="type", tag="hello"):
    """The connecting side begins: which versions it speaks, and who it is."""

    versions: list[Whole]
    bounds: Bounds
    credential: str | UnsetType = UNSET


class Welcome(Message, frozen=True, tag_field="type", tag="welcome"):
    """The accepting side agrees, and the link is open."""

    version: Whole
    bounds: Bounds


class Goodbye(Message, frozen=True, tag_field="type", tag="goodbye"):
    """The last frame of its sender, and why; without an error it is just leaving."""

    error: ErrorEnvelope | UnsetType = UNSET


class Fault(Message, frozen=True, tag_field="type", tag="fault"):
    """A frame of the other side was refused, and nothing else has happened.

    ``call`` is there where it was a call that is not outstanding under its id: that call
    has failed with this.
    """

    error: ErrorEnvelope
    call: Id | UnsetType = UNSET


class Ping(Message, frozen=True, tag_field="type", tag="ping"):
    """Asks for a sign of life."""


class Pong(Message, frozen=True, tag_field="type", tag="pong"):
    """Gives one."""


class Call(Message, frozen=True, tag_field="type", tag="call"):
    """Call a method of a service, an instance or a reference."""

    id: Id
    member: Name
    arguments: Raw
    scope: str = ""
    binding: Whole = 0
    service: str = ""
    key: Name | UnsetType = UNSET
    generation: Whole = 0
    reference: str = ""
    trace: Raw | UnsetType = UNSET


class Cancel(Message, frozen=True, tag_field="type", tag="cancel"):
    """Whoever made the call does not want its answer any more."""

    id: Id


class Result(Message, frozen=True, tag_field="type", tag="result"):
    """A call went well; ``result`` is left out where the method has none."""

    id: Id
    result: Raw | UnsetType = UNSET


class Granted(Message, frozen=True, tag_field="type", tag="granted"):
    """A call went well, and its result is a private reference."""

    id: Id
    reference: Handle
    service: Name


class Failed(Message, frozen=True, tag_field="type", tag="failed"):
    """A call failed."""

    id: Id
    error: ErrorEnvelope


class Subscribe(Message, frozen=True, tag_field="type", tag="subscribe"):
    """Follow a service, an instance's events or a reference.

    Without ``member`` it is the service itself, with its states and instances; with
    it, that source of events.
    """

    id: Id
    mode: Mode
    version: Whole
    digest: str
    scope: str = ""
    binding: Whole = 0
    service: str = ""
    key: Name | UnsetType = UNSET
    generation: Whole = 0
    reference: str = ""
    member: str = ""


class Unsubscribe(Message, frozen=True, tag_field="type", tag="unsubscribe"):
    """End a subscription of one's own."""

    id: Id


class Subscribed(Message, frozen=True, tag_field="type", tag="subscribed"):
    """Events flow from here on."""

    id: Id


class Live(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One live instance in a snapshot."""

    key: Name
    generation: Count
    states: States


class Snapshot(Message, frozen=True, tag_field="type", tag="snapshot"):
    """All that a subscription builds on; numbers count from here."""

    id: Id
    version: Whole
    digest: str
    members: Members
    states: States | UnsetType = UNSET
    instances: list[Live] | UnsetType = UNSET


class Update(Message, frozen=True, tag_field="type", tag="update"):
    """A state has another value."""

    id: Id
    number: Count
    member: Name
    value: Raw
    key: Name | UnsetType = UNSET
    generation: Whole = 0
    trace: Raw | UnsetType = UNSET


class Event(Message, frozen=True, tag_field="type", tag="event"):
    """Something has happened."""

    id: Id
    number: Count
    value: Raw
    trace: Raw | UnsetType = UNSET


class Spawned(Message, frozen=True, tag_field="type", tag="spawned"):
    """An instance appears, with the first value of each of its states."""

    id: Id
    number: Count
    key: Name
    generation: Count
    states: States


class Closed(Message, frozen=True, tag_field="type", tag="closed"):
    """An instance is gone."""

    id: Id
    number: Count
    key: Name
    generation: Count


class Unavailable(Message, frozen=True, tag_field="type", tag="unavailable"):
    """Nobody provides the service now; the subscription stays, and may get a snapshot."""

    id: Id


class Ended(Message, frozen=True, tag_field="type", tag="ended"):
    """The provider's side ends a subscription."""

    id: Id
    error: ErrorEnvelope


class Release(Message, frozen=True, tag_field="type", tag="release"):
    """A private reference that was received ``count`` times is given up."""

    reference: Handle
    count: Count


MESSAGES: Final = (
    Hello,
    Welcome,
    Goodbye,
    Fault,
    Ping,
    Pong,
    Call,
    Cancel,
    Result,
    Granted,
    Failed,
    Subscribe,
    Unsubscribe,
    Subscribed,
    Snapshot,
    Update,
    Event,
    Spawned,
    Closed,
    Unavailable,
    Ended,
    Release,
)
"""Every kind of frame."""

AnyMessage: TypeAlias = (
    Hello
    | Welcome
    | Goodbye
    | Fault
    | Ping
    | Pong
    | Call
    | Cancel
    | Result
    | Granted
    | Failed
    | Subscribe
    | Unsubscribe
    | Subscribed
    | Snapshot
    | Update
    | Event
    | Spawned
    | Closed
    | Unavailable
    | Ended
    | Release
)


def get_tag(kind: type[Message]) -> str:
    """Return the ``type`` of a kind of frame, as it stands on the wire."""
    return str(kind.__struct_config__.tag)
