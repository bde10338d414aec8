"""Acceptances: findings that a project has decided to live with, for a while."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from pi_contracts.contracts.findings import Finding, Severity, Subject, escape, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One finding that is accepted, why, and the last day on which it is."""

    fingerprint: str
    reason: str
    until: dt.date


def parse_acceptances(
    tables: Sequence[Mapping[str, Any]], path: str | None = None
) -> tuple[tuple[Acceptance, ...], tuple[Finding, ...]]:
    """Return the acceptances of a configuration, and what is wrong with others."""
    accepted: list[Acceptance] = []
    findings: list[Finding] = []
    for index, table in enumerate(tables):
        problem = _find_problem(table)
        if problem is None:
            accepted.append(
                Acceptance(table["fingerprint"], table["reason"], _get_date(table["until"]))
            )
        else:
            message = f"acceptances[{index}]: {problem}"
            fix = 'give "fingerprint", "reason" and "until", a date'
            subject = Subject(document=path, detail=str(index))
            findings.append(
                Finding(
                    "invalid-configuration",
                    Severity.ERROR,
                    message,
                    path=path,
                    subject=subject,
                    fix=fix,
                )
            )
    return tuple(accepted), tuple(findings)


def apply_acceptances(
    findings: Iterable[Finding], acceptances: Sequence[Acceptance], today: dt.date
) -> tuple[Finding, ...]:
    """Return the findings with accepted ones as notes, and what is said of acceptances.

    One after its date accepts nothing; one that accepts nothing is a warning.
    """
    valid = {one.fingerprint: one for one in acceptances if today <= one.until}
    used: set[str] = set()
    result: list[Finding] = []
    for finding in findings:
        acceptance = valid.get(finding.fingerprint)
        if acceptance is None:
            result.append(finding)
            continue
        used.add(finding.fingerprint)
        message = (
            f"{finding.message}; accepted until {acceptance.until}: {escape(acceptance.reason)}"
        )
        result.append(
            msgspec.structs.replace(finding, severity=Severity.NOTE, message=message, fix=None)
        )
    result.extend(_report_idle(acceptances, used, today))
    return tuple(result)


def _report_idle(
    acceptances: Iterable[Acceptance], used: set[str], today: dt.date
) -> Iterator[Finding]:
    """Yield a warning for each acceptance that accepts nothing."""
    for one in acceptances:
        subject = Subject(detail=one.fingerprint)
        if one.until < today:
            message = f"the acceptance {quote(one.fingerprint)} ended on {one.until}"
            fix = "remove it, or decide anew"
        elif one.fingerprint not in used:
            message = f"the acceptance {quote(one.fingerprint)} accepts nothing"
            fix = "remove it: what it accepted is no longer there"
        else:
            continue
        yield Finding("unused-acceptance", Severity.WARNING, message, subject=subject, fix=fix)


def _find_problem(table: Mapping[str, Any]) -> str | None:
    unknown = sorted(table.keys() - {"fingerprint", "reason", "until"})
    if unknown:
        return f"unknown key {quote(unknown[0])}"
    for key in ("fingerprint", "reason"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            return f"{quote(key)} must be a text that is not empty"
    try:
        _get_date(table.get("until"))
    except (TypeError, ValueError):
        return '"until" must be a date, such as 2027-01-31'
    return None


def _get_date(value: Any) -> dt.date:
    """Return a date of TOML, or one that is written as text."""
    if isinstance(value, dt.datetime):
        return value.date()
    return value if isinstance(value, dt.date) else dt.date.fromisoformat(value)
