"""The session facet: it runs the jobs that build the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.index import INDEX, IndexProvider
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services import index, index_job
    from pi_contracts.runtime import Context, SessionFacet


def facet(facet: SessionFacet) -> None:
    """Provide the index."""
    facet.provide(INDEX, UnwrittenIndex())


class UnwrittenIndex(IndexProvider):
    """The index, until a session host has a folder to read."""

    async def start(self, root: index.IndexRoot, ctx: Context) -> index_job.IndexJobProvider:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
