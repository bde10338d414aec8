from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.check import check
from pi_contracts.contracts.read import read
from pi_contracts.contracts.suppressions import Suppressions, suppress
from pi_contracts.runtime.wording import find_violation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.read import Reading

QUIET = "pi-contracts: allow missing-description because tests are not read"
ALLOW = "pi-contracts: allow mangled-name because it was always so"
UNUSED = "pi-contracts: allow unused-error because it is for later"


def make(members: dict[str, Any], **more: object) -> dict[str, Any]:
    service = {"id": "shop", "mode": "singleton"}
    root = {"$comment": QUIET, "$schema": "urn:pi-contracts:dialect:1", "service": service}
    return {**root, "members": members, **more}


def judge(
    read_files: Callable[[dict[str, Any]], Reading], folder: Path, files: dict[str, Any]
) -> list[Finding]:
    found = check(read_files(files), [folder], find_violation, base=folder)
    return [one for one in found if one.rule != "missing-fixture"]


def tell(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.rule, one.pointer or "") for one in findings]


METHOD = {"kind": "method"}
VALUE = {"properties": {"class": True}, "additionalProperties": False}
STATE = {"kind": "state", "value": VALUE}


@pytest.mark.parametrize(
    "contract",
    [
        make({"import": {**METHOD, "$comment": ALLOW}}),
        make({"import": METHOD, "class": METHOD}, **{"$comment": f"{QUIET}\n{ALLOW}"}),
        make({"import": {**METHOD, "$comment": f"Mind the name.\n  {ALLOW}\nOr not."}}),
        make({"s": {**STATE, "value": {**VALUE, "$comment": ALLOW}}}),
        make({"s": {**STATE, "$comment": ALLOW}}),
        make({"s": METHOD}, errors={"timeout_error": {"$comment": f"{ALLOW}\n{UNUSED}"}}),
    ],
    ids=["member", "root", "among others", "schema", "above a schema", "error"],
)
def test_a_comment_answers_what_stands_beside_it_and_below(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path, contract: dict[str, Any]
) -> None:
    assert tell(judge(read_files, tmp_path, {"shop.contract.json": contract})) == []


def test_a_comment_answers_nothing_elsewhere(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    contract = make({"import": METHOD, "imports": {**METHOD, "$comment": ALLOW}})
    assert tell(judge(read_files, tmp_path, {"shop.contract.json": contract})) == [
        ("mangled-name", "/members/import"),
        ("unused-suppression", "/members/imports/$comment"),
    ]


def test_of_two_comments_the_inner_one_is_used(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    members = {"import": {**METHOD, "$comment": ALLOW}}
    contract = make(members, **{"$comment": f"{QUIET}\n{ALLOW}"})
    (finding,) = judge(read_files, tmp_path, {"shop.contract.json": contract})
    assert (finding.rule, finding.pointer) == ("unused-suppression", "/$comment")
    assert finding.message == 'nothing here or below breaks the rule "mangled-name"'
    assert finding.line == 2


def test_several_rules_are_parted_by_commas_and_each_has_to_be_used(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    allow = "pi-contracts: allow mangled-name , open-object because it was always so"
    contract = make({"import": {**METHOD, "$comment": allow}})
    (finding,) = judge(read_files, tmp_path, {"shop.contract.json": contract})
    assert (finding.rule, finding.subject.detail) == ("unused-suppression", "open-object")


@pytest.mark.parametrize(
    "comment",
    [
        "pi-contracts: allow mangled-name",
        "pi-contracts: allow mangled-name because",
        "pi-contracts: allow because it was always so",
        "pi-contracts: ignore mangled-name because it was always so",
        "pi-contracts:",
    ],
)
def test_a_comment_without_a_rule_and_a_reason_is_an_error(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path, comment: str
) -> None:
    contract = make({"import": {**METHOD, "$comment": comment}})
    found = judge(read_files, tmp_path, {"shop.contract.json": contract})
    assert tell(found) == [
        ("mangled-name", "/members/import"),
        ("invalid-suppression", "/members/import/$comment"),
    ]
    assert found[1].message == "the suppression is not understood: it needs a rule and a reason"
    assert found[1].severity == "error"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("mangled-names", '; did you mean "mangled-name"?'),
        ("invalid-keyword", ""),
        ("compat-breaking", ""),
    ],
)
def test_a_rule_that_no_comment_can_answer_is_an_error(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path, rule: str, hint: str
) -> None:
    comment = f"pi-contracts: allow {rule} because it was always so"
    contract = make({"buy": {**METHOD, "$comment": comment}})
    (finding,) = judge(read_files, tmp_path, {"shop.contract.json": contract})
    assert finding.rule == "invalid-suppression"
    assert finding.message == f'"{rule}" is no rule that a comment can answer{hint}'


def test_what_reading_warns_of_is_answered_too_for_every_command(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    allow = "pi-contracts: allow unknown-keyword because an editor needs it"
    schema = {"type": "string", "maxlength": 3, "$comment": allow}
    reading = read_files({"a.schema.json": schema, "b.schema.json": {"maxlength": 3}})
    left = suppress(reading.catalogue, reading.findings)
    assert [one.path for one in left] == ["b.schema.json"]


def test_an_error_is_never_answered(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    allow = "pi-contracts: allow impossible-schema because I say so"
    ring = {"$comment": allow, "$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#"}}}
    found = judge(read_files, tmp_path, {"a.schema.json": ring})
    # in a file with errors nobody can tell what is unused
    assert [one.rule for one in found] == ["impossible-schema"]


def test_a_finding_without_a_place_in_the_file_is_no_comments_business(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    from pi_contracts.contracts.findings import Finding, Severity

    schema = {"$comment": "pi-contracts: allow name-collision because so"}
    reading = read_files({"a.schema.json": schema})
    finding = Finding("name-collision", Severity.WARNING, "x", path="a.schema.json")
    assert suppress(reading.catalogue, [finding]) == (finding,)


def test_the_innermost_of_many_suppressions_is_the_one_that_is_used(tmp_path: Path) -> None:
    comment = "pi-contracts: allow unknown-keyword because it is ours"
    inner: dict[str, Any] = {"$comment": comment, "mystery": 1}
    schema = {"$comment": comment, "properties": {"a": {"not": inner}}, "allOf": [{"riddle": 1}]}
    file = tmp_path / "a.schema.json"
    file.write_text(json.dumps(schema))
    reading = read([file], base=tmp_path)
    assert len(reading.findings) == 2
    suppressions = Suppressions(reading.catalogue)
    assert suppressions.apply(reading.findings) == ()
    unused = suppressions.report_unused(["unknown-keyword"], lambda _: True, lambda _: True)
    assert list(unused) == []
