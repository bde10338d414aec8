"""The tui facet: the branch and the changes in the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.git import GIT
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.git import GitStatus
    from pi_contracts.runtime import Context, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Follow the working tree of the selected session."""
    git = facet.session.use(GIT)
    facet.own(git.status.subscribe(show_status))


def show_status(status: GitStatus | None, ctx: Context) -> None:
    """Show what is checked out, and how much differs from it."""
    raise ServiceNotImplemented
