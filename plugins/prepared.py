"""The prepared process: it has imported what every host's process needs, and copies itself.

A copy costs a hundredth of a new interpreter. For each request one *warden* is forked,
which forks the process that runs the order: it waits for its end, ends what that has
left behind, and tells how it ended. Nothing of a plugin is imported before a copy is made.
Linux only; elsewhere each order has an interpreter of its own.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from . import child
from .copies import NUMBER, end_group

if TYPE_CHECKING:
    from collections.abc import Callable

REQUEST_FILES: Final = 4
"""An order, where to tell, where errors go, and the socket for the answer."""
_SET_DEATH_SIGNAL: Final = 1
_SET_SUBREAPER: Final = 36
_LAST_SECONDS: Final = 1
"""How long what still runs may take to end."""
_FIRST_FREE: Final = 3
"""The first descriptor behind standard input, output and error."""


def main() -> NoReturn:  # pragma: no cover - ends its process
    """Answer the requests that come over the socket that is standard input, until it closes."""
    control = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no warden is waited for
    set_option = find_prctl()
    stage = child.prepare()
    gc.freeze()  # a collection in a copy would touch, and so copy, what all of them share
    while True:
        message, files, _, _ = socket.recv_fds(control, 1, REQUEST_FILES)
        if not message:
            end_wardens()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            guard_order(files, set_option, stage)
        for file in files:
            os.close(file)


def end_wardens() -> NoReturn:  # pragma: no cover - ends its process
    """End every order that still runs, whose answer nobody waits for, and this process.

    None is left to whoever does not wait for it. Should a warden not end, the alarm ends
    this process, and by that the warden.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LAST_SECONDS)
    for pid in list_children():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    with suppress(ChildProcessError):
        os.wait()
    os._exit(0)


def find_prctl() -> Callable[[int, int], object]:
    """Return what sets an option of the calling process; without the library, what does nothing."""
    try:
        import ctypes  # noqa: PLC0415 # an interpreter may have been built without it

        return ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return lambda _option, _value: None


def guard_order(
    files: list[int], set_option: Callable[[int, int], object], stage: child.Stage
) -> NoReturn:  # pragma: no cover - ends its process
    """Have an order run by a process of its own, tell its id and how it ended.

    What it has left behind is ended too: its group, and by ``PR_SET_CHILD_SUBREAPER``
    also what has left the group.
    """
    *streams, answer = files
    set_option(_SET_DEATH_SIGNAL, signal.SIGKILL)
    set_option(_SET_SUBREAPER, 1)
    pid = os.fork()
    if pid == 0:
        set_option(_SET_DEATH_SIGNAL, signal.SIGKILL)
        set_option(_SET_SUBREAPER, 1)  # so that it notices what a facet has started
        os.setsid()
        for target, source in enumerate(streams):
            os.dup2(source, target)
        os.closerange(_FIRST_FREE, max(files) + 1)
        child.main(stage)
    signal.signal(signal.SIGTERM, lambda _number, _frame: end_group(pid))
    link = socket.socket(fileno=answer)
    with suppress(OSError):
        link.sendall(NUMBER.pack(pid))
    _, status = os.waitpid(pid, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is left to do takes no time
    end_group(pid)
    end_orphans()
    with suppress(OSError):
        link.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def end_orphans() -> None:
    """End all children of this process, and theirs, which become its own as their parents end."""
    while True:
        for pid in list_children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def list_children() -> list[int]:
    """Return the ids of this process's children, as far as the system tells."""
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")
    except OSError:
        return []
    return list(map(int, text.split()))
