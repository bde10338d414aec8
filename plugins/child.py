"""The process of one host kind in a dry run: it sets facets up, and tells what they declare.

Reads one order from standard input, writes a sealed line for each step to the file that
was standard output. What the facets print, and whether they end the process, is the
business of `dry_run`, which has it started.
"""

from __future__ import annotations

import _thread
import contextvars
import faulthandler
import importlib
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

import msgspec

from . import frames, guard, ledger, recording
from .baseline import Baseline, restore_builtins
from .frames import shorten
from .guard import ALARM, PROCESS, THREAD, Guard, stop_alarms
from .ledger import Ledger
from .outcomes import LOST, Fault, Job, Line, Order, Outcome, ServiceFacts, Spoiled, Step
from .process_state import ProcessState
from .raised import comes_of_refusal, is_missing_part, list_lines_of, make_fault, name_type
from .recording import make_context
from .setup_function import Setup, check_name, find_folder, find_setup, refuse_result
from .telling import encode, make_teller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .outcomes import Frame, Phase
    from .process_state import Change

MOST_OUTPUT: Final = 64 * 1024
"""How many bytes a facet may print before that is a fault."""
MOST_MEMORY: Final = 2 * 1024**3
MOST_TOLD: Final = 8 * 1024**2
"""Bytes after which a process gives the rest to another one; no file may become much larger."""
MOST_LINE: Final = 16 * 1024**2
"""How many bytes one facet may declare."""
_LARGEST_FILE: Final = 32 * 1024**2
_SHOWN: Final = 5
"""How many changes are named."""
_OWN_FILES: Final = tuple(str(module.__file__) for module in (frames, guard, ledger, recording))
_import_module: Final = importlib.import_module
_watch_time: Final = faulthandler.dump_traceback_later
_check_outcome: Final = msgspec.json.Decoder(Outcome).decode
_exit: Final = os._exit
_count_threads: Final[Callable[[], int]] = vars(_thread)["_count"]
"""Counts those of C as well, which `threading` does not know."""


class Stage(NamedTuple):
    """What does not depend on an order, and can be made before there is one."""

    watch: Guard
    baseline: Baseline


def prepare() -> Stage:  # pragma: no cover - the hook stays as long as its process
    """Load what generated code needs, and begin to listen."""
    importlib.import_module("pi_contracts.runtime.generated")
    watch = Guard()
    watch.install()
    return Stage(watch, Baseline())


def main(stage: Stage | None = None) -> NoReturn:  # pragma: no cover - ends its process
    """Do what standard input says, and end the process."""
    with os.fdopen(0, "rb", closefd=False) as file:
        order = msgspec.json.decode(file.read(), type=Order)
    channel = os.dup(1)
    output = open_output()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    faulthandler.enable(channel)
    limit_resources()
    tell = make_teller(order.key, channel)
    order = msgspec.structs.replace(order, key=b"")
    stage = stage or prepare()
    sys.path[:0] = [os.fsdecode(folder) for folder in order.path]
    sys.argv[:] = [""]
    try:
        Runner(order, stage, tell, output, channel).run()
    except BaseException:  # noqa: BLE001 - the file is closed, or full
        _exit(LOST)
    _exit(0)


