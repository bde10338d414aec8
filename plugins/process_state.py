"""What all facets of a process share, beside modules, and which of it has changed.

A setup that changes the search path, a signal's handler or the working directory makes
facets fail that are set up after it. Reading all of it takes some 40 microseconds.
Functions and classes belong to `baseline`.
"""

from __future__ import annotations

import _locale
import atexit
import faulthandler
import gc
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AT_EXIT: Final = "what is called at exit"
DIRECTORY: Final = "the working directory"
PROFILE: Final = "the profile function"
TRACE: Final = "the trace function"
_FILTERS: Final = "warnings.filters"
_LIBRARY_ADDITIONS: Final = frozenset({"sys.meta_path", "sys.path_hooks", _FILTERS})
"""What libraries add to as they are loaded, and what nobody else is harmed by."""
_FACTS: Final = 3
"""What a filter of warnings asks for: a message, a category and a module."""
_PLAIN: Final = frozenset({bool, bytes, float, frozenset, int, str, type(None)})
"""Types whose values are compared, and not only asked whether they are the same."""


class Change(NamedTuple):
    """One thing that is another than before."""

    name: str
    is_harmless: bool = False
    """Whether it was only added to, as libraries do while they are loaded."""


class ProcessState:
    """What was the case when this was made, or when it was compared last."""

    def __init__(self) -> None:
        self._known = _read()
        self._environment = _get_environment()
        self._environ = os.environ
        self._modules = sys.modules
        self._trace = sys.gettrace()
        self._profile = sys.getprofile()
        self._recursion_limit = sys.getrecursionlimit()

    def calm(self) -> list[str]:
        """Take away what would run within, or end, the code that judges; return what there was."""
        found: list[str] = []
        if sys.gettrace() is not self._trace:
            sys.settrace(self._trace)
            found.append(TRACE)
        if sys.getprofile() is not self._profile:
            sys.setprofile(self._profile)
            found.append(PROFILE)
        if sys.getrecursionlimit() != self._recursion_limit:
            sys.setrecursionlimit(self._recursion_limit)
            found.append("the recursion limit")
        return found

    def find_changes(self, *, is_import: bool = False) -> list[Change]:
        """Return what has changed since the last time.

        Args:
            is_import: Whether a module was imported, which may add variables to the environment.
        """
        found = [*self._compare(_read()), *self._compare_environment(is_harmless=is_import)]
        if os.environ is not self._environ:
            found.append(Change("os.environ"))
            self._environ = os.environ
        if sys.modules is not self._modules:
            found.append(Change("sys.modules"))
            sys.modules = self._modules
        return found

    def _compare(self, now: dict[str, tuple[object, ...]]) -> Iterator[Change]:
        old, self._known = self._known, now
        with suppress(Exception):  # some value cannot be compared: look closer
            if old == now:  # quick, and true as a rule
                return
        for name, value in now.items():
            before: Any = old.get(name)
            if before is None or _are_same(before, value):
                continue
            if name == AT_EXIT and value > before:
                continue  # whoever cleans up at the end harms nobody
            added = _find_additions(before, value) if name in _LIBRARY_ADDITIONS else None
            if name == _FILTERS and added is not None:
                if all(map(_is_narrow, added)):
                    continue
                yield Change(name, all(map(_is_lenient, added)))
            else:
                yield Change(name, added is not None)

    def _compare_environment(self, *, is_harmless: bool) -> Iterator[Change]:
        now = _get_environment()
        old = self._environment
        if now == old:
            return
        self._environment = now
        for key in sorted(now.keys() | old.keys(), key=repr):
            if now.get(key) != old.get(key):
                yield Change(name_variable(key), is_harmless and key not in old)


def name_variable(key: object) -> str:
    """Return what a variable of the environment is called in findings."""
    name = os.fsdecode(key) if isinstance(key, (bytes, str)) else type(key).__name__
    return f'os.environ["{name}"]'


def _get_environment() -> dict[Any, Any]:
    data: Any = getattr(os.environ, "_data", None)
    return dict[Any, Any](data) if issubclass(type(data), dict) else {}


