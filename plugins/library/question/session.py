"""The session facet: it owns the questions that wait for an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.question_dialog import QUESTION_DIALOG

if TYPE_CHECKING:
    from pi_contracts.runtime import SessionFacet


def facet(facet: SessionFacet) -> None:
    """Own the dialogs; the agent's tool opens one for each of its questions."""
    facet.provide_keyed(QUESTION_DIALOG)
