"""The process of one host kind in a dry run: it sets facets up, and tells what they declare.

Reads one order from standard input, writes a line of JSON for each step to the file that
was standard output. What the facets print, and whether they end the process, is the
business of `dry_run`, which starts it.
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec
from pi_contracts.runtime import PiContractsError
from pi_contracts.runtime.tokens import Keyed, Local, Referenced, RemoteToken, Singleton

from . import frames, guard, ledger, recording
from .frames import list_frames, shorten
from .guard import Baseline, Guard, RefusedError, stop_alarms
from .ledger import Ledger, LedgerError
from .outcomes import Fault, Frame, Job, Line, Order, Outcome, ServiceFacts, Step
from .recording import CalledInSetup, make_context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from .outcomes import Phase

MOST_OUTPUT: Final = 64 * 1024
"""How many bytes a facet may print before that is a fault."""
MOST_MEMORY: Final = 2 * 1024**3
_LARGEST_FILE: Final = 32 * 1024**2
_LONGEST_TEXT: Final = 500
_WATCHED: Final = (
    Ledger,
    RemoteToken,
    Singleton,
    Keyed,
    Referenced,
    Local,
    recording.RecordingNamespace,
    recording.RecordingFacet,
    recording.RecordingSession,
    recording.RecordingPresentation,
)
_OWN_FILES: Final = tuple(str(module.__file__) for module in (frames, guard, ledger, recording))


def main() -> NoReturn:  # pragma: no cover - ends its process
    """Do what standard input says, and end the process."""
    write = os.write
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    channel = os.dup(1)
    output = open_output()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    faulthandler.enable(channel)
    limit_resources()
    encode = msgspec.json.Encoder().encode

    def tell(line: Line) -> None:
        rest = encode(line) + b"\n"
        while rest:
            rest = rest[write(channel, rest) :]

    watch = Guard()
    watch.install()
    sys.path[:0] = order.path
    sys.argv[:] = [""]
    Runner(order, watch, tell, output, channel).run()
    os._exit(0)


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


class Runner:
    """Sets up the facets of one order, one after another.

    Args:
        order: The facets, and where their modules are.
        watch: What refuses things.
        tell: Sends a line to the process that asked.
        output: The file that takes what is printed.
        channel: Where the interpreter writes its stack, once time is up.
    """

    def __init__(
        self, order: Order, watch: Guard, tell: Callable[[Line], None], output: int, channel: int
    ) -> None:
        self._order = order
        self._watch = watch
        self._tell = tell
        self._output = output
        self._channel = channel
        self._ledgers: list[Ledger] = []
        self._told: list[int] = []
        """Of each ledger, how many of its violations were told."""
        self._raised: BaseException | None = None
        """What the latest setup raised, which need not be told of another facet as well."""
        self._baseline = Baseline(_WATCHED)

    def run(self) -> None:
        """Set up every facet, or all until one leaves the process in another state."""
        for index, job in enumerate(self._order.jobs):
            faulthandler.dump_traceback_later(self._order.limit, exit=True, file=self._channel)
            outcome = self._run_job(index, job)
            self._tell(outcome)
            self._tell_late_calls()
            if outcome.is_last:
                break
        faulthandler.cancel_dump_traceback_later()

    def _run_job(self, index: int, job: Job) -> Outcome:
        self._ledgers.append(Ledger(job.plugin, job.kind, _OWN_FILES))
        self._told.append(0)
        self._watch.faults.clear()
        self._tell(Step(index, "import"))
        self._watch.phase = "import"
        try:
            module = importlib.import_module(job.module)
        except BaseException as error:  # noqa: BLE001 - whatever an import raises is a finding
            self._watch.phase = None
            return self._tell_failed_import(index, job, error)
        self._watch.phase = None
        folder = _find_folder(job.module)
        roots = (folder or "", *self._order.path)
        setup: Any = _find_attribute(module, job.attribute)
        fault = _check_setup(setup, module, job)
        if fault is not None:
            fault = msgspec.structs.replace(fault, frames=shorten(fault.frames, roots))
            return Outcome(index, faults=(fault,), folder=folder)
        self._baseline.find_changes()
        self._tell(Step(index, "setup"))
        return self._set_up(index, setup, roots)

    def _tell_failed_import(self, index: int, job: Job, error: BaseException) -> Outcome:
        roots = (_find_folder(job.module) or "", *self._order.path)
        faults: list[Fault] = []
        if isinstance(error, ModuleNotFoundError) and _is_part(error.name, job.module):
            if job.is_optional and error.name == job.module.partition(".")[0]:
                return Outcome(index, is_absent=True)
            faults.append(Fault("no-module", error.name or "", phase="import"))
        else:
            found = list_frames(error.__traceback__)
            if isinstance(error, SyntaxError) and error.filename:
                found.insert(0, Frame(error.filename, error.lineno or 1))
            where = shorten(found, roots)
            faults.append(_make_fault("import-raised", error, where, "import"))
        faults = self._check_output("import") or faults
        return Outcome(index, faults=tuple(faults), is_last=isinstance(error, MemoryError))

    def _set_up(self, index: int, setup: Callable[[Any], object], roots: Sequence[str]) -> Outcome:
        book = self._ledgers[-1]
        context = make_context(book)
        failure: BaseException | None = None
        self._raised = None
        result: object = None
        self._watch.phase = "setup"
        try:
            result = setup(context)
        except BaseException as error:  # noqa: BLE001 - whatever a setup raises is a finding
            failure = self._raised = error
        finally:
            self._watch.phase = None
            book.close()
        faults = self._check_output("setup")
        faults += self._watch.faults
        if stop_alarms():
            faults.append(Fault("refused", "sets an alarm"))
        faults += self._check_failure(failure, book, has_cause=bool(faults))
        if result is not None:
            faults.append(_refuse_result(result))
        changes = self._baseline.find_changes()
        if changes:
            faults.append(Fault("patched", ", ".join(changes)))
        self._told[-1] = len(book.violations)
        return Outcome(
            index,
            tuple(book.requires),
            tuple(book.provides),
            is_complete=failure is None,
            faults=tuple(
                msgspec.structs.replace(fault, frames=shorten(fault.frames, roots))
                for fault in faults
            ),
            services={
                token.id: ServiceFacts(token.scopes, token.deprecated)
                for token in book.tokens.values()
            },
            folder=roots[0] or None,
            is_last=bool(changes) or isinstance(failure, MemoryError),
        )

    def _check_failure(
        self, failure: BaseException | None, book: Ledger, *, has_cause: bool
    ) -> list[Fault]:
        """Return what was raised, and what the ledger refused although nobody heard of it."""
        if failure is None:
            return [_make_fault("caught", error) for error in book.violations]
        if has_cause and _comes_of_refusal(failure):
            return []
        return [_make_fault("raised", failure, list_frames(failure.__traceback__))]

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
            late = [e for e in book.violations[self._told[index] :] if e is not self._raised]
            self._told[index] = len(book.violations)
            if late:
                faults = tuple(_make_fault("late", error) for error in late)
                self._tell(Outcome(index, faults=faults))


def _find_folder(module: str) -> str | None:
    """Return the folder of the top-level package of *module*, or of a single module's file."""
    package = sys.modules.get(module.partition(".")[0])
    if package is None:
        return None
    places: list[str] = list(getattr(package, "__path__", ()))
    if places:
        folder: str = os.path.abspath(places[0])  # noqa: PTH100 - a string, as in tracebacks
        return folder
    file: str | None = getattr(package, "__file__", None)
    return file


