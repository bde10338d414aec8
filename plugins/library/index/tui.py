"""The tui facet: starting an index, and its progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.index import INDEX

if TYPE_CHECKING:
    from pi_contracts.runtime import PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Start jobs in the selected session; who starts one gets a reference to it."""
    facet.session.use(INDEX)
