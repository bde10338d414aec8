"""The scene: what every picture of a plan shows, as numbers and texts that are fit to print.

How it is drawn belongs to the pictures. An arrow leads from the facet that provides
a service to the one that requires it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import Facet, Finding, Severity, escape
from pi_contracts.plugins.explain import Drawing, shorten_names
from pi_contracts.plugins.facets import HOST_SCOPES
from pi_contracts.plugins.graph import Use
from pi_contracts.plugins.steps import find_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pi_contracts.plugins.facets import Declaration
    from pi_contracts.plugins.plan import Plan

_OF_GAPS: Final = frozenset({"missing-provider", "local-not-reachable", "retained-consumer"})
_OF_SERVICES: Final = frozenset({"duplicate-owner"})


class Provision(msgspec.Struct, frozen=True):
    """A service that a facet provides."""

    service: str
    mode: str
    at: str = ""
    """The call or, that unknown, its place in the report: ``path:line``."""


class Box(msgspec.Struct, frozen=True):
    """One facet."""

    plugin: str
    host: int
    """Its kind, by number."""
    name: str
    """Short, with its kind."""
    label: str
    """Short, for where the kind is plain."""
    step: int
    """Its place in the order of activation, from 1; 0 if nothing is known of it."""
    provides: tuple[Provision, ...]
    findings: tuple[int, ...]


class Arrow(msgspec.Struct, frozen=True):
    """A service that one facet requires of another; without a provider, of nobody."""

    service: str
    mode: str
    consumer: int
    provider: int | None
    at: str
    findings: tuple[int, ...]


class Note(msgspec.Struct, frozen=True):
    """A finding, and the facets that it is about."""

    rule: str
    severity: Severity
    message: str
    place: str
    fix: str
    way: str
    """The way that leads to the fault, in lines."""
    boxes: tuple[int, ...]


class Scene(msgspec.Struct, frozen=True):
    """Everything that there is to draw.

    Facets stand in the order of activation; those that only findings name come last.
    """

    hosts: tuple[str, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]


def make_scene(plan: Plan, findings: Iterable[Finding]) -> Scene:
    """Return the scene of a plan.

    Args:
        plan: The plan.
        findings: What to show as wrong; at the levels and in the order of the report.
    """
    return _Maker(plan, tuple(findings)).make()


class _Maker:
    def __init__(self, plan: Plan, findings: tuple[Finding, ...]) -> None:
        self.plan = plan
        self.findings = findings
        self.graph = plan.graph
        facets = plan.assembly.facets
        self.numbers = {node: number for number, node in enumerate(plan.graph.order)}
        """Of each facet's place in the assembly, its number here."""
        self.places = {facets[node]: number for node, number in self.numbers.items()}
        """Of each facet, its number here."""
        named = (facet for finding in findings for facet in finding.subject.facets)
        self.unknown = sorted({facet for facet in named if facet not in self.places})
        self.places |= {f: len(facets) + number for number, f in enumerate(self.unknown)}
        self.hosts = _sort_hosts(self.places)

    def make(self) -> Scene:
        names = shorten_names(self.places)
        marks = self._mark_boxes()
        boxes: list[Box] = []
        nodes: list[int | None] = [*self.graph.order, *(None for _ in self.unknown)]
        for (facet, number), node in zip(self.places.items(), nodes, strict=True):
            name = names[facet]
            boxes.append(
                Box(
                    escape(facet.plugin),
                    self.hosts[facet.facet],
                    name,
                    name.removesuffix(f":{escape(facet.facet)}"),
                    0 if node is None else number + 1,
                    () if node is None else tuple(self._iter_provisions(node)),
                    marks.get(number, ()),
                )
            )
        drawing = Drawing(self.plan)
        notes = tuple(
            Note(
                finding.rule,
                finding.severity,
                escape(finding.message),
                _word_place(finding),
                escape(finding.fix or ""),
                drawing.draw_fault(finding),
                self._list_boxes(finding),
            )
            for finding in self.findings
        )
        hosts = tuple(map(escape, self.hosts))
        return Scene(hosts, tuple(boxes), tuple(self._iter_arrows()), notes)

    def _iter_provisions(self, node: int) -> Iterator[Provision]:
        for index, entry in enumerate(self.plan.assembly.reports[node].provides):
            at = self._word_site(Use(node, index), "provides")
            yield Provision(_name(entry), entry.mode, at)

    def _word_site(self, use: Use, member: str) -> str:
        site = find_site(self.graph, use, member)
        return "" if site is None else f"{escape(site.path)}:{site.line}"

    def _list_boxes(self, finding: Finding) -> tuple[int, ...]:
        return tuple(self.places[facet] for facet in finding.subject.facets)

    def _mark_boxes(self) -> dict[int, tuple[int, ...]]:
        """Return, of each facet, the findings that are about it."""
        marks: dict[int, tuple[int, ...]] = {}
        for index, finding in enumerate(self.findings):
            for number in self._list_boxes(finding):
                marks[number] = (*marks.get(number, ()), index)
        return marks

    def _iter_arrows(self) -> Iterator[Arrow]:
        facets, reports = self.plan.assembly.facets, self.plan.assembly.reports
        missing: dict[int, list[Use]] = {}
        for uses in self.graph.gaps.values():
            for use in uses:
                missing.setdefault(use.node, []).append(use)
        faults = _Faults(self.findings)
        for number, node in enumerate(self.graph.order):
            for edge in self.graph.iter_edges(node):
                entry = reports[node].requires[edge.position]
                provider = facets[edge.provider]
                is_mixed = self.graph.get_mode(edge.number) != edge.mode
                yield Arrow(
                    _name(entry),
                    edge.mode,
                    number,
                    self.numbers[edge.provider],
                    self._word_site(Use(node, edge.position), "requires"),
                    faults.find(facets[node], provider, entry, is_mixed=is_mixed),
                )
            for use in missing.get(node, ()):
                entry = reports[node].requires[use.position]
                at = self._word_site(use, "requires")
                found = faults.find_missing(facets[node], entry)
                yield Arrow(_name(entry), entry.mode, number, None, at, found)