def _find_attribute(module: ModuleType, path: str) -> object:
    value: object = module
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            return None
    return value


def _check_setup(setup: object, module: ModuleType, job: Job) -> Fault | None:
    """Return what is wrong with a setup before it is called."""
    if setup is None:
        import difflib  # noqa: PLC0415 # only where a name is wrong

        near = difflib.get_close_matches(
            job.attribute, [n for n in vars(module) if n[0] != "_"], n=1
        )
        return Fault("no-attribute", near[0] if near else "", phase="import")
    if not callable(setup):
        return Fault("not-callable", type(setup).__name__, phase="import")
    for is_kind, kind in (
        (inspect.iscoroutinefunction, "coroutine"),
        (inspect.isasyncgenfunction, "coroutine"),
        (inspect.isgeneratorfunction, "generator"),
    ):
        for one in (setup, getattr(setup, "__call__", None)):  # noqa: B004 - not to ask, to look at
            if is_kind(one):
                return Fault(kind, frames=_find_definition(one))
    return None


def _find_definition(function: object) -> tuple[Frame, ...]:
    code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type] # a function
    return () if code is None else (Frame(code.co_filename, code.co_firstlineno),)


def _refuse_result(result: object) -> Fault:
    if inspect.iscoroutine(result):
        result.close()
    if inspect.isawaitable(result):
        return Fault("awaitable", type(result).__name__)
    return Fault("returned", type(result).__name__)


def _is_part(name: str | None, module: str) -> bool:
    """Tell whether *name* is *module* or a package that holds it."""
    return name is not None and f"{module}.".startswith(f"{name}.")


def _comes_of_refusal(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, RefusedError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _make_fault(
    kind: str, error: BaseException, frames: Sequence[Frame] = (), phase: Phase = "setup"
) -> Fault:
    """Make a fault of what was raised: its class and first line; of our errors, what they say."""
    try:
        lines = str(error).strip()[:_LONGEST_TEXT].split("\n")
    except BaseException:  # noqa: BLE001 - an exception that cannot word itself
        lines = [""]
    if isinstance(error, (LedgerError, CalledInSetup)):
        text, advice = lines[0], "".join(lines[1:2])
        return Fault(kind, text, tuple(frames), phase, advice)
    text = " ".join(lines) if isinstance(error, PiContractsError) else lines[0]
    name = type(error).__name__
    text = f"{name}: {text}" if text else name
    return Fault(kind, text, tuple(frames), phase, _ADVICE.get(type(error), ""))


_ADVICE: Final[dict[type[BaseException], str]] = {
    EOFError: "let it read nothing: nobody is there to answer",
    MemoryError: "let it not load so much before its host starts",
    SystemExit: "let it return, and never end the process",
}
