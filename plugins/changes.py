"""What has changed since an older generation, and what kind of change that is.

A change is in place if the shape stays: which facets there are, what each requires
and provides, and in which order they start. Hosts can then take it facet by facet;
after any other change an assembly is built anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from .facets import LOCAL
from .generations import ANY_KIND

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pi_contracts.contracts.findings import Facet

    from .facets import ContractVersion, Declaration, Report
    from .generations import Generation
    from .graph import Graph, Service
    from .replacement import Upgrade
    from .skew import Break, Skew

Change: TypeAlias = Literal["none", "in-place", "structural"]
T = TypeVar("T", bound=Hashable)


class NamedService(msgspec.Struct, frozen=True, omit_defaults=True):
    """One service; a local one with the kind of its host."""

    scope: str
    service: str
    mode: str
    host: str | None = None


class VersionChange(msgspec.Struct, frozen=True):
    """A plugin of another version."""

    plugin: str
    old: str | None
    new: str | None


class Difference(msgspec.Struct, frozen=True):
    """What is declared now and was not before, and the other way round."""

    added: tuple[NamedService, ...] = ()
    removed: tuple[NamedService, ...] = ()
    contracts: tuple[NamedService, ...] = ()
    """What is declared as before, by another contract."""

    @property
    def is_structural(self) -> bool:
        """Whether what is declared differs, and not only the contracts."""
        return bool(self.added or self.removed)


class FacetChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A facet of both generations that declares something else or lies elsewhere."""

    plugin: str
    facet: str
    requires: Difference = Difference()
    provides: Difference = Difference()
    entry: tuple[str | None, str | None] | None = None
    """The old and the new entry point, if they differ."""


class ServiceChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service of both generations that is provided by another facet or otherwise."""

    scope: str
    service: str
    owner: tuple[Facet, Facet] | None = None
    """The old and the new one, if they differ, and so below."""
    mode: tuple[str, str] | None = None
    contract: tuple[ContractVersion, ContractVersion] | None = None
    host: str | None = None


class PluginChanges(msgspec.Struct, frozen=True):
    """How the list of plugins differs."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[str, ...]
    """The fewest that had to change places among those of both generations."""
    versions: tuple[VersionChange, ...]


class FacetChanges(msgspec.Struct, frozen=True):
    """How the facets differ."""

    added: tuple[Facet, ...]
    removed: tuple[Facet, ...]
    moved: tuple[Facet, ...]
    """The fewest that had to change places in the order of activation."""
    changed: tuple[FacetChange, ...]
    unknown: tuple[Facet, ...]
    """Nothing is known of them in one of the generations; they are not compared."""


class ServiceChanges(msgspec.Struct, frozen=True):
    """How the services differ that are provided."""

    added: tuple[NamedService, ...]
    removed: tuple[NamedService, ...]
    changed: tuple[ServiceChange, ...]


class Against(msgspec.Struct, frozen=True):
    """Everything that differs between two generations, and who breaks beside the other."""

    change: Change
    reasons: tuple[str, ...]
    """Why it is structural."""
    plugins: PluginChanges
    facets: FacetChanges
    services: ServiceChanges
    breaks: tuple[Break, ...]
    upgrades: tuple[Upgrade, ...]
    sequence: tuple[tuple[str, ...], ...]
    """The kinds of hosts that the upgrades are about, in an order that works for all of
    them; each group is to be replaced at once."""


def compare(old: Generation, new: Generation, skew: Skew) -> Against:
    """Tell what has changed from *old* to *new*; *skew* is that of their graphs."""
    plugins = _compare_plugins(old, new)
    facets = _compare_facets(old, new)
    services = _compare_services(old.graph, new.graph)
    reasons = tuple(_iter_reasons(plugins, facets))
    is_touched = plugins.versions or facets.changed or services.changed
    return Against(
        "structural" if reasons else "in-place" if is_touched else "none",
        reasons,
        plugins,
        facets,
        services,
        skew.breaks,
        skew.replacement.upgrades,
        skew.replacement.sequence,
    )


def _iter_reasons(plugins: PluginChanges, facets: FacetChanges) -> Iterator[str]:
    if plugins.added:
        yield "plugin-added"
    if plugins.removed:
        yield "plugin-removed"
    retained = {*plugins.added, *plugins.removed}
    if any(facet.plugin not in retained for facet in facets.added):
        yield "facet-added"
    if any(facet.plugin not in retained for facet in facets.removed):
        yield "facet-removed"
    if any(one.requires.is_structural for one in facets.changed):
        yield "requirement-changed"
    if any(one.provides.is_structural for one in facets.changed):
        yield "provision-changed"
    if plugins.moved or facets.moved:
        yield "order-changed"


def _compare_plugins(old: Generation, new: Generation) -> PluginChanges:
    versions: list[VersionChange] = []
    if old.has_manifest and new.has_manifest:
        versions = [
            VersionChange(plugin, old.versions.get(plugin), new.versions.get(plugin))
            for plugin in new.plugins
            if plugin in old.plugins and old.versions.get(plugin) != new.versions.get(plugin)
        ]
    before, after = set(old.plugins), set(new.plugins)
    return PluginChanges(
        tuple(one for one in new.plugins if one not in before),
        tuple(one for one in old.plugins if one not in after),
        find_moved(old.plugins, new.plugins),
        tuple(versions),
    )


