from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Severity
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.contract_fit import Verdict
from pi_contracts.plugins.facets import ContractVersion, Declaration, Report, ReportFile
from pi_contracts.plugins.graph import Graph
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.skew import Judge, Skew

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

BOTH = "own:main;; app/x\nask:web; app/x;"


def join(*files: ReportFile) -> Graph:
    return Graph(assemble(None, list(files)))


def list_breaks(skew: Skew) -> list[tuple[str, str, str, str]]:
    return [(one.direction, str(one.consumer), one.service, one.reason) for one in skew.breaks]


@pytest.mark.parametrize(
    ("old", "new", "breaks", "order"),
    [
        (BOTH, BOTH, [], None),
        (
            BOTH,
            "other:main;;",
            [("old-consumer", "ask:web", "x", "not-provided")],
            "consumer-first",
        ),
        (
            "other:main;;",
            BOTH,
            [("new-consumer", "ask:web", "x", "not-provided")],
            "provider-first",
        ),
        (
            BOTH,
            "own:main;; app/x*\nask:web; app/x*;",
            [("old-consumer", "ask:web", "x", "mode"), ("new-consumer", "ask:web", "x", "mode")],
            "lockstep",
        ),
        (
            BOTH,
            "own:cli;; app/x\nask:web; app/x;",
            [("old-consumer", "ask:web", "x", "moved"), ("new-consumer", "ask:web", "x", "moved")],
            "lockstep",
        ),
        (BOTH, "another:main;; app/x\nask:web; app/x;", [], None),
        ("own:web;; app/x\nask:web; app/x;", "other:web;;", [], None),
        ("own:web;; local/x\nask:web; local/x;", "other:web;;", [], None),
        ("own:main;; app/x\nask:web; app/x*;", "other:main;;", [], None),
        ("own:main;; app/x\ntoo:main;; app/x\nask:web; app/x;", "other:main;;", [], None),
        (BOTH, "own:main;; app/x\ntoo:cli;; app/x", [], None),
        ("ask:web; app/x;", "other:main;;", [], None),
    ],
    ids=[
        "nothing changed", "removed", "added", "another mode", "another host", "another owner",
        "one process", "local", "broken before", "disputed before", "disputed now",
        "missing before",
    ],
)  # fmt: skip
def test_what_crosses_hosts_is_judged_both_ways(
    facets: Facets, old: str, new: str, breaks: list[tuple[str, str, str, str]], order: str | None
) -> None:
    skew = Skew(join(facets(old)), join(facets(new)))
    assert list_breaks(skew) == breaks
    assert [one.order for one in skew.replacement.upgrades] == ([] if order is None else [order])


def hold(consumer: ContractVersion | None, provider: ContractVersion | None) -> Graph:
    def declare(contract: ContractVersion | None) -> list[Declaration]:
        if contract is None:
            return [Declaration("app", "x", "singleton")]
        return [Declaration("app", "x", "singleton", contract)]

    reports = [
        Report("own", "main", [], declare(provider)),
        Report("ask", "web", declare(consumer), []),
    ]
    return join(ReportFile(reports))


def always(verdict: Verdict | None) -> Judge:
    def judge(consumer: str, provider: str) -> Verdict | None:
        assert {consumer, provider} == {"one", "two"}
        return verdict

    return judge


ONE, TWO, RAISED = ContractVersion("one", 1), ContractVersion("two", 1), ContractVersion("two", 2)
GOOD, BAD = Verdict(True, ""), Verdict(False, "a member is gone")


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reasons"),
    [
        (ONE, ONE, BAD, []),
        (ONE, TWO, None, []),
        (ONE, TWO, GOOD, []),
        (ONE, TWO, BAD, ["contract", "contract"]),
        (ONE, RAISED, None, ["version", "version"]),
        (ONE, RAISED, GOOD, []),
        (ContractVersion(version=1), ContractVersion(version=2), None, ["version", "version"]),
        (ContractVersion("one"), ContractVersion("two"), None, []),
        (None, TWO, BAD, []),
        (ONE, None, BAD, []),
    ],
    ids=[
        "same digest", "same version", "compatible", "breaking", "another version",
        "version raised needlessly", "no digests", "no versions", "unknown before", "unknown now",
    ],
)  # fmt: skip
def test_contracts_are_compared_and_without_them_versions(
    old: ContractVersion | None,
    new: ContractVersion | None,
    verdict: Verdict | None,
    reasons: list[str],
) -> None:
    skew = Skew(hold(old, old), hold(new, new), always(verdict))
    assert [one.reason for one in skew.breaks] == reasons


