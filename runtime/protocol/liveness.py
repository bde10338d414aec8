"""Signs of life: when the other side was heard last, and when it is asked or given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .limits import Limits


class Liveness:
    """The times of one connection; only whole frames count."""

    __slots__ = ("_limits", "heard", "pinged")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.heard = 0.0
        """When a whole frame came last, or the connection began."""
        self.pinged: float | None = None
        """When a sign of life was asked for that has not come."""

    def hear(self, now: float) -> None:
        """Note that whole frames have come."""
        self.heard = now
        self.pinged = None

    @property
    def next_deadline(self) -> float:
        """When something is due if nothing is heard until then."""
        if self.pinged is not None:
            return self.pinged + self._limits.ping_timeout
        return self.heard + self._limits.ping_interval

    def measure_silence(self, now: float) -> float | None:
        """Return how long nothing was heard, if that is too long."""
        if self.pinged is None or now < self.pinged + self._limits.ping_timeout:
            return None
        return now - self.heard

    def take_ping(self, now: float) -> bool:
        """Tell whether a sign of life is to be asked for now, and note that it is."""
        if self.pinged is not None or now < self.heard + self._limits.ping_interval:
            return False
        self.pinged = now
        return True
