from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts import runtime
from pi_contracts.plugins.ledger import Ledger
from pi_contracts.plugins.recording import make_context

if TYPE_CHECKING:
    from pi_contracts.runtime import PresentationFacet, ServerFacet, SessionFacet

ANY_FACET = {"observe", "on_activate", "on_dispose", "own", "provide", "provide_keyed", "use"}


def list_members(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


@pytest.mark.parametrize(
    ("protocol", "members"),
    [
        (runtime.Namespace, {"observe", "use"}),
        (runtime.KeyedProvider, {"spawn"}),
        (runtime.Facet, ANY_FACET),
        (runtime.ServerFacet, ANY_FACET),
        (runtime.SessionFacet, ANY_FACET | {"server"}),
        (runtime.PresentationFacet, ANY_FACET | {"server", "session"}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_each_kind_of_host_offers_what_its_interface_says(
    protocol: type, members: set[str]
) -> None:
    assert list_members(protocol) == members


def test_the_contexts_of_a_dry_run_are_what_setups_are_typed_with() -> None:
    """The assignments are what type checkers judge; the members are compared here."""
    server: ServerFacet = make_context(Ledger("a", "server"))
    session: SessionFacet = make_session()
    tui: PresentationFacet = make_presentation()
    for context, protocol in (
        (server, runtime.ServerFacet),
        (session, runtime.SessionFacet),
        (tui, runtime.PresentationFacet),
    ):
        assert list_members(type(context)) == list_members(protocol)


def make_session() -> SessionFacet:
    from pi_contracts.plugins.recording import RecordingSession

    return RecordingSession(Ledger("a", "session"))


def make_presentation() -> PresentationFacet:
    from pi_contracts.plugins.recording import RecordingPresentation

    return RecordingPresentation(Ledger("a", "web"))
