"""What the log has of refused frames: little, whatever a peer sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .errors import clip
from .failures import LOGGER

if TYPE_CHECKING:
    from .protocol import Refused

_MOST: Final = 100
_LONGEST: Final = 300


class RefusalLog:
    """Logs the first refusals of one connection, each in one short line."""

    def __init__(self) -> None:
        self._count = 0

    def take(self, refused: Refused) -> None:
        """Log that a frame was refused, by either side, unless that was often enough."""
        self._count += 1
        if self._count > _MOST:
            return
        by = "this side" if refused.by_us else "the other side"
        LOGGER.warning("a frame was refused by %s: %s", by, clip(refused.error.message, _LONGEST))
        if self._count == _MOST:
            LOGGER.warning("what else is refused on this connection is not logged")
