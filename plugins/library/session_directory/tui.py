"""The tui facet: the picker of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.session_directory import SESSION_DIRECTORY
from pi_contracts.plugins.library.services.session_management import SESSION_MANAGEMENT
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.session_directory import SessionDirectoryState
    from pi_contracts.runtime import Context, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Follow the sessions of the connected server, and select one."""
    directory = facet.server.use(SESSION_DIRECTORY)
    facet.server.use(SESSION_MANAGEMENT)
    facet.own(directory.state.subscribe(show_sessions))


def show_sessions(state: SessionDirectoryState, ctx: Context) -> None:
    """Show the sessions that can be selected."""
    raise ServiceNotImplemented
