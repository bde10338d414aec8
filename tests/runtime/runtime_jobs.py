"""An object that private references lead to, and that counts how often it was given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_contracts.runtime import generated as rt


class Job:
    """What tells how often the last reference to it was given up."""

    def __init__(self, sample: Any) -> None:
        self.progress = sample.Download(progress=0).progress
        self.released = 0

    async def wait(self, ctx: rt.Context) -> int:
        del ctx
        return 7

    def on_release(self) -> None:
        self.released += 1
