"""The session facet: it owns the reviews, and keeps them over a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.git.services import DIFF_SOURCE
from pi_contracts.plugins.library.services.diff_review import DIFF_REVIEW
from pi_contracts.plugins.library.services.diff_review_manager import (
    DIFF_REVIEW_MANAGER,
    DiffReviewManagerProvider,
)
from pi_contracts.plugins.library.session_core.services import PROMPT_QUEUE, SESSION_TREE
from pi_contracts.runtime import ServiceNotImplemented

from .services import DIFF_REVIEW_RECORDS

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.diff_review import DiffCommentInput
    from pi_contracts.runtime import Context, JsonObject, SessionFacet


def facet(facet: SessionFacet) -> None:
    """Own the open reviews, which are opened again from their records at activation."""
    facet.use(SESSION_TREE)
    facet.provide(DIFF_REVIEW_RECORDS, UnwrittenRecords())
    facet.provide_keyed(DIFF_REVIEW)
    facet.use(DIFF_SOURCE)
    facet.use(DIFF_REVIEW_RECORDS)
    facet.use(PROMPT_QUEUE)
    facet.provide(DIFF_REVIEW_MANAGER, UnwrittenManager())


class UnwrittenManager(DiffReviewManagerProvider):
    """Opens reviews, once a session host has a working tree."""

    async def create_review(self, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented


class UnwrittenRecords:
    """The records, until a session host stores them."""

    async def list_pending(self, ctx: Context) -> list[JsonObject]:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def create(self, patch: str, ctx: Context) -> JsonObject:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def add_comment(
        self, review_id: str, comment: DiffCommentInput, ctx: Context
    ) -> JsonObject:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def freeze_for_submission(self, review_id: str, ctx: Context) -> JsonObject:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def complete(self, review_id: str, submission_id: str, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