def _compare_facets(old: Generation, new: Generation) -> FacetChanges:
    unknown = {*old.unknown, *new.unknown}
    before, after = _index_reports(old, unknown), _index_reports(new, unknown)
    changed: list[FacetChange] = []
    for facet, report in after.items():
        earlier = before.get(facet)
        if earlier is None:
            continue
        entry = (old.entries.get(facet), new.entries.get(facet))
        is_elsewhere = old.has_manifest and new.has_manifest and entry[0] != entry[1]
        change = FacetChange(
            facet.plugin,
            facet.facet,
            _differ(earlier.requires, report.requires, facet.facet),
            _differ(earlier.provides, report.provides, facet.facet),
            entry if is_elsewhere else None,
        )
        if change != FacetChange(facet.plugin, facet.facet):
            changed.append(change)
    return FacetChanges(
        tuple(facet for facet in after if facet not in before),
        tuple(facet for facet in before if facet not in after),
        find_moved(_list_order(old.graph), _list_order(new.graph)),
        tuple(changed),
        tuple(sorted(unknown)),
    )


def _index_reports(generation: Generation, unknown: set[Facet]) -> dict[Facet, Report]:
    """Return the reports of facets that can be compared; an unknown plugin hides its own."""
    assembly = generation.graph.assembly
    hidden = {facet.plugin for facet in unknown if facet.facet == ANY_KIND}
    return {
        facet: report
        for facet, report in zip(assembly.facets, assembly.reports, strict=True)
        if facet not in unknown and facet.plugin not in hidden
    }


def _list_order(graph: Graph) -> list[Facet]:
    return [graph.assembly.facets[node] for node in graph.order]


def find_moved(old: Sequence[T], new: Sequence[T]) -> tuple[T, ...]:
    """Return the fewest items to move so that *old* comes in the order of *new*.

    What stands in one of them only counts for nothing; each item stands once.
    """
    places = {item: index for index, item in enumerate(old)}
    kept = [item for item in new if item in places]
    tails: list[int] = []
    ranks: list[int] = []
    for item in kept:
        rank = bisect_left(tails, places[item])
        tails[rank : rank + 1] = [places[item]]
        ranks.append(rank)
    wanted = len(tails) - 1
    staying: set[T] = set()
    bound = len(old)
    for item, rank in zip(reversed(kept), reversed(ranks), strict=True):
        if rank == wanted and places[item] < bound:
            staying.add(item)
            bound, wanted = places[item], wanted - 1
    return tuple(item for item in kept if item not in staying)


def _differ(old: list[Declaration], new: list[Declaration], kind: str) -> Difference:
    before, after = _index_entries(old, kind), _index_entries(new, kind)
    return Difference(
        tuple(one for one in after if one not in before),
        tuple(one for one in before if one not in after),
        tuple(
            one for one, held in after.items() if one in before and _find_change(before[one], held)
        ),
    )


def _index_entries(
    entries: list[Declaration], kind: str
) -> dict[NamedService, ContractVersion | UnsetType]:
    """Return the contracts of declarations, by name of the service."""
    return {
        NamedService(d.scope, d.service, d.mode, kind if d.scope == LOCAL else None): d.contract
        for d in sorted(entries, key=lambda d: (d.scope, d.service, d.mode))
    }


def _compare_services(old: Graph, new: Graph) -> ServiceChanges:
    before, after = _index_provisions(old), _index_provisions(new)
    changed: list[ServiceChange] = []
    for service, (owner, entry) in after.items():
        if service not in before:
            continue
        old_owner, old_entry = before[service]
        change = ServiceChange(
            service.scope,
            service.id,
            (old_owner, owner) if old_owner != owner else None,
            (old_entry.mode, entry.mode) if old_entry.mode != entry.mode else None,
            _find_change(old_entry.contract, entry.contract),
            service.kind,
        )
        if change != ServiceChange(service.scope, service.id, host=service.kind):
            changed.append(change)
    return ServiceChanges(
        tuple(_name(s, entry) for s, (_, entry) in after.items() if s not in before),
        tuple(_name(s, entry) for s, (_, entry) in before.items() if s not in after),
        tuple(changed),
    )


def _index_provisions(graph: Graph) -> dict[Service, tuple[Facet, Declaration]]:
    """Return who provides each service, and how, by name of the service."""
    facets = graph.assembly.facets
    found = {
        service: (facets[graph.owners[number]], graph.get_provision(number))
        for number, service in enumerate(graph.iter_services())
    }
    return dict(sorted(found.items(), key=lambda item: (item[0][:2], item[0].kind or "")))


def _name(service: Service, entry: Declaration) -> NamedService:
    return NamedService(service.scope, service.id, entry.mode, service.kind)


def _find_change(
    old: ContractVersion | UnsetType, new: ContractVersion | UnsetType
) -> tuple[ContractVersion, ContractVersion] | None:
    """Return two contracts that are known to differ; what is not told differs from nothing."""
    if old is UNSET or new is UNSET:
        return None
    if UNSET not in {old.digest, new.digest}:
        return (old, new) if old.digest != new.digest else None
    is_told = UNSET not in {old.version, new.version}
    return (old, new) if is_told and old.version != new.version else None
