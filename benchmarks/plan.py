"""Measure the plan against networkx, and reading reports against bare msgspec.

Each figure is the best of several runs, ours and the peer's alternating. The
peer builds the graph of the same facets and finds its strongly connected
components; it judges nothing and words nothing.

Run: python benchmarks/plan.py
"""

from __future__ import annotations

import gc
import os
import platform
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec
import networkx as nx
from pi_contracts.plugins.facets import Declaration, Report, ReportFile, parse_reports
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 4


def name_need(number: int) -> Declaration:
    """Return the declaration of one service."""
    return Declaration("app", f"service-{number}", "singleton")


def make_reports(needs: list[list[int]]) -> list[Report]:
    """Return facets that each provide one service, and require those with the given numbers."""
    return [
        Report(f"plugin-{i}", "main", [name_need(n) for n in row], [name_need(i)])
        for i, row in enumerate(needs)
    ]


def make_random(count: int, rings: int = 0) -> list[list[int]]:
    """Return three needs for each facet, with *rings* rings of five planted."""
    source = random.Random(7)
    places = list(range(count))
    source.shuffle(places)
    needs: list[list[int]] = [[] for _ in range(count)]
    for rank in range(1, count):
        needs[places[rank]] = [places[source.randrange(rank)] for _ in range(3)]
    for ring in range(rings):
        members = source.sample(range(count), 5)
        for index, member in enumerate(members):
            needs[member] = [members[(index + 1) % 5], *needs[member][1:]]
        needs[members[0]].append(members[ring % 5])
    return needs


def build_with_networkx(reports: list[Report]) -> int:
    """Do the peer's part: the graph, and its strongly connected components."""
    owners = {(d.scope, d.service): i for i, r in enumerate(reports) for d in r.provides}
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(reports)))
    graph.add_edges_from(
        (i, owner)
        for i, r in enumerate(reports)
        for d in r.requires
        if (owner := owners.get((d.scope, d.service))) is not None
    )
    return sum(1 for _ in nx.strongly_connected_components(graph))


def plan(reports: list[Report]) -> int:
    """Do our part: every finding, and the order."""
    made = make_plan(None, [ReportFile(reports)])
    return len(made.findings) + len(made.order)


def compare(
    ours: Callable[[Any], object], peer: Callable[[Any], object], data: object
) -> tuple[float, float]:
    """Return the best time of each, in seconds, the runs alternating."""
    best = [float("inf"), float("inf")]
    for _ in range(RUNS):
        for index, function in enumerate((ours, peer)):
            gc.collect()
            begin = time.perf_counter()
            function(data)
            best[index] = min(best[index], time.perf_counter() - begin)
    return best[0], best[1]


def show(label: str, times: tuple[float, float], bound: str) -> float:
    """Print one row and return its ratio."""
    ours, peer = times
    ratio = ours / peer
    print(f"{label:<52}{ours * 1e3:>9.1f}{peer * 1e3:>9.1f}{ratio:>8.2f}   {bound}")
    return ratio


def main() -> None:
    """Print the table."""
    print(f"Python {sys.version.split()[0]}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"{'assembly':<52}{'ours ms':>9}{'peer ms':>9}{'ratio':>8}   bound")
    ratios = {
        count: show(
            f"{count} facets, three needs each",
            compare(plan, build_with_networkx, make_reports(make_random(count))),
            bound,
        )
        for count, bound in ((4_000, "1.0"), (40_000, "1.3 x that of 4000"), (100_000, "likewise"))
    }
    print(f"{'ratio of 40,000 to that of 4,000':<70}{ratios[40_000] / ratios[4_000]:>8.2f}   1.3")
    print(f"{'ratio of 100,000 to that of 4,000':<70}{ratios[100_000] / ratios[4_000]:>8.2f}   1.3")
    ring = [[(i + 1) % 3000] for i in range(3000)]
    chain = [[i + 1] for i in range(99_999)] + [[]]
    missing = [[10_000 + i] for i in range(10_000)]
    together = [[(i + 1) % 3000] for i in range(3000)]
    together += [[i + 1] for i in range(3000, 102_999)] + [[]]
    together += [[200_000 + i] for i in range(10_000)]
    for label, needs in (
        ("10000 facets, ten planted rings", make_random(10_000, rings=10)),
        ("a chain of 100000", chain),
        ("that chain, a ring of 3000 and 10000 gaps in one run", together),
    ):
        show(label, compare(plan, build_with_networkx, make_reports(needs)), "1.0")
    # Alone, these measure the wording of findings, of which the peer makes none.
    for label, needs in (("a ring of 3000", ring), ("10000 missing providers", missing)):
        show(label, compare(plan, build_with_networkx, make_reports(needs)), "none")
    for count in (4_000, 40_000):
        data = msgspec.json.encode(make_reports(make_random(count)))
        decode = msgspec.json.Decoder(list[Report]).decode
        times = compare(lambda text: parse_reports(text, "reports.json"), decode, data)
        show(f"reading {count} reports, peer is msgspec", times, "3.0")


if __name__ == "__main__":
    main()
