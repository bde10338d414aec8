from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from compat_services import write
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.report import make_findings
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from pathlib import Path

    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.read import Reading

TEXT = {"type": "string"}


def make(value: Any, version: int = 1, **method: Any) -> dict[str, Any]:
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": "lamp", "mode": "singleton", "version": version},
        "members": {
            "level": {"kind": "state", "value": value},
            "on": {"kind": "method", **method},
        },
        "errors": {"broken": {"description": "No light."}},
    }


def find(folder: Path, old: list[Any], new: list[Any]) -> tuple[Finding, ...]:
    return make_findings(compare(write(folder / "old", old), write(folder / "new", new)))


def test_a_break_is_told_with_its_place_its_witness_and_the_missing_version(tmp_path: Path) -> None:
    first, second = find(tmp_path, [make(TEXT)], [make({"type": ["string", "null"]})])
    assert first.rule == "compat-breaking"
    assert first.severity == "error"
    assert first.message == (
        '"lamp", level.value breaks old consumers: the new provider may send null,'
        " the old consumer takes string (null-added)"
    )
    assert (first.path, first.pointer) == ("new/lamp.contract.json", "/members/level/value")
    assert (first.direction, first.flow) == ("old-consumer", "level.value")
    assert first.witness == msgspec.Raw(b"null")
    assert first.subject.service == "lamp"
    assert first.subject.member == "level"
    assert first.subject.detail == "null-added"
    assert [one.path for one in first.related] == ["old/lamp.contract.json"]
    assert second.rule == "version-not-raised"
    assert second.pointer == "/service/version"
    assert second.fix == 'set "version" to 2 in "service"'
    assert len({first.fingerprint, second.fingerprint}) == 2


def make_door(**service: Any) -> dict[str, Any]:
    member = {
        "kind": "method",
        "params": {"level": TEXT},
        "result": TEXT,
        "errors": ["stuck"],
    }
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": "door", "mode": "singleton", "scopes": ["a", "b"], **service},
        "members": {"open": member, "news": {"kind": "events", "payload": {}}},
        "errors": {"stuck": {"data": TEXT}},
    }


def edit_door(pointer: str, value: Any) -> list[dict[str, Any]]:
    changed: dict[str, Any] = json.loads(json.dumps(make_door(version=2)))
    *above, last = pointer.split("/")
    place = changed
    for token in above:
        place = place[token]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return [changed]


WAYS_OUT: list[tuple[str, list[dict[str, Any]], str]] = [
    ("service-removed", [], "keep the service and mark it deprecated"),
    ("mode-changed", edit_door("service/mode", "keyed"), "keep the mode"),
    ("scopes-narrowed", edit_door("service/scopes", ["a"]), "keep the scopes of before"),
    ("member-removed", edit_door("members/open", None), "keep the member and mark it deprecated"),
    (
        "kind-changed",
        edit_door("members/open", {"kind": "state", "value": TEXT}),
        "keep the member, and give",
    ),
    (
        "discriminator-changed",
        edit_door("members/news/discriminator", "type"),
        "keep the discriminator",
    ),
    ("result-removed", edit_door("members/open/result", None), "keep returning something"),
    ("error-data-removed", edit_door("errors/stuck/data", None), "keep sending the data"),
    ("null-added", edit_door("members/open/result", {}), "keep to what was sent before"),
    (
        "enum-introduced",
        edit_door("members/open/params/level", {"const": "x"}),
        "keep what was accepted before",
    ),
]


@pytest.mark.parametrize(("rule", "new", "fix"), WAYS_OUT, ids=[row[0] for row in WAYS_OUT])
def test_the_way_out_of_a_break_fits_what_has_changed(
    tmp_path: Path, rule: str, new: list[dict[str, Any]], fix: str
) -> None:
    breaks = [
        one
        for one in find(tmp_path, [make_door()], new)
        if one.direction == "old-consumer" and one.severity == "error"
    ]
    assert {one.subject.detail for one in breaks} == {rule}
    for one in breaks:
        assert fix in (one.fix or "")
        assert (one.fix or "").endswith(", or accept the break by its fingerprint")


