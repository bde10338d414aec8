"""The server facet: the list of sessions, and the authority over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.session_directory import (
    SESSION_DIRECTORY,
    SessionDirectoryProvider,
)
from pi_contracts.plugins.library.services.session_management import (
    SESSION_MANAGEMENT,
    SessionManagementProvider,
)
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services import session_directory, session_management
    from pi_contracts.runtime import Context, ServerFacet


def facet(facet: ServerFacet) -> None:
    """Provide the list of sessions, and what changes it."""
    facet.provide(
        SESSION_DIRECTORY, SessionDirectoryProvider(state={"revision": 0, "sessions": []})
    )
    facet.provide(SESSION_MANAGEMENT, UnwrittenManagement())


class UnwrittenManagement(SessionManagementProvider):
    """The authority over sessions, until a server host manages some."""

    async def create(
        self, options: session_management.CreateOptions, ctx: Context
    ) -> session_directory.SessionRecordSummary:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def remove(self, session_id: session_directory.SessionId, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def attach(self, session_id: session_directory.SessionId, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def detach(self, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
