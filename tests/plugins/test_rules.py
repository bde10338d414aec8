from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.facets import CallSite, Declaration, Report, ReportFile, parse_reports
from pi_contracts.plugins.plan import make_plan
from pi_contracts.plugins.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

BAD_AND_GOOD = {
    "missing-provider": ("a:main; app/x;", "a:main; app/x;\nb:main;; app/x"),
    "local-not-reachable": (
        "a:ui; local/x;\nb:main;; local/x",
        "a:ui; local/x;\nb:ui;; local/x",
    ),
    "duplicate-owner": ("a:main;; app/x\nb:main;; app/x", "a:main;; app/x\nb:main;; session/x"),
    "mode-mismatch": ("a:main; app/x*;\nb:main;; app/x", "a:main; app/x*;\nb:main;; app/x*"),
    "dependency-cycle": (
        "a:main; app/y; app/x\nb:main; app/x; app/y",
        "a:main; app/x; app/x\nb:main; app/x; app/y",
    ),
    "scope-not-allowed": ("a:tui;; session/x", "a:session;; session/x"),
    "confusable-id": ("a:main;; app/Clock app/clock", "a:main;; app/clock app/clocks"),
    "unused-provider": ("a:main;; app/x", "a:main; app/x; app/x"),
}


@pytest.mark.parametrize("rule", BAD_AND_GOOD)
def test_each_rule_finds_its_bad_example_alone_and_passes_its_good_one(
    facets: Facets, rule: str
) -> None:
    bad, good = BAD_AND_GOOD[rule]
    levels = {"unused-provider": "error" if rule == "unused-provider" else "off"}
    assert [f.rule for f in make_plan(None, [facets(bad)], rules=levels).findings] == [rule]
    assert make_plan(None, [facets(good)], rules=levels).findings == ()


def test_every_rule_has_an_id_of_its_own_and_an_explanation() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.find.__doc__


def find_messages(file: ReportFile) -> list[str]:
    return [finding.message for finding in make_plan(None, [file]).findings]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a:main;; app/s app/s",
            '"a:main" provides "app/s" twice; its consumers can be served by one only',
        ),
        (
            "a:main;; app/s app/s app/s*",
            (
                '"a:main" provides "app/s" 3 times, as keyed and as singleton; '
                "its consumers can be served by one only"
            ),
        ),
        (
            "b:main;; app/s*\na:ui;; app/s",
            (
                '"app/s" has 2 owners: "a:ui" (singleton) and "b:main" (keyed); '
                "its consumers can be served by one only"
            ),
        ),
        (
            "a:main; app/s*; app/s",
            (
                '"a:main" requires "app/s" as keyed, and itself provides it as singleton; '
                "the two modes cannot be joined"
            ),
        ),
        (
            "a:main; app/s;\nb:main; app/s;\nc:main;; app/s*",
            (
                '"a:main" and "b:main" require "app/s" as singleton, but "c:main" provides it as '
                "keyed; the two modes cannot be joined"
            ),
        ),
        (
            "b:main; app/x; app/y app/z\na:main; app/y app/z; app/x",
            (
                '"a:main" requires "app/y" and "app/z" of "b:main", which requires "app/x" of '
                '"a:main"; none of them can start first'
            ),
        ),
        (
            "a:tui;; session/x\nb:web;; session/y",
            (
                '"a:tui" provides "session/x", but scope "session" is served by the host of kind '
                '"session" alone, and calls reach no other one'
            ),
        ),
        (
            "Lamp:main;;\nlamp:main;;\nLAMP:main;;",
            (
                'the plugin ids "LAMP" (U+0041 U+004D U+0050), "Lamp" (U+0061 U+006D U+0070) and '
                '"lamp" (U+006C U+0061 U+006D U+0070) differ only in case or Unicode form; '
                "they look alike and do not match"
            ),
        ),
    ],
)
def test_messages_say_who_does_what_to_whom(facets: Facets, text: str, message: str) -> None:
    assert find_messages(facets(text))[0] == message


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("a:main;; app/s\nb:main;; app/s*\nu:main; app/s;\nw:main; app/s*;", ["duplicate-owner"]),
        ("a:main; app/t; app/s\nb:main; app/s; app/t\nc:main;; app/t", ["duplicate-owner"]),
        ("a:main; app/Clock;\nb:main;; app/clock", ["missing-provider"]),
        ("a:main; App/clock;\nb:main;; app/clock", ["missing-provider"]),
        ("a:main; app/Clock app/clock;", ["missing-provider"] * 2 + ["confusable-id"]),
        ("a:main; app/x app/x app/x*;", ["missing-provider"]),
        ("a:ui;; local/log\nb:main;; local/log", []),
        ("a:ui;; local/log\nb:ui;; local/log", ["duplicate-owner"]),
        ("a:main; app/y;\nb:ui; app/x; app/y", ["missing-provider"]),
    ],
)
def test_consequences_of_a_finding_are_not_findings(
    facets: Facets, text: str, rules: list[str]
) -> None:
    found = [finding.rule for finding in make_plan(None, [facets(text)]).findings]
    assert sorted(found) == sorted(rules)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a:main;; session/x", []),
        ("a:main;; session/x\nb:ui;; session/y", ["x", "y"]),
        ("a:main;; session/x\nb:session;;", ["x"]),
        ("a:main;; session/x\nb:session;; session/x", ["x"]),
        ("a:server;; session/x", ["x"]),
        ("a:web;; server/x", ["x"]),
        ("a:web;; app/x\nb:tui;; app/y", []),
    ],
)
def test_only_the_hosts_own_kind_provides_in_its_scope(
    facets: Facets, text: str, wrong: list[str]
) -> None:
    findings = make_plan(None, [facets(text)]).findings
    found = [f.subject.service for f in findings if f.rule == "scope-not-allowed"]
    assert sorted(map(str, found)) == wrong