class _Faults:
    """Which findings an arrow shows, by what they are about."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self._rings: dict[tuple[Facet, Facet], list[int]] = {}
        self._gaps: dict[tuple[Facet, str, str], list[int]] = {}
        self._mixed: dict[tuple[Facet, str, str], list[int]] = {}
        self._services: dict[tuple[str, str], list[int]] = {}
        for index, finding in enumerate(findings):
            subject = finding.subject
            name = (subject.scope or "", subject.service or "")
            if finding.rule == "dependency-cycle":
                ring = subject.facets
                for pair in zip(ring, (*ring[1:], *ring[:1]), strict=True):
                    self._rings.setdefault(pair, []).append(index)
            elif finding.rule in _OF_SERVICES:
                self._services.setdefault(name, []).append(index)
            elif finding.rule in _OF_GAPS or finding.rule == "mode-mismatch":
                table = self._gaps if finding.rule in _OF_GAPS else self._mixed
                for facet in subject.facets:
                    table.setdefault((facet, *name), []).append(index)

    def find(
        self, consumer: Facet, provider: Facet, entry: Declaration, *, is_mixed: bool
    ) -> tuple[int, ...]:
        name = (entry.scope, entry.service)
        found = [
            *self._rings.get((consumer, provider), ()),
            *self._services.get(name, ()),
            *(self._mixed.get((consumer, *name), ()) if is_mixed else ()),
        ]
        return tuple(dict.fromkeys(found))

    def find_missing(self, consumer: Facet, entry: Declaration) -> tuple[int, ...]:
        return tuple(self._gaps.get((consumer, entry.scope, entry.service), ()))


def _sort_hosts(facets: Iterable[Facet]) -> dict[str, int]:
    """Return the number of each kind of host: the services' own first, then by first facet."""
    kinds = dict.fromkeys(facet.facet for facet in facets)
    own = [kind for kind in HOST_SCOPES if kind in kinds]
    return {kind: number for number, kind in enumerate(dict.fromkeys((*own, *kinds)))}


def _name(entry: Declaration) -> str:
    return escape(f"{entry.scope}/{entry.service}")


def _word_place(finding: Finding) -> str:
    if finding.path is None:
        return ""
    numbers = [finding.path, finding.line, finding.column]
    return escape(":".join(str(one) for one in numbers if one is not None))
