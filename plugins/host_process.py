"""The processes of a dry run: how one is had for an order, watched and ended.

What one of them tells belongs to `dry_run`.
"""

from __future__ import annotations

import os
import signal
import site
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, Final, NamedTuple, Protocol, Self

import msgspec

from .copies import NUMBER, end_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .outcomes import Order

CAN_COPY: Final = sys.platform == "linux"
"""Whether a process can copy itself safely, and end with the one that started it."""
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
    "import sys; sys.path += sys.argv[1:]; from pi_contracts.plugins.{} import main; main()"
)
_START_LIMIT: Final = 60.0
"""Seconds until a copy has begun, however busy the machine is."""
_END_LIMIT: Final = 1.0
"""Seconds that a process which closed its socket may take to end."""


class Ended(NamedTuple):
    """A process that has ended: how, and what it has told."""

    code: int
    """The exit code; the signal below zero."""
    told: bytes
    errors: str
    """The last line of what it had to say of itself."""
    is_late: bool
    """Whether it had to be killed, since it told nothing for too long."""


class _Running(Protocol):
    """A process that runs an order."""

    def wait(self, timeout: float) -> int | None:
        """Return how it has ended, None if it has not within *timeout* seconds."""
        ...

    def kill(self) -> None:
        """End it and what it has started."""
        ...

    def close(self) -> None:
        """End it, if it still runs, and keep nothing of it."""
        ...


class Processes:
    """The processes of one dry run; may be asked from many threads.

    Args:
        folder: The working directory of each.
        path: Folders to look for modules in, the manifest's own first.
        can_copy: Whether a prepared process is copied for each order; else each has
            an interpreter of its own.
    """

    def __init__(self, folder: str, path: Sequence[str], *, can_copy: bool = CAN_COPY) -> None:
        self._folder = folder
        self._path = path
        self._can_copy = can_copy
        self._lock = threading.Lock()
        self._prepared: _Prepared | None = None
        self._running: set[_Running] = set()
        self._is_stopped = False

    def __enter__(self) -> Self:
        """Return this, which is to be closed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every process that still runs."""
        if self._prepared is not None:
            self._prepared.finish()
        self.stop()
        if self._prepared is not None:
            self._prepared.close()

    @property
    def is_stopped(self) -> bool:
        """Whether nothing is started any more."""
        return self._is_stopped

    def run(self, order: Order, patience: float) -> Ended:
        """Have an order run, and return what became of it.

        Args:
            order: What to do.
            patience: Seconds within which the process has to tell something.
        """
        with ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            task, told, errors = files
            task.write(msgspec.json.encode(order))
            task.seek(0)
            process = self._start(files)
            try:
                code, is_late = _wait(process, told, patience)
            finally:
                process.close()
                with self._lock:
                    self._running.discard(process)
            told.seek(0)
            errors.seek(0)
            said = errors.read() or (
                b"" if self._prepared is None else self._prepared.read_errors()
            )
            text = said.decode(errors="replace").strip().rpartition("\n")[2]
            return Ended(code, told.read(), text, is_late)

    def stop(self) -> None:
        """Start nothing more, and end what runs."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                process.kill()
            if self._prepared is not None:
                self._prepared.stop()

    def _start(self, files: Sequence[IO[bytes]]) -> _Running:
        with self._lock:
            process: _Running
            if self._can_copy:
                if self._prepared is None:
                    self._prepared = _Prepared(self._folder, self._path)
                process = self._prepared.copy(files)
            else:
                process = _Interpreter(start("child", self._folder, self._path, files))
            self._running.add(process)
            if self._is_stopped:
                process.kill()
        return process


def _wait(process: _Running, told: IO[bytes], patience: float) -> tuple[int, bool]:
    """Wait for the end of a process, or end it once it has told nothing for too long."""
    size, is_late = -1, False
    while True:
        code = process.wait(patience)
        if code is not None:
            return code, is_late
        known, size = size, os.fstat(told.fileno()).st_size
        if size == known:
            is_late = True
            process.kill()


class _Interpreter:
    """An interpreter that was started for one order."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def wait(self, timeout: float) -> int | None:
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        kill(self._process)

    def close(self) -> None:
        self.kill()
        self._process.wait()


class _Prepared:
    """The process that is copied for each order; see `prepared`."""

    def __init__(self, folder: str, path: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 # closed by close()
        self._control, end = socket.socketpair()
        with end, tempfile.TemporaryFile() as output:
            files = (end, output, self._errors)
            self._process = start("prepared", folder, path, files)

    def copy(self, files: Sequence[IO[bytes]]) -> _Copy:
        """Ask for a process that has *files* as its input, output and errors."""
        answer, end = socket.socketpair()
        with end, suppress(OSError):  # it has ended; so the answer ends as well
            numbers = [*(file.fileno() for file in files), end.fileno()]
            socket.send_fds(self._control, [b"x"], numbers)
        return _Copy(answer, self._process)

    def read_errors(self) -> bytes:
        """Return what the process itself had to say, such as why it could not start."""
        self._errors.seek(0)
        return self._errors.read()

    def finish(self) -> None:
        """Let the process end by itself, once its copies have."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_LIMIT)

    def stop(self) -> None:
        """End the process, and with it all that it has started."""
        kill(self._process)
        self._process.wait()

    def close(self) -> None:
        """Keep nothing of a process that was stopped."""
        self._errors.close()


class _Copy:
    """A copy of the prepared process, which runs one order."""

    def __init__(self, answer: socket.socket, prepared: subprocess.Popen[bytes]) -> None:
        self._answer = answer
        self._prepared = prepared
        self._pid: int | None = None

    def wait(self, timeout: float) -> int | None:
        if self._pid is None:
            data = self._receive(_START_LIMIT)
            if not data:
                return self._end_without_answer()
            self._pid = _read_number(data)
        data = self._receive(timeout)
        if data is None:
            return None
        self._pid = None
        return _read_number(data) if data else self._end_without_answer()

    def kill(self) -> None:
        if self._pid is not None:
            end_group(self._pid)

    def close(self) -> None:
        self.kill()
        self._answer.close()

    def _receive(self, timeout: float) -> bytes | None:
        """Return the next number; nothing where nobody is left to tell it, None too late."""
        self._answer.settimeout(timeout)
        try:
            return self._answer.recv(NUMBER.size)
        except TimeoutError:
            return None

    def _end_without_answer(self) -> int:
        """Return how the prepared process has ended; it is ended if only its copies have."""
        with suppress(subprocess.TimeoutExpired):
            return self._prepared.wait(_END_LIMIT)
        kill(self._prepared)
        return self._prepared.wait()


def _read_number(data: bytes) -> int:
    number: int = NUMBER.unpack(data)[0]
    return number


def start(
    module: str, folder: str, path: Sequence[str], files: Sequence[IO[bytes] | socket.socket]
) -> subprocess.Popen[bytes]:
    """Start an interpreter that depends on nothing but the installation and *path*.

    As ``python -I``, but sets are iterated in the same order each time, and the
    user's own site-packages count if they do here.

    Args:
        module: Which of ours is run.
        folder: Its working directory.
        path: Folders to look for modules in, the manifest's own first.
        files: Its standard input, output and error.
    """
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    flags = ["-P", "-X", "utf8"]
    flags += [] if site.ENABLE_USER_SITE else ["-s"]
    flags += ["-B"] if sys.dont_write_bytecode else []
    stdin, stdout, stderr = (file.fileno() for file in files)
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *flags, "-c", _PROGRAM.format(module), *path[1:]],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=folder,
        env={**kept, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"},
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    if hasattr(os, "killpg"):
        end_group(process.pid)
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