def test_a_large_component_is_told_by_one_ring_and_its_size(facets: Facets) -> None:
    """Two hundred rings through one hub are one finding, of two facets and the size."""
    spokes = "\n".join(f"s{i}:main; app/hub; app/s{i}" for i in range(200))
    needs = " ".join(f"app/s{i}" for i in range(200))
    (finding,) = make_plan(None, [facets(f"hub:main; {needs}; app/hub\n{spokes}")]).findings
    assert finding.subject.facets == (Facet("hub", "main"), Facet("s0", "main"))
    assert finding.message.endswith("(one ring among 201 facets that all wait for each other)")


def test_a_component_of_two_hundred_is_covered_ring_by_ring(facets: Facets) -> None:
    spokes = "\n".join(f"s{i}:main; app/hub; app/s{i}" for i in range(199))
    needs = " ".join(f"app/s{i}" for i in range(199))
    findings = make_plan(None, [facets(f"hub:main; {needs}; app/hub\n{spokes}")]).findings
    assert len(findings) == 199


def test_a_finding_points_at_the_call_where_the_report_knows_it() -> None:
    def need(line: int) -> list[Declaration]:
        return [Declaration("app", "x", "singleton", at=CallSite("src/tui.py", line))]

    reports = [Report("a", "tui", need(7), []), Report("b", "tui", need(9), [])]
    (finding,) = make_plan(None, [ReportFile(reports)]).findings
    assert (finding.path, finding.line, finding.pointer) == ("src/tui.py", 7, None)
    (related,) = finding.related
    assert (related.path, related.line) == ("src/tui.py", 9)
    assert related.message == '"b:tui" requires it here'


def test_a_finding_points_into_the_file_of_reports_otherwise() -> None:
    text = (
        b'[{"pluginId": "a", "facet": "tui", "requires": [], "provides": []},\n'
        b' {"pluginId": "b", "facet": "tui", "provides": [],\n'
        b'  "requires": [{"scope": "app", "service": "x", "mode": "keyed"}]}]'
    )
    file, _ = parse_reports(text, "reports.json")
    (finding,) = make_plan(None, [file]).findings
    assert (finding.path, finding.line, finding.column) == ("reports.json", 3, 16)
    assert finding.pointer == "/1/requires/0"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("a:session;; session/x\nb:session;; session/x", ["duplicate-owner"]),
        ("a:session;; session/x*\nb:session;; session/x*", ["duplicate-owner"]),
        ("a:session;; session/x session/x", ["duplicate-owner"]),
        ("a:server;; server/x\nb:session;; session/x", []),
        ("a:tui; local/x;\nb:session;; local/x", ["local-not-reachable"]),
        ("a:tui; session/x;\nb:session;; session/y", ["missing-provider"]),
        ("a:tui; session/x*;\nb:session;; session/y", ["missing-provider"]),
        ("a:tui; session/x;\nb:server;; server/x", ["missing-provider"]),
        ("a:s; p/x; p/y\nb:s; p/y; p/x\nc:s; p/x;", ["dependency-cycle"]),
    ],
    ids=[
        "PLN-7: two owners of a singleton",
        "PLN-7: two owners of a keyed service",
        "PLN-8: one facet owns twice",
        "PLN-17: the same id in two scopes is two services",
        "PLN-11: a local service of another process",
        "PLN-14, PLN-16: use is a hard requirement, though a presentation may start detached",
        "PLN-16: observe is a hard requirement",
        "PLN-17: another scope provides another service",
        "PLN-10: nobody who only waits is named",
    ],
)
def test_an_assembly_is_refused_for_its_root_causes_alone(
    facets: Facets, text: str, rules: list[str]
) -> None:
    findings = make_plan(None, [facets(text)]).findings
    assert [finding.rule for finding in findings] == rules
    assert all("c:s" not in finding.message for finding in findings)
