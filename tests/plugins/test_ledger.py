from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from pi_contracts.plugins.facets import ContractVersion
from pi_contracts.plugins.ledger import (
    LateAcquisition,
    Ledger,
    MixedModes,
    WrongToken,
    find_call_site,
)
from pi_contracts.runtime import Keyed, Local, Referenced, Singleton, local_service


def make_token(kind: type[Any], service: str = "models", digest: str = "sha256:1") -> Any:
    return kind(id=service, version=2, digest=digest, members=(), proxy=object)


MODELS = make_token(Singleton)
DIALOGS = make_token(Keyed, "dialogs")
JOB = make_token(Referenced, "job")
STORE: Local[object] = local_service("store")


def test_a_setup_call_is_recorded_with_scope_mode_contract_and_place() -> None:
    """PLN-4: the owner provides or requires scope, service and mode."""
    ledger = Ledger("@pi/a", "session")
    ledger.require("server", MODELS, "singleton", "facet.server.use")
    ledger.provide(DIALOGS, "keyed", "facet.provide_keyed")
    ledger.provide(STORE, "singleton", "facet.provide")
    assert [(d.scope, d.service, d.mode) for d in ledger.requires] == [
        ("server", "models", "singleton")
    ]
    assert [(d.scope, d.service, d.mode) for d in ledger.provides] == [
        ("session", "dialogs", "keyed"),
        ("local", "store", "singleton"),
    ]
    assert ledger.requires[0].contract == ContractVersion("sha256:1", 2)
    assert ledger.provides[1].contract is UNSET
    at = ledger.requires[0].at
    assert at is not UNSET
    assert (Path(at.path).name, at.line) == ("test_ledger.py", 32)
    assert ledger.tokens == {"models": MODELS, "dialogs": DIALOGS}


def test_a_second_acquisition_in_the_same_mode_is_the_same_requirement() -> None:
    ledger = Ledger("a", "session")
    for _ in range(2):
        ledger.require(None, MODELS, "singleton", "facet.use")
    ledger.require("server", MODELS, "singleton", "facet.server.use")
    assert [(d.scope, d.service) for d in ledger.requires] == [
        ("session", "models"),
        ("server", "models"),
    ]


def test_a_second_provision_is_kept_so_that_the_plan_can_name_both() -> None:
    """PLN-8, FLT-3: the second one does not win silently."""
    ledger = Ledger("a", "session")
    for _ in range(2):
        ledger.provide(MODELS, "singleton", "facet.provide")
    assert len(ledger.provides) == 2


def test_one_service_in_two_modes_is_refused_and_names_the_first_use() -> None:
    """TOK-10, PLN-9."""
    ledger = Ledger("@pi/a", "tui")
    ledger.require("session", MODELS, "singleton", "facet.session.use")
    line = ledger.requires[0].at
    assert line is not UNSET
    other = make_token(Keyed)
    with pytest.raises(MixedModes) as caught:
        ledger.require("session", other, "keyed", "facet.session.observe")
    assert str(caught.value) == (
        '"@pi/a:tui" calls facet.session.observe("models"), but requires "session/models" as '
        f"singleton since {line.path}:{line.line}\na service has one mode"
    )
    assert ledger.violations == [caught.value]


def test_a_call_after_setup_is_refused_and_names_facet_and_call() -> None:
    """SNG-2, PLN-4."""
    ledger = Ledger("@pi/a", "tui")
    ledger.close()
    with pytest.raises(LateAcquisition) as caught:
        ledger.require("session", MODELS, "singleton", "facet.session.use")
    assert str(caught.value).startswith(
        '"@pi/a:tui" calls facet.session.use("models") after its setup has returned\n'
    )
    with pytest.raises(LateAcquisition, match=r"facet\.own\(\)"):
        ledger.check_open("facet.own()")
    assert ledger.requires == []


@pytest.mark.parametrize(
    ("asked", "token", "mode", "says", "fix"),
    [
        (("tui", "session"), DIALOGS, "singleton", "a token of mode keyed", "call observe()"),
        (("tui", "session"), MODELS, "keyed", "a token of mode singleton", "call use()"),
        (
            ("tui", "session"),
            JOB,
            "singleton",
            "a token of mode referenced",
            "returned by a method",
        ),
        (("tui", "session"), STORE, "singleton", "a local service", "facet.use()"),
        (("tui", None), STORE, "keyed", "a local service", "provide() and use()"),
        (
            ("tui", None),
            MODELS,
            "singleton",
            "a remote service here",
            "facet.server, facet.session",
        ),
        (
            ("server", None),
            "models",
            "singleton",
            "an object of type str",
            "generated code exports",
        ),
    ],
)
def test_a_token_that_a_call_does_not_take_is_refused_with_a_way_out(
    asked: tuple[str, str | None], token: Any, mode: Any, says: str, fix: str
) -> None:
    kind, scope = asked
    ledger = Ledger("a", kind)
    with pytest.raises(WrongToken) as caught:
        ledger.require(scope, token, mode, "facet.use")
    first, second = str(caught.value).split("\n")
    assert says in first
    assert fix in second
    assert ledger.requires == []


@pytest.mark.parametrize(
    ("kind", "token", "mode", "fix"),
    [
        ("session", DIALOGS, "singleton", "call provide_keyed()"),
        ("session", MODELS, "keyed", "call provide()"),
        (
            "web",
            MODELS,
            "singleton",
            'provide it in a facet of kind "server" or "session"; others provide local ones only',
        ),
    ],
)
def test_what_a_facet_cannot_provide_is_refused(kind: str, token: Any, mode: Any, fix: str) -> None:
    ledger = Ledger("a", kind)
    with pytest.raises(WrongToken) as caught:
        ledger.provide(token, mode, "facet.provide")
    assert str(caught.value).endswith(f"\n{fix}")


def test_a_call_site_is_the_nearest_frame_outside_of_our_files() -> None:
    assert Path(find_call_site(()).path) == Path(__file__)
    assert Path(find_call_site((__file__,)).path) != Path(__file__)


def test_without_such_a_frame_the_outermost_one_is_the_call_site() -> None:
    class Everything(tuple[str, ...]):
        __slots__ = ()

        def __contains__(self, _: object) -> bool:
            return True

    assert Path(find_call_site(Everything()).path) != Path(__file__)
