from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec import UNSET
from pi_contracts.plugins.contract_book import ContractBook
from pi_contracts.plugins.explain import Drawing
from pi_contracts.plugins.facets import ContractVersion, Declaration, Report, ReportFile
from pi_contracts.plugins.library.services.models import MODELS
from pi_contracts.plugins.outcomes import ServiceFacts
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.findings import Finding

    Facets = Callable[[str], ReportFile]


def write(folder: Path, limit: int = 9, **service: Any) -> Path:
    folder.mkdir(exist_ok=True)
    document = {
        "$schema": "urn:pi-contracts:dialect:1",
        "$id": "clock.contract.json",
        "service": {"id": "clock", "mode": "singleton", **service},
        "members": {
            "set": {"kind": "method", "params": {"hour": {"type": "integer", "maximum": limit}}}
        },
    }
    folder.joinpath("clock.contract.json").write_text(json.dumps(document))
    return folder


def get_digest(folder: Path) -> str:
    (held,) = ContractBook([folder]).list_held()
    return held.digest


def join(
    consumer: ContractVersion | None, provider: ContractVersion | None, book: ContractBook | None
) -> list[Finding]:
    """Plan one provider and two consumers of a service, with the contracts that they hold."""

    def declare(contract: ContractVersion | None) -> Declaration:
        return Declaration("session", "clock", "singleton", contract or UNSET)

    reports = [
        Report("a", "session", [], [declare(provider)]),
        Report("b", "tui", [declare(consumer)], []),
        Report("c", "tui", [declare(consumer)], []),
        Report("d", "tui", [declare(provider)], []),
    ]
    return list(make_plan(None, [ReportFile(reports)], contracts=book).findings)


@pytest.mark.parametrize(
    ("consumer", "provider", "message"),
    [
        (None, ContractVersion("d1", 1), None),
        (ContractVersion("d1", 1), None, None),
        (ContractVersion("d1", 1), ContractVersion("d1", 2), None),
        (ContractVersion("d1", 1), ContractVersion("d2", 1), None),
        (ContractVersion("d1"), ContractVersion("d2"), None),
        (ContractVersion(version=2), ContractVersion("d2"), None),
        (
            ContractVersion("d1", 1),
            ContractVersion("d2", 2),
            (
                '"b:tui" and "c:tui" require "session/clock" with version 1 of its contract, but '
                '"a:session" provides version 2; another version is an incompatible one'
            ),
        ),
        (
            ContractVersion(version=3),
            ContractVersion(version=2),
            (
                '"b:tui" and "c:tui" require "session/clock" with version 3 of its contract, but '
                '"a:session" provides version 2; another version is an incompatible one'
            ),
        ),
    ],
    ids=[
        "the consumer's is not known",
        "the provider's is not known",
        "equal digests",
        "other digests of one version",
        "digests alone",
        "a version and a digest",
        "other versions",
        "versions alone",
    ],
)
@pytest.mark.parametrize("book", [None, ContractBook()], ids=["no book", "an empty book"])
def test_without_both_documents_versions_are_compared(
    consumer: ContractVersion | None,
    provider: ContractVersion | None,
    message: str | None,
    book: ContractBook | None,
) -> None:
    """PLN-20."""
    findings = join(consumer, provider, book)
    assert [f.message for f in findings] == ([message] if message else [])
    assert all(f.rule == "contract-skew" for f in findings)


def test_with_both_documents_compat_decides_whatever_the_versions_say(tmp_path: Path) -> None:
    """PLN-20."""
    narrow = write(tmp_path / "narrow", limit=9, version=1)
    wide = write(tmp_path / "wide", limit=99, version=2)
    small, large = (
        ContractVersion(get_digest(narrow), 1),
        ContractVersion(get_digest(wide), 2),
    )
    book = ContractBook([narrow], [str(wide)])
    assert join(small, large, book) == []
    (finding,) = join(large, small, book)
    assert finding.rule == "contract-skew"
    names = [f"version {one.version} ({str(one.digest)[:19]})" for one in (large, small)]
    assert finding.message == (
        f'"b:tui" and "c:tui" require "session/clock" with {names[0]} of its contract, but '
        f'"a:session" provides {names[1]}; '
        '"set": at /hour: maximum of the provider refuses what the consumer may send'
    )
    assert finding.fix == 'generate "a:session" from version 2 of the contract too'
    assert (finding.flow, finding.witness) == ("set.params", msgspec.Raw(b'{"hour":10}'))
    assert [(one.message, Path(one.path or "").parent.name) for one in finding.related[-2:]] == [
        ("the contract that the consumer holds", "wide"),
        ("the contract that the provider holds", "narrow"),
    ]


@pytest.mark.parametrize(
    ("consumer", "provider", "fix"),
    [
        (1, 2, 'generate "b:tui" and "c:tui" from version 2 of the contract too'),
        (2, 1, 'generate "a:session" from version 2 of the contract too'),
    ],
)
def test_the_side_with_the_smaller_version_is_to_be_generated_anew(
    consumer: int, provider: int, fix: str
) -> None:
    held = ContractVersion(version=consumer), ContractVersion(version=provider)
    assert [finding.fix for finding in join(*held, None)] == [fix]


def test_contracts_of_one_version_that_do_not_fit_name_no_older_side(tmp_path: Path) -> None:
    narrow, wide = write(tmp_path / "narrow", limit=9), write(tmp_path / "wide", limit=99)
    small, large = ContractVersion(get_digest(narrow)), ContractVersion(get_digest(wide))
    (finding,) = join(large, small, ContractBook([narrow], [str(wide)]))
    assert f"with {str(large.digest)[:19]} of its contract" in finding.message
    assert finding.fix == "generate both sides from one contract, and release them together"


