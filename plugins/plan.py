"""The plan: a whole assembly judged before anything starts."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import Facet, Finding, Severity, sort_findings, to_document

from .assembly import assemble
from .contract_book import make_book
from .entry_points import InstalledFacets, find_whole_path, list_entries
from .facets import LOCAL, read_reports
from .graph import Graph
from .rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .assembly import Assembly
    from .boundaries import Crossing
    from .contract_book import ContractBook
    from .dry_run import Recording
    from .facets import Declaration, ReportFile
    from .manifest import Manifest

OFF: Final = "off"
"""The level of a rule that is not applied."""


class PlannedFacet(msgspec.Struct, frozen=True):
    """One facet of a plan, with what it declares."""

    plugin: str
    facet: str
    requires: tuple[Declaration, ...]
    provides: tuple[Declaration, ...]


class PlannedEdge(msgspec.Struct, frozen=True):
    """That one facet consumes a service of another."""

    consumer: Facet
    provider: Facet
    scope: str
    service: str
    mode: str


class Plan:
    """What was found in an assembly, and how its facets are joined and started."""

    def __init__(
        self, graph: Graph, findings: Iterable[Finding], manifest: Manifest | None = None
    ) -> None:
        self.graph = graph
        self.findings = sort_findings(findings)
        self.manifest = manifest
        """What the assembly was made from, if that is known."""

    @property
    def assembly(self) -> Assembly:
        """The facets that were judged, with their reports."""
        return self.graph.assembly

    @property
    def is_ok(self) -> bool:
        """Whether nothing of severity error was found."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    @cached_property
    def facets(self) -> tuple[PlannedFacet, ...]:
        """All facets, in the order of the manifest."""
        return tuple(
            PlannedFacet(r.plugin, r.facet, tuple(r.requires), tuple(r.provides))
            for r in self.assembly.reports
        )

    @cached_property
    def edges(self) -> tuple[PlannedEdge, ...]:
        """Who consumes what of whom, by consumer; a disputed service leads to each owner."""
        return tuple(self._iter_edges())

    def _iter_edges(self) -> Iterator[PlannedEdge]:
        facets = self.assembly.facets
        for node in range(len(facets)):
            for edge in self.graph.iter_edges(node):
                yield PlannedEdge(
                    facets[node],
                    facets[edge.provider],
                    edge.service.scope,
                    edge.service.id,
                    edge.mode,
                )

    @cached_property
    def order(self) -> tuple[Facet, ...]:
        """All facets in the order of activation: providers first, ties by manifest order."""
        facets = self.assembly.facets
        return tuple(facets[node] for node in self.graph.order)

    @cached_property
    def allowlists(self) -> dict[str, dict[str, list[str]]]:
        """Of each kind of host, the services by scope that it may expose to others."""
        found: dict[str, dict[str, set[str]]] = {}
        for report in self.assembly.reports:
            scopes = found.setdefault(report.facet, {})
            for entry in report.provides:
                if entry.scope != LOCAL:
                    scopes.setdefault(entry.scope, set()).add(entry.service)
        return {
            kind: {scope: sorted(ids) for scope, ids in sorted(scopes.items())}
            for kind, scopes in sorted(found.items())
        }

    def to_json(self) -> bytes:
        """Return the report as JSON; the same assembly gives the same bytes."""
        return msgspec.json.encode(to_document("plan", self.findings, self.to_additions()))

    def to_additions(self) -> dict[str, object]:
        """Return what the report of a plan has beside its findings."""
        return {
            "plan": {
                "facets": self.facets,
                "edges": self.edges,
                "order": self.order,
                "allowlists": self.allowlists,
            }
        }


