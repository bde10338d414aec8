"""The assembly: the facets of one application with the report of each.

Manifest, inline reports and report files meet here; what they mean together
belongs to the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET
from pi_contracts.contracts.findings import Facet

from .entry_points import Announcement, InstalledFacets, SpareFacets
from .facets import Declaration, Locator, Origin, Report, ReportFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .boundaries import Crossing
    from .contract_book import ContractBook
    from .dry_run import Recording
    from .manifest import Manifest

Source: TypeAlias = Literal["inline", "reported", "recorded"]
"""Where a report comes from: the manifest, a file of reports, or a dry run."""


_Place = tuple[Locator | ReportFile, int | str]
"""A report's place in a file of reports, or its pointer in the manifest."""


def _locate(place: _Place) -> Origin:
    holder, index = place
    if isinstance(holder, ReportFile):
        return Origin(holder.locator, holder.get_pointer(int(index)))
    return Origin(holder, str(index))


class Repeated(NamedTuple):
    """A plugin that stands twice in the manifest, or a facet that is reported twice."""

    plugin: str
    facet: str | None
    origins: tuple[Origin, ...]
    announced: tuple[Announcement, ...] = ()
    """By which installed packages, if it is that."""


class Drift(NamedTuple):
    """A facet of which two reports differ; the second one is planned with."""

    facet: Facet
    origin: Origin
    sources: tuple[Source, Source]
    first_only: tuple[tuple[str, Declaration], ...]
    """What only the first one has: ``requires`` or ``provides``, and what."""
    second_only: tuple[tuple[str, Declaration], ...]


class Unreported(NamedTuple):
    """A facet of the manifest of which nothing is known; without a kind, a whole plugin."""

    plugin: str
    facet: str | None
    origin: Origin
    announced: tuple[Announcement, ...] = ()
    """What installed packages announce by the plugin's id alone, without a kind."""


@dataclass(slots=True)
class Assembly:
    """The facets of one application; `facets`, `reports` and `places` are parallel.

    Their order is the manifest's, then `order` of the reports, then their place.
    """

    facets: list[Facet] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    places: _PlainPlaces | list[_Place] = field(default_factory=list)
    plugins: dict[str, Origin] = field(default_factory=dict)
    """The manifest's plugins, and where each stands; empty without a manifest."""
    repeated: list[Repeated] = field(default_factory=list)
    drifts: list[Drift] = field(default_factory=list)
    unreported: list[Unreported] = field(default_factory=list)
    unlisted: list[tuple[Facet, Origin]] = field(default_factory=list)
    """Reported facets that the manifest does not have; they are left out."""
    unread: list[Facet] = field(default_factory=list)
    """Facets of which nothing is known, for a reason that has a finding of its own."""
    recordings: Sequence[Recording] = ()
    """What a dry run found out, in the manifest's order."""
    contracts: ContractBook | None = None
    """The contracts at hand."""
    spare: SpareFacets | None = None
    """What is installed beside the manifest, if it is known where to look for that."""
    crossings: Sequence[Crossing] = ()
    """Where facets reach what belongs to another host kind, if that was asked."""
    is_partial: bool = False
    """Whether facets that nobody can name are missing."""

    def get_origin(self, node: int, member: str = "", index: int = 0) -> Origin:
        """Return where a facet's report stands, or one declaration of it."""
        locator, pointer = _locate(self.places[node])
        return Origin(locator, f"{pointer}/{member}/{index}" if member else pointer)


def assemble(
    manifest: Manifest | None,
    files: Sequence[ReportFile],
    recordings: Sequence[Recording] = (),
    installed: InstalledFacets | None = None,
    contracts: ContractBook | None = None,
) -> Assembly:
    """Bring the manifest's facets and their reports together."""
    assembly = Assembly(recordings=recordings, contracts=contracts)
    _note_unread(assembly, manifest, files)
    if manifest is None and len(files) == 1 and _is_plain(files[0].reports):
        assembly.reports = files[0].reports
        assembly.places = _PlainPlaces(files[0])
    else:
        _arrange(assembly, manifest, files, installed)
    assembly.facets = [Facet(report.plugin, report.facet) for report in assembly.reports]
    return assembly


