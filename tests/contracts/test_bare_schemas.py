from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.bare_schemas import compare_bare
from pi_contracts.contracts.read import Reading, read
from pi_contracts.contracts.sides import InvalidSideError

if TYPE_CHECKING:
    from pathlib import Path

    from pi_contracts.contracts.findings import Finding


def read_schema(folder: Path, schema: object) -> Reading:
    folder.mkdir()
    (folder / "a.schema.json").write_text(json.dumps(schema))
    return read([folder / "a.schema.json"], base=folder.parent)


def compare(
    folder: Path, old: object, new: object, position: str
) -> tuple[tuple[Finding, ...], dict[str, Any]]:
    return compare_bare(
        read_schema(folder / "old", old), read_schema(folder / "new", new), position
    )


TIGHT, LOOSE = {"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 0}


@pytest.mark.parametrize(
    ("position", "order"),
    [
        ("argument", "consumer-first"),
        ("result", "provider-first"),
        ("state", "provider-first"),
        ("event", "provider-first"),
        ("error", "provider-first"),
    ],
)
def test_the_position_says_which_way_values_flow(tmp_path: Path, position: str, order: str) -> None:
    (finding,), additions = compare(tmp_path, LOOSE, TIGHT, position)
    assert additions["order"] == order
    is_old = order == "consumer-first"
    assert finding.direction == ("old-consumer" if is_old else "new-consumer")
    assert finding.severity == ("error" if is_old else "note")
    assert finding.rule == "compat-breaking"
    assert json.loads(bytes(finding.witness)) == 0  # type: ignore[arg-type]
    assert finding.path == "new/a.schema.json"
    assert finding.related[0].path == "old/a.schema.json"


def test_equal_schemas_fit_at_once(tmp_path: Path) -> None:
    findings, additions = compare(tmp_path, LOOSE, {**LOOSE, "title": "x"}, "argument")
    assert findings == ()
    verdicts = {"old-consumer": "compatible", "new-consumer": "compatible"}
    assert additions == {"verdicts": verdicts, "order": "any"}


def test_what_only_undeclared_members_break_is_a_warning(tmp_path: Path) -> None:
    old: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    new = {**old, "properties": {**old["properties"], "b": {"type": "string"}}}
    findings, additions = compare(tmp_path, old, new, "argument")
    assert [(one.rule, one.severity.value) for one in findings] == [
        ("compat-undeclared", "warning")
    ]
    assert "breaks old consumers by undeclared members: at /b: " in findings[0].message
    assert additions["order"] == "any"


def test_what_is_not_decided_is_an_error_without_a_witness(tmp_path: Path) -> None:
    old = {"type": "string", "pattern": r"^(a+)-\1$"}
    new = {"type": "string", "pattern": r"^a+-a+$"}
    findings, _ = compare(tmp_path, old, new, "argument")
    undecided = [one for one in findings if one.rule == "compat-undecided"]
    assert [one.severity.value for one in undecided] == ["error"]
    assert undecided[0].message.startswith("may break old consumers: whether the new provider")


def test_fingerprints_depend_on_schemas_and_not_on_words(tmp_path: Path) -> None:
    told: list[str] = []
    for number, more in enumerate(({}, {"title": "x"}, {"minimum": 2})):
        folder = tmp_path / str(number)
        folder.mkdir()
        (finding,), _ = compare(folder, LOOSE, {**TIGHT, **more}, "argument")
        told.append(finding.fingerprint)
    assert told[0] == told[1]
    assert told[0] != told[2]


def test_a_contract_and_a_folder_have_no_position(tmp_path: Path) -> None:
    contract = tmp_path / "a.contract.json"
    service = {"id": "shop", "mode": "singleton"}
    contract.write_text(json.dumps({"$schema": "urn:pi-contracts:dialect:1", "service": service}))
    one = read_schema(tmp_path / "one", {})
    (tmp_path / "one/b.schema.json").write_text("{}")
    for other in (read([contract]), read([tmp_path / "one"])):
        with pytest.raises(InvalidSideError, match="--position is for two schema files"):
            compare_bare(one, other, "state")


CLOSED: dict[str, object] = {
    "type": "object",
    "properties": {"a": {}, "b": {}},
    "additionalProperties": False,
}
DEPENDENCIES: list[tuple[object, dict[str, object], str]] = [
    ({"a": ["b"]}, {"dependentRequired": {"a": ["b"]}}, "any"),
    ({"a": {"minProperties": 2}}, {"dependentSchemas": {"a": {"minProperties": 2}}}, "any"),
    ({"a": ["b"]}, {}, "provider-first"),
    ({"a": {"minProperties": 2}}, {"dependentSchemas": {"a": False}}, "consumer-first"),
]


@pytest.mark.parametrize(("old", "new", "order"), DEPENDENCIES)
def test_a_keyword_of_older_drafts_counts_in_a_comparison_where_the_validator_honours_it(
    tmp_path: Path, old: object, new: dict[str, object], order: str
) -> None:
    before, after = {**CLOSED, "dependencies": old}, {**CLOSED, **new}
    _, additions = compare(tmp_path, before, after, "argument")
    assert additions["order"] == order
