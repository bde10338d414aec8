from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from pi_contracts.contracts.compat.acceptances import (
    Acceptance,
    apply_acceptances,
    parse_acceptances,
)
from pi_contracts.contracts.findings import Finding, Severity

TODAY = dt.date(2026, 12, 1)
BREAK = Finding("compat-breaking", Severity.ERROR, "it breaks", fingerprint="f1", fix="mend it")
OTHER = Finding("compat-breaking", Severity.ERROR, "that too", fingerprint="f2")


def accept(fingerprint: str, until: dt.date = TODAY) -> Acceptance:
    return Acceptance(fingerprint, "nobody uses it", until)


def test_an_accepted_finding_becomes_a_note_that_says_why_and_how_long() -> None:
    first, second = apply_acceptances([BREAK, OTHER], [accept("f1")], TODAY)
    assert (first.severity, first.fix) == (Severity.NOTE, None)
    assert first.message == "it breaks; accepted until 2026-12-01: nobody uses it"
    assert first.fingerprint == "f1"
    assert second is OTHER


def test_an_acceptance_after_its_date_accepts_nothing_and_says_so() -> None:
    first, second = apply_acceptances([BREAK], [accept("f1", TODAY - dt.timedelta(1))], TODAY)
    assert first is BREAK
    assert (second.rule, second.severity) == ("unused-acceptance", Severity.WARNING)
    assert second.message == 'the acceptance "f1" ended on 2026-11-30'


def test_an_acceptance_that_accepts_nothing_is_a_warning() -> None:
    _, warning = apply_acceptances([BREAK], [accept("gone")], TODAY)
    assert warning.message == 'the acceptance "gone" accepts nothing'


@pytest.mark.parametrize(
    "until", [dt.date(2027, 1, 31), dt.datetime(2027, 1, 31, 5, tzinfo=dt.UTC), "2027-01-31"]
)
def test_a_date_may_be_written_in_three_ways(until: Any) -> None:
    table = {"fingerprint": "f1", "reason": "r", "until": until}
    accepted, findings = parse_acceptances([table])
    assert accepted == (Acceptance("f1", "r", dt.date(2027, 1, 31)),)
    assert findings == ()


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({}, '"fingerprint" must be a text that is not empty'),
        ({"fingerprint": "f1", "reason": " "}, '"reason" must be a text that is not empty'),
        ({"fingerprint": "f1", "reason": "r"}, '"until" must be a date, such as 2027-01-31'),
        (
            {"fingerprint": "f1", "reason": "r", "until": "soon"},
            '"until" must be a date, such as 2027-01-31',
        ),
        ({"fingerprint": "f1", "reason": "r", "until": TODAY, "by": "me"}, 'unknown key "by"'),
    ],
)
def test_an_acceptance_that_is_not_complete_is_an_error(table: Any, problem: str) -> None:
    good = {"fingerprint": "f1", "reason": "r", "until": TODAY}
    accepted, (finding,) = parse_acceptances([good, table], "pyproject.toml")
    assert len(accepted) == 1
    assert finding.rule == "invalid-configuration"
    assert finding.message == f"acceptances[1]: {problem}"
    assert finding.path == "pyproject.toml"
