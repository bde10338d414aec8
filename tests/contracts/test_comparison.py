from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pi_contracts.contracts.comparison import Outcome, compare_sides, render_verdicts
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.sides import InvalidSideError, Side

OLD, NEW = Side((Path("old"),)), Side((Path("new"),))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for side in ("old", "new"):
        Path(side).mkdir()


def write(name: str, value: object) -> None:
    Path(name).write_text(value if isinstance(value, str) else json.dumps(value))


def make(service: str = "shop", version: int = 1, **members: object) -> dict[str, Any]:
    facts = {"id": service, "mode": "singleton", "version": version}
    return {"$schema": "urn:pi-contracts:dialect:1", "service": facts, "members": members}


def take(schema: object) -> dict[str, Any]:
    return {"kind": "method", "params": {"count": schema}}


def compare(position: str | None = None) -> Outcome:
    return compare_sides(OLD, NEW, {}, position)


def tell(outcome: Outcome) -> list[tuple[str, str, str | None]]:
    return [(one.rule, one.severity.value, one.direction) for one in outcome.findings]


def test_what_breaks_old_consumers_is_an_error_and_what_breaks_new_ones_a_note() -> None:
    write("old/shop.contract.json", make(buy=take({"type": "integer"})))
    write("new/shop.contract.json", make(version=2, buy=take({"type": "string"})))
    outcome = compare()
    assert tell(outcome) == [
        ("compat-breaking", "error", "old-consumer"),
        ("compat-breaking", "note", "new-consumer"),
    ]
    assert outcome.additions["order"] == "lockstep"
    sent, received = (json.loads(bytes(one.witness))["count"] for one in outcome.findings)  # type: ignore[arg-type]
    assert isinstance(sent, int)
    assert isinstance(received, str)


def test_a_contract_that_is_gone_breaks_also_where_schemas_are_left() -> None:
    write("old/shop.contract.json", make())
    for side in ("old", "new"):
        write(f"{side}/wire.schema.json", {})
    assert tell(compare()) == [("compat-breaking", "error", "old-consumer")]


def test_a_baseline_without_contracts_passes_with_a_note() -> None:
    write("new/shop.contract.json", make())
    outcome = compare()
    assert [one.rule for one in outcome.findings if one.rule == "empty-baseline"]
    assert {one.severity for one in outcome.findings} == {Severity.NOTE}
    assert outcome.additions["order"] == "provider-first"


def test_a_newer_side_without_contracts_is_told_beside_what_is_gone() -> None:
    write("old/shop.contract.json", make())
    assert tell(compare()) == [
        ("nothing-found", "warning", None),
        ("compat-breaking", "error", "old-consumer"),
    ]


def test_a_contract_in_another_file_has_only_moved() -> None:
    write("old/shop.contract.json", make())
    write("new/store.contract.json", make())
    outcome = compare()
    assert tell(outcome) == [("compat-moved", "note", None)]
    assert outcome.text.startswith("the whole  old consumers: compatible")


@pytest.mark.parametrize("side", ["old", "new"])
@pytest.mark.parametrize(
    ("text", "rule"),
    [("{", "invalid-json"), ('{"$ref": "#/a"}', "unresolved-ref"), (None, "duplicate-id")],
)
def test_a_side_with_an_error_is_not_compared(side: str, text: str | None, rule: str) -> None:
    for one in ("old", "new"):
        write(f"{one}/shop.contract.json", make())
    write(f"{side}/more.schema.json", text or {})
    if text is None:
        write(f"{side}/twin.contract.json", make())
    outcome = compare()
    assert [(one.rule, (one.path or "").partition("/")[0]) for one in outcome.findings] == [
        (rule, side)
    ]
    assert outcome.is_stopped
    assert outcome.text == "Nothing was compared."
    assert outcome.accept([], None) == (outcome.findings, frozenset())


def test_bare_schemas_need_a_position() -> None:
    for side in ("old", "new"):
        write(f"{side}/wire.schema.json", {"type": "integer"})
    with pytest.raises(InvalidSideError, match="of two bare schemas say the --position"):
        compare()
    assert compare("state").additions["order"] == "any"


FINDING = Finding("compat-breaking", Severity.ERROR, "it breaks", path="a")
LONG_AGO, FOR_EVER = "2001-01-01", "2999-12-31"


def accept(fingerprint: str, until: str) -> list[tuple[str, str, str | None]]:
    table = {"fingerprint": fingerprint, "reason": "agreed", "until": until}
    found, accepted = Outcome((FINDING,)).accept([table], "pyproject.toml")
    assert (FINDING.fingerprint in accepted) is (found[0].severity is Severity.NOTE)
    return [(one.rule, one.severity.value, one.path) for one in found]


def test_an_acceptance_makes_a_note_of_one_finding_for_a_while() -> None:
    note, error = ("compat-breaking", "note", "a"), ("compat-breaking", "error", "a")
    unused = ("unused-acceptance", "warning", "pyproject.toml")
    assert accept(FINDING.fingerprint, FOR_EVER) == [note]
    assert accept(FINDING.fingerprint, LONG_AGO) == [error, unused]
    assert accept("0000", FOR_EVER) == [error, unused]


def test_an_acceptance_that_accepts_nothing_is_told_with_its_line() -> None:
    text = (
        "[tool.pi-contracts]\nout = 'x'\n\n"
        "[[tool.pi-contracts.acceptances]]\nfingerprint = '1'\nreason = 'r'\nuntil = '2999-12-31'\n"
        "[[tool.pi-contracts.acceptances]]\nreason = 'r'\nfingerprint = '2'\nuntil = '2001-01-01'\n"
    )
    tables = tomllib.loads(text)["tool"]["pi-contracts"]["acceptances"]
    found, _ = Outcome(()).accept(tables, "pyproject.toml", text)
    assert [(one.subject.detail, one.line, one.column) for one in found] == [
        ("1", 5, 1),
        ("2", 10, 1),
    ]


def facts(old: str, new: str, order: str) -> dict[str, Any]:
    return {"verdicts": {"old-consumer": old, "new-consumer": new}, "order": order}


def test_verdicts_are_one_line_a_service_that_changed() -> None:
    same = facts("compatible", "compatible", "any")
    broken = facts("breaking", "compatible", "consumer-first")
    services = {"a": same, "models": broken, "z": same}
    assert render_verdicts({**broken, "services": services}).splitlines() == [
        "models     old consumers: breaking, new consumers: compatible; upgrade consumers first",
        "2 more     old consumers: compatible, new consumers: compatible; upgrade in any order",
        "the whole  old consumers: breaking, new consumers: compatible; upgrade consumers first",
    ]
    assert render_verdicts({**same, "services": {"a": same}}).count("\n") == 0
    assert Outcome(()).text == ""
