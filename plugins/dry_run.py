"""The dry run: every facet's setup against recording contexts, one process a host kind.

This side starts the processes, bounds their time and reads what they tell. What
happens inside of them stands in ``child.py``.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from .entry_points import find_search_path, find_whole_path, list_entries
from .host_process import Processes
from .imports import ImportGraph
from .outcomes import Fault, Job, Order, ServiceFacts
from .recorded import Run
from .seal import Seal, make_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from .entry_points import Entry, InstalledFacets
    from .facets import Report, ReportFile
    from .manifest import Manifest

LIMIT: Final = 10.0
"""Seconds that one facet may take, its import included."""
HOST_LIMIT: Final = 60.0
"""Seconds that facets which do not end may take together, of one host kind.

A longer limit for each makes it longer by as much.
"""
_GRACE: Final = 2.0
"""Seconds that a process has to end itself, once time is up."""


@dataclass(slots=True)
class Recording:
    """What a dry run has found out about one facet."""

    entry: Entry
    report: Report | None = None
    """None if setup has not returned."""
    faults: list[Fault] = field(default_factory=list[Fault])
    services: dict[str, ServiceFacts] = field(default_factory=dict[str, ServiceFacts])
    folder: str | None = None
    """Of the plugin's top-level package, if it was found."""
    is_absent: bool = False
    """Whether the plugin is not installed here, and another report stands in for it."""


def record_manifest(
    manifest: Manifest,
    reports: Iterable[ReportFile],
    installed: InstalledFacets,
    folder: str,
    *,
    show: Callable[[str], str] = str,
    limit: float | None = None,
) -> list[Recording]:
    """Run the setups of a manifest's facets; see `record_setups`.

    A facet of which another report is at hand may be missing here; if it is not, its
    setup is run too, so that the reports can be compared.
    """
    reported = {(one.plugin, one.facet) for file in reports for one in file.reports}
    reported |= {(one.report.plugin, one.report.facet) for one in manifest.iter_inline_reports()}
    entries = list_entries(manifest, installed)
    return record_setups(entries, folder, reported=reported, show=show, limit=limit)


def record_setups(
    entries: Sequence[Entry],
    folder: str,
    *,
    reported: Collection[tuple[str, str]] = (),
    show: Callable[[str], str] = str,
    limit: float | None = None,
) -> list[Recording]:
    """Run the setup of every entry, and return what each declares, in the same order.

    Args:
        entries: The facets.
        folder: The manifest's.
        reported: Plugin and kind of facets of which another report is at hand: their
            package may be missing here.
        show: How findings name a path.
        limit: Seconds that one facet may take; `LIMIT` without it.
    """
    recordings = [Recording(entry) for entry in entries]
    by_kind: dict[str, list[tuple[Recording, Job]]] = {}
    modules = ImportGraph(find_whole_path(folder))
    for recording in recordings:
        entry = recording.entry
        parsed = entry.parse()
        if parsed is None:
            recording.faults.append(Fault("malformed", phase="import"))
            continue
        is_optional = (entry.plugin, entry.kind) in reported
        if is_optional and not modules.has_module(parsed[0].partition(".")[0]):
            recording.is_absent = True  # known without a process
            continue
        job = Job(entry.plugin, entry.kind, *parsed, is_optional)
        by_kind.setdefault(entry.kind, []).append((recording, job))
    if not by_kind:
        return recordings
    path = find_search_path(folder)
    show = cache(show)
    with Processes(folder, path) as processes:
        hosts = [_Host(rows, processes, path, show, limit or LIMIT) for rows in by_kind.values()]
        workers = min(len(hosts), os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            try:
                for done in [pool.submit(host.run) for host in hosts]:
                    done.result()
            except BaseException:
                processes.stop()
                raise
    return recordings


class _Host:
    """The facets of one host kind, in as many processes as it takes."""

    def __init__(
        self,
        rows: list[tuple[Recording, Job]],
        processes: Processes,
        path: list[str],
        show: Callable[[str], str],
        limit: float,
    ) -> None:
        self._rows = rows
        self._processes = processes
        self._path = path
        self._show = show
        self._limit = limit

    def run(self) -> None:
        """Set up every facet, or all until the time for those that do not return is over."""
        rest, lost, is_careful = self._rows, 0.0, False
        most = HOST_LIMIT * max(1.0, self._limit / LIMIT)
        while rest and not self._processes.is_stopped:
            if lost >= most:
                for recording, _ in rest:
                    recording.faults.append(Fault("not-run", f"{lost:.0f}"))
                return
            begun = time.monotonic()
            run = self._start(rest, is_careful=is_careful)
            is_careful = run.is_spoiled
            if run.is_interrupted:
                lost += time.monotonic() - begun
            rest = [row for index, row in enumerate(rest) if index not in run.settled]

    def _start(self, rows: list[tuple[Recording, Job]], *, is_careful: bool) -> Run:
        """Have one process do what it can of *rows*, and take in what it has told at its end.

        It writes to a file and not to a pipe: nobody has to wake up for each line.
        """
        key = make_key()
        path = [os.fsencode(folder) for folder in self._path]
        order = Order([job for _, job in rows], path, self._limit, is_careful, key)
        run = Run(rows, self._path, self._show)
        ended = self._processes.run(order, self._limit + _GRACE)
        if not self._processes.is_stopped:
            run.take(ended.told.splitlines(), Seal(key))
            run.end(ended, self._limit)
        return run
