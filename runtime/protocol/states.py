"""Every transition, as tables: role -> state -> frame received -> state.

A missing row is a fault of the peer, or, in the tables of what we send, of ours.
"""

from __future__ import annotations

import enum
from typing import Final, TypeAlias

from .messages import (
    MESSAGES,
    Closed,
    Ended,
    Event,
    Failed,
    Fault,
    Goodbye,
    Granted,
    Hello,
    Message,
    Result,
    Snapshot,
    Spawned,
    Subscribed,
    Unavailable,
    Update,
    Welcome,
)


class Role(enum.Enum):
    """Who connected and who accepted; after the handshake both may do the same."""

    CLIENT = "client"
    SERVER = "server"


class State(enum.Enum):
    """How far a connection is."""

    CONNECTING = "connecting"
    """The client's hello is still to come, or to be sent."""
    GREETING = "greeting"
    """The hello was given; the server decides."""
    OPEN = "open"
    ENDED = "ended"


Row: TypeAlias = dict[type[Message], State]

_ANY_TIME: Final[Row] = {
    kind: State.OPEN for kind in MESSAGES if kind not in {Hello, Welcome, Goodbye}
}
_LEAVING: Final[Row] = {Goodbye: State.ENDED}

RECEIVED: Final[dict[Role, dict[State, Row]]] = {
    Role.CLIENT: {
        State.CONNECTING: {},
        State.GREETING: {Welcome: State.OPEN, Fault: State.GREETING, **_LEAVING},
        State.OPEN: {**_ANY_TIME, **_LEAVING},
        State.ENDED: {},
    },
    Role.SERVER: {
        State.CONNECTING: {Hello: State.GREETING, Fault: State.CONNECTING, **_LEAVING},
        State.GREETING: {Fault: State.GREETING, **_LEAVING},
        State.OPEN: {**_ANY_TIME, **_LEAVING},
        State.ENDED: {},
    },
}
"""What may arrive; a fault is never answered by another."""

SENT: Final[dict[Role, dict[State, Row]]] = {
    Role.CLIENT: {
        State.CONNECTING: {Hello: State.GREETING, **_LEAVING},
        State.GREETING: {Fault: State.GREETING, **_LEAVING},
        State.OPEN: {**_ANY_TIME, **_LEAVING},
        State.ENDED: {},
    },
    Role.SERVER: {
        State.CONNECTING: {Fault: State.CONNECTING, **_LEAVING},
        State.GREETING: {Welcome: State.OPEN, Fault: State.GREETING, **_LEAVING},
        State.OPEN: {**_ANY_TIME, **_LEAVING},
        State.ENDED: {},
    },
}
"""What may be sent."""


class Subject(enum.Enum):
    """What a subscription follows."""

    SERVICE = "service"
    """A singleton or a reference: one set of states."""
    INSTANCES = "instances"
    """A keyed service: its live instances."""
    EVENTS = "events"
    """One source of events."""


class Phase(enum.Enum):
    """How far a subscription is, at its consumer."""

    OPENING = "opening"
    """Nothing has come yet."""
    REOPENING = "reopening"
    """Nothing has come yet, and it replaces one that lost count."""
    WAITING = "waiting"
    """Nobody provides the service."""
    ACTIVE = "active"
    OVER = "over"


PhaseRow: TypeAlias = dict[type[Message], Phase]

_NO_SNAPSHOT: Final[PhaseRow] = {
    Snapshot: Phase.ACTIVE,
    Unavailable: Phase.WAITING,
    Ended: Phase.OVER,
}
_NO_ANSWER: Final[PhaseRow] = {
    Subscribed: Phase.ACTIVE,
    Unavailable: Phase.WAITING,
    Ended: Phase.OVER,
}

PUBLISHED: Final[dict[Subject, dict[Phase, PhaseRow]]] = {
    Subject.SERVICE: {
        Phase.OPENING: _NO_SNAPSHOT,
        Phase.REOPENING: _NO_SNAPSHOT,
        Phase.WAITING: _NO_SNAPSHOT,
        Phase.ACTIVE: {**_NO_SNAPSHOT, Update: Phase.ACTIVE},
        Phase.OVER: {},
    },
    Subject.INSTANCES: {
        Phase.OPENING: _NO_SNAPSHOT,
        Phase.REOPENING: _NO_SNAPSHOT,
        Phase.WAITING: _NO_SNAPSHOT,
        Phase.ACTIVE: {
            **_NO_SNAPSHOT,
            Update: Phase.ACTIVE,
            Spawned: Phase.ACTIVE,
            Closed: Phase.ACTIVE,
        },
        Phase.OVER: {},
    },
    Subject.EVENTS: {
        Phase.OPENING: _NO_ANSWER,
        Phase.REOPENING: _NO_ANSWER,
        Phase.WAITING: _NO_ANSWER,
        Phase.ACTIVE: {**_NO_ANSWER, Event: Phase.ACTIVE},
        Phase.OVER: {},
    },
}
"""What may be published to a subscription, and what it is then."""

NUMBERED: Final = (Update, Event, Spawned, Closed)
"""The frames that count, from the snapshot or the answer on."""

ANSWERS: Final = (Result, Granted, Failed)
"""The frames that end a call."""

PUBLICATIONS: Final = (Subscribed, Snapshot, *NUMBERED, Unavailable, Ended)
"""The frames that a provider's side sends to a subscription."""
