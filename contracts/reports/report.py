"""The report of one command: its findings at the configured levels, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import (
    UNREADABLE,
    Finding,
    Severity,
    sort_findings,
    to_document,
)
from pi_contracts.contracts.read import NOT_READ

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

UNWRITABLE: Final = "unwritable-output"
"""The rule that says that an output could not be written."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one command has to say."""

    tool: str
    """The name of the command."""
    findings: tuple[Finding, ...]
    """In the order of every report."""
    additions: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the command's report in JSON has beside its findings."""
    done: str = ""
    """What the command did, for people; may be several lines."""

    @property
    def exit_code(self) -> int:
        """What the process ends with: 4, 3, 1 or 0, in this order of weight."""
        rules = {one.rule for one in self.findings if one.severity is Severity.ERROR}
        if UNWRITABLE in rules:
            return 4
        if rules & (UNREADABLE | NOT_READ):
            return 3
        return 1 if rules else 0


def apply_levels(
    findings: Iterable[Finding],
    levels: Mapping[str, str],
    *,
    strict: bool,
    keep_errors: bool = False,
    accepted: Container[str] = (),
) -> tuple[Finding, ...]:
    """Return *findings* at the levels of their rules, sorted; a rule that is off has none.

    With *strict*, warnings are errors; with *keep_errors*, no level weakens an error. What is
    *accepted*, by its fingerprint, stays as it is.
    """
    kept: list[Finding] = []
    for finding in findings:
        if finding.fingerprint in accepted:
            kept.append(finding)
            continue
        level = levels.get(finding.rule, finding.severity)
        if keep_errors and finding.severity is Severity.ERROR:
            level = Severity.ERROR
        if level == "off":
            continue
        severity = Severity(level)
        if strict and severity is Severity.WARNING:
            severity = Severity.ERROR
        if severity is not finding.severity:
            finding = msgspec.structs.replace(finding, severity=severity)  # noqa: PLW2901
        kept.append(finding)
    return sort_findings(kept)


def render_json(report: Report) -> str:
    """Return the report as JSON text; its schema is ``contracts/meta/report.schema.json``."""
    document = to_document(report.tool, report.findings, report.additions)
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return text.decode() + "\n"
