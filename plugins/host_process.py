"""The processes of a dry run: how one is started, watched and ended.

What one of them tells belongs to `dry_run`.
"""

from __future__ import annotations

import os
import signal
import site
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .outcomes import Order

_KEPT_VARIABLES: Final = (
    "DYLD_LIBRARY_PATH",
    "HOME",
    "LD_LIBRARY_PATH",
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USERPROFILE",
)
_PROGRAM: Final = (
    "import sys; sys.path += sys.argv[1:]; from pi_contracts.plugins.child import main; main()"
)


class Watch:
    """Kills a process that tells nothing for too long, if it does not end itself before."""

    def __init__(self, process: subprocess.Popen[bytes], told: int, limit: float) -> None:
        self._process = process
        self._told = told
        self._limit = limit
        self._is_done = threading.Event()
        self.is_late = False
        """Whether it had to be killed."""
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._is_done.set()
        self._thread.join()

    def _look(self) -> None:
        size = -1
        while not self._is_done.wait(self._limit):
            known, size = size, os.fstat(self._told).st_size
            if size == known:
                self.is_late = True
                kill(self._process)
                return


def start(
    folder: str, path: Sequence[str], told: IO[bytes], errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start an interpreter that depends on nothing but the installation and *path*.

    As ``python -I``, but sets are iterated in the same order each time, and the
    user's own site-packages count if they do here.
    """
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    flags = ["-P", "-X", "utf8"]
    flags += [] if site.ENABLE_USER_SITE else ["-s"]
    flags += ["-B"] if sys.dont_write_bytecode else []
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *flags, "-c", _PROGRAM, *path[1:]],
        stdin=subprocess.PIPE,
        stdout=told,
        stderr=errors,
        cwd=folder,
        env={**kept, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"},
        start_new_session=True,
    )


def send(process: subprocess.Popen[bytes], order: Order) -> None:
    """Tell a process what to do."""
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        with process.stdin:
            process.stdin.write(msgspec.json.encode(order))
    except BrokenPipeError:
        return  # it has ended before it could read: whoever waits for it says why


def kill(process: subprocess.Popen[bytes] | None) -> None:
    """End a process and all that it has started."""
    if process is None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def name_end(code: int) -> str:
    """Word how a process has ended: its exit code or signal."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
