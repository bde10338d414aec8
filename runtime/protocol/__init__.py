"""The protocol without I/O: what two processes say to each other, and when they may."""

from __future__ import annotations

from .connection import Connection
from .faults import FrameTooLarge, LocalProtocolError
from .framing import Framing
from .happenings import (
    Gap,
    Happening,
    LinkEnded,
    Published,
    ReferenceEnded,
    Refused,
    SubscriberLeft,
    SubscriptionEnded,
)
from .limits import Limits
from .states import Phase, Role, State, Subject
from .versions import VERSIONS

__all__ = (
    "VERSIONS",
    "Connection",
    "FrameTooLarge",
    "Framing",
    "Gap",
    "Happening",
    "Limits",
    "LinkEnded",
    "LocalProtocolError",
    "Phase",
    "Published",
    "ReferenceEnded",
    "Refused",
    "Role",
    "State",
    "Subject",
    "SubscriberLeft",
    "SubscriptionEnded",
)
