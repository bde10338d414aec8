from __future__ import annotations

import json

import pytest
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.reports.report import Report, apply_levels, render_json


def make(rule: str, severity: str = "error", **facts: object) -> Finding:
    return Finding(rule, Severity(severity), "…", **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ([], 0),
        ([make("x", "warning"), make("y", "note")], 0),
        ([make("x", "warning"), make("y")], 1),
        ([make("x"), make("invalid-json")], 3),
        ([make("x"), make("unreadable-file")], 3),
        ([make("invalid-manifest")], 3),
        ([make("invalid-report")], 3),
        ([make("invalid-configuration")], 3),
        ([make("invalid-json"), make("unwritable-output")], 4),
    ],
    ids=str,
)
def test_the_exit_code_is_that_of_the_weightiest_error(findings: list[Finding], code: int) -> None:
    assert Report("check", tuple(findings)).exit_code == code


def test_levels_change_severities_and_leave_rules_out() -> None:
    findings = [make("a"), make("b", "warning"), make("c"), make("d", "note")]
    levels = {"a": "note", "b": "error", "c": "off"}
    kept = apply_levels(findings, levels, strict=False)
    assert [(one.rule, one.severity.value) for one in kept] == [
        ("a", "note"),
        ("b", "error"),
        ("d", "note"),
    ]


def test_a_level_changes_no_fingerprint() -> None:
    (kept,) = apply_levels([make("a")], {"a": "warning"}, strict=False)
    assert kept.fingerprint == make("a").fingerprint


def test_strict_lets_warnings_count_and_notes_not() -> None:
    findings = [make("a", "warning"), make("b", "note"), make("c")]
    kept = apply_levels(findings, {"c": "warning"}, strict=True)
    assert [one.severity.value for one in kept] == ["error", "note", "error"]


def test_errors_can_be_kept_from_levels_and_the_rest_not() -> None:
    findings = [make("a"), make("b", "warning"), make("c", "note")]
    levels = {"a": "off", "b": "off", "c": "warning"}
    kept = apply_levels(findings, levels, strict=False, keep_errors=True)
    assert [(one.rule, one.severity.value) for one in kept] == [("a", "error"), ("c", "warning")]


def test_findings_are_sorted_by_place() -> None:
    findings = [make("a", path="b", line=2), make("a", path="b", line=1), make("a", path="a")]
    kept = apply_levels(findings, {}, strict=False)
    assert [(one.path, one.line) for one in kept] == [("a", None), ("b", 1), ("b", 2)]


def test_json_is_one_document_that_ends_its_line() -> None:
    text = render_json(Report("plan", (make("a", "warning"),), {"plan": {"order": []}}))
    assert text.endswith("}\n")
    document = json.loads(text)
    assert document["report"] == 1
    assert document["tool"] == "plan"
    assert document["ok"] is True
    assert document["plan"] == {"order": []}
    assert [one["rule"] for one in document["findings"]] == ["a"]
