"""What a setup must not do, noticed and refused in the process that runs it.

No sandbox: plugins are trusted, and this tells what they do too early. Sockets,
processes, signals and threads are refused; of what changes the process for all, the
line is noted. What has changed is told by `baseline` and `process_state`.
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

from .baseline import is_watched
from .frames import is_own
from .outcomes import Fault, Frame
from .process_state import DIRECTORY, PROFILE, TRACE, name_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from .outcomes import Phase

_SOCKET: Final = "opens a socket"
PROCESS: Final = "starts a process"
_SIGNAL: Final = "sends a signal"
THREAD: Final = "starts a thread"
ALARM: Final = "sets an alarm"
HOOK: Final = "the audit hooks"
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
            "_posixsubprocess.fork_exec",
            "pty.spawn",
            "subprocess.Popen",
        ),
        PROCESS,
    ),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _SIGNAL),
}

_CHANGES: Final = {
    "os.chdir": DIRECTORY,
    "sys.addaudithook": HOOK,
    "sys.setprofile": PROFILE,
    "sys.settrace": TRACE,
}
"""What an event changes for all that runs after it."""

_VARIABLES: Final = ("os.putenv", "os.unsetenv")
_ASSIGNMENTS: Final = ("object.__setattr__", "object.__delattr__")
_CODE: Final = ("__code__", "__defaults__", "__kwdefaults__")
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
        self.changes: dict[str, tuple[Frame, ...]] = {}
        """Where a setup changed what others share, as far as there are events for that."""
        self.unseen: set[str] = set()
        """Those of the changes that nobody can see afterwards."""
        self._events = {*_EVENTS, *_CHANGES, *_ASSIGNMENTS, *_VARIABLES}

    def forget(self) -> None:
        """Begin with another facet."""
        self.phase = None
        self.faults.clear()
        self.changes.clear()
        self.unseen.clear()

    def install(self) -> None:
        """Begin to listen; that cannot be undone in this process."""
        sys.addaudithook(self.audit)
        for module in (_thread, threading):
            for name in _STARTERS:
                if hasattr(module, name):
                    setattr(module, name, partial(self.start_thread, getattr(module, name)))
        spawner: Any = sys.modules.get("_posixsubprocess")
        if spawner is not None:  # of which versions before 3.14 tell nothing
            spawner.fork_exec = partial(self.start_process, spawner.fork_exec)

    def audit(self, event: str, facts: tuple[Any, ...]) -> None:
        """Refuse an event of the interpreter, or note it, while a facet is imported or set up."""
        if event not in self._events or self.phase is None:
            return
        if event in _EVENTS:
            self._refuse(_EVENTS[event])
        elif self.phase == "setup" and (name := _name_change(event, facts)):
            self.changes.setdefault(name, tuple(_iter_frames(inspect.currentframe())))
            if event in _ASSIGNMENTS or name == HOOK:
                self.unseen.add(name)

    def start_process(self, start: Callable[..., Any], *args: Any) -> Any:
        """Start a process, unless a facet is imported or set up."""
        if self.phase is not None:
            self._refuse(PROCESS)
        return start(*args)

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


def _name_change(event: str, facts: tuple[Any, ...]) -> str | None:
    """Return what an event changes, as `process_state` calls it; None if that is nobody else's."""
    if event in _CHANGES:
        return _CHANGES[event]
    if event in _VARIABLES:
        return name_variable(facts[0])
    owner, attribute, *_ = facts
    is_shared = type(owner) is FunctionType and is_watched(owner.__module__)
    if attribute in _CODE and is_shared:
        return f"{owner.__module__}.{owner.__qualname__}"
    return None


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
