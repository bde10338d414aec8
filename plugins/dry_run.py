"""The dry run: every facet's setup against recording contexts, one process a host kind.

This side starts the processes, bounds their time and reads what they tell. What
happens inside of them stands in ``child.py``.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

import msgspec

from .entry_points import find_search_path, find_whole_path, list_entries
from .facets import CallSite, Declaration, Report
from .frames import shorten
from .host_process import Watch, kill, name_end, send, start
from .imports import ImportGraph
from .outcomes import Fault, Frame, Job, Line, Order, Outcome, ServiceFacts, Step

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Collection, Iterable, Sequence

    from .entry_points import Entry, InstalledFacets
    from .facets import ReportFile
    from .manifest import Manifest

LIMIT: Final = 10.0
"""Seconds that one facet may take, its import included."""
HOST_LIMIT: Final = 60.0
"""Seconds that facets which do not end may take together, of one host kind."""
_GRACE: Final = 2.0
"""Seconds that a process has to end itself, once time is up."""
_STACK_LINE: Final = re.compile(r'  File "(.*)", line (\d+)')
_DECODE: Final = msgspec.json.Decoder(Line).decode


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
) -> list[Recording]:
    """Run the setups of a manifest's facets; see `record_setups`.

    A facet of which another report is at hand may be missing here; if it is not, its
    setup is run too, so that the reports can be compared.
    """
    reported = {(one.plugin, one.facet) for file in reports for one in file.reports}
    reported |= {(one.report.plugin, one.report.facet) for one in manifest.iter_inline_reports()}
    entries = list_entries(manifest, installed)
    return record_setups(entries, folder, reported=reported, show=show)


def record_setups(
    entries: Sequence[Entry],
    folder: str,
    *,
    reported: Collection[tuple[str, str]] = (),
    show: Callable[[str], str] = str,
    limit: float = LIMIT,
) -> list[Recording]:
    """Run the setup of every entry, and return what each declares, in the same order.

    Args:
        entries: The facets.
        folder: The manifest's.
        reported: Plugin and kind of facets of which another report is at hand: their
            package may be missing here.
        show: How findings name a path.
        limit: Seconds that one facet may take.
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
    hosts = [_Host(rows, folder, show, limit) for rows in by_kind.values()]
    workers = min(len(hosts), os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        try:
            for done in [pool.submit(host.run) for host in hosts]:
                done.result()
        except BaseException:
            for host in hosts:
                host.stop()
            raise
    return recordings


class _Host:
    """The facets of one host kind, and the process that is setting them up."""

    def __init__(
        self,
        rows: list[tuple[Recording, Job]],
        folder: str,
        show: Callable[[str], str],
        limit: float,
    ) -> None:
        self._rows = rows
        self._folder = folder
        self._path = find_search_path(folder)
        self._show = show
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def run(self) -> None:
        """Set up every facet, in as many processes as it takes."""
        next_row, lost = 0, 0.0
        while next_row < len(self._rows) and not self._is_stopped:
            if lost >= HOST_LIMIT:
                for recording, _ in self._rows[next_row:]:
                    recording.faults.append(Fault("not-run", f"{lost:.0f}"))
                return
            begun = time.monotonic()
            ended = _Run(self._rows[next_row:], self._path, self._show)
            self._follow(ended)
            if ended.is_interrupted:
                lost += time.monotonic() - begun
            next_row += ended.count

    def stop(self) -> None:
        """Start nothing more, and end what runs."""
        self._is_stopped = True
        kill(self._process)

    def _follow(self, run: _Run) -> None:
        """Start a process for the facets that are left, and take in what it has told at its end.

        It writes to a file and not to a pipe: nobody has to wake up for each line.
        """
        order = Order([job for _, job in run.rows], self._path, self._limit)
        with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as errors:
            process = self._process = start(self._folder, self._path, told, errors)
            watch = Watch(process, told.fileno(), self._limit + _GRACE)
            try:
                send(process, order)
                code = process.wait()
            finally:
                watch.stop()
                kill(process)
            told.seek(0)
            run.take(told.readlines())
            if not run.is_over and not self._is_stopped:
                errors.seek(0)
                text = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
                run.blame(code, text, self._limit, is_late=watch.is_late)


class _Run:
    """What one process has told so far."""

    def __init__(
        self, rows: list[tuple[Recording, Job]], path: list[str], show: Callable[[str], str]
    ) -> None:
        self.rows = rows
        self.count = 0
        """How many facets are done with."""
        self.is_interrupted = False
        self._path = path
        self._show = show
        self._step: Step | None = None
        self._stack: list[str] = []
        self._has_ended = False
        self._has_noise = False

    @property
    def is_over(self) -> bool:
        """Whether the process has done all that it was to do."""
        return self._has_ended or self.count == len(self.rows)

    def take(self, lines: Iterable[bytes]) -> None:
        """Take in what was told, up to the first line that cannot be meant."""
        for text in lines:
            if not text.startswith(b"{"):
                # What the interpreter says of itself: its stack, at a crash or when time is up.
                self._stack.append(text.decode(errors="replace").rstrip("\n"))
                continue
            try:
                line = _DECODE(text)
            except msgspec.DecodeError:
                self._has_noise = True
                return
            if isinstance(line, Step):
                self._step = line
            elif self._may_be_meant(line):
                self._take_outcome(line)
            else:
                self._has_noise = True
                return

    def _may_be_meant(self, outcome: Outcome) -> bool:
        """Tell whether the process can have said this; a setup may have written to its pipe."""
        declared = (*outcome.requires, *outcome.provides)
        return 0 <= outcome.index <= min(self.count, len(self.rows) - 1) and all(
            isinstance(one.at, CallSite) for one in declared
        )

    def _take_outcome(self, outcome: Outcome) -> None:
        recording, job = self.rows[outcome.index]
        self._add_faults(recording, outcome.faults)
        if outcome.index < self.count:  # a late call of a facet that was told before
            return
        self.count = outcome.index + 1
        self._has_ended |= outcome.is_last
        self._step = None
        recording.is_absent = outcome.is_absent
        recording.folder = outcome.folder
        recording.services = outcome.services
        if outcome.is_complete:
            recording.report = Report(
                job.plugin, job.kind, self._place(outcome.requires), self._place(outcome.provides)
            )

    def _place(self, entries: Iterable[Declaration]) -> list[Declaration]:
        placed: list[Declaration] = []
        for entry in entries:
            at = cast("CallSite", entry.at)
            shown = CallSite(self._show(at.path), at.line)
            placed.append(msgspec.structs.replace(entry, at=shown))
        return placed

    def _add_faults(self, recording: Recording, faults: Iterable[Fault]) -> None:
        recording.faults += (
            msgspec.structs.replace(
                fault, frames=tuple(Frame(self._show(f.path), f.line) for f in fault.frames)
            )
            for fault in faults
        )

    def blame(self, code: int, errors: str, limit: float, *, is_late: bool) -> None:
        """Note that the facet which was being set up has ended the process."""
        self.is_interrupted = True
        if self._step is None and not self.count:
            faults = [Fault("not-started", errors or name_end(code), phase="import")]
            for recording, _ in self.rows:
                recording.faults += faults
            self.count = len(self.rows)
            return
        # Between two facets, what the earlier one left behind has ended the process.
        step = self._step or Step(self.count - 1, "setup")
        index = step.index
        recording, _ = self.rows[index]
        roots = [recording.folder or "", *self._path]
        frames = shorten(_parse_stack(self._stack), roots)
        if is_late or any(line.startswith("Timeout (") for line in self._stack):
            kind, text = "hung", f"{limit:g}"
        else:
            kind, text = ("noise", "") if self._has_noise else ("ended", name_end(code))
        self._add_faults(recording, [Fault(kind, text, frames, step.phase)])
        self.count = max(self.count, index + 1)


def _parse_stack(lines: Iterable[str]) -> list[Frame]:
    """Return the lines of the stack of the thread that was running, the nearest first."""
    frames: list[Frame] = []
    for line in lines:
        match = _STACK_LINE.match(line)
        if match is not None:
            frames.append(Frame(match[1], int(match[2])))
        elif frames:
            break
    return frames
