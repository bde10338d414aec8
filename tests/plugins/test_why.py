from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.facets import CallSite, Declaration, Report, ReportFile
from pi_contracts.plugins.graph import Graph, Service
from pi_contracts.plugins.why import (
    Owner,
    Why,
    draw_why,
    explain_service,
    find_named,
    suggest_services,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

CHAIN = """
top:web; app/page;
mid:main; app/data; app/page
low:main; app/disk app/gone; app/data
disk:main;; app/disk
"""


def join(file: ReportFile) -> Graph:
    return Graph(assemble(None, [file]))


def ask(graph: Graph, name: str) -> Why:
    (service,) = find_named(graph, name)
    return explain_service(graph, service)


def draw(graph: Graph, name: str, *, shown: int = 20) -> list[str]:
    drawn = [
        draw_why(graph, service, explain_service(graph, service), shown=shown)
        for service in find_named(graph, name)
    ]
    return "".join(drawn).splitlines()


def test_an_answer_names_who_provides_who_waits_and_what_is_needed_for_it(facets: Facets) -> None:
    why = ask(join(facets(CHAIN)), "app/data")
    assert why.providers == (Owner("low", "main", "singleton"),)
    assert [(str(s.consumer), s.name, str(s.provider), s.distance) for s in why.consumers] == [
        ("mid:main", "app/data", "low:main", 1),
        ("top:web", "app/page", "mid:main", 2),
    ]
    assert why.ends == (Facet("top", "web"),)
    assert [(s.name, s.provider and str(s.provider), s.distance) for s in why.needs] == [
        ("app/disk", "disk:main", 1),
        ("app/gone", None, 1),
    ]


def test_an_answer_is_drawn_as_trees_both_ways(facets: Facets) -> None:
    assert draw(join(facets(CHAIN)), "app/data") == [
        "app/data",
        "  provided by low:main as singleton",
        "    needs app/disk <- disk:main",
        "    needs app/gone <- nobody",
        "  needed by 2 facets:",
        "    app/data -> mid:main",
        "      app/page -> top:web",
        "  up to top:web",
    ]


def test_a_service_that_nobody_provides_has_consumers_all_the_same(facets: Facets) -> None:
    graph = join(facets(CHAIN))
    why = ask(graph, "app/gone")
    assert why.providers == ()
    assert [step.distance for step in why.consumers] == [1, 2, 3]
    assert draw(graph, "app/gone")[:3] == [
        "app/gone",
        "  provided by nobody",
        "  needed by 3 facets:",
    ]


def test_a_service_that_nobody_requires_says_so(facets: Facets) -> None:
    graph = join(facets("a:main;; app/x"))
    assert ask(graph, "app/x").consumers == ()
    assert draw(graph, "app/x") == [
        "app/x",
        "  provided by a:main as singleton",
        "  needed by nobody",
    ]


def test_a_disputed_service_has_all_its_owners(facets: Facets) -> None:
    graph = join(facets("a:main;; app/x\nb:main;; app/x*\nc:main; app/x;"))
    why = ask(graph, "app/x")
    assert [(one.plugin, one.mode) for one in why.providers] == [("a", "singleton"), ("b", "keyed")]
    assert [str(step.provider) for step in why.consumers] == ["a:main", "b:main"]


def test_a_local_service_is_answered_for_each_host(facets: Facets) -> None:
    text = "a:tui;; local/x\nb:tui; local/x;\na:web;; local/x\nc:web; local/y;"
    graph = join(facets(text))
    services = find_named(graph, "local/x")
    assert services == [Service("local", "x", "tui"), Service("local", "x", "web")]
    first, second = (explain_service(graph, service) for service in services)
    assert [str(step.consumer) for step in first.consumers] == ["b:tui"]
    assert (first.host, second.host, second.consumers) == ("tui", "web", ())
    assert draw(graph, "local/x")[0] == "local/x in host kind tui"


def test_a_ring_is_followed_once_around(facets: Facets) -> None:
    graph = join(facets("a:main; app/y; app/x\nb:main; app/x; app/y\nc:main; app/y;"))
    why = ask(graph, "app/x")
    assert [(str(s.consumer), s.name, s.distance) for s in why.consumers] == [
        ("b:main", "app/x", 1),
        ("a:main", "app/y", 2),
        ("c:main", "app/y", 2),
    ]
    assert [step.name for step in why.needs] == ["app/y", "app/x"]


def test_in_a_ring_nobody_is_the_last_to_wait(facets: Facets) -> None:
    graph = join(facets("a:main; app/y; app/x\nb:main; app/x; app/y"))
    assert ask(graph, "app/x").ends == ()
    assert draw(graph, "app/x")[-1] == "      app/y -> a:main"


def test_who_consumes_what_it_provides_is_no_end(facets: Facets) -> None:
    why = ask(join(facets("a:main; app/x; app/x\nb:main; app/x;")), "app/x")
    assert [str(step.consumer) for step in why.consumers] == ["a:main", "b:main"]
    assert why.needs == ()


def test_a_facet_that_requires_more_than_the_service_is_told_for_the_service(
    facets: Facets,
) -> None:
    why = ask(join(facets("a:main;; app/x app/y\nb:main; app/y app/x;")), "app/x")
    assert [step.name for step in why.consumers] == ["app/x"]


def test_call_sites_are_told_where_they_are_known() -> None:
    calls = [
        Declaration("app", "x", "singleton", at=CallSite(f"src/{name}.py", line))
        for name, line in (("a", 3), ("b", 7))
    ]
    file = ReportFile([Report("a", "main", [], [calls[0]]), Report("b", "main", [calls[1]], [])])
    graph = join(file)
    why = ask(graph, "app/x")
    assert why.providers[0].at == CallSite("src/a.py", 3)
    assert why.consumers[0].at == CallSite("src/b.py", 7)
    assert draw(graph, "app/x") == [
        "app/x",
        "  provided by a:main as singleton at src/a.py:3",
        "  needed by 1 facet:",
        "    app/x -> b:main at src/b.py:7",
        "  up to b:main",
    ]


def test_of_many_consumers_the_first_are_drawn_and_how_to_see_the_others(facets: Facets) -> None:
    text = "own:main;; app/x\n" + "\n".join(f"c{i}:main; app/x; app/y{i}" for i in range(9))
    drawn = draw(join(facets(text)), "app/x", shown=3)
    assert drawn[2:7] == [
        "  needed by 9 facets:",
        "    app/x -> c0:main",
        "    app/x -> c1:main",
        "    app/x -> c2:main",
        "    …and 6 more (--format json lists all)",
    ]


def test_control_characters_are_escaped() -> None:
    file = ReportFile([Report("a\x1b", "main", [], [Declaration("app", "\x1b[2J", "singleton")])])
    assert "\x1b" not in "".join(draw(join(file), "app/\x1b[2J"))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("session/modles", ["session/models"]),
        ("server/models", ["session/models"]),
        ("models", ["session/models"]),
        ("session/pi/nested-id", ["session/@pi/nested-id"]),
        ("other/thing", []),
    ],
    ids=["a slip", "another scope", "no scope", "an id with a slash", "nothing near"],
)
def test_an_unknown_name_has_near_ones(facets: Facets, name: str, near: list[str]) -> None:
    graph = join(facets("a:session;; session/models session/@pi/nested-id"))
    assert find_named(graph, name) == []
    assert suggest_services(graph, name) == near
