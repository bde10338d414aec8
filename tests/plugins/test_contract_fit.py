from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from pi_contracts.contracts.findings import Related
from pi_contracts.plugins.contract_book import ContractBook
from pi_contracts.plugins.contract_fit import Held, Verdict, judge_fit

if TYPE_CHECKING:
    from pathlib import Path

METHOD: dict[str, Any] = {
    "kind": "method",
    "params": {"hour": {"type": "integer"}},
    "result": {"type": "integer"},
}
EVENTS: dict[str, Any] = {
    "kind": "events",
    "payload": {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]},
}


def hold(folder: Path, members: dict[str, Any], *, has_data: bool = True, **service: Any) -> Held:
    """Return a contract, written to a file."""
    folder.mkdir()
    document: dict[str, Any] = {
        "$schema": "urn:pi-contracts:dialect:1",
        "$id": "clock.contract.json",
        "service": {"id": "clock", "mode": "singleton", **service},
        "members": members,
        "errors": {"late": {"data": {"type": "integer"}} if has_data else {}},
    }
    folder.joinpath("clock.contract.json").write_text(json.dumps(document, indent=1))
    (held,) = ContractBook([folder], base=folder.parent).list_held()
    return held


def judge(folder: Path, consumer: dict[str, Any], provider: dict[str, Any]) -> Verdict:
    return judge_fit(hold(folder / "ours", consumer), hold(folder / "theirs", provider))


@pytest.mark.parametrize(
    ("consumer", "provider", "reason"),
    [
        ({"set": METHOD}, {"set": METHOD}, ""),
        ({}, {"set": METHOD}, ""),
        ({"set": METHOD}, {}, '"set": the provider\'s contract does not have it'),
        (
            {"set": METHOD},
            {"set": {"kind": "state", "value": {}}},
            '"set": it is of another kind in the provider\'s contract',
        ),
        (
            {"set": METHOD},
            {"set": {**METHOD, "result": {"type": "string"}}},
            '"set": the provider may send string, the consumer takes integer',
        ),
        (
            {"set": METHOD},
            {"set": {"kind": "method", "params": METHOD["params"]}},
            '"set": it returns nothing in the provider\'s contract',
        ),
        (
            {"set": METHOD},
            {"set": {**METHOD, "params": {"hour": {"type": "integer"}, "zone": {}}}},
            '"set": the provider requires "zone", the consumer may leave it out',
        ),
        (
            {"set": {**METHOD, "params": {"hour": {"type": "integer"}, "zone": {}}}},
            {"set": METHOD},
            '"set": the consumer may send "zone", the provider refuses that member',
        ),
        (
            {"rang": {**EVENTS, "discriminator": "a"}},
            {"rang": {**EVENTS, "discriminator": "b"}},
            '"rang": its discriminator is another in the provider\'s contract',
        ),
        (
            {"set": METHOD, "get": METHOD},
            {},
            ('"set": the provider\'s contract does not have it '
            "(and 1 more, which pi-contracts compat lists)"),
        ),
    ],
    ids=[
        "equal", "a member that nobody asks for", "a member that is not there", "another kind",
        "another result", "no result", "a parameter more", "a parameter less",
        "another discriminator", "two",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_of_the_consumer_and_the_provider(
    tmp_path: Path, consumer: dict[str, Any], provider: dict[str, Any], reason: str
) -> None:
    """PLN-20: neither side is called old or new, since both run."""
    verdict = judge(tmp_path, consumer, provider)
    assert verdict.reason == reason
    assert verdict.is_compatible is not bool(reason)


def test_error_data_that_a_provider_does_not_send_is_told(tmp_path: Path) -> None:
    held = hold(tmp_path / "ours", {}), hold(tmp_path / "theirs", {}, has_data=False)
    assert judge_fit(*held).reason == 'the error "late" has no data in the provider\'s contract'


def test_scopes_are_no_part_of_the_fit(tmp_path: Path) -> None:
    """Where the service is provided is known in an assembly."""
    anywhere = hold(tmp_path / "ours", {"set": METHOD})
    session = hold(tmp_path / "theirs", {"set": METHOD}, scopes=["session"])
    assert judge_fit(anywhere, session).is_compatible
    assert judge_fit(session, anywhere).is_compatible


def test_a_misfit_has_its_flow_a_proof_and_both_places(tmp_path: Path) -> None:
    verdict = judge(tmp_path, {"set": METHOD}, {"set": {**METHOD, "result": {"type": "null"}}})
    assert verdict.flow == "set.result"
    assert verdict.witness == b"null"
    assert bytes(verdict.proof or b"") == b"null"
    assert verdict.places == (
        Related("the contract that the consumer holds", "ours/clock.contract.json", 16, 14),
        Related("the contract that the provider holds", "theirs/clock.contract.json", 16, 14),
    )
    assert Verdict(is_compatible=True, reason="").proof is UNSET


def test_what_is_not_proved_to_fit_does_not_fit(tmp_path: Path, monkeypatch: Any) -> None:
    from pi_contracts.contracts.compat import services
    from pi_contracts.contracts.compat.decide import Kind
    from pi_contracts.contracts.compat.services import Change, ServiceReport
    from pi_contracts.contracts.compat.verdicts import Direction

    change = Change("x", Direction.OLD_CONSUMER, Kind.UNDECIDED, "nobody knows", "/service")

    def find(old: Any, new: Any) -> ServiceReport:
        return ServiceReport("clock", old, new, [change])

    monkeypatch.setattr(services, "compare_services", find)
    assert judge(tmp_path, {}, {}).reason == "it is not proved to fit: nobody knows"
