from __future__ import annotations

import json

import pytest
from pi_contracts.plugins.facets import Report, ReportFile, parse_reports
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import make_plan


def report(plugin: str, facet: str, *services: str) -> dict[str, object]:
    entries = [
        {"scope": scope, "service": service, "mode": "keyed"}
        for scope, _, service in (one.partition("/") for one in services)
    ]
    return {"pluginId": plugin, "facet": facet, "requires": [], "provides": entries}


@pytest.mark.parametrize(
    ("reports", "what", "place", "others"),
    [
        ([report("a", "tui"), report("A", "tui")], "plugin ids", (1, "/0"), [2]),
        ([report("a", "tui"), report("b", "TUI")], "facet kinds", (1, "/0"), [2]),
        ([report("b", "x", "app/1", "App/2"), report("a", "x", "app/3")], "scopes",
         (2, "/1/provides/0"), [1]),
        ([report("a", "x", "app/y", "net/Y")], "service ids", (1, "/0/provides/0"), [1]),
    ],
    ids=["plugins", "kinds", "scopes", "services"],
)  # fmt: skip
def test_ids_that_look_alike_are_told_with_the_place_of_each(
    reports: list[dict[str, object]], what: str, place: tuple[int, str], others: list[int]
) -> None:
    """By the names of facets, so that the order of reports shows nowhere."""
    text = "[" + ",\n".join(map(json.dumps, reports)) + "]"
    (finding,) = make_plan(None, [parse_reports(text.encode(), "r.json")[0]]).findings
    assert finding.rule == "confusable-id"
    assert finding.message.startswith(f"the {what} ")
    assert finding.path == "r.json"
    assert (finding.line, finding.pointer) == place
    assert [one.line for one in finding.related] == others
    assert all(one.message == "another one stands here" for one in finding.related)


def test_plugins_that_look_alike_are_told_where_the_manifest_lists_them() -> None:
    text = b"""{"manifest": 1, "plugins": [
        {"id": "a", "facets": {}},
        {"id": "A", "facets": {}}]}"""
    manifest, _ = parse_manifest(text, "m.json")
    (finding,) = make_plan(manifest).findings
    assert (finding.path, finding.line) == ("m.json", 2)
    assert [one.line for one in finding.related] == [3]


def test_without_a_file_there_is_no_place() -> None:
    reports = [Report("a", "x", [], []), Report("A", "x", [], [])]
    (finding,) = make_plan(None, [ReportFile(reports)]).findings
    assert (finding.path, finding.related) == (None, ())
