"""The local service that takes a picture of the working tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pi_contracts.runtime import local_service

if TYPE_CHECKING:
    from pi_contracts.runtime import Context, Local


class DiffSource(Protocol):
    """Where patches of the working tree come from."""

    async def snapshot_working_tree(self, ctx: Context) -> str:
        """Return what differs from the head now, as a patch of bounded size."""
        ...


DIFF_SOURCE: Final[Local[DiffSource]] = local_service("diff-source")
