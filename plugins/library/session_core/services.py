"""Local services of a session that more than one plugin uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pi_contracts.runtime import local_service

if TYPE_CHECKING:
    from pi_contracts.runtime import Context, JsonValue, Local


class SessionTree(Protocol):
    """Durable values of one session, each plugin in a namespace of its own."""

    async def get_value(self, namespace: str, key: str, ctx: Context) -> JsonValue:
        """Return a value, None if there is none."""
        ...

    async def set_value(self, namespace: str, key: str, value: JsonValue, ctx: Context) -> None:
        """Store a value; None removes it."""
        ...


class PromptQueue(Protocol):
    """Prompts that are on their way to the agent."""

    async def enqueue_once(self, submission_id: str, prompt: str, ctx: Context) -> None:
        """Return once a prompt is stored for good; the same id a second time does nothing."""
        ...


SESSION_TREE: Final[Local[SessionTree]] = local_service("session-tree")
PROMPT_QUEUE: Final[Local[PromptQueue]] = local_service("prompt-queue")
