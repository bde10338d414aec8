from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.graph import Graph, Service, Use

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]


def make_graph(file: ReportFile) -> Graph:
    return Graph(assemble(None, [file]))


def test_a_local_service_is_another_one_in_each_host(facets: Facets) -> None:
    graph = make_graph(facets("a:ui; local/x; local/x\nb:main; local/x; local/x\nc:web; local/x;"))
    assert list(graph.iter_services()) == [
        Service("local", "x", "ui"),
        Service("local", "x", "main"),
    ]
    assert list(graph.gaps) == [Service("local", "x", "web")]
    assert graph.claims == {}
    assert graph.get_number(Service("local", "x", "main")) == 1
    assert graph.find_service(Service("local", "x", "web")) is None
    assert graph.find_by_id("x") == [0, 1]
    assert graph.scopes == {"local"}


def test_everyone_who_provides_a_service_claims_it_in_order(facets: Facets) -> None:
    graph = make_graph(facets("a:main;; app/y app/x app/x\nb:main;; app/x*"))
    assert graph.claims == {1: [Use(0, 1), Use(0, 2), Use(1, 0)]}
    assert (graph.owners, graph.get_mode(1)) == ([0, 0], "singleton")


def test_an_edge_leads_to_each_owner_and_a_need_is_told_once(facets: Facets) -> None:
    graph = make_graph(facets("u:main; app/x app/x app/x*;\na:main;; app/x\nb:main;; app/x"))
    edges = [(edge.provider, edge.mode, edge.position) for edge in graph.iter_edges(0)]
    assert edges == [(1, "singleton", 0), (2, "singleton", 0), (1, "keyed", 2), (2, "keyed", 2)]


def test_those_who_wait_for_a_ring_come_last_and_after_it(facets: Facets) -> None:
    graph = make_graph(
        facets("tail:main; app/a;\na:main; app/b; app/a\nb:main; app/a; app/b\nfree:main;;")
    )
    assert graph.order == [3, 1, 2, 0]


def test_a_ring_begins_with_its_least_name_and_tells_every_service(facets: Facets) -> None:
    graph = make_graph(facets("c:main; app/a app/b; app/c\na:main; app/c; app/a app/b"))
    (ring,) = graph.find_rings()
    assert ring.nodes == (1, 0)
    assert [[edge.service.id for edge in edges] for edges in ring.services] == [["c"], ["a", "b"]]
    assert ring.size == 2


def test_a_disputed_service_closes_no_ring(facets: Facets) -> None:
    graph = make_graph(facets("a:main; app/b; app/a\nb:main; app/a; app/b\nc:main;; app/b"))
    assert list(graph.find_rings()) == []
