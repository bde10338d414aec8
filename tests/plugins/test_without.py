from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet, Severity
from pi_contracts.plugins.assembly import Assembly, assemble
from pi_contracts.plugins.boundaries import Crossing
from pi_contracts.plugins.graph import Graph
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import judge_graph
from pi_contracts.plugins.without import (
    Removal,
    draw_without,
    leave_out,
    list_plugins,
    suggest_plugins,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]

SHOP = """
@pi/disk:main;; app/disk app/spare
@pi/data:main; app/disk; app/data
@pi/data:web; app/data; local/cache
@pi/page:web; app/data local/cache; app/page
@pi/top:web; app/page;
@pi/log:main;; app/log
@pi/data:cli; app/log;
"""


def join(file: ReportFile) -> Graph:
    return Graph(assemble(None, [file]))


def test_what_breaks_is_told_with_root_causes_apart_from_consequences(facets: Facets) -> None:
    answer = Removal(join(facets(SHOP)), "@pi/data").answer
    assert [facet.facet for facet in answer.facets] == ["main", "web", "cli"]
    assert [
        (loss.scope, loss.service, loss.host, [str(step.consumer) for step in loss.consumers])
        for loss in answer.losses
    ] == [
        ("app", "data", None, ["@pi/page:web"]),
        ("local", "cache", "web", ["@pi/page:web"]),
    ]
    assert [(str(step.consumer), str(step.provider)) for step in answer.stopped] == [
        ("@pi/top:web", "@pi/page:web")
    ]
    assert [(one.service, str(one.provider)) for one in answer.idle] == [
        ("disk", "@pi/disk:main"),
        ("log", "@pi/log:main"),
    ]


def test_each_service_that_others_need_is_a_finding_that_names_them(facets: Facets) -> None:
    """PLN-18: a plugin with hard consumers that stay cannot go."""
    findings = list(Removal(join(facets(SHOP)), "@pi/data").find_retained())
    assert [finding.severity for finding in findings] == [Severity.ERROR, Severity.ERROR]
    assert findings[0].message == (
        'without "@pi/data" nobody provides "app/data", '
        'and "@pi/page:web" requires it and cannot start'
    )
    assert '"local/cache" in host kind web' in findings[1].message
    assert findings[0].subject.facets == (Facet("@pi/page", "web"),)
    assert all(finding.fix for finding in findings)


def test_an_answer_is_drawn_loss_by_loss(facets: Facets) -> None:
    graph = join(facets(SHOP))
    drawn = draw_without(graph, Removal(graph, "@pi/data").answer)
    assert drawn.splitlines() == [
        "Without @pi/data (main, web, cli):",
        "  app/data is missing, and so these cannot start:",
        "    page:web",
        "      app/page -> top:web",
        "  local/cache in host kind web is missing, and so these cannot start:",
        "    page:web",
        "      app/page -> top:web",
        "  app/disk of disk:main is required by nobody any more",
        "  app/log of log:main is required by nobody any more",
    ]


def test_a_plugin_that_nobody_needs_goes_without_a_finding(facets: Facets) -> None:
    graph = join(facets(SHOP))
    removal = Removal(graph, "@pi/top")
    assert list(Removal(graph, "@pi/disk").find_retained())
    assert list(removal.find_retained()) == []
    assert draw_without(graph, removal.answer).splitlines() == [
        "Without @pi/top (web):",
        "  app/page of page:web is required by nobody any more",
        "  nothing goes that it alone provides",
    ]


def test_what_it_provides_and_nobody_requires_is_told(facets: Facets) -> None:
    graph = join(facets(SHOP))
    drawn = draw_without(graph, Removal(graph, "@pi/disk").answer)
    assert "  app/spare goes, and nobody else requires it\n" in drawn


def test_a_local_service_that_goes_is_told_with_its_host(facets: Facets) -> None:
    graph = join(facets("a:tui;; local/x\nb:tui; local/y;\nb:main;; local/x local/y"))
    drawn = draw_without(graph, Removal(graph, "a").answer)
    assert "  local/x in host kind tui goes, and nobody else requires it\n" in drawn


def test_of_many_idle_services_the_first_are_drawn(facets: Facets) -> None:
    graph = join(facets("a:tui; local/x local/y local/z;\nb:tui;; local/x local/y local/z"))
    drawn = draw_without(graph, Removal(graph, "a").answer, shown=2).splitlines()
    assert drawn[1] == "  local/x in host kind tui of b:tui is required by nobody any more"
    assert drawn[3] == "  …and 1 more (--format json lists all)"


