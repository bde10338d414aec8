from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.facets import Declaration, Mode, Report, ReportFile
from pi_contracts.plugins.graph import Graph, Service, Use

if TYPE_CHECKING:
    from collections.abc import Callable

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


def make_random(seed: int) -> list[Report]:
    """Return a few facets that declare anything of a few services."""
    chance = random.Random(seed)
    kinds = chance.choice([["session", "tui"], ["main"], ["a", "b", "c"]])
    scopes = chance.choice([["app"], ["app", "local"], ["app", "net", "local"]])
    services = [f"{name}{name}" for name in "qrstuvw"[: chance.randint(1, 7)]]

    modes: list[Mode] = ["singleton", "keyed"]

    def declare(most: int) -> list[Declaration]:
        return [
            Declaration(chance.choice(scopes), chance.choice(services), chance.choice(modes))
            for _ in range(chance.randint(0, most))
        ]

    names = {(f"p{chance.randrange(6)}", chance.choice(kinds)) for _ in range(9)}
    return [Report(*name, declare(3), declare(2)) for name in sorted(names)]


class Judge:
    """Says by trying everything what holds of reports; slow, short and separate."""

    def __init__(self, reports: list[Report]) -> None:
        self.providers: dict[tuple[str, ...], list[tuple[int, str]]] = {}
        for node, report in enumerate(reports):
            for entry in report.provides:
                self.providers.setdefault(self.name(report, entry), []).append((node, entry.mode))
        self.missing: set[tuple[str, ...]] = set()
        self.mixed: set[tuple[str, ...]] = set()
        self.needs: list[set[int]] = [set() for _ in reports]
        for node, report in enumerate(reports):
            for entry in report.requires:
                name = self.name(report, entry)
                owners = self.providers.get(name, [])
                if not owners:
                    self.missing.add(name)
                elif len(owners) == 1:
                    ((owner, mode),) = owners
                    self.needs[node] |= {owner} - {node}
                    if mode != entry.mode:
                        self.mixed.add(name)
        self.disputed = {name for name, owners in self.providers.items() if len(owners) > 1}
        self.reached = [self.reach(node) for node in range(len(reports))]

    @staticmethod
    def name(report: Report, entry: Declaration) -> tuple[str, ...]:
        return entry.scope, entry.service, report.facet if entry.scope == "local" else ""

    def reach(self, start: int) -> dict[int, int]:
        """Return how many steps away everything is that *start* needs, itself included."""
        found: dict[int, int] = {}
        level, distance = {start}, 0
        while level:
            distance += 1
            level = {one for node in level for one in self.needs[node] if one not in found}
            found |= dict.fromkeys(level, distance)
        return found


@pytest.mark.parametrize("seeds", [range(i, i + 100) for i in range(0, 500, 100)], ids=str)
def test_what_is_joined_missing_and_ringed_is_what_trying_everything_gives(seeds: range) -> None:
    """PLN-6 to PLN-10: missing, disputed, mixed, rings that are real, shortest and cover all."""
    for seed in seeds:
        reports = make_random(seed)
        graph, judge = Graph(assemble(None, [ReportFile(reports)])), Judge(reports)
        assert {(s.scope, s.id, s.kind or "") for s in graph.gaps} == judge.missing
        names = [(s.scope, s.id, s.kind or "") for s in map(graph.get_service, graph.claims)]
        assert set(names) == judge.disputed
        names = [(s.scope, s.id, s.kind or "") for s in map(graph.get_service, graph.mismatches)]
        assert set(names) == judge.mixed
        rings = [ring.nodes for ring in graph.find_rings()]
        for ring in rings:
            pairs = zip(ring, (*ring[1:], ring[0]), strict=True)
            assert all(following in judge.needs[node] for node, following in pairs), seed
            assert any(judge.reached[node][node] == len(ring) for node in ring), seed
        assert len({frozenset(ring) for ring in rings}) == len(rings), seed
        ringed = {node for node, reached in enumerate(judge.reached) if node in reached}
        assert {node for ring in rings for node in ring} == ringed, seed


def test_everybody_starts_after_what_he_needs_and_else_in_the_order_of_the_reports() -> None:
    """PLN-15: ties by the manifest's order; of rings only what they need and who needs them."""
    for seed in range(400):
        reports = make_random(seed)
        graph, judge = Graph(assemble(None, [ReportFile(reports)])), Judge(reports)
        places = {node: place for place, node in enumerate(graph.order)}
        assert sorted(places) == list(range(len(reports)))
        for node, needs in enumerate(judge.needs):
            assert all(places[o] < places[node] for o in needs if node not in judge.reached[o])
        if any(node in reached for node, reached in enumerate(judge.reached)):
            continue
        left, expected = set(places), list[int]()
        while left:
            expected.append(min(node for node in left if judge.needs[node].isdisjoint(left)))
            left.discard(expected[-1])
        assert graph.order == expected, seed
