from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.findings import (
    UNREADABLE,
    Facet,
    Finding,
    Severity,
    Subject,
    error,
    escape,
    quote,
    sort_findings,
    to_document,
)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain text", "plain text"),
        ("caf\u00e9", "caf\u00e9"),
        ("two\nlines\r\t", "two\\nlines\\r\\t"),
        ("\u001b[31m", "\\u001b[31m"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("\u0085\u2028", "\\u0085\\u2028"),
    ],
)
def test_what_would_break_a_line_or_hide_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped
    assert quote(text) == f'"{escaped}"'


@given(st.text())
def test_escaped_text_is_one_line_that_can_be_printed(text: str) -> None:
    assert "\n" not in escape(text)
    escape(text).encode("utf-8")


def test_a_fingerprint_is_made_of_rule_subject_and_pointer_alone() -> None:
    subject = Subject(service="models", facets=(Facet("a", "tui"),))
    first = error("rule", "one wording", line=3, path="a.json", subject=subject, pointer="/a")
    second = error("rule", "another", line=9, path="b.json", subject=subject, pointer="/a")
    assert first.fingerprint == second.fingerprint
    assert (
        len(
            {
                first.fingerprint,
                *(
                    error(rule, "one wording", subject=about, pointer=pointer).fingerprint
                    for rule, about, pointer in (
                        ("other", subject, "/a"),
                        ("rule", Subject(), "/a"),
                        ("rule", subject, "/b"),
                    )
                ),
            }
        )
        == 4
    )
    assert Finding("rule", Severity.NOTE, "m", fingerprint="kept").fingerprint == "kept"


def test_findings_are_sorted_by_place_then_rule_then_message() -> None:
    findings = [
        error("b", "m", path="b.json", line=1),
        error("b", "n", path="a.json", line=10),
        error("b", "m", path="a.json", line=10),
        error("a", "z", path="a.json", line=10),
        error("z", "z", path="a.json", line=9),
        error("z", "z"),
    ]
    assert sort_findings(findings) == tuple(reversed(findings))


@pytest.mark.parametrize(
    ("severities", "ok"),
    [([], True), (["note", "warning"], True), (["note", "error"], False)],
)
def test_a_report_is_ok_without_errors(severities: list[str], *, ok: bool) -> None:
    findings = [Finding(f"r{i}", Severity(s), "m") for i, s in enumerate(severities)]
    document = to_document("check", findings, {"more": 1})
    assert list(document) == ["report", "tool", "ok", "findings", "more"]
    assert (document["report"], document["tool"], document["ok"]) == (1, "check", ok)


def test_a_finding_without_facts_has_only_what_it_must_have() -> None:
    encoded = msgspec.json.decode(msgspec.json.encode(error("rule", "m")))
    assert sorted(encoded) == ["fingerprint", "message", "rule", "severity"]


def test_facets_are_worded_on_one_line() -> None:
    assert str(Facet("@pi/a\n", "tui")) == "@pi/a\\n:tui"


def test_rules_of_unreadable_input_are_known() -> None:
    assert {"invalid-json", "invalid-manifest", "invalid-report"} <= UNREADABLE
    assert "missing-provider" not in UNREADABLE