def test_what_another_plugin_provides_too_is_not_lost(facets: Facets) -> None:
    graph = join(facets("a:main;; app/x\nb:main;; app/x\nc:main; app/x;"))
    removal = Removal(graph, "a")
    assert removal.answer.losses == ()
    assert removal.rest.claims == {}


def test_what_a_plugin_claims_twice_is_its_own(facets: Facets) -> None:
    removal = Removal(join(facets("a:main;; app/x\na:web;; app/x\nc:main; app/x;")), "a")
    assert [str(f.facet) for f in removal.answer.facets] == ["main", "web"]
    assert [loss.service for loss in removal.answer.losses] == ["x"]
    assert len(list(removal.find_retained())) == 1


def test_findings_on_the_rest_say_nothing_twice(facets: Facets) -> None:
    removal = Removal(join(facets(SHOP + "lost:main; app/gone;")), "@pi/data")
    findings = removal.judge(judge_graph(removal.rest).findings)
    assert sorted((one.rule, one.subject.service) for one in findings) == [
        ("missing-provider", "gone"),
        ("retained-consumer", "cache"),
        ("retained-consumer", "data"),
    ]


def test_a_gap_of_the_same_name_in_another_host_stays_a_finding(facets: Facets) -> None:
    text = "a:tui;; local/x\nb:tui; local/x;\nc:web; local/x;\nd:cli;; local/x"
    removal = Removal(join(facets(text)), "a")
    findings = removal.judge(judge_graph(removal.rest).findings)
    assert [(one.rule, str(one.subject.facets[0])) for one in findings] == [
        ("retained-consumer", "b:tui"),
        ("local-not-reachable", "c:web"),
    ]


def test_without_a_finding_of_its_kind_every_other_finding_stays(facets: Facets) -> None:
    removal = Removal(join(facets("a:main;;\nb:main; app/x;\nb:web;; app/y*\nc:web; app/y;")), "a")
    findings = judge_graph(removal.rest).findings
    assert removal.judge(findings) == list(findings)
    assert {one.rule for one in findings} == {"missing-provider", "mode-mismatch"}


def test_everything_of_the_plugin_is_left_out() -> None:
    text = b"""{"manifest": 1, "plugins": [
      {"id": "a", "facets": {"main": "a:main", "web": {"entry": "a:web", "provides": []}}},
      {"id": "a", "facets": {"main": "a:main"}},
      {"id": "b", "facets": {"main": {"entry": "b:main", "provides": []}, "web": "b:web"}}]}"""
    manifest, _ = parse_manifest(text, "m.json")
    rest = leave_out(assemble(manifest, ()), "a")
    assert rest.facets == [Facet("b", "main")]
    assert list(rest.plugins) == ["b"]
    assert rest.repeated == []
    assert [one.plugin for one in rest.unreported] == ["b"]
    assert rest.get_origin(0).pointer == "/plugins/2/facets/main"


@pytest.mark.parametrize(
    ("facet", "owners", "prefix", "is_kept"),
    [
        ("a", ["b"], None, False),
        ("b", ["a"], None, False),
        ("b", ["a", "c"], None, True),
        ("b", [], "os", True),
    ],
    ids=["of the plugin", "into the plugin", "into another too", "into what is forbidden"],
)
def test_a_crossing_goes_with_the_plugin_at_either_end(
    facet: str, owners: list[str], prefix: str | None, *, is_kept: bool
) -> None:
    ends = tuple(Facet(owner, "main") for owner in owners)
    crossing = Crossing(Facet(facet, "web"), "m", "n", ends, prefix, (), ())
    rest = leave_out(Assembly(crossings=[crossing]), "a")
    assert rest.crossings == ([crossing] if is_kept else [])


def test_plugins_are_named_once_and_near_ones_are_suggested(facets: Facets) -> None:
    graph = join(facets(SHOP))
    assert list_plugins(graph) == ["@pi/disk", "@pi/data", "@pi/page", "@pi/top", "@pi/log"]
    assert suggest_plugins(graph, "data") == ["@pi/data"]
    assert suggest_plugins(graph, "@pi/dsik") == ["@pi/disk"]
    assert suggest_plugins(graph, "elsewhere") == []
