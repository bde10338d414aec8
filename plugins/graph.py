"""Who provides and who requires what, as numbers; facts for the rules to word.

A facet is its index in the assembly; a service has an index here. A local
service is another one in each kind of host.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET

from .cycles import (
    Links,
    cover_with_cycles,
    find_components,
    find_shortest_cycle,
    sort_topologically,
)
from .facets import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .assembly import Assembly
    from .facets import Declaration

LARGE_COMPONENT: Final = 200
"""In a component of more facets than this, one ring and the size are told."""

_MANY_SCOPES: Final = 32
"""With more scopes than this, an id is looked up in an index and not in each scope."""


class Service(NamedTuple):
    """What makes a service: its scope and id and, if it is local, the kind of host."""

    scope: str
    id: str
    kind: str | None = None


class Use(NamedTuple):
    """One declaration: the facet's index, and the declaration's position in its report."""

    node: int
    position: int


class Edge(NamedTuple):
    """That one facet needs another for a service."""

    consumer: int
    provider: int
    service: Service
    number: int
    """Of the service."""
    mode: str
    position: int
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
        self._firsts: list[Declaration] = []
        """Of each service, the declaration that provides it first."""
        self.owners: list[int] = []
        """Of each service, the facet that provides it first."""
        self.claims: dict[int, list[Use]] = {}
        """Of each service that is provided more than once, everyone who does."""
        self.gaps: dict[Service, list[Use]] = {}
        """Of each service that nobody provides, everyone who requires it."""
        self.mismatches: dict[int, list[Use]] = {}
        """Of each service, who requires it in another mode than its owner provides it in."""
        self._shared: dict[str, dict[str, int]] = {}
        self._local: dict[str, dict[str, int]] = {}
        self._links = Links(len(assembly.facets))
        self._is_in_order = True
        self._add_provisions()
        self._add_requirements()

    def _add_provisions(self) -> None:
        shared, local, owners, firsts = self._shared, self._local, self.owners, self._firsts
        count = 0
        for node, report in enumerate(self.assembly.reports):
            for index, entry in enumerate(report.provides):
                scope = entry.scope
                if scope == LOCAL:
                    table = local.setdefault(report.facet, {})
                elif (known := shared.get(scope)) is not None:
                    table = known
                else:
                    table = shared[scope] = {}
                number = table.setdefault(entry.service, count)
                if number == count:
                    owners.append(node)
                    firsts.append(entry)
                    count += 1
                else:
                    self.claims.setdefault(number, []).append(Use(node, index))
        for number, uses in self.claims.items():
            provides = self.assembly.reports[owners[number]].provides
            first = next(i for i, entry in enumerate(provides) if entry is firsts[number])
            uses.insert(0, Use(owners[number], first))

    def _add_requirements(self) -> None:
        shared, local, owners, firsts = self._shared, self._local, self.owners, self._firsts
        heads, nexts, targets = self._links.heads, self._links.nexts, self._links.targets
        claims = self.claims
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
                if entry.mode != firsts[number].mode:
                    self.mismatches.setdefault(number, []).append(Use(node, index))
                provider = owners[number]
                if provider != node:
                    nexts.append(heads[provider])  # as Links.add does, without the calls
                    heads[provider] = len(targets)
                    targets.append(node)
                    if provider > node:
                        self._is_in_order = False

    def get_number(self, service: Service) -> int:
        """Return the number of a service that somebody provides."""
        if service.scope == LOCAL:
            return self._local[service.kind or ""][service.id]
        return self._shared[service.scope][service.id]

    def get_service(self, number: int) -> Service:
        """Return the service with this number."""
        first = self._firsts[number]
        is_local = first.scope == LOCAL
        kind = self.assembly.reports[self.owners[number]].facet if is_local else None
        return Service(first.scope, first.service, kind)

    def get_mode(self, number: int) -> str:
        """Return the mode in which the first owner of a service provides it."""
        return self._firsts[number].mode

    def get_provision(self, number: int) -> Declaration:
        """Return the declaration by which the first owner of a service provides it."""
        return self._firsts[number]

    @property
    def has_contracts(self) -> bool:
        """Whether a contract is told of any service that is provided."""
        return any(first.contract is not UNSET for first in self._firsts)

    def iter_services(self) -> Iterator[Service]:
        """Give all services that are provided, by number."""
        return map(self.get_service, range(len(self._firsts)))

    def iter_provided_ids(self) -> Iterator[str]:
        """Give the id of each service that is provided."""
        return (first.service for first in self._firsts)

    def find_by_id(self, service_id: str) -> list[int]:
        """Return the services that are provided under an id, in whatever scope."""
        if len(self._shared) + len(self._local) > _MANY_SCOPES:
            return self._by_id.get(service_id, [])
        tables = (*self._shared.values(), *self._local.values())
        return [number for table in tables if (number := table.get(service_id)) is not None]

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = {}
        for number, first in enumerate(self._firsts):
            numbers.setdefault(first.service, []).append(number)
        return numbers

    @property
    def scopes(self) -> set[str]:
        """The scopes in which something is provided or required."""
        return {*self._shared, *([LOCAL] if self._local else ()), *(gap.scope for gap in self.gaps)}

    def find_service(self, service: Service) -> int | None:
        """Return the number of a service, None if nobody provides it."""
        if service.scope == LOCAL:
            return self._local.get(service.kind or "", {}).get(service.id)
        return self._shared.get(service.scope, {}).get(service.id)

    @cached_property
    def order(self) -> list[int]:
        """All facets, providers first, ties by their place.

        Facets on a ring, and those that wait for one, come after all others;
        the facets of one component stand side by side.
        """
        stuck = self._stuck
        if not stuck:
            return self._free
        heads, nexts, targets = self._links.heads, self._links.nexts, self._links.targets
        places = [-1] * len(self._links)
        """Of each facet that is stuck, the number of its group."""
        groups: list[list[int]] = []
        of_component = {node: component for component in self.components for node in component}
        for node in stuck:
            if places[node] < 0:
                members = of_component.get(node, [node])
                for member in members:
                    places[member] = len(groups)
                groups.append(members)
        links = Links(len(groups))
        for node in stuck:
            place = places[node]
            link = heads[node]
            while link >= 0:
                other = places[targets[link]]
                if other != place:
                    links.nexts.append(links.heads[place])  # as Links.add does, without the calls
                    links.heads[place] = len(links.targets)
                    links.targets.append(other)
                link = nexts[link]
        ordered = (groups[place] for place in sort_topologically(links))
        return self._free + [node for group in ordered for node in group]

    @cached_property
    def _free(self) -> list[int]:
        """The facets that neither stand on a ring nor wait for one, in order."""
        if self._is_in_order:
            return list(range(len(self._links)))
        return sort_topologically(self._links)

    @cached_property
    def _stuck(self) -> list[int]:
        """The facets on rings, and all that wait for them."""
        if len(self._free) == len(self._links):
            return []
        free = set(self._free)
        return [node for node in range(len(self._links)) if node not in free]

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components of more than one facet."""
        return find_components(self._links, self._stuck)

    def iter_edges(self, node: int) -> Iterator[Edge]:
        """Give an edge for each service that a facet requires, and each of its owners.

        A service that the facet requires twice in one mode has one edge.
        """
        report = self.assembly.reports[node]
        told: set[tuple[int, str]] = set()
        for index, entry in enumerate(report.requires):
            kind = report.facet if entry.scope == LOCAL else None
            service = Service(entry.scope, entry.service, kind)
            number = self.find_service(service)
            if number is None or (number, entry.mode) in told:
                continue
            told.add((number, entry.mode))
            uses = self.claims.get(number)
            owners = dict.fromkeys(use.node for use in uses) if uses else (self.owners[number],)
            for owner in owners:
                yield Edge(node, owner, service, number, entry.mode, index)

    def find_rings(self) -> Iterator[Ring]:
        """Give shortest rings until each facet that stands on one has been named.

        Which ones does not depend on the order of the reports.
        """
        for component in self.components:
            ranked = sorted(component, key=self.assembly.facets.__getitem__)
            successors = self._rank_successors(ranked)
            if len(component) > LARGE_COMPONENT:
                cycles = [find_shortest_cycle(ranked[0], successors.__getitem__)]
            else:
                cycles = cover_with_cycles(ranked, successors.__getitem__)
            for cycle in cycles:
                yield self._make_ring(cycle, len(component))

    def _rank_successors(self, ranked: list[int]) -> dict[int, list[int]]:
        """Return, of each member of a component, the members it waits for, in the order given."""
        providers: dict[int, list[int]] = {node: [] for node in ranked}
        for provider in ranked:
            for consumer in self._links.iter_targets(provider):
                if (known := providers.get(consumer)) is not None and provider not in known[-1:]:
                    known.append(provider)
        return providers

    def _make_ring(self, cycle: list[int], size: int) -> Ring:
        first = min(range(len(cycle)), key=lambda i: self.assembly.facets[cycle[i]])
        nodes = (*cycle[first:], *cycle[:first])
        services = tuple(
            tuple(
                edge
                for edge in self.iter_edges(node)
                if edge.provider == following and edge.number not in self.claims
            )
            for node, following in zip(nodes, (*nodes[1:], nodes[0]), strict=True)
        )
        return Ring(nodes, services, size)