def _are_same(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    if len(old) != len(new):
        return False
    for one, other in zip(old, new, strict=True):
        if one is not other and not (
            type(one) is type(other) and type(one) in _PLAIN and one == other
        ):
            return False
    return True


def _find_additions(old: tuple[object, ...], new: tuple[object, ...]) -> list[object] | None:
    """Return what was added; None if something was taken away, or has another order."""
    rest = iter(new)
    added: list[object] = []
    for one in old:
        for other in rest:
            if other is one:
                break
            added.append(other)
        else:
            return None
    return [*added, *rest]


def _is_lenient(entry: Any) -> bool:
    """Tell whether a filter makes no warning an error."""
    return not (type(entry) is tuple and "error" in entry)


def _is_narrow(entry: Any) -> bool:
    """Tell whether a filter is lenient, and about some warnings only: those of the plugin."""
    if type(entry) is not tuple or not _is_lenient(entry):
        return False
    what = cast("tuple[object, ...]", entry)[1:4]
    return len(what) == _FACTS and what != (None, Warning, None)


def _read() -> dict[str, tuple[object, ...]]:
    state = {name: _ask(probe) for name, probe in _PROBES.items()}
    state.update((name, (_get_handler(number),)) for name, number in _SIGNALS.items())
    return state


def _ask(probe: Callable[[], tuple[object, ...]]) -> tuple[object, ...]:
    try:
        return probe()
    except Exception as problem:  # noqa: BLE001 - what cannot be read is in another state, too
        return (type(problem),)


def _read_logging() -> tuple[object, ...]:
    logging = sys.modules.get("logging")
    if logging is None:
        return ()
    root = logging.root
    return (
        *root.handlers,
        *root.filters,
        root.level,
        root.disabled,
        root.manager.disable,
        root.manager.loggerClass,
        root.manager.logRecordFactory,
        logging.raiseExceptions,
        logging.getLoggerClass(),
        logging.getLogRecordFactory(),
    )


def _read_policy() -> tuple[object, ...]:
    """Read the policy of asyncio, which is the usual one until somebody asks for it."""
    events = sys.modules.get("asyncio.events")
    policy = getattr(events, "_event_loop_policy", None)
    usual = getattr(sys.modules.get("asyncio"), "DefaultEventLoopPolicy", None)
    return (None if type(policy) is usual else policy,)


def _read_timeout() -> tuple[object, ...]:
    socket = sys.modules.get("socket")
    return (None if socket is None else socket.getdefaulttimeout(),)


def _read_umask() -> tuple[object, ...]:
    mask = os.umask(0o077)
    os.umask(mask)
    return (mask,)


def _read_descriptor(number: int) -> tuple[object, ...]:
    facts = os.fstat(number)
    return facts.st_dev, facts.st_ino


def _read_limits() -> tuple[object, ...]:
    resource = sys.modules.get("resource")
    return () if resource is None else tuple(n for k in _LIMITS for n in resource.getrlimit(k))


def list_limits() -> tuple[int, ...]:
    """Return the numbers of the limits that are watched, where there are any."""
    try:
        import resource  # noqa: PLC0415 # not everywhere
    except ImportError:
        return ()
    names = ("AS", "CPU", "DATA", "FSIZE", "NOFILE", "STACK")
    return tuple(
        getattr(resource, f"RLIMIT_{n}") for n in names if hasattr(resource, f"RLIMIT_{n}")
    )


_LIMITS: Final = list_limits()
_SIGNALS: Final = {f"the handler of {one.name}": int(one) for one in signal.Signals}
_get_handler: Final[Callable[[int], object]] = getattr(
    sys.modules.get("_signal"), "getsignal", signal.getsignal
)
"""The one in C, which makes no members of enumerations."""
_PROBES: Final[dict[str, Callable[[], tuple[object, ...]]]] = {
    "sys.path": lambda: (type(sys.path), *sys.path),
    "sys.meta_path": lambda: tuple(sys.meta_path),
    "sys.path_hooks": lambda: tuple(sys.path_hooks),
    "sys.argv": lambda: tuple(sys.argv),
    "sys.stdin": lambda: (sys.stdin,),
    "sys.stdout": lambda: (sys.stdout,),
    "sys.stderr": lambda: (sys.stderr,),
    "sys.dont_write_bytecode": lambda: (sys.dont_write_bytecode,),
    "sys.tracebacklimit": lambda: (sys.__dict__.get("tracebacklimit"),),
    "the trace function of threads": lambda: (threading.gettrace(),),
    "the profile function of threads": lambda: (threading.getprofile(),),
    "the stack size of threads": lambda: (threading.stack_size(),),
    "the switch interval": lambda: (sys.getswitchinterval(),),
    "the longest number in text": lambda: (sys.get_int_max_str_digits(),),
    "the hooks of asynchronous generators": lambda: tuple(sys.get_asyncgen_hooks()),
    "the garbage collector": lambda: (
        gc.isenabled(),
        *gc.get_threshold(),
        gc.get_debug(),
        *gc.callbacks,
    ),
    "faulthandler": lambda: (faulthandler.is_enabled(),),
    _FILTERS: lambda: tuple(warnings.filters),
    AT_EXIT: lambda: (atexit._ncallbacks(),),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] # nothing else tells
    DIRECTORY: lambda: (os.getcwd(),),  # noqa: PTH109 - pathlib is slower
    "the umask": _read_umask,
    "the locale": lambda: (_locale.setlocale(_locale.LC_ALL, None),),
    "the time zone": lambda: (time.timezone, *time.tzname),
    "the limits of resources": _read_limits,
    "the default timeout of sockets": _read_timeout,
    "the event loop policy": _read_policy,
    "the configuration of logging": _read_logging,
    "file descriptor 0": lambda: _read_descriptor(0),
    "file descriptor 1": lambda: _read_descriptor(1),
    "file descriptor 2": lambda: _read_descriptor(2),
}
if hasattr(signal, "pthread_sigmask"):
    _PROBES["the mask of signals"] = lambda: (
        frozenset(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
    )
if hasattr(os, "getresuid"):
    _PROBES["the user of the process"] = lambda: (*os.getresuid(), *os.getresgid())