def _is_plain(reports: list[Report]) -> bool:
    """Tell whether reports can be taken as they stand: none sorts itself, none stands twice."""
    if any(report.order is not UNSET for report in reports):
        return False
    if len({report.plugin for report in reports}) == len(reports):
        return True
    return len({(report.plugin, report.facet) for report in reports}) == len(reports)


class _PlainPlaces:
    """The places of reports that are taken as they stand in one file."""

    def __init__(self, file: ReportFile) -> None:
        self._file = file

    def __getitem__(self, node: int) -> _Place:
        return self._file, node


def _arrange(
    assembly: Assembly,
    manifest: Manifest | None,
    files: Sequence[ReportFile],
    installed: InstalledFacets | None,
) -> None:
    rows = _collect_reports(assembly, files)
    if manifest is None:
        ordered = sorted(rows.values(), key=_get_order)
    else:
        ordered = _follow_manifest(assembly, manifest, rows, installed)
    assembly.reports = [row.report for row in ordered]
    assembly.places = [row.place for row in ordered]


class _Row(NamedTuple):
    report: Report
    place: _Place


def _get_order(row: _Row) -> float:
    order = row.report.order
    return 0 if order is UNSET else order


def _note_unread(
    assembly: Assembly, manifest: Manifest | None, files: Iterable[ReportFile]
) -> None:
    for facet in (facet for file in files for facet in file.unread):
        if facet is None:
            assembly.is_partial = True
        else:
            assembly.unread.append(facet)
    if manifest is not None:
        assembly.is_partial |= manifest.is_partial
        assembly.unread += (Facet(plugin, kind) for plugin, kind in sorted(manifest.unread))


def _collect_reports(
    assembly: Assembly, files: Sequence[ReportFile]
) -> dict[tuple[str, str], _Row]:
    """Return the reports of files by facet; what is reported twice is merged and noted."""
    rows: dict[tuple[str, str], _Row] = {}
    again: dict[tuple[str, str], list[Origin]] = {}
    for file in files:
        for index, report in enumerate(file.reports):
            key = (report.plugin, report.facet)
            row = _Row(report, (file, index))
            first = rows.setdefault(key, row)
            if first is row:
                continue
            again.setdefault(key, []).append(Origin(file.locator, file.get_pointer(index)))
            rows[key] = _Row(_merge(first.report, report), first.place)
    for (plugin, facet), origins in again.items():
        first_origin = _locate(rows[plugin, facet].place)
        assembly.repeated.append(Repeated(plugin, facet, (first_origin, *origins)))
    return rows


def _merge(first: Report, second: Report) -> Report:
    """Return a report of all that two reports of one facet declare.

    What both declare stays once: one plugin that is listed twice owns nothing twice.
    """
    return Report(
        first.plugin,
        first.facet,
        _join(first.requires, second.requires),
        _join(first.provides, second.provides),
        first.order,
    )


def _join(first: list[Declaration], second: list[Declaration]) -> list[Declaration]:
    known = {(d.scope, d.service) for d in first}
    return first + [d for d in second if (d.scope, d.service) not in known]


def _follow_manifest(
    assembly: Assembly,
    manifest: Manifest,
    reported: dict[tuple[str, str], _Row],
    installed: InstalledFacets | None,
) -> list[_Row]:
    """Choose the report of each facet of the manifest, in its order; note what is amiss."""
    inline = _collect_inline(manifest)
    recorded = {(one.entry.plugin, one.entry.kind): one for one in assembly.recordings}
    kinds = _list_facets(assembly, manifest, reported, installed or InstalledFacets())
    if installed is not None:
        assembly.spare = SpareFacets(installed, kinds)
    ordered: list[_Row] = []
    for plugin, facets in kinds.items():
        rows: list[_Row] = []
        for kind, origin in facets.items():
            key = (plugin, kind)
            recording = recorded.get(key)
            known: dict[Source, _Row] = {}
            if key in inline:
                known["inline"] = inline[key]
            if key in reported:
                known["reported"] = reported.pop(key)
            if recording is not None and recording.report is not None:
                known["recorded"] = _Row(recording.report, (origin.locator, origin.pointer))
            if known:
                rows.append(_choose(assembly, known, origin))
            elif recording is not None:
                assembly.unread.append(Facet(plugin, kind))
            elif Facet(plugin, kind) not in assembly.unread:
                assembly.unreported.append(Unreported(plugin, kind, origin))
        ordered += sorted(rows, key=_get_order)
    for (plugin, kind), unlisted in reported.items():
        if manifest.is_partial:
            break  # it may belong to a plugin whose entry is not valid
        assembly.unlisted.append((Facet(plugin, kind), _locate(unlisted.place)))
    return ordered


