"""What a setup must not do, noticed and refused in the process that runs it.

No sandbox: plugins are trusted, and this tells what they do too early or to all
others. Sockets, processes, signals and threads are refused; replaced functions of
the standard library and of the runtime are noticed afterwards.
"""

from __future__ import annotations

import _thread
import inspect
import signal
import sys
import threading
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from .frames import is_own
from .outcomes import Fault, Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType, ModuleType

    from .outcomes import Phase

_SOCKET: Final = "opens a socket"
_PROCESS: Final = "starts a process"
_SIGNAL: Final = "sends a signal"
THREAD: Final = "starts a thread"
_EVENTS: Final = {
    **dict.fromkeys(
        (
            "socket.__new__",
            "socket.bind",
            "socket.connect",
            "socket.getaddrinfo",
            "socket.gethostbyname",
            "socket.sendto",
        ),
        _SOCKET,
    ),
    **dict.fromkeys(
        (
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.posix_spawn",
            "os.spawn",
            "os.startfile",
            "os.system",
            "pty.spawn",
            "subprocess.Popen",
        ),
        _PROCESS,
    ),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _SIGNAL),
}

_STARTERS: Final = (
    "start_new_thread",
    "_start_new_thread",
    "start_joinable_thread",
    "_start_joinable_thread",
)
"""What starts a thread, in this version of Python or a later one."""


class RefusedError(PermissionError):
    """A setup, or the import of its module, does what only an active facet may do."""


class Guard:
    """Watches one facet at a time; outside of `phase` nothing is refused."""

    def __init__(self) -> None:
        self.phase: Phase | None = None
        self.faults: list[Fault] = []
        """What was refused during setup, once for each kind."""

    def install(self) -> None:
        """Begin to listen; that cannot be undone in this process."""
        sys.addaudithook(self.audit)
        for module in (_thread, threading):
            for name in _STARTERS:
                if hasattr(module, name):
                    setattr(module, name, partial(self.start_thread, getattr(module, name)))

    def audit(self, event: str, _: object) -> None:
        """Refuse an event of the interpreter, while a facet is imported or set up."""
        if self.phase is not None and event in _EVENTS:
            self._refuse(_EVENTS[event])

    def start_thread(self, start: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Start a thread, unless during setup."""
        if self.phase == "setup":
            self._refuse(THREAD)
        return start(*args, **kwargs)

    def _refuse(self, what: str) -> None:
        # A module may try, and do without: that is noted for setups only.
        if self.phase == "setup" and all(fault.text != what for fault in self.faults):
            frames = tuple(_iter_frames(inspect.currentframe()))
            self.faults.append(Fault("refused", what, frames))
        raise RefusedError(f"{what}, which has to wait for activation")


def stop_alarms() -> bool:
    """Stop what would send a signal to the process later, and tell whether anything would."""
    if not hasattr(signal, "setitimer"):
        return False
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    left = [signal.setitimer(timer, 0)[0] for timer in timers]
    return any(left)


def _iter_frames(frame: FrameType | None) -> Iterator[Frame]:
    """Give the lines between the guard and the rest of the dry run, the nearest first."""
    while frame is not None and is_own(frame.f_code.co_filename):
        frame = frame.f_back
    while frame is not None and not is_own(frame.f_code.co_filename):
        yield Frame(frame.f_code.co_filename, frame.f_lineno or 1)
        frame = frame.f_back


class Baseline:
    """The functions and classes of the standard library and the runtime, as they were.

    Dictionaries are compared as wholes first, which is quick; what else than a
    function or class has changed in them is their own business.
    """

    def __init__(self, classes: tuple[type, ...]) -> None:
        self._known: set[str] = set()
        self._watched: list[_Watched] = [_Watched(one.__name__, vars(one), True) for one in classes]
        self._streams = _get_streams()
        self._add_modules()

    def find_changes(self) -> list[str]:
        """Return what was replaced since the last time, such as ``time.sleep``."""
        found: list[str] = []
        for one in self._watched:
            try:
                is_same = one.values == one.copy
            except Exception:  # noqa: BLE001 - some value cannot be compared: look closer
                is_same = False
            if not is_same:
                found += one.update()
        found += self._add_modules()
        streams = _get_streams()
        found += (f"sys.{name}" for name, old in self._streams.items() if streams[name] is not old)
        self._streams = streams
        return sorted(found)

    def _add_modules(self) -> list[str]:
        """Watch what was loaded meanwhile, and return what is already foreign in it."""
        is_first = not self._known
        found: list[str] = []
        names = sys.modules.keys() - self._known
        self._known |= names
        for name in names:
            module = sys.modules.get(name)
            if module is not None and _is_watched(name, module):
                one = _Watched(name, vars(module), False)
                self._watched.append(one)
                if not is_first:
                    found += (f"{name}.{key}" for key in _find_strangers(one.copy))
        return found


class _Watched:
    """The dictionary of one module or class, and a copy of it."""

    __slots__ = ("_is_class", "copy", "name", "values")

    def __init__(self, name: str, values: Any, is_class: bool) -> None:  # noqa: FBT001 # two calls, above
        self.name = name
        self.values = values
        self.copy: dict[str, object] = dict(values)
        self._is_class = is_class

    def update(self) -> list[str]:
        """Make a new copy, and return which functions and classes differ from the old one."""
        old, self.copy = self.copy, dict(self.values)
        keys = {k for k, one in old.items() if callable(one) and self.copy.get(k) is not one}
        if self._is_class:
            keys |= self.copy.keys() - old.keys()
        return [f"{self.name}.{key}" for key in keys if not key.startswith("__")]


def _get_streams() -> dict[str, object]:
    return {name: getattr(sys, name, None) for name in ("stdin", "stdout", "stderr")}


def _is_watched(name: str, module: ModuleType) -> bool:
    """Tell whether others rely on a module: public ones of the standard library, and ours."""
    first = name.partition(".")[0]
    if "._" in name or first.startswith("_"):
        return False
    if first == "pi_contracts":
        return not name.startswith("pi_contracts.plugins.library")
    return first in sys.stdlib_module_names and hasattr(module, "__dict__")


def _find_strangers(values: dict[str, object]) -> Iterator[str]:
    """Give the functions in a module of the standard library that were defined elsewhere."""
    for key, value in values.items():
        if isinstance(value, FunctionType):
            first = (value.__module__ or "").partition(".")[0]
            if first and first not in sys.stdlib_module_names and first != "pi_contracts":
                yield key