def make_plan(
    manifest: Manifest | None = None,
    reports: Sequence[ReportFile] = (),
    *,
    recordings: Sequence[Recording] = (),
    installed: InstalledFacets | None = None,
    contracts: ContractBook | None = None,
    crossings: Sequence[Crossing] = (),
    rules: Mapping[str, str] | None = None,
    findings: Iterable[Finding] = (),
) -> Plan:
    """Judge an assembly.

    Args:
        manifest: The plugins and their order; without one, all that is reported
            is the assembly.
        reports: Reports made elsewhere.
        recordings: What a dry run of the manifest's facets found.
        installed: The facets that installed packages announce.
        contracts: The contracts at hand.
        crossings: Where facets reach what belongs to another host kind.
        rules: Rule id to ``error``, ``warning``, ``note`` or ``off``; of other
            rules the usual level holds.
        findings: What was found while reading; they are part of the plan's.
    """
    assembly = assemble(manifest, reports, recordings, installed, contracts)
    assembly.crossings = crossings
    graph = Graph(assembly)
    return judge_graph(graph, rules=rules, findings=findings, manifest=manifest)


def judge_graph(
    graph: Graph,
    *,
    rules: Mapping[str, str] | None = None,
    findings: Iterable[Finding] = (),
    manifest: Manifest | None = None,
) -> Plan:
    """Judge facets that are joined already; see `make_plan`."""
    return Plan(graph, [*findings, *_apply_rules(graph, rules or {})], manifest)


def read_plan(
    manifest: str | None,
    facets: Sequence[str] = (),
    *,
    contracts: Sequence[Path] = (),
    with_dry_run: bool = True,
    boundaries: Mapping[str, Sequence[str]] | None = None,
    timeout: float | None = None,
    rules: Mapping[str, str] | None = None,
    findings: Iterable[Finding] = (),
    show: Callable[[str], str] = str,
    base: Path | None = None,
) -> Plan:
    """Read the files of an assembly and judge it; of a manifest without a value, only that.

    The setups of the manifest's facets are run, in processes of their own; see
    docs/design/dry-run.md.

    Args:
        manifest: The manifest's path, if there is one.
        facets: Paths of files of reports; ``-`` is standard input.
        contracts: Folders and files of the services' contracts.
        with_dry_run: Whether setups are run; if not, reports alone are judged.
        boundaries: Of each host kind, the prefixes of modules that it must not reach;
            without it, imports are not followed.
        timeout: Seconds that one facet's import and setup may take; 10 without it.
        rules: As for `make_plan`.
        findings: As for `make_plan`.
        show: How findings name a path.
        base: The folder that findings name contracts relative to; the working directory.
    """
    found = list(findings)
    files: list[ReportFile] = []
    for path in facets:
        file, faults = read_reports(path, None if path == "-" else show(path))
        files.append(file)
        found += faults
    recordings: Sequence[Recording] = ()
    crossings: Sequence[Crossing] = ()
    installed = parsed = None
    if manifest is not None:
        from .manifest import read_manifest  # noqa: PLC0415 # not needed for reports alone

        parsed, faults = read_manifest(manifest, show(manifest))
        found += faults
        if parsed is None:
            return make_plan(rules=rules, findings=found)
        folder = str(Path(manifest).absolute().parent)
        installed = InstalledFacets(folder)
        if with_dry_run:
            from .dry_run import record_manifest  # noqa: PLC0415 # as above

            recordings = record_manifest(parsed, files, installed, folder, show=show, limit=timeout)
        if boundaries is not None:
            from .boundaries import find_crossings  # noqa: PLC0415 # as above

            entries = list_entries(parsed, installed)
            crossings = find_crossings(entries, find_whole_path(folder), boundaries, show)
    book = make_book(contracts, recordings, base)
    return make_plan(
        parsed,
        files,
        recordings=recordings,
        installed=installed,
        contracts=book,
        crossings=crossings,
        rules=rules,
        findings=[*found, *book.findings],
    )


def _apply_rules(graph: Graph, levels: Mapping[str, str]) -> Iterator[Finding]:
    for rule in RULES:
        level = levels.get(rule.id, rule.severity if rule.is_on else OFF)
        if level == OFF:
            continue
        for finding in rule.find(graph):
            if finding.severity == level:
                yield finding
            else:
                yield msgspec.structs.replace(finding, severity=Severity(level))
