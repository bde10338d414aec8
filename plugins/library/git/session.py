"""The session facet: it watches the working tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.git import GIT, GitProvider
from pi_contracts.runtime import ServiceNotImplemented

from .services import DIFF_SOURCE

if TYPE_CHECKING:
    from pi_contracts.runtime import Context, SessionFacet


def facet(facet: SessionFacet) -> None:
    """Provide the state of the working tree, and patches of it to this process."""
    facet.provide(GIT, UnwrittenGit(status=None))
    facet.provide(DIFF_SOURCE, UnwrittenDiffSource())


class UnwrittenGit(GitProvider):
    """The working tree, until a session host has one."""

    async def refresh(self, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented


class UnwrittenDiffSource:
    """Patches of the working tree, until a session host has one."""

    async def snapshot_working_tree(self, ctx: Context) -> str:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