def _collect_inline(manifest: Manifest) -> dict[tuple[str, str], _Row]:
    inline: dict[tuple[str, str], _Row] = {}
    for report, pointer in manifest.iter_inline_reports():
        key = (report.plugin, report.facet)
        new = _Row(report, (manifest.locator, pointer))
        first = inline.setdefault(key, new)
        if first is not new:
            inline[key] = _Row(_merge(first.report, report), first.place)
    return inline


def _choose(assembly: Assembly, known: dict[Source, _Row], origin: Origin) -> _Row:
    """Return the row to plan with, the last one, and compare the others with it."""
    *others, chosen = known
    row = known[chosen]
    if any(one.plugin == row.report.plugin for one in assembly.repeated):
        others = []  # which of its entries a report is about is not known
    for other in others:
        _compare(assembly, (other, chosen), (known[other].report, row.report), origin)
    orders = [one.report.order for one in known.values() if one.report.order is not UNSET]
    if not orders or orders[-1] == row.report.order:
        return row
    return _Row(msgspec.structs.replace(row.report, order=orders[-1]), row.place)


def _list_facets(
    assembly: Assembly,
    manifest: Manifest,
    reported: Iterable[tuple[str, str]],
    installed: InstalledFacets,
) -> dict[str, dict[str, Origin]]:
    """Return the kinds of facets of each plugin, and where each is named."""
    by_plugin: dict[str, list[str]] = {}
    for plugin, kind in reported:
        by_plugin.setdefault(plugin, []).append(kind)
    origins: dict[str, list[Origin]] = {}
    kinds: dict[str, dict[str, Origin]] = {}
    for index, entry in enumerate(manifest.plugins):
        origin = Origin(manifest.locator, manifest.get_pointer(index))
        origins.setdefault(entry.id, []).append(origin)
        facets = kinds.setdefault(entry.id, {})
        if entry.facets is not UNSET:
            for kind in entry.facets:
                step = kind.replace("~", "~0").replace("/", "~1")
                facets.setdefault(kind, Origin(origin.locator, f"{origin.pointer}/facets/{step}"))
            continue
        announced = installed.find(entry.id)
        found = [*announced, *by_plugin.get(entry.id, ())]
        for kind in found:
            facets.setdefault(kind, origin)
        if len(origins[entry.id]) > 1:
            continue  # it is told of the first one
        assembly.repeated += (
            Repeated(entry.id, kind, (origin,), tuple(values))
            for kind, values in announced.items()
            if len(values) > 1
        )
        if not found:
            others = tuple(installed.find_without_kind(entry.id))
            assembly.unreported.append(Unreported(entry.id, None, origin, others))
    assembly.plugins = {plugin: places[0] for plugin, places in origins.items()}
    assembly.repeated += (
        Repeated(plugin, None, tuple(places))
        for plugin, places in origins.items()
        if len(places) > 1
    )
    return kinds


def _compare(
    assembly: Assembly,
    sources: tuple[Source, Source],
    reports: tuple[Report, Report],
    origin: Origin,
) -> None:
    """Note how two reports of one facet differ."""
    first, second = map(_index, reports)
    first_only = tuple((key[0], d) for key, d in first.items() if key not in second)
    second_only = tuple((key[0], d) for key, d in second.items() if key not in first)
    if first_only or second_only:
        facet = Facet(reports[0].plugin, reports[0].facet)
        assembly.drifts.append(Drift(facet, origin, sources, first_only, second_only))


def _index(report: Report) -> dict[tuple[str, str, str, str], Declaration]:
    return {
        (member, d.scope, d.service, d.mode): d
        for member, entries in (("requires", report.requires), ("provides", report.provides))
        for d in entries
    }
