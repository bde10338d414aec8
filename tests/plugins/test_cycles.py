from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.plugins.cycles import (
    Links,
    cover_with_cycles,
    find_components,
    find_shortest_cycle,
    sort_topologically,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 8
pairs = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda p: p[0] != p[1]),
    max_size=20,
)


def make_links(edges: list[tuple[int, int]], size: int = SIZE) -> Links:
    links = Links(size)
    for source, target in edges:
        links.add(source, target)
    return links


def make_graph(edges: list[tuple[int, int]]) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(SIZE))
    graph.add_edges_from(edges)
    return graph


def iter_ancestors(graph: nx.DiGraph[int], node: int) -> Iterator[int]:
    return (other for other in range(SIZE) if nx.has_path(graph, other, node))


@given(pairs)
def test_the_components_are_those_of_networkx(edges: list[tuple[int, int]]) -> None:
    found = find_components(make_links(edges), range(SIZE))
    expected = [
        sorted(c) for c in nx.strongly_connected_components(make_graph(edges)) if len(c) > 1
    ]
    assert sorted(found) == sorted(expected)


@given(pairs)
def test_the_order_is_the_least_topological_one_of_networkx(edges: list[tuple[int, int]]) -> None:
    graph = make_graph(edges)
    order = sort_topologically(make_links(edges))
    if nx.is_directed_acyclic_graph(graph):
        assert order == list(nx.lexicographical_topological_sort(graph))
    else:
        rings = {n for c in nx.strongly_connected_components(graph) if len(c) > 1 for n in c}
        waiting = {node for node in range(SIZE) if rings & {node, *iter_ancestors(graph, node)}}
        assert sorted(order) == sorted(set(range(SIZE)) - waiting)


@given(pairs)
def test_rings_are_real_shortest_and_cover_each_component(edges: list[tuple[int, int]]) -> None:
    links = make_links(edges)
    graph = make_graph(edges)
    for component in find_components(links, range(SIZE)):
        cycles = cover_with_cycles(component, links.iter_targets)
        assert {node for cycle in cycles for node in cycle} == set(component)
        assert len({frozenset(cycle) for cycle in cycles}) == len(cycles)
        for cycle in cycles:
            assert all(
                graph.has_edge(a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            )
            assert len(cycle) == min(
                len(nx.bidirectional_shortest_path(graph, target, cycle[0]))
                for target in links.iter_targets(cycle[0])
                if nx.has_path(graph, target, cycle[0])
            )


def test_no_ring_is_found_where_there_is_none() -> None:
    assert find_shortest_cycle(0, make_links([(0, 1), (1, 2)]).iter_targets) == []


def test_a_ring_and_a_chain_of_many_thousands_exhaust_no_stack() -> None:
    count = 50_000
    ring = make_links([(i, (i + 1) % count) for i in range(count)], count)
    assert find_components(ring, range(count)) == [list(range(count))]
    assert find_shortest_cycle(0, ring.iter_targets) == list(range(count))
    assert len(ring) == count
