"""What one process of a dry run has told: lines become reports and faults of facets.

The process may have been ended by a facet, and facets may have written to its file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

import msgspec

from .facets import CallSite, Declaration, Report
from .frames import shorten
from .host_process import name_end
from .outcomes import LOST, Fault, Frame, Line, Outcome, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .dry_run import Recording
    from .host_process import Ended
    from .outcomes import Job
    from .seal import Seal

_STACK_LINE: Final = re.compile(r'  File "(.*)", line (\d+)')
_DECODE: Final = msgspec.json.Decoder(Line).decode


class Run:
    """What one process has told of the facets that it was given.

    Args:
        rows: The facets.
        path: The user's folders.
        show: How findings name a path.
    """

    def __init__(
        self,
        rows: Sequence[tuple[Recording, Job]],
        path: Sequence[str],
        show: Callable[[str], str],
    ) -> None:
        self.settled: set[int] = set()
        """Which of the facets are done with."""
        self.is_interrupted = False
        """Whether a facet has ended the process, or it had to be ended."""
        self.is_spoiled = False
        """Whether nothing of what was told counts, and all has to be judged with care."""
        self._rows = rows
        self._path = path
        self._show = show
        self._step: Step | None = None
        self._number = 0
        self._loose: list[str] = []
        """Lines without a seal since the last one with it."""
        self._is_over = False
        """Whether nothing that follows is to be believed, or anything is missed."""

    def take(self, lines: Iterable[bytes], seal: Seal) -> None:
        """Take in what was told, down to where lines are lost."""
        for text in filter(None, lines):
            line, is_next = self._read(text, seal)
            if line is not None and not is_next:  # lines are lost, by what was run before it
                self._step = _find_culprit(line)
                self._blame_writer()
                self.settled.add(self._step.index)
                self._is_over = True
                return
            if line is None:
                # What the interpreter says of itself, or somebody who should not write there.
                self._loose.append(text.decode(errors="replace"))
                continue
            if self._loose:
                self._blame_writer()
            if isinstance(line, Step):
                self._step = line
            elif isinstance(line, Outcome):
                self._take_outcome(line)
            else:
                self._forget(line.index)
                return

    def _read(self, text: bytes, seal: Seal) -> tuple[Line | None, bool]:
        """Return a line that the process has written, and whether it follows the last one."""
        sealed = seal.read(text)
        if sealed is None or sealed.number < self._number:
            return None, False
        try:
            line = _DECODE(sealed.body)
        except msgspec.DecodeError:
            return None, False
        if not self._may_be_meant(line):
            return None, False
        expected, self._number = self._number, sealed.number + 1
        return line, sealed.number == expected

    def _forget(self, first: int) -> None:
        self.is_spoiled = self._is_over = True
        for index in [index for index in self.settled if index >= first]:
            self.settled.discard(index)
            recording, _ = self._rows[index]
            recording.report, recording.folder, recording.is_absent = None, None, False
            recording.faults.clear()
            recording.services = {}
        self._loose.clear()

    def _may_be_meant(self, line: Line) -> bool:
        """Tell whether the process can have said this, even if somebody has taken its key."""
        if not 0 <= line.index < len(self._rows):
            return False
        declared = (*line.requires, *line.provides) if isinstance(line, Outcome) else ()
        return all(isinstance(one.at, CallSite) for one in declared)

    def _take_outcome(self, outcome: Outcome) -> None:
        recording, job = self._rows[outcome.index]
        self._add_faults(recording, outcome.faults)
        if outcome.index in self.settled:  # a late call of a facet that was told before
            return
        self.settled.add(outcome.index)
        self._is_over |= outcome.is_last
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

    def _find_current(self) -> Step:
        """Return what was being done; between two facets, what the earlier one has left behind."""
        return self._step or Step(max(self.settled, default=0), "setup")

    def _blame_writer(self) -> None:
        """Note that the facet that is run has written to, or cut, the file of the process."""
        step = self._find_current()
        recording, _ = self._rows[step.index]
        if all(fault.kind != "noise" for fault in recording.faults):
            self._add_faults(recording, [Fault("noise", "", step.frames, step.phase)])
        self._loose.clear()

    def end(self, ended: Ended, limit: float) -> None:
        """Take in how the process has ended; what ends it early is the facet's that was run."""
        if self._is_over or len(self.settled) == len(self._rows):
            if self._loose:
                self._blame_writer()
            return
        if ended.code == 0 and self._step is None and self.settled:
            return  # it has told enough, and leaves the rest to another one
        self.is_interrupted = True
        if self._step is None and not self.settled:
            faults = [Fault("not-started", ended.errors or name_end(ended.code), phase="import")]
            for recording, _ in self._rows:
                recording.faults += faults
            self.settled.update(range(len(self._rows)))
            return
        step = self._find_current()
        recording, _ = self._rows[step.index]
        frames = shorten(parse_stack(self._loose), [recording.folder or "", *self._path])
        if ended.is_late or any(line.startswith("Timeout (") for line in self._loose):
            kind, text = "hung", f"{limit:g}"
        elif ended.code == LOST:
            kind, text = "noise", ""
        else:
            kind, text = "ended", name_end(ended.code)
        self._add_faults(recording, [Fault(kind, text, frames or step.frames, step.phase)])
        self.settled.add(step.index)


def _find_culprit(line: Line) -> Step:
    """Return what was being done when the lines before *line* were lost."""
    is_next = isinstance(line, Step) and line.phase == "import"
    return Step(max(line.index - is_next, 0), "setup")


def parse_stack(lines: Iterable[str]) -> list[Frame]:
    """Return the lines of the stack of the thread that was running, the nearest first.

    It is marked at a crash; where all are told since time is up, it is the oldest one.
    """
    frames: list[Frame] = []
    is_current = False
    for line in lines:
        if line.startswith(("Current thread ", "Thread ")):
            if is_current:
                break
            is_current = line.startswith("Current")
            frames.clear()
        match = _STACK_LINE.match(line)
        if match is not None:
            frames.append(Frame(match[1], int(match[2])))
    return frames