def open_output() -> int:
    """Return a file for all that is printed, which nobody else can see."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("output")
    import tempfile  # noqa: PLC0415 # slow, and not needed on Linux

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def limit_resources() -> None:
    """Keep memory and files below a bound, where the system can do that."""
    try:
        import resource  # noqa: PLC0415 # not everywhere
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_DATA, MOST_MEMORY),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, hard))


def list_leftovers(threads: int) -> list[str]:
    """Return what a setup has started that runs on, as refusals are worded; alarms are stopped.

    Args:
        threads: How many threads there were before.
    """
    found = [THREAD] if _count_threads() > threads else []
    if has_child():
        found.append(PROCESS)
    return [*found, ALARM] if stop_alarms() else found


def has_child() -> bool:
    """Tell whether this process has started another one; one that has ended is forgotten."""
    if hasattr(os, "WNOHANG"):
        with suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
            return True
    return False


class Runner:
    """Sets up the facets of one order, one after another.

    Args:
        order: The facets, and where their modules are.
        stage: What refuses things, and what notices changes.
        tell: Sends a line to the process that asked, and returns how much was sent.
        output: The file that takes what is printed.
        channel: Where the interpreter writes its stack, once time is up.
    """

    def __init__(
        self, order: Order, stage: Stage, tell: Callable[[Line], int], output: int, channel: int
    ) -> None:
        self._order = order
        self._path = [os.fsdecode(folder) for folder in order.path]
        self._watch, self._baseline = stage
        self._tell = tell
        self._output = output
        self._channel = channel
        self._ledgers: list[Ledger] = []
        self._told: list[int] = []
        """Of each ledger, how many of its violations were told."""
        self._raised: BaseException | None = None
        """What the latest setup raised, which need not be told of another facet as well."""
        self._phase: Phase = "import"
        self._frames: tuple[Frame, ...] = ()
        """Where the setup that is run is written."""
        self._pid = os.getpid()
        self._has_import_changed = False
        """Whether an import has changed what the facets after it share."""
        self._state = ProcessState()

    def run(self) -> None:
        """Set up every facet, or all until one leaves the process in another state."""
        for index, job in enumerate(self._order.jobs):
            _watch_time(self._order.limit, exit=True, file=self._channel)
            outcome = self._judge(index, job)
            if outcome is None:
                self._tell(Spoiled(index))
                break
            if outcome.faults and self._has_changed_classes():
                break
            written = self._tell(outcome)
            self._tell_late_calls()
            if outcome.is_last or written > MOST_TOLD:
                break
        if self._has_changed_classes():
            self._tell(Spoiled(0))
        faulthandler.cancel_dump_traceback_later()

    def _has_changed_classes(self) -> bool:
        """Tell whether some facet, nobody knows which, has changed a class of the library."""
        return not self._order.is_careful and self._baseline.has_changed_classes()

    def _judge(self, index: int, job: Job) -> Outcome | None:
        """Return what became of a facet, whatever it has done to the code that judges it.

        None if it has to be judged again, with care.
        """
        self._frames = ()
        try:
            outcome = self._run_job(index, job)
        except BaseException as error:  # noqa: BLE001 - what is relied on here was taken away
            changed = restore_builtins()
            self._watch.phase = None
            changed += self._watch.changes
            disturbed = Fault("disturbed", name_type(error), self._frames, self._phase)
            fault = self._name_changes(changed) if changed else disturbed
            return Outcome(index, faults=(fault,), is_last=True)
        if outcome is None:
            return None
        try:
            body = encode(outcome)
            _check_outcome(body)
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
            text = str(error)
        else:
            if len(body) <= MOST_LINE:
                return outcome
            text = f"{len(body)} bytes of services"
        fault = Fault("undeclarable", text, self._frames)
        return Outcome(index, faults=(fault,), folder=outcome.folder, is_last=outcome.is_last)

    def _run_job(self, index: int, job: Job) -> Outcome | None:
        self._ledgers.append(Ledger(job.plugin, job.kind, _OWN_FILES))
        self._told.append(0)
        self._watch.forget()
        self._phase = "import"
        self._tell(Step(index, "import"))
        fault = check_name(job.module)
        if fault is not None:
            return Outcome(index, faults=(fault,))
        self._watch.phase = "import"
        try:
            module: object = _import_module(job.module)
        except BaseException as error:  # noqa: BLE001 - whatever an import raises is a finding
            self._end_import()
            return self._tell_failed_import(index, job, error)
        setup = find_setup(module, job, self._path)
        self._end_import()
        folder = find_folder(job.module)
        roots = (folder or "", *self._path)
        if isinstance(setup, Fault):
            faults = self._place([setup], roots)
            return Outcome(index, faults=faults, folder=folder, is_last=self._has_import_changed)
        self._phase = "setup"
        self._frames = shorten(setup.frames, roots)
        self._tell(Step(index, "setup", self._frames))
        return self._set_up(index, setup, roots)

    def _end_import(self) -> None:
        """Note whether an import has changed what others share; that is no fault of it."""
        self._watch.phase = None
        self._end_copy()
        changed = [*restore_builtins(), *self._state.calm()]
        self._has_import_changed = bool([*changed, *self._find_changes(is_import=True)])

    def _tell_failed_import(self, index: int, job: Job, error: BaseException) -> Outcome:
        roots = (find_folder(job.module) or "", *self._path)
        missing = is_missing_part(error, job.module)
        if missing is not None and job.is_optional and missing == job.module.partition(".")[0]:
            return Outcome(index, is_absent=True, is_last=self._has_import_changed)
        if missing is not None:
            fault = Fault("no-module", missing, phase="import")
        else:
            where = shorten(list_lines_of(error), roots)
            fault = make_fault("import-raised", error, where, "import")
        faults = self._check_output("import") or [fault]
        is_last = self._has_import_changed or type(error) is MemoryError
        return Outcome(index, faults=tuple(faults), is_last=is_last)

    def _set_up(self, index: int, setup: Setup, roots: Sequence[str]) -> Outcome | None:
        book = self._ledgers[-1]
        context = make_context(book)
        failure: BaseException | None = None
        self._raised = None
        result: object = None
        threads, modules = _count_threads(), len(sys.modules)
        run = contextvars.copy_context().run
        self._watch.phase = "setup"
        try:
            result = run(setup.function, context)
        except BaseException as error:  # noqa: BLE001 - whatever a setup raises is a finding
            failure = self._raised = error
        finally:
            self._watch.phase = None
            self._end_copy()
            changed = restore_builtins()
            changed += self._state.calm()
            book.close()
        changes = self._find_changes(has_loaded=len(sys.modules) > modules)
        if not self._order.is_careful and self._baseline.find_quickly():
            return None
        faults = self._check_output("setup")
        faults += self._watch.faults
        leftovers = list_leftovers(threads)
        known = [fault.text for fault in faults]
        faults += (Fault("refused", text) for text in leftovers if text not in known)
        faults += self._check_failure(failure, book, has_cause=bool(faults))
        if result is not None:
            faults.append(refuse_result(result))
        changed += [*(change.name for change in changes), *self._watch.unseen]
        if changed:
            faults.append(self._name_changes(changed))
        self._told[-1] = len(book.violations)
        return Outcome(
            index,
            tuple(book.requires),
            tuple(book.provides),
            is_complete=failure is None,
            faults=self._place(faults, roots),
            services={
                token.id: ServiceFacts(token.scopes, token.deprecated)
                for token in book.tokens.values()
            },
            folder=roots[0] or None,
            is_last=bool(changed or leftovers)
            or self._has_import_changed
            or type(failure) is MemoryError,
        )

    def _find_changes(self, *, is_import: bool = False, has_loaded: bool = False) -> list[Change]:
        """Return what a facet has changed for the others; what libraries may do is left out."""
        found = self._state.find_changes(is_import=is_import)
        if is_import or has_loaded:
            found = [change for change in found if not change.is_harmless]
        if self._order.is_careful:
            found += self._baseline.find_changes(restore=not is_import)
        return found

    def _name_changes(self, names: Iterable[str]) -> Fault:
        ordered = sorted(set(names))
        shown = ordered[:_SHOWN]
        if len(ordered) > _SHOWN:
            shown.append(f"{len(ordered) - _SHOWN} more")
        where = next((f for name, f in self._watch.changes.items() if name in ordered), ())
        return Fault("patched", ", ".join(shown), where)

    def _place(self, faults: Iterable[Fault], roots: Sequence[str]) -> tuple[Fault, ...]:
        """Leave the user's lines in faults; where there are none, that of the definition."""
        return tuple(
            msgspec.structs.replace(fault, frames=shorten(fault.frames, roots) or self._frames)
            for fault in faults
        )

    def _end_copy(self) -> None:
        """End a process that a facet has made of this one; nobody listens to it."""
        if os.getpid() != self._pid:  # pragma: no cover - ends its process
            _exit(0)

    def _check_failure(
        self, failure: BaseException | None, book: Ledger, *, has_cause: bool
    ) -> list[Fault]:
        """Return what was raised, and what the ledger refused although nobody heard of it."""
        if failure is None:
            return [make_fault("caught", e, list_lines_of(e)) for e in book.violations]
        if has_cause and comes_of_refusal(failure):
            return []
        return [make_fault("raised", failure, list_lines_of(failure))]

    def _check_output(self, phase: Phase) -> list[Fault]:
        """Return a fault if too much was printed, and make room again."""
        for stream in (sys.__stdout__, sys.__stderr__):
            with suppress(Exception):  # a setup may have closed it
                stream.flush()  # type: ignore[union-attr] # a missing one is suppressed too
        size = os.lseek(self._output, 0, os.SEEK_END)
        os.ftruncate(self._output, 0)
        os.lseek(self._output, 0, os.SEEK_SET)
        return [Fault("printed", str(size), phase=phase)] if size > MOST_OUTPUT else []

    def _tell_late_calls(self) -> None:
        """Tell of facets that were told before and have called their contexts since."""
        for index, book in enumerate(self._ledgers):
            if len(book.violations) == self._told[index]:
                continue
            late = [e for e in book.violations[self._told[index] :] if e is not self._raised]
            self._told[index] = len(book.violations)
            if late:
                faults = tuple(make_fault("late", error) for error in late)
                self._tell(Outcome(index, faults=faults))
