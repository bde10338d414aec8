"""The session facet: the conversation, and the durable values behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.chat import CHAT, ChatProvider
from pi_contracts.runtime import UNSET, ServiceNotImplemented

from .services import PROMPT_QUEUE, SESSION_TREE

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services import chat
    from pi_contracts.runtime import Context, JsonValue, SessionFacet, Unset


def facet(facet: SessionFacet) -> None:
    """Provide the conversation and what other plugins of the session build on."""
    facet.provide(SESSION_TREE, UnwrittenTree())
    facet.provide(PROMPT_QUEUE, UnwrittenQueue())
    facet.provide(CHAT, UnwrittenChat(operation=None, queue={"revision": 0, "items": []}))


class UnwrittenChat(ChatProvider):
    """The conversation, until a session host gives it an agent."""

    async def prompt(self, request: chat.PromptRequest, ctx: Context) -> chat.OperationResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def request_abort(self, operation_id: chat.OperationId, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def steer(self, request: chat.ContinuationRequest, ctx: Context) -> chat.QueueResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def follow_up(
        self, request: chat.ContinuationRequest, ctx: Context
    ) -> chat.QueueResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def next_run(self, request: chat.PromptRequest, ctx: Context) -> chat.QueueResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def cancel_queued(
        self, queue_item_id: chat.QueueItemId, ctx: Context
    ) -> chat.QueueCancellation:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def resume(self, operation_id: chat.OperationId, ctx: Context) -> chat.OperationResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def compact(
        self, ctx: Context, *, instructions: str | Unset = UNSET
    ) -> chat.OperationResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def list_entries(
        self, ctx: Context, *, cursor: chat.Cursor | Unset = UNSET, limit: int | Unset = UNSET
    ) -> chat.EntryPage:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def navigate(
        self, request: chat.NavigateRequest, ctx: Context
    ) -> chat.NavigationResponse:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented


class UnwrittenTree:
    """The durable values, until a session host stores them."""

    async def get_value(self, namespace: str, key: str, ctx: Context) -> JsonValue:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def set_value(self, namespace: str, key: str, value: JsonValue, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented


class UnwrittenQueue:
    """The prompts on their way, until a session host has an agent to give them to."""

    async def enqueue_once(self, submission_id: str, prompt: str, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
