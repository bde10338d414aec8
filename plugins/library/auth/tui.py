"""The tui facet: which providers are signed in to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.library.services.accounts import ACCOUNTS
from pi_contracts.runtime import ServiceNotImplemented

if TYPE_CHECKING:
    from pi_contracts.plugins.library.services.accounts import AccountsState
    from pi_contracts.runtime import Context, PresentationFacet


def facet(facet: PresentationFacet) -> None:
    """Follow the accounts of the selected session."""
    accounts = facet.session.use(ACCOUNTS)
    facet.own(accounts.state.subscribe(show_accounts))


def show_accounts(state: AccountsState, ctx: Context) -> None:
    """Show which providers have a secret."""
    raise ServiceNotImplemented
