from __future__ import annotations

import json
from typing import Any

from pi_contracts.contracts.findings import Finding, Related, Severity
from pi_contracts.contracts.reports.report import Report
from pi_contracts.contracts.reports.sarif import render_sarif

FINDINGS = (
    Finding(
        "b-rule",
        Severity.ERROR,
        "it is bad",
        path="dir x/ü.json",
        line=3,
        column=7,
        related=(Related("see here", "other.json", 2), Related("and so on")),
        fix="mend it",
    ),
    Finding("a-rule", Severity.WARNING, "hm", path="p.json"),
    Finding("b-rule", Severity.NOTE, "well"),
)


def render(*findings: Finding) -> dict[str, Any]:
    text = render_sarif(Report("check", findings), {"a-rule": "What a means."})
    assert text.endswith("}\n")
    document: dict[str, Any] = json.loads(text)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run  # type: ignore[no-any-return]


def test_each_rule_stands_once_and_results_refer_to_it() -> None:
    run = render(*FINDINGS)
    driver = run["tool"]["driver"]
    assert driver["name"] == "pi-contracts"
    assert driver["rules"] == [
        {"id": "a-rule", "shortDescription": {"text": "What a means."}},
        {"id": "b-rule"},
    ]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_levels_are_those_of_the_format() -> None:
    assert [one["level"] for one in render(*FINDINGS)["results"]] == ["error", "warning", "note"]


def test_places_are_encoded_and_counted_in_code_points() -> None:
    run = render(*FINDINGS)
    assert run["columnKind"] == "unicodeCodePoints"
    first, second, third = run["results"]
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "dir%20x/%C3%BC.json", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 3, "startColumn": 7},
            }
        }
    ]
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert "locations" not in third


def test_related_places_and_help_are_told() -> None:
    first = render(*FINDINGS)["results"][0]
    assert first["message"]["text"] == "it is bad\nHelp: mend it"
    here, further = first["relatedLocations"]
    assert here["physicalLocation"]["region"] == {"startLine": 2}
    assert further == {"id": 2, "message": {"text": "and so on"}}


def test_fingerprints_tell_results_apart() -> None:
    (result,) = render(FINDINGS[0])["results"]
    assert result["partialFingerprints"] == {"piContracts/v1": FINDINGS[0].fingerprint}
