"""The tui facet: the picker of models in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.models import MODELS
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.models import ModelsState
    from pi_contracts.runtime import Context, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Follow what can be selected in the selected session, and what is."""
    models = facet.session.use(MODELS)
    facet.own(models.state.subscribe(show_models))


def show_models(state: ModelsState, ctx: Context) -> None:
    """Show the selected model and the thinking level."""
    raise ServiceNotImplemented