def test_why_contracts_do_not_fit_is_told() -> None:
    first, _ = Skew(hold(ONE, ONE), hold(TWO, TWO), always(BAD)).find_breaks()
    assert first.message == (
        'beside new hosts the old "ask:web" lacks "app/x", which "own:main" provides there '
        "by another contract: a member is gone"
    )


def test_without_a_judge_versions_are_compared() -> None:
    skew = Skew(hold(ONE, ONE), hold(ContractVersion("two", 2), ContractVersion("two", 2)))
    assert [one.reason for one in skew.breaks] == ["version", "version"]


def test_the_judge_is_told_who_consumes() -> None:
    asked: list[tuple[str, str]] = []

    def judge(consumer: str, provider: str) -> Verdict | None:
        asked.append((consumer, provider))
        return GOOD

    Skew(hold(ONE, ONE), hold(TWO, TWO), judge)
    assert asked == [("one", "two"), ("two", "one")]


def test_an_old_consumer_that_breaks_is_an_error_and_a_new_one_a_note(facets: Facets) -> None:
    old, new = join(facets(BOTH)), join(facets("a:main;; app/y\nb:web; app/y;\nc:cli; app/y;"))
    first, second = Skew(old, new).find_breaks()
    assert (first.severity, second.severity) == (Severity.ERROR, Severity.NOTE)
    assert first.message == (
        'beside new hosts the old "ask:web" lacks "app/x", '
        "which no facet of that generation provides"
    )
    assert first.fix == (
        'replace the hosts of kind "main" and "web" together, '
        "since other services ask for the other order, or keep both sides"
    )
    assert second.message == (
        'beside old hosts the new "b:web" and "c:cli" lack "app/y", '
        "which no facet of that generation provides"
    )
    assert second.fix == (
        'replace the hosts of kind "main" and "web" together, before those of kind "cli", '
        "since other services ask for the other order, or keep both sides"
    )
    skew = Skew(join(facets(BOTH)), join(facets("own:main;;")))
    assert [one.fix for one in skew.find_breaks()] == [
        (
            'replace the hosts of kind "web" before those of kind "main", '
            "or keep providing what they require"
        )
    ]


def test_a_service_that_went_to_another_scope_is_told_with_it(facets: Facets) -> None:
    new = join(facets("own:main;; net/x local/x\nask:web; net/x;"))
    first, second = Skew(join(facets(BOTH)), new).find_breaks()
    assert first.message == (
        'beside new hosts the old "ask:web" lacks "app/x", which no facet of that generation '
        'provides; "own:main" provides it in scope "net"'
    )
    assert second.message.endswith('"own:main" provides it in scope "app"')


def test_what_breaks_both_ways_asks_for_all_hosts_at_once(facets: Facets) -> None:
    skew = Skew(join(facets(BOTH)), join(facets("own:main;; app/x*\nask:web; app/x*;")))
    fixes = {finding.fix for finding in skew.find_breaks()}
    assert fixes == {'replace the hosts of kind "main" and "web" together, or keep both sides'}


def test_what_an_unknown_facet_may_provide_breaks_nobody(facets: Facets) -> None:
    text = b'{"manifest": 1, "plugins": [{"id": "own", "facets": {"main": "own:main"}}]}'
    manifest, _ = parse_manifest(text, "m.json")
    assert Skew(join(facets(BOTH)), Graph(assemble(manifest, ()))).breaks == ()
