"""The local service that keeps reviews until they are submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pi_contracts.runtime import local_service

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.diff_review import DiffCommentInput
    from pi_contracts.runtime import Context, JsonObject, Local


class DiffReviewRecords(Protocol):
    """Records of open reviews; the changes of one review happen one after another."""

    async def list_pending(self, ctx: Context) -> list[JsonObject]:
        """Return every review that is not complete."""
        ...

    async def create(self, patch: str, ctx: Context) -> JsonObject:
        """Store a new review of *patch*, and return it."""
        ...

    async def add_comment(
        self, review_id: str, comment: DiffCommentInput, ctx: Context
    ) -> JsonObject:
        """Store a comment of the caller's, once, and return the review's new revision."""
        ...

    async def freeze_for_submission(self, review_id: str, ctx: Context) -> JsonObject:
        """Accept no more comments, and return what is submitted; a second time, the same."""
        ...

    async def complete(self, review_id: str, submission_id: str, ctx: Context) -> None:
        """Forget a review whose prompt was accepted."""
        ...


DIFF_REVIEW_RECORDS: Final[Local[DiffReviewRecords]] = local_service("diff-review-records")
