from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from pi_contracts.plugins.contract_book import ContractBook, Traits, make_book
from pi_contracts.plugins.dry_run import Recording
from pi_contracts.plugins.entry_points import Entry
from pi_contracts.plugins.facets import ContractVersion, Declaration, Locator, Origin, Report
from pi_contracts.plugins.library.services.models import MODELS
from pi_contracts.plugins.outcomes import ServiceFacts

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str = "clock", *, limit: int = 9, **service: Any) -> Path:
    """Write a contract with one method, whose argument is at most *limit*."""
    folder.mkdir(parents=True, exist_ok=True)
    deprecation = service.pop("deprecation", None)
    document = {
        "$schema": "urn:pi-contracts:dialect:1",
        "$id": f"{name}.contract.json",
        "service": {"id": name, "mode": "singleton", **service},
        "members": {
            "set": {"kind": "method", "params": {"hour": {"type": "integer", "maximum": limit}}}
        },
        **({"deprecated": True, "deprecation": deprecation} if deprecation is not None else {}),
    }
    folder.joinpath(f"{name}.contract.json").write_text(json.dumps(document))
    return folder


def declare(service: str = "clock", digest: str = "") -> Declaration:
    contract = ContractVersion(digest, 1) if digest else UNSET
    return Declaration("session", service, "singleton", contract)


def get_digest(folder: Path) -> str:
    (held,) = ContractBook([folder]).list_held()
    return held.digest


def test_contracts_that_are_given_are_known_by_id_and_digest(tmp_path: Path) -> None:
    book = ContractBook([write(tmp_path / "given", scopes=["session"])])
    assert book.is_given
    assert book.has_contract(declare())
    assert not book.has_contract(declare("clocks"))
    assert book.service_ids == ["clock"]
    assert book.find("sha256:0") is None
    assert book.find(get_digest(tmp_path / "given")) is not None
    assert book.find_traits(declare()) == Traits(("session",), deprecated=False)
    assert book.find_traits(declare("other")) is None


def test_contracts_in_plugins_packages_are_found_and_their_mistakes_are_not_told(
    tmp_path: Path,
) -> None:
    """What a package holds is its author's business; only what is given is checked."""
    write(tmp_path / "good")
    write(tmp_path / "bad", mode="nonsense")
    (tmp_path / "none").mkdir()
    packages = [str(tmp_path / name) for name in ("good", "bad", "none", "single.py")]
    book = ContractBook(packages=packages)
    assert not book.is_given
    assert book.findings == ()
    assert book.service_ids == ["clock"]
    assert book.find_traits(declare()) is None  # not given: only exact facts count


def test_what_is_given_and_broken_is_told_and_judges_nothing(tmp_path: Path) -> None:
    book = ContractBook([write(tmp_path, mode="nonsense")])
    assert {finding.rule for finding in book.findings} == {"invalid-keyword"}
    assert not book.is_given
    assert book.service_ids == []


def test_our_own_package_means_the_library_that_it_ships() -> None:
    entry = Entry("a", "tui", "x:f", Origin(Locator(None), ""))
    folder = __import__("pi_contracts").__path__[0]
    book = make_book([], [Recording(entry, folder=folder), Recording(entry)])
    held = book.find(MODELS.digest)
    assert held is not None
    assert held.contract.service_id == "models"


def test_the_contracts_that_we_ship_are_found_by_digest_without_being_given() -> None:
    book = ContractBook()
    held = book.find(MODELS.digest)
    assert held is not None
    assert held.contract.service_id == "models"
    assert book.has_contract(declare("models", MODELS.digest))
    assert not book.has_contract(declare("models"))
    assert not book.has_contract(declare("models", "sha256:0"))
    assert book.service_ids == []


@pytest.mark.parametrize(
    ("deprecation", "advice"),
    [
        (
            {"since": "2", "use": "sundial", "reason": "it drifts"},
            "since 2; use sundial instead; it drifts",
        ),
        ({}, ""),
    ],
)
def test_a_deprecation_is_told_as_far_as_the_contract_says_so(
    tmp_path: Path, deprecation: dict[str, str], advice: str
) -> None:
    book = ContractBook([write(tmp_path, deprecation=deprecation)])
    assert book.find_traits(declare()) == Traits(None, deprecated=True, advice=advice)


def test_the_contract_that_a_side_holds_counts_more_than_another_of_its_id(tmp_path: Path) -> None:
    """By digest, then what the recorded token said, then by id."""
    write(tmp_path, scopes=["server"])
    facts = {"sha256:held": ServiceFacts(("session",), deprecated=True)}
    book = ContractBook([tmp_path], facts=facts)
    assert book.find_traits(declare(digest="sha256:held")) == Traits(("session",), deprecated=True)
    assert book.find_traits(declare(digest="sha256:else")) == Traits(("server",), deprecated=False)
    exact = get_digest(tmp_path)
    assert book.find_traits(declare(digest=exact)) == Traits(("server",), deprecated=False)


def test_what_recorded_tokens_say_is_kept_by_digest() -> None:
    entry = Entry("a", "tui", "x:f", Origin(Locator(None), ""))
    report = Report("a", "tui", [declare(digest="sha256:1")], [declare("local")])
    recording = Recording(entry, report, services={"clock": ServiceFacts(deprecated=True)})
    book = make_book([], [recording])
    assert book.find_traits(declare(digest="sha256:1")) == Traits(None, deprecated=True)
    assert book.find_traits(declare()) is None


def test_two_contracts_are_compared_as_compat_does(tmp_path: Path) -> None:
    """PLN-20."""
    narrow, wide = write(tmp_path / "narrow", limit=9), write(tmp_path / "wide", limit=99)
    small, large = get_digest(narrow), get_digest(wide)
    book = ContractBook(packages=[str(narrow), str(wide)])
    good, bad = book.judge(small, large), book.judge(large, small)
    assert good is not None
    assert bad is not None
    assert good.is_compatible
    assert not bad.is_compatible
    assert '"set"' in bad.reason
    assert book.judge(large, small) is bad
    assert book.judge(small, "sha256:0") is None
    assert book.judge("sha256:0", small) is None


def test_the_contracts_of_two_generations_can_be_given(tmp_path: Path) -> None:
    """Each in its folder, although one holds what the other one holds."""
    old, new = write(tmp_path / "old", limit=9), write(tmp_path / "new", limit=99)
    book = ContractBook([new, old])
    assert book.is_given
    assert book.findings == ()
    assert book.service_ids == ["clock"]
    verdict = book.judge(get_digest(new), get_digest(old))
    assert verdict is not None
    assert not verdict.is_compatible
    write(new / "copy")
    broken = ContractBook([new, old])
    assert {finding.rule for finding in broken.findings} == {"duplicate-id"}
    assert not broken.is_given


@pytest.mark.parametrize(
    "comment", [None, "pi-contracts: allow unknown-keyword because it is ours"]
)
def test_what_a_contract_allows_in_place_is_not_told(tmp_path: Path, comment: str | None) -> None:
    file = write(tmp_path) / "clock.contract.json"
    document = json.loads(file.read_text())
    document["$defs"] = {"Odd": {"mystery": 1, **({"$comment": comment} if comment else {})}}
    file.write_text(json.dumps(document))
    book = ContractBook([tmp_path])
    assert [finding.rule for finding in book.findings] == ([] if comment else ["unknown-keyword"])
    assert book.is_given
