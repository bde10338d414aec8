"""The web facet: a panel of the browser for each open review, and the way to open one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.diff_review import DIFF_REVIEW
from pi_contracts.plugins.library.services.diff_review_manager import DIFF_REVIEW_MANAGER
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.diff_review import DiffReview
    from pi_contracts.runtime import Context, Instance, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Open reviews of the selected session, and follow those that are open."""
    facet.session.use(DIFF_REVIEW_MANAGER)
    facet.own(facet.session.observe(DIFF_REVIEW, show_review))


async def show_review(review: Instance[DiffReview], ctx: Context) -> None:
    """Show one review until it is submitted."""
    raise ServiceNotImplemented