def test_skew_is_no_second_finding_beside_a_wrong_mode_or_two_owners(facets: Facets) -> None:
    """PLN-22."""
    contract = (ContractVersion(version=1), ContractVersion(version=2))
    need = Declaration("app", "x", "keyed", contract[0])
    local = Declaration("local", "x", "singleton", contract[0])
    offer = Declaration("app", "x", "singleton", contract[1])
    wrong_mode = [Report("a", "main", [need, local], []), Report("b", "main", [], [offer])]
    rules = [f.rule for f in make_plan(None, [ReportFile(wrong_mode)]).findings]
    assert sorted(rules) == ["missing-provider", "mode-mismatch"]
    twice = [*wrong_mode[1:], Report("c", "main", [], [offer]), Report("a", "main", [need], [])]
    rules = [f.rule for f in make_plan(None, [ReportFile(twice)]).findings]
    assert rules == ["duplicate-owner"]
    assert not make_plan(None, [facets("")]).findings


def test_a_service_without_a_contract_is_told_where_contracts_are_given(
    tmp_path: Path, facets: Facets
) -> None:
    write(tmp_path)
    file = facets(
        "a:session;; session/clock session/clocks\n"
        "b:tui; session/clocks local/store;\n"
        "c:tui; session/sundial; local/store"
    )
    findings = make_plan(None, [file], contracts=ContractBook([tmp_path])).findings
    told = {f.message: f.fix for f in findings if f.rule == "unknown-contract"}
    assert told == {
        (
            '"a:session" and "b:tui" name "session/clocks", of which no contract is given or in '
            'a plugin\'s package; what crosses there is not known; did you mean "clock"?'
        ): 'write "clock"',
        (
            '"c:tui" names "session/sundial", of which no contract is given or in a plugin\'s '
            "package; what crosses there is not known"
        ): "name the folder of its contract with --contracts too",
    }
    for book in (None, ContractBook(), ContractBook([write(tmp_path / "bad", mode="x")])):
        found = make_plan(None, [file], contracts=book).findings
        assert "unknown-contract" not in {f.rule for f in found}


def test_a_service_without_a_contract_is_named_with_its_scopes(
    tmp_path: Path, facets: Facets
) -> None:
    """Also in the drawing; one contract that is missing in two scopes is told once."""
    file = facets(
        "a:server;; server/dial\nb:tui; server/dial session/dial;\nc:session;; session/dial"
    )
    plan = make_plan(None, [file], contracts=ContractBook([write(tmp_path)]))
    (finding,) = plan.findings
    assert '"a:server", "b:tui" and "c:session" name "server/dial" and "session/dial"' in (
        finding.message
    )
    assert (finding.subject.scope, finding.subject.service) == ("server", "dial")
    assert "server/dial: unknown-contract" in Drawing(plan).draw_fault(finding)


def test_a_shipped_contract_is_known_by_its_digest_alone(tmp_path: Path) -> None:
    """Whose id a service has without it may be anybody's."""
    book = ContractBook([write(tmp_path)])
    ours = Declaration("session", "models", "singleton", ContractVersion(MODELS.digest, 1))
    plan = make_plan(None, [ReportFile([Report("a", "session", [], [ours])])], contracts=book)
    assert plan.findings == ()
    for contract in (UNSET, ContractVersion(version=1), ContractVersion("sha256:0", 1)):
        theirs = Declaration("session", "models", "singleton", contract)
        report = ReportFile([Report("a", "session", [], [theirs])])
        (finding,) = make_plan(None, [report], contracts=book).findings
        assert finding.rule == "unknown-contract"


def test_who_requires_a_deprecated_service_is_warned() -> None:
    contract = ContractVersion("sha256:old", 1)
    old = Declaration("session", "clock", "singleton", contract)
    store = Declaration("local", "store", "singleton")
    reports = [
        Report("a", "session", [], [old]),
        Report("b", "tui", [old, store], [store]),
        Report("c", "tui", [old], []),
    ]
    facts = {"sha256:old": ServiceFacts(deprecated=True)}
    book = ContractBook(facts=facts)
    (finding,) = make_plan(None, [ReportFile(reports)], contracts=book).findings
    assert (finding.rule, finding.severity) == ("deprecated-service", "warning")
    assert finding.message == (
        '"b:tui" and "c:tui" require "session/clock", whose contract is deprecated'
    )
    assert not make_plan(None, [ReportFile(reports)]).findings


def test_a_deprecation_says_what_to_use_instead(tmp_path: Path, facets: Facets) -> None:
    folder = write(tmp_path)
    file = folder / "clock.contract.json"
    document = json.loads(file.read_text())
    document |= {"deprecated": True, "deprecation": {"use": "sundial"}}
    file.write_text(json.dumps(document))
    plan = make_plan(
        None,
        [facets("a:session;; session/clock\nb:tui; session/clock;")],
        contracts=ContractBook([folder]),
    )
    assert plan.findings[0].message.endswith("is deprecated (use sundial instead)")


def test_a_provider_that_tells_no_contract_skews_nothing() -> None:
    """Also where others tell theirs."""
    held = ContractVersion(version=1)
    need = Declaration("app", "x", "singleton", held)
    offers = [
        Declaration("app", "x", "singleton"),
        Declaration("app", "y", "singleton", ContractVersion(version=2)),
    ]
    reports = [Report("a", "main", [need], []), Report("b", "main", [], offers)]
    assert not make_plan(None, [ReportFile(reports)]).findings
