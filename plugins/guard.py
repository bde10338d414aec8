"""What a setup must not do, noticed and refused in the process that runs it.

No sandbox: plugins are trusted, and this tells what they do too early or to all
others. Sockets, processes, signals and threads are refused; replaced functions of
the standard library and of the runtime are noticed afterwards.
"""

from __future__ import annotations

import _thread
import sys
import threading
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


class RefusedError(PermissionError):
    """A setup, or the import of its module, does what only an active facet may do."""


class Guard:
    """Watches one facet at a time; outside of `phase` nothing is refused."""

    def __init__(self) -> None:
        self.phase: Phase | None = None
        self.faults: list[Fault] = []
        """What was refused during setup, once for each kind."""
        self._start_thread: Callable[..., Any] = _thread.start_new_thread

    def install(self) -> None:
        """Begin to listen; that cannot be undone in this process."""
        sys.addaudithook(self.audit)
        for module, name in ((_thread, "start_new_thread"), (threading, "_start_new_thread")):
            setattr(module, name, self.start_thread)

    def audit(self, event: str, _: object) -> None:
        """Refuse an event of the interpreter, while a facet is imported or set up."""
        if self.phase is not None and event in _EVENTS:
            self._refuse(_EVENTS[event])

    def start_thread(self, *args: Any, **kwargs: Any) -> Any:
        """Start a thread, unless during setup."""
        if self.phase == "setup":
            self._refuse(THREAD)
        return self._start_thread(*args, **kwargs)

    def _refuse(self, what: str) -> None:
        # A module may try, and do without: that is noted for setups only.
        if self.phase == "setup" and all(fault.text != what for fault in self.faults):
            frames = tuple(_iter_frames(sys._getframe(2)))  # noqa: SLF001 - the way to a caller
            self.faults.append(Fault("refused", what, frames))
        raise RefusedError(f"{what}, which has to wait for activation")


def _iter_frames(frame: FrameType | None) -> Iterator[Frame]:
    while frame is not None and not is_own(frame.f_code.co_filename):
        yield Frame(frame.f_code.co_filename, frame.f_lineno or 1)
        frame = frame.f_back


class Baseline:
    """The functions and classes of the standard library and the runtime, as they were.

    Module dictionaries are compared as wholes first, which is quick; what else than a
    function or class has changed in them is their own business.
    """

    def __init__(self, classes: tuple[type, ...]) -> None:
        self._copies: dict[str, dict[str, object]] = {}
        self._classes = {c: dict(vars(c)) for c in classes}
        self._streams: dict[str, object] = {}
        self.find_changes()

    def find_changes(self) -> list[str]:
        """Return what was replaced since the last time, such as ``time.sleep``."""
        found: list[str] = []
        fresh: dict[str, dict[str, object]] = {}
        for name, module in list(sys.modules.items()):
            if _is_watched(name, module):
                values, copy = vars(module), self._copies.get(name)
                if copy is None:
                    found += (f"{name}.{key}" for key in _find_strangers(values) if self._copies)
                    fresh[name] = dict(values)
                elif not _is_same(values, copy):
                    found += (f"{name}.{key}" for key in _find_replaced(values, copy))
                    self._copies[name] = dict(values)
        self._copies |= fresh
        for one, copy in self._classes.items():
            if not _is_same(vars(one), copy):
                keys = {*_find_replaced(vars(one), copy), *(vars(one).keys() - copy.keys())}
                found += (f"{one.__name__}.{key}" for key in keys if not key.startswith("__"))
                self._classes[one] = dict(vars(one))
        streams = {name: getattr(sys, name, None) for name in ("stdin", "stdout", "stderr")}
        found += (f"sys.{name}" for name, old in self._streams.items() if streams[name] is not old)
        self._streams = streams
        return sorted(found)


def _is_watched(name: str, module: ModuleType) -> bool:
    first = name.partition(".")[0]
    if first == "pi_contracts":
        return not name.startswith("pi_contracts.plugins.library")
    return first in sys.stdlib_module_names and hasattr(module, "__dict__")


def _is_same(values: Any, copy: dict[str, object]) -> bool:
    try:
        return bool(values == copy)
    except Exception:  # noqa: BLE001 - some value cannot be compared: look closer
        return False


def _find_replaced(values: Any, copy: dict[str, object]) -> Iterator[str]:
    for key, old in copy.items():
        if callable(old) and values.get(key) is not old and not key.startswith("__"):
            yield key


def _find_strangers(values: Any) -> Iterator[str]:
    """Give the functions in a module of the standard library that were defined elsewhere."""
    for key, value in values.items():
        if isinstance(value, FunctionType):
            first = (value.__module__ or "").partition(".")[0]
            if first and first not in sys.stdlib_module_names and first != "pi_contracts":
                yield key
