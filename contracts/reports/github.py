"""Findings as workflow commands of GitHub Actions, which show them beside the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import Finding, Severity, escape

from .text import show_witness

if TYPE_CHECKING:
    from .report import Report

_COMMANDS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def render_github(report: Report) -> str:
    """Return one annotation a finding, one a line."""
    return "".join(_render(finding) + "\n" for finding in report.findings)


def _render(finding: Finding) -> str:
    facts = {
        "file": finding.path,
        "line": finding.line,
        "col": finding.column,
        "title": finding.rule,
    }
    properties = ",".join(
        f"{name}={_escape_property(str(value))}"
        for name, value in facts.items()
        if value is not None
    )
    lines = [finding.message]
    for related in finding.related:
        where = f"{related.path}:{related.line}: " if related.path and related.line else ""
        lines += [where + related.message]
    if isinstance(finding.witness, msgspec.Raw):
        lines.append(f"such as: {show_witness(finding.witness)}")
    if finding.fix:
        lines.append(f"help: {finding.fix}")
    return f"::{_COMMANDS[finding.severity]} {properties}::{_escape_data(lines)}"


def _escape_data(lines: list[str]) -> str:
    """Return lines as the runner reads them back: its own escapes, nothing else on the line."""
    shown = (escape(part) for line in lines for part in line.split("\n"))
    return "%0A".join(part.replace("%", "%25") for part in shown)


def _escape_property(value: str) -> str:
    value = escape(value).replace("%", "%25")
    return value.replace(":", "%3A").replace(",", "%2C")
