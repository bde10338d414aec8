"""The tui facet: a dialog of the terminal for each open question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.question_dialog import QUESTION_DIALOG
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.question_dialog import QuestionDialog
    from pi_contracts.runtime import Context, Instance, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Ask every open question of the selected session."""
    facet.own(facet.session.observe(QUESTION_DIALOG, ask))


async def ask(dialog: Instance[QuestionDialog], ctx: Context) -> None:
    """Show one question until somebody has answered it, here or elsewhere."""
    raise ServiceNotImplemented
