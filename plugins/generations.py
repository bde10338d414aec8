"""Generations: one application at two times, read from what is left of the older one.

The older one is a manifest, a list of reports, or a report of ``plan --format json`` that
was kept, which holds what facets declared then. Of a manifest, inline reports say what
facets declared; of a facet without one, a dry run says what its setup declares today.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET, UnsetType
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject, escape

from .assembly import assemble
from .entry_points import InstalledFacets, list_entries
from .facets import STDIN, Declaration, Locator, Name, Report, ReportFile, parse_reports
from .graph import Graph
from .manifest import parse_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dry_run import Recording
    from .manifest import Manifest


ANY_KIND: Final = "*"
"""The kind of a facet that stands for all of a plugin that nothing is known of."""


@dataclass(frozen=True, slots=True)
class Generation:
    """An assembly at one time, with what its manifest says of each plugin."""

    graph: Graph
    plugins: tuple[str, ...]
    """Their ids, in order."""
    has_manifest: bool = False
    """Whether versions and entry points are known, as far as there are any."""
    versions: dict[str, str] = field(default_factory=dict[str, str])
    entries: dict[Facet, str] = field(default_factory=dict[Facet, str])

    @property
    def unknown(self) -> tuple[Facet, ...]:
        """Facets of which nothing is known; a plugin without known facets has kind ``*``."""
        assembly = self.graph.assembly
        found = {Facet(one.plugin, one.facet or ANY_KIND) for one in assembly.unreported}
        return tuple(sorted({*found, *assembly.unread}))


def make_generation(graph: Graph, manifest: Manifest | None = None) -> Generation:
    """Return the generation of a graph; *manifest* is the one that it was made from."""
    assembly = graph.assembly
    listed = () if manifest is None else manifest.plugins
    ids = dict.fromkeys((*assembly.plugins, *(facet.plugin for facet in assembly.facets)))
    versions = {one.id: one.version for one in listed if one.version is not UNSET}
    entries = {
        Facet(one.id, kind): entry if isinstance(entry, str) else entry.entry
        for one in listed
        if one.facets is not UNSET
        for kind, entry in one.facets.items()
    }
    return Generation(graph, tuple(ids), manifest is not None, versions, entries)


class _Peek(msgspec.Struct):
    report: msgspec.Raw | UnsetType = UNSET
    facets: msgspec.Raw | UnsetType = UNSET


class _KeptFacet(msgspec.Struct):
    plugin: Name
    facet: Name
    requires: list[Declaration]
    provides: list[Declaration]


class _KeptPlan(msgspec.Struct):
    facets: list[_KeptFacet]


class _KeptReport(msgspec.Struct):
    plan: _KeptPlan


def read_generation(
    path: str | Path,
    name: str,
    folder: str | Path | None = None,
    timeout: float | None = None,
) -> tuple[Generation | None, tuple[Finding, ...]]:
    """Read the older generation of an application.

    Args:
        path: A manifest, facet reports, or a report of ``plan --format json``; the
            path ``-`` means standard input.
        name: How findings name the file, if it is one.
        folder: Where the modules of a manifest are that comes from standard input;
            the working directory.
        timeout: Seconds that one facet's import and setup may take; 10 without it.

    Returns:
        The generation, or None if nothing of it can be judged; and a finding for
        each mistake in the file.
    """
    is_given = str(path) == STDIN
    name = "<stdin>" if is_given else name
    try:
        data = sys.stdin.buffer.read() if is_given else Path(path).read_bytes()
    except OSError as problem:
        message = f"the older generation cannot be read: {escape(problem.strerror or str(problem))}"
        return None, (_refuse(message, name),)
    peek = _look_into(data)
    if peek.report is not UNSET:
        return _parse_kept(data, name)
    if peek.facets is not UNSET:
        file, faults = parse_reports(data, name)
        return make_generation(Graph(assemble(None, [file]))), faults
    manifest, faults = parse_manifest(data, name)
    if manifest is None:
        return None, faults
    home = str(_choose_folder(folder) if is_given else Path(path).absolute().parent)
    installed = InstalledFacets(home)
    recordings = _record_others(manifest, installed, home, timeout)
    assembly = assemble(manifest, (), recordings, installed)
    return make_generation(Graph(assembly), manifest), faults


def _choose_folder(folder: str | Path | None) -> Path:
    """Return where to look for modules; not in a folder that a manifest was looked for in vain."""
    return Path(folder if folder is not None and Path(folder).is_dir() else ".").absolute()


def _record_others(
    manifest: Manifest, installed: InstalledFacets, folder: str, timeout: float | None
) -> Sequence[Recording]:
    """Run the setups of those facets that have no inline report."""
    inline = {(one.report.plugin, one.report.facet) for one in manifest.iter_inline_reports()}
    entries = list_entries(manifest, installed)
    others = [entry for entry in entries if (entry.plugin, entry.kind) not in inline]
    if not others:
        return ()
    from .dry_run import record_setups  # noqa: PLC0415 # not needed where reports are inline

    return record_setups(others, folder, limit=timeout)


def _look_into(data: bytes) -> _Peek:
    """Return what tells the kinds of files apart; a list counts as reports."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return _Peek(facets=msgspec.Raw(b"[]"))
    try:
        return msgspec.json.decode(data, type=_Peek)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _Peek()  # the reader of manifests says what is wrong


def _parse_kept(data: bytes, name: str) -> tuple[Generation | None, tuple[Finding, ...]]:
    try:
        kept = msgspec.json.decode(data, type=_KeptReport)
    except msgspec.ValidationError as problem:
        message = f"the file is no report of plan: {escape(str(problem))}"
        return None, (_refuse(message, name),)
    facets = kept.plan.facets
    reports = [Report(one.plugin, one.facet, one.requires, one.provides) for one in facets]
    file = ReportFile(reports, Locator(None))
    return make_generation(Graph(assemble(None, [file]))), ()


def _refuse(message: str, name: str) -> Finding:
    return Finding(
        "invalid-manifest",
        Severity.ERROR,
        message,
        path=name,
        subject=Subject(document=name),
        fix="name a manifest, facet reports, or a report of plan --format json",
    )
