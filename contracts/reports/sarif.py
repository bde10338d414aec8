"""Findings as SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec
from pi_contracts.contracts.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_contracts.contracts.findings import Related

    from .report import Report

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render_sarif(report: Report, rules: Mapping[str, str]) -> str:
    """Return one run with a result for each finding.

    Args:
        report: What was found.
        rules: One sentence for each rule, by its id.
    """
    found = sorted({finding.rule for finding in report.findings})
    indexes = {rule: index for index, rule in enumerate(found)}
    driver = {
        "name": "pi-contracts",
        "version": version("pi-contracts"),
        "rules": [_describe_rule(rule, rules) for rule in found],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The working directory."}}},
        "automationDetails": {"id": f"pi-contracts/{report.tool}/"},
        "results": [_render(finding, indexes) for finding in report.findings],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _describe_rule(rule: str, rules: Mapping[str, str]) -> dict[str, object]:
    text = rules.get(rule)
    if text is None:
        return {"id": rule}
    say_more = f"pi-contracts explain {rule}"
    return {
        "id": rule,
        "shortDescription": {"text": text},
        "help": {"text": f"{text} For more, run: {say_more}", "markdown": f"{text} `{say_more}`"},
    }


def _render(finding: Finding, indexes: Mapping[str, int]) -> dict[str, object]:
    text = finding.message + (f"\nHelp: {finding.fix}" if finding.fix else "")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": indexes[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "partialFingerprints": {"piContracts/v1": finding.fingerprint},
    }
    told = {"direction": finding.direction, "flow": finding.flow, "witness": finding.witness}
    facts = {name: fact for name, fact in told.items() if fact not in (None, msgspec.UNSET)}
    if facts:
        result["properties"] = facts
    location = _locate(finding)
    if location:
        result["locations"] = [location]
    related = [
        {"id": number, **_locate(one), "message": {"text": one.message}}
        for number, one in enumerate(finding.related, 1)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _locate(place: Finding | Related) -> dict[str, Any]:
    if place.path is None:
        return {}
    physical: dict[str, Any] = {
        "artifactLocation": {
            "uri": quote(place.path, safe="/!$&'()*+,;=@~", errors="replace"),
            "uriBaseId": "SRCROOT",
        }
    }
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
        if place.column is not None:
            physical["region"]["startColumn"] = place.column
    return {"physicalLocation": physical}
