from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compat_services import write
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.verdicts import Direction, Order
from pi_contracts.contracts.read import read

OLD, NEW = Direction
LIBRARY = Path(__file__).resolve().parents[3] / "contracts" / "library"


def make(name: str, **members: Any) -> dict[str, Any]:
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": name, "mode": "singleton"},
        "members": {one: {"kind": "state", "value": value} for one, value in members.items()},
    }


def test_the_shipped_contracts_are_compatible_with_themselves() -> None:
    reading = read([LIBRARY])
    report = compare(reading, reading)
    assert report.order is Order.ANY
    assert all(not one.changes for one in report.services)
    assert len(report.services) == 11


def test_the_whole_is_as_its_worst_service(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [make("a", x=True), make("b", x={"type": "string"})])
    new = write(tmp_path / "new", [make("a", x=True), make("b", x=True), make("c")])
    report = compare(old, new)
    assert report.to_additions() == {
        "verdicts": {"old-consumer": "breaking", "new-consumer": "breaking"},
        "order": "lockstep",
        "services": {
            "a": {
                "verdicts": {"old-consumer": "compatible", "new-consumer": "compatible"},
                "order": "any",
            },
            "b": {
                "verdicts": {"old-consumer": "breaking", "new-consumer": "compatible"},
                "order": "consumer-first",
            },
            "c": {
                "verdicts": {"old-consumer": "compatible", "new-consumer": "breaking"},
                "order": "provider-first",
            },
        },
    }


@pytest.mark.parametrize(
    ("is_old", "verdicts"),
    [(True, ("breaking", "compatible")), (False, ("compatible", "breaking"))],
)
def test_a_service_of_one_generation_breaks_who_looks_for_it(
    tmp_path: Path,
    is_old: bool,  # noqa: FBT001
    verdicts: tuple[str, str],
) -> None:
    one, other = write(tmp_path / "one", [make("a")]), write(tmp_path / "other", [])
    report = compare(one, other) if is_old else compare(other, one)
    assert tuple(report.verdicts[one] for one in (OLD, NEW)) == verdicts


def test_of_two_contracts_with_one_id_the_first_counts(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [make("a", x=True)])
    new = write(tmp_path / "new", [make("a", x=True)])
    twice = tmp_path / "new" / "z.contract.json"
    twice.write_bytes((tmp_path / "new" / "a.contract.json").read_bytes().replace(b'"x"', b'"y"'))
    both = read([tmp_path / "new"], base=tmp_path)
    assert compare(old, both).verdicts == compare(old, new).verdicts
