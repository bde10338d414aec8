"""The session facet: it owns the models and what is selected of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.auth.services import CREDENTIALS
from pi_contracts.plugins.library.services.models import MODELS, ModelsProvider
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services import models
    from pi_contracts.runtime import Context, SessionFacet


def facet(facet: SessionFacet) -> None:
    """Provide the models, of which none is known before the providers were asked."""
    facet.use(CREDENTIALS)
    facet.provide(
        MODELS,
        UnwrittenModels(
            state={
                "catalog": {"revision": 0, "availableModels": []},
                "configuration": {"model": None, "thinkingLevel": "off"},
                "refresh": {"status": "idle"},
            }
        ),
    )


class UnwrittenModels(ModelsProvider):
    """The models, until a session host has providers of some."""

    async def cycle_thinking(self, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def refresh(self, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def select(self, model: models.ModelRef, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
