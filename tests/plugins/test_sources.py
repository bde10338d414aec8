from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]

MANIFEST = b"""{"manifest": 1, "plugins": [
  {"id": "@pi/question", "facets": {
    "tui": {"entry": "q.tui:facet",
            "requires": [{"scope": "session", "service": "question-dialog", "mode": "keyed"}]},
    "session": "q.session:facet"}},
  {"id": "@pi/question", "facets": {}},
  {"id": "@pi/models"}
]}"""


def test_what_the_manifest_leaves_open_is_told_with_its_place() -> None:
    manifest, _ = parse_manifest(MANIFEST, "app.json")
    findings = make_plan(manifest).findings
    assert [(f.rule, f.line, f.pointer) for f in findings] == [
        ("no-report", 5, "/plugins/0/facets/session"),
        ("duplicate-plugin", 6, "/plugins/1"),
        ("no-report", 7, "/plugins/2"),
    ]
    assert findings[0].message == (
        'nothing is known of "@pi/question:session", which has no report; '
        'so it is not known who provides "session/question-dialog"'
    )
    assert findings[1].message == (
        'the manifest lists plugin "@pi/question" twice; it cannot be loaded more than once'
    )
    assert [(r.path, r.line) for r in findings[1].related] == [("app.json", 2)]


def test_what_unknown_facets_may_provide_is_told_once_with_the_first_that_may() -> None:
    manifest, _ = parse_manifest(
        b"""{"manifest": 1, "plugins": [{"id": "z"},
        {"id": "a", "facets": {"tui": {"entry": "a:f", "requires": [
          {"scope": "session", "service": "x", "mode": "singleton"},
          {"scope": "app", "service": "y", "mode": "singleton"},
          {"scope": "server", "service": "w", "mode": "singleton"}]}}},
        {"id": "b", "facets": {"session": "b:f", "web": "b:w"}},
        {"id": "c", "facets": {"session": "c:f"}}]}""",
        "app.json",
    )
    found = make_plan(manifest).findings
    assert [(one.rule, *one.message.partition("; so it is not known ")[::2]) for one in found] == [
        ("no-report", 'plugin "z" names no facets, and no installed package does',
         'who provides "server/w"'),
        ("no-report", 'nothing is known of "b:session", which has no report',
         'who provides "app/y" and "session/x"'),
        ("no-report", 'nothing is known of "b:web", which has no report', ""),
        ("no-report", 'nothing is known of "c:session", which has no report', ""),
    ]  # fmt: skip


def test_unused_providers_are_not_told_while_a_consumer_may_be_unknown() -> None:
    manifest, _ = parse_manifest(MANIFEST, "app.json")
    found = make_plan(manifest, rules={"unused-provider": "warning"}).findings
    assert "unused-provider" not in {finding.rule for finding in found}


def test_reports_that_disagree_with_the_manifest_are_told(facets: Facets) -> None:
    manifest, _ = parse_manifest(
        b"""{"manifest": 1, "plugins": [{"id": "a", "facets": {"main": {"entry": "a:f",
        "provides": [{"scope": "app", "service": "x", "mode": "keyed"}]}}}]}""",
        "app.json",
    )
    file = facets("a:main;; app/y app/z\nb:main; app/x;")
    findings = make_plan(manifest, [file]).findings
    assert {f.rule: f.message for f in findings} == {
        "drift": (
            'the two reports of "a:main" differ: "app/x" stands in the inline report only; '
            '"app/y" and "app/z" stand in the other report only'
        ),
        "unlisted-report": (
            '"b:main" is reported, but the manifest has no such facet; it is left out'
        ),
    }


def test_a_facet_reported_twice_is_one_duplicate_and_owns_nothing_twice(facets: Facets) -> None:
    """The findings of both reports are told, as of one facet."""
    first = facets("a:main;; app/x\nb:main; app/x;")
    second = facets("a:main; app/gone; app/x\na:main;; app/x")
    findings = make_plan(None, [first, second]).findings
    assert sorted(f.rule for f in findings) == ["duplicate-plugin", "missing-provider"]
    assert 'the facet "a:main" is reported 3 times' in findings[0].message
