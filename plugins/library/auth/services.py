"""The local service that keeps secrets; nothing of it leaves the session's process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pi_contracts.runtime import local_service

if TYPE_CHECKING:
    from pi_contracts.runtime import Context, Local


class Credentials(Protocol):
    """Secrets of providers, by the provider's name."""

    async def get(self, provider: str, ctx: Context) -> str | None:
        """Return a secret, None if there is none."""
        ...

    async def set(self, provider: str, secret: str | None, ctx: Context) -> None:
        """Keep a secret; None forgets it."""
        ...


CREDENTIALS: Final[Local[Credentials]] = local_service("credentials")
