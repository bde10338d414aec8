"""Steps: that one facet needs a service of another, followed from facet to facet.

The graph answers one facet at a time; questions go on from there, to everyone
who waits and to everything that is needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from pi_contracts.contracts.findings import Facet, escape

from .facets import LOCAL, CallSite
from .graph import Service, Use
from .wording import SEE_ALL, place_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .graph import Edge, Graph


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """That a facet needs a service, and how far that is from what was asked."""

    consumer: Facet
    scope: str
    service: str
    mode: str
    distance: int
    """From 1; of facets that wait, how many steps they wait through, and likewise of needs."""
    provider: Facet | None = None
    """None if nobody provides it."""
    at: CallSite | None = None
    """Where the consumer names the service: its call or, unknown that, its report."""

    @property
    def name(self) -> str:
        """The service as texts name it."""
        return escape(f"{self.scope}/{self.service}")


def find_site(graph: Graph, use: Use, member: str) -> CallSite | None:
    """Return where a declaration is made; *member* is ``requires`` or ``provides``."""
    facts = place_use(graph, use, member)
    if "line" not in facts:
        return None
    return CallSite(str(facts["path"]), int(str(facts["line"])))


def word_site(site: CallSite | None) -> str:
    """Word a place for the end of a line; empty if it is not known."""
    return "" if site is None else f" at {escape(site.path)}:{site.line}"


class Paths:
    """Everything in a graph that waits for something, and everything it needs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def _waiting(self) -> dict[int, list[Edge]]:
        """Of each facet, what others require of it."""
        waiting: dict[int, list[Edge]] = {}
        for node in range(len(self.graph.assembly.facets)):
            for edge in self.graph.iter_edges(node):
                if edge.consumer != edge.provider:
                    waiting.setdefault(edge.provider, []).append(edge)
        return waiting

    @cached_property
    def _lacking(self) -> dict[int, list[tuple[Service, Use]]]:
        """Of each facet, the services it requires that nobody provides."""
        lacking: dict[int, list[tuple[Service, Use]]] = {}
        for service, uses in self.graph.gaps.items():
            for use in uses:
                lacking.setdefault(use.node, []).append((service, use))
        return lacking

    def has_waiting(self, node: int) -> bool:
        """Tell whether another facet requires something of this one."""
        return node in self._waiting

    def iter_consumers(self, service: Service) -> Iterator[tuple[int, Step]]:
        """Give each facet that requires a service itself, with the step."""
        number = self.graph.find_service(service)
        if number is None:
            for use in self.graph.gaps.get(service, ()):
                yield use.node, self._make_gap(service, use, 1)
            return
        for node in range(len(self.graph.assembly.facets)):
            if self._requires(node, service):
                for edge in self.graph.iter_edges(node):
                    if edge.number == number:
                        yield node, self._make_step(edge, 1)

    def _requires(self, node: int, service: Service) -> bool:
        report = self.graph.assembly.reports[node]
        if service.kind not in {None, report.facet}:
            return False
        return any(d.service == service.id and d.scope == service.scope for d in report.requires)

    def iter_waiting(self, nodes: Iterable[int], distance: int = 1) -> Iterator[tuple[int, Step]]:
        """Give everyone who waits for one of *nodes*, the nearest first, each step once.

        Args:
            nodes: Where to begin; they are not given, but for those that wait in a ring.
            distance: Of the first steps.
        """
        level = list(dict.fromkeys(nodes))
        seen = set(level)
        while level:
            reached: list[int] = []
            for node in level:
                for edge in self._waiting.get(node, ()):
                    yield edge.consumer, self._make_step(edge, distance)
                    if edge.consumer not in seen:
                        seen.add(edge.consumer)
                        reached.append(edge.consumer)
            level, distance = reached, distance + 1

    def iter_needs(self, nodes: Iterable[int]) -> Iterator[Step]:
        """Give everything that *nodes* need, the nearest first, each step once."""
        level = list(dict.fromkeys(nodes))
        seen = set(level)
        distance = 1
        while level:
            reached: list[int] = []
            for node in level:
                for edge in self.graph.iter_edges(node):
                    if edge.provider == node:
                        continue
                    yield self._make_step(edge, distance)
                    if edge.provider not in seen:
                        seen.add(edge.provider)
                        reached.append(edge.provider)
                for service, use in self._lacking.get(node, ()):
                    yield self._make_gap(service, use, distance)
            level, distance = reached, distance + 1

    def _make_step(self, edge: Edge, distance: int) -> Step:
        facets = self.graph.assembly.facets
        return Step(
            facets[edge.consumer],
            edge.service.scope,
            edge.service.id,
            edge.mode,
            distance,
            facets[edge.provider],
            find_site(self.graph, Use(edge.consumer, edge.position), "requires"),
        )

    def _make_gap(self, service: Service, use: Use, distance: int) -> Step:
        mode = self.graph.assembly.reports[use.node].requires[use.position].mode
        return Step(
            self.graph.assembly.facets[use.node],
            service.scope,
            service.id,
            mode,
            distance,
            at=find_site(self.graph, use, "requires"),
        )


def list_services(graph: Graph) -> dict[Service, None]:
    """Return every service that is provided or required, provided ones first."""
    return dict.fromkeys((*graph.iter_services(), *graph.gaps))


def name_host(service: Service) -> str:
    """Word in which host a local service is seen; empty for any other."""
    return f" in host kind {escape(service.kind or '')}" if service.scope == LOCAL else ""


def draw_tree(
    roots: Iterable[Step],
    steps: Iterable[Step],
    draw_line: Callable[[Step], str],
    *,
    follow: Callable[[Step], Facet | None],
    group: Callable[[Step], Facet | None],
    shown: int,
    indent: str,
) -> list[str]:
    """Draw steps as a tree; a facet that stands in it twice is drawn on from the first time.

    Args:
        roots: The first steps.
        steps: All others.
        draw_line: Words one step.
        follow: The facet from which a step is drawn on.
        group: The facet under which a step stands.
        shown: How many lines are drawn before it says how many more there are.
        indent: What stands before the first steps.
    """
    below: dict[Facet | None, list[Step]] = {}
    total = 0
    for step in steps:
        below.setdefault(group(step), []).append(step)
        total += 1
    pending = [(step, 0) for step in reversed(list(roots))]
    total += len(pending)
    lines: list[str] = []
    while pending and len(lines) < shown:
        step, depth = pending.pop()
        lines.append(f"{indent}{'  ' * depth}{draw_line(step)}")
        pending += [(s, depth + 1) for s in reversed(below.pop(follow(step), []))]
    if total > len(lines):
        lines.append(f"{indent}…and {total - len(lines)} more ({SEE_ALL})")
    return lines
