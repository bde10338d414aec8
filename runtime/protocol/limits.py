"""Every bound of a connection, in one place, with its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .messages import SMALLEST_FRAME

UNREAD: Final = 1024
"""How many refusals may wait for a peer that does not read, beside its answers."""

STRANGER: Final = 64 * 1024
"""The most bytes of a text before the handshake is done, from anybody who can connect."""

MOST_REFUSED: Final = 1024
"""How many texts in a row may be no frames: whoever sends more speaks something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one end of a connection takes, waits for and keeps; times are seconds."""

    frame: int = 4 * 1024 * 1024
    """The most bytes of one frame's text; announced to the other side."""
    calls: int = 1024
    """How many calls of the other side may be outstanding; announced."""
    subscriptions: int = 16_384
    """How many subscriptions the other side may hold; announced."""
    references: int = 4096
    """How many private references the other side may hold."""
    instances: int = 65_536
    """How many live instances of one keyed service are followed."""
    waiting_events: int = 1024
    """How many events may wait for a slow reader before their subscription ends."""
    waiting_bytes: int = 16 * 1024 * 1024
    """How many bytes of events may wait on the whole connection."""
    unread_bytes: int = 64 * 1024 * 1024
    """How many bytes of answers may wait for a peer that sends and does not read."""
    argument_bytes: int = 128 * 1024 * 1024
    """How many bytes the arguments of outstanding calls of the other side may have."""
    batch: int = 64 * 1024
    """About how many bytes are handed to the transport at once."""
    handshake: float = 10.0
    """How long the handshake may take."""
    ping_interval: float = 15.0
    """After how long a silence the other side is asked for a sign of life."""
    ping_timeout: float = 10.0
    """How long it may take to give one."""
    reference_lease: float = 600.0
    """How long a private reference lives without a call or a subscription."""
    closing: float = 2.0
    """How long unsent frames may take to leave when the connection closes."""

    def __post_init__(self) -> None:
        """Refuse what no other side would take for a limit."""
        if self.frame < SMALLEST_FRAME:
            raise ValueError(
                f'expected a limit "frame" of at least {SMALLEST_FRAME} bytes, found {self.frame}'
            )
