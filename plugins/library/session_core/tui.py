"""The tui facet: the conversation on a screen of the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.chat import CHAT
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.chat import ChatOperation, ChatQueue
    from pi_contracts.runtime import Context, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Follow the conversation of the selected session."""
    chat = facet.session.use(CHAT)
    facet.own(chat.operation.subscribe(show_operation))
    facet.own(chat.queue.subscribe(show_queue))


def show_operation(operation: ChatOperation | None, ctx: Context) -> None:
    """Show what holds the session."""
    raise ServiceNotImplemented


def show_queue(queue: ChatQueue, ctx: Context) -> None:
    """Show the messages that wait."""
    raise ServiceNotImplemented