CARD: dict[str, Any] = {
    "type": "object",
    "properties": {"title": TEXT},
    "required": ["title"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("card", "part"),
    [
        ({**CARD, "properties": {"title": TEXT, "a/b é": TEXT}}, '"a/b é"'),
        ({**CARD, "required": []}, '"required"'),
        ({**CARD, "properties": {"title": {"type": ["string", "null"]}}}, '"type": ['),
    ],
    ids=["a member more", "a member less required", "a type wider"],
)
def test_what_comes_from_a_shared_definition_says_where_that_has_changed(
    tmp_path: Path, card: dict[str, Any], part: str
) -> None:
    def write_both(folder: Path, card: dict[str, Any]) -> Reading:
        folder.mkdir()
        shared = {"$id": "cards", "$defs": {"Card": card}}
        value = {"items": {"$ref": "card.schema.json#/$defs/Card"}}
        text = json.dumps(shared, indent=1, ensure_ascii=False)
        (folder / "card.schema.json").write_text(text, "utf-8")
        (folder / "lamp.contract.json").write_text(json.dumps(make(value, result=value)))
        return read([folder], base=tmp_path)

    old, new = write_both(tmp_path / "old", CARD), write_both(tmp_path / "new", card)
    breaks = [one for one in make_findings(compare(old, new)) if one.direction == "old-consumer"]
    assert [one.flow for one in breaks] == ["level.value", "on.result"]
    lines = (tmp_path / "new/card.schema.json").read_text("utf-8").splitlines()
    for one in breaks:
        origin, older = one.related
        assert (origin.message, origin.path) == ("it comes from this", "new/card.schema.json")
        assert origin.line
        assert part in lines[origin.line - 1]
        assert older.path == "old/lamp.contract.json"


def test_a_raised_version_answers_for_itself_alone(tmp_path: Path) -> None:
    findings = find(tmp_path, [make(TEXT)], [make(True, 2)])
    assert [one.rule for one in findings] == ["compat-breaking"]


def test_what_breaks_new_consumers_is_a_note(tmp_path: Path) -> None:
    (one,) = find(tmp_path, [make({})], [make(TEXT)])
    assert (one.severity, one.rule, one.direction) == ("note", "compat-breaking", "new-consumer")
    assert one.fix is None


def test_what_only_undeclared_members_break_is_a_warning(tmp_path: Path) -> None:
    def make_open(**more: Any) -> dict[str, Any]:
        return make({"type": "object", "properties": {"a": TEXT}, **more})

    (one,) = find(tmp_path, [make_open(additionalProperties=False)], [make_open()])
    assert (one.severity, one.rule) == ("warning", "compat-undeclared")
    assert "by undeclared members" in one.message


def test_what_is_undecided_is_an_error(tmp_path: Path) -> None:
    old, new = ({**TEXT, "pattern": text} for text in (r"^(aa)+\B", r"^(a+)\1$"))
    findings = find(tmp_path, [make(old)], [make(new)])
    judged = {(one.direction, one.severity, one.rule) for one in findings}
    assert ("old-consumer", "error", "compat-undecided") in judged
    (one,) = (one for one in findings if one.direction == "old-consumer")
    assert one.witness is msgspec.UNSET
    assert "may break old consumers" in one.message


def test_an_error_code_that_a_consumer_cannot_name_is_a_warning(tmp_path: Path) -> None:
    (one,) = find(tmp_path, [make(TEXT)], [make(TEXT, errors=["broken"])])
    assert (one.severity, one.rule) == ("warning", "compat-unnamed-error")


def test_a_service_that_is_gone_is_told_where_it_was(tmp_path: Path) -> None:
    (one,) = find(tmp_path, [make(TEXT)], [])
    assert (one.severity, one.path) == ("error", "old/lamp.contract.json")
    assert one.message == (
        '"lamp" breaks old consumers: nobody provides the service any more (service-removed)'
    )


def test_a_service_without_a_counterpart_is_a_note(tmp_path: Path) -> None:
    (one,) = find(tmp_path, [], [make(TEXT)])
    assert (one.severity, one.subject.detail) == ("note", "service-added")


def test_a_contract_that_has_moved_is_one_note(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [make(TEXT)])
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "light.contract.json").write_text(json.dumps(make(TEXT)))
    new = read([tmp_path / "new"], base=tmp_path)
    (one,) = make_findings(compare(old, new))
    assert (one.severity, one.rule, one.path) == ("note", "compat-moved", "new/light.contract.json")


def test_messages_hold_no_value_of_a_witness(tmp_path: Path) -> None:
    (one, _) = find(tmp_path, [make({"enum": ["a"]})], [make({"enum": ["a", "secret"]})])
    assert one.witness == msgspec.Raw(b'"secret"')
    assert "secret" not in one.message
