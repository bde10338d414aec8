"""Who provides and who requires what, as numbers; facts for the rules to word.

A facet is its index in the assembly; a service has an index here. A local
service is another one in each kind of host.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .cycles import cover_with_cycles, find_components, find_shortest_cycle, sort_topologically
from .facets import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .assembly import Assembly

LARGE_COMPONENT = 200
"""In a component of more facets than this, one ring and the size are told."""


class Service(NamedTuple):
    """What makes a service: its scope and id and, if it is local, the kind of host."""

    scope: str
    id: str
    kind: str | None = None


class Use(NamedTuple):
    """One declaration: the facet's index, and the declaration's index in its report."""

    node: int
    index: int


class Edge(NamedTuple):
    """That one facet needs another for a service."""

    consumer: int
    provider: int
    service: Service
    mode: str
    index: int
    """Of the declaration among what the consumer requires."""


class Ring(NamedTuple):
    """A shortest real cycle: each facet requires a service of the next, the last of the first."""

    nodes: tuple[int, ...]
    services: tuple[tuple[Edge, ...], ...]
    """Of each facet, what it requires of the next one; at least one edge."""
    size: int
    """How many facets the whole strongly connected component has."""


class Graph:
    """The facets of an assembly, joined by services."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.services: list[Service] = []
        self.owners: list[int] = []
        """Of each service, the facet that provides it first."""
        self.modes: list[str] = []
        """Of each service, the mode in which that facet provides it."""
        self.claims: dict[int, list[Use]] = {}
        """Of each service that is provided more than once, everyone who does."""
        self.gaps: dict[Service, list[Use]] = {}
        """Of each service that nobody provides, everyone who requires it."""
        self.mismatches: dict[int, list[Use]] = {}
        """Of each service, who requires it in another mode than its owner provides it in."""
        self._shared: dict[str, dict[str, int]] = {}
        self._local: dict[str, dict[str, int]] = {}
        self._dependents: list[list[int]] = [[] for _ in assembly.facets]
        self._counts: list[int] = [0] * len(assembly.facets)
        self._is_in_order = True
        self._add_provisions()
        self._add_requirements()

    def _add_provisions(self) -> None:
        shared, local, owners, modes = self._shared, self._local, self.owners, self.modes
        services, claims = self.services, self.claims
        for node, report in enumerate(self.assembly.reports):
            for index, entry in enumerate(report.provides):
                scope, kind = entry.scope, None
                if scope == LOCAL:
                    kind = report.facet
                    table = local.setdefault(kind, {})
                elif (known := shared.get(scope)) is not None:
                    table = known
                else:
                    table = shared[scope] = {}
                number = table.setdefault(entry.service, len(owners))
                if number == len(owners):
                    owners.append(node)
                    modes.append(entry.mode)
                    services.append(Service(scope, entry.service, kind))
                else:
                    claims.setdefault(number, []).append(Use(node, index))
        for number, uses in claims.items():
            node = owners[number]
            service = services[number]
            first = next(
                index
                for index, entry in enumerate(self.assembly.reports[node].provides)
                if entry.service == service.id and entry.scope == service.scope
            )
            uses.insert(0, Use(node, first))

    def _add_requirements(self) -> None:
        shared, local, owners, modes = self._shared, self._local, self.owners, self.modes
        dependents, counts, claims = self._dependents, self._counts, self.claims
        nothing: dict[str, int] = {}
        for node, report in enumerate(self.assembly.reports):
            for index, entry in enumerate(report.requires):
                scope = entry.scope
                if scope == LOCAL:
                    number = local.get(report.facet, nothing).get(entry.service)
                else:
                    number = shared.get(scope, nothing).get(entry.service)
                if number is None:
                    kind = report.facet if scope == LOCAL else None
                    service = Service(scope, entry.service, kind)
                    self.gaps.setdefault(service, []).append(Use(node, index))
                    continue
                if number in claims:
                    continue
                if entry.mode != modes[number]:
                    self.mismatches.setdefault(number, []).append(Use(node, index))
                provider = owners[number]
                if provider != node:
                    dependents[provider].append(node)
                    counts[node] += 1
                    if provider > node:
                        self._is_in_order = False

    def find_service(self, service: Service) -> int | None:
        """Return the number of a service, None if nobody provides it."""
        if service.scope == LOCAL:
            return self._local.get(service.kind or "", {}).get(service.id)
        return self._shared.get(service.scope, {}).get(service.id)

    @cached_property
    def order(self) -> list[int]:
        """All facets, providers first, ties by their place.

        What facets on a ring need of each other is left aside, so that the
        others still find their place.
        """
        if not self._stuck:
            return self._free
        ring_of = {node: number for number, ring in enumerate(self.components) for node in ring}
        dependents = [
            [d for d in row if node not in ring_of or ring_of.get(d) != ring_of[node]]
            for node, row in enumerate(self._dependents)
        ]
        counts = [0] * len(dependents)
        for row in dependents:
            for node in row:
                counts[node] += 1
        return sort_topologically(dependents, counts)

    @cached_property
    def _free(self) -> list[int]:
        """The facets that neither stand on a ring nor wait for one, in order."""
        if self._is_in_order:
            return list(range(len(self._counts)))
        return sort_topologically(self._dependents, self._counts)

    @cached_property
    def _stuck(self) -> list[int]:
        """The facets on rings, and all that wait for them."""
        if len(self._free) == len(self._counts):
            return []
        free = set(self._free)
        return [node for node in range(len(self._counts)) if node not in free]

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components of more than one facet."""
        return find_components(self._dependents, self._stuck)

    def iter_edges(self, node: int) -> Iterator[Edge]:
        """Give an edge for each service that a facet requires, and each of its owners.

        A service that the facet requires twice in one mode has one edge.
        """
        report = self.assembly.reports[node]
        told: set[tuple[Service, str]] = set()
        for index, entry in enumerate(report.requires):
            kind = report.facet if entry.scope == LOCAL else None
            service = Service(entry.scope, entry.service, kind)
            number = self.find_service(service)
            if number is None or (service, entry.mode) in told:
                continue
            told.add((service, entry.mode))
            uses = self.claims.get(number)
            owners = dict.fromkeys(use.node for use in uses) if uses else (self.owners[number],)
            for owner in owners:
                yield Edge(node, owner, service, entry.mode, index)

    def find_rings(self) -> Iterator[Ring]:
        """Give shortest rings until each facet that stands on one has been named.

        Which ones does not depend on the order of the reports.
        """
        facets = self.assembly.facets
        for component in self.components:
            members = set(component)
            ranked = sorted(component, key=facets.__getitem__)
            successors: dict[int, list[int]] = {}

            def get_successors(
                node: int,
                members: set[int] = members,
                successors: dict[int, list[int]] = successors,
            ) -> list[int]:
                if node not in successors:
                    inner = set(self._iter_clear_providers(node)) & members
                    successors[node] = sorted(inner, key=facets.__getitem__)
                return successors[node]

            if len(component) > LARGE_COMPONENT:
                cycles = [find_shortest_cycle(ranked[0], get_successors)]
            else:
                cycles = cover_with_cycles(ranked, get_successors)
            for cycle in cycles:
                yield self._make_ring(cycle, len(component))

    def _iter_clear_providers(self, node: int) -> Iterator[int]:
        """Give the other facets that a facet waits for, disputed services left aside."""
        for edge in self.iter_edges(node):
            if edge.provider != node and self.find_service(edge.service) not in self.claims:
                yield edge.provider

    def _make_ring(self, cycle: list[int], size: int) -> Ring:
        first = min(range(len(cycle)), key=lambda i: self.assembly.facets[cycle[i]])
        nodes = (*cycle[first:], *cycle[:first])
        services = tuple(
            tuple(
                edge
                for edge in self.iter_edges(node)
                if edge.provider == following and self.find_service(edge.service) not in self.claims
            )
            for node, following in zip(nodes, (*nodes[1:], nodes[0]), strict=True)
        )
        return Ring(nodes, services, size)
