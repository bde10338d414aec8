from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.contract_book import ContractBook
from pi_contracts.plugins.facets import ContractVersion, Declaration, Report, ReportFile
from pi_contracts.plugins.outcomes import ServiceFacts
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

BOOK = ContractBook(
    facts={
        "sha256:session": ServiceFacts(("session", "app")),
        "sha256:any": ServiceFacts(None),
    }
)


def provide(scope: str, digest: str, kind: str = "server") -> list[str]:
    entry = Declaration(scope, "clock", "singleton", ContractVersion(digest, 1))
    reports = [Report("a", kind, [], [entry])]
    return [f.message for f in make_plan(None, [ReportFile(reports)], contracts=BOOK).findings]


@pytest.mark.parametrize(
    ("scope", "digest", "is_allowed"),
    [
        ("server", "sha256:session", False),
        ("server", "sha256:any", True),
        ("server", "sha256:unknown", True),
        ("app", "sha256:session", True),
        ("local", "sha256:session", True),
    ],
)
def test_a_contract_says_where_its_service_may_be_provided(
    scope: str,
    digest: str,
    is_allowed: bool,  # noqa: FBT001 - a column of the table
) -> None:
    message = (
        '"a:server" provides "server/clock", but the contract of "clock" allows scope "session" '
        'and "app" alone'
    )
    assert provide(scope, digest) == ([] if is_allowed else [message])


def test_a_host_of_another_kind_and_the_contract_are_one_finding() -> None:
    """PLN-12, PLN-22."""
    (message,) = provide("server", "sha256:session", kind="tui")
    assert 'is served by the host of kind "server" alone' in message


def test_the_hosts_scopes_are_served_by_the_host_of_that_kind_alone(facets: Facets) -> None:
    """PLN-12."""
    plan = make_plan(None, [facets("a:tui;; session/x\nb:session;; session/y")])
    assert [f.rule for f in plan.findings] == ["scope-not-allowed"]
    assert not make_plan(None, [facets("a:session;; session/x\nb:tui; session/x;")]).findings
