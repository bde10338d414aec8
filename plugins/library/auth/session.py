"""The session facet: the secrets, and a narrow view of them for presentations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.accounts import ACCOUNTS, AccountsProvider
from pi_contracts.runtime import ServiceNotImplemented

from .services import CREDENTIALS

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services import models
    from pi_contracts.runtime import Context, SessionFacet


def facet(facet: SessionFacet) -> None:
    """Provide the secrets to this process, and to others which providers have one."""
    facet.provide(CREDENTIALS, UnwrittenCredentials())
    facet.provide(ACCOUNTS, UnwrittenAccounts(state={"providers": []}))


class UnwrittenAccounts(AccountsProvider):
    """Which providers have a secret, until a session host keeps some."""

    async def remove(self, provider: models.ProviderId, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented


class UnwrittenCredentials:
    """The secrets, until a session host keeps some."""

    async def get(self, provider: str, ctx: Context) -> str | None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented

    async def set(self, provider: str, secret: str | None, ctx: Context) -> None:
        """Raise `ServiceNotImplemented`."""
        raise ServiceNotImplemented
