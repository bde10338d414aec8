"""A child process's stdio: its parent connects by starting it, the child listens.

In the child, standard output belongs to the transport: what the program prints goes
to standard error from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any, Final, cast

from pi_contracts.runtime.protocol import Framing

from .attempt import attempt
from .listening import Handover, Listening
from .receiving import AbortedError, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pi_contracts.runtime.transport import Accept, Connect, Listen

PATIENCE: Final = 5.0
"""How many seconds a child has to leave by itself, and again after it was told to."""

_IN: Final = 0
_OUT: Final = 1


class ChildTransport(Reading, asyncio.SubprocessProtocol):
    """The parent's end: writes to the child's standard input, reads its output."""

    _process: asyncio.SubprocessTransport
    _input: asyncio.WriteTransport

    def __init__(self, *, patience: float = PATIENCE, credential: str | None = None) -> None:
        super().__init__(credential)
        self.framing: Final = Framing.LENGTH
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False
        self._aborted = False

    def send(self, data: Sequence[bytes]) -> None:
        """Write *data* in one go."""
        if not self._closing and not self._input.is_closing():
            self._input.write(b"".join(data))

    def close(self) -> None:
        """Close the child's input once all is written, and wait for it to leave.

        A child that stays is terminated after a while, and killed after another.
        """
        if self._closing:
            return
        self._closing = True
        self._input.close()
        self._wait_patiently(self._terminate)

    def abort(self) -> None:
        """Kill the child; what was not sent is lost."""
        self._closing = True
        self._aborted = True
        if not self._ended:
            self._kill()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold the child."""
        process = cast("asyncio.SubprocessTransport", transport)
        self._process = process
        self._input = cast("asyncio.WriteTransport", process.get_pipe_transport(_IN))
        self._source = cast("asyncio.ReadTransport", process.get_pipe_transport(_OUT))
        self.facts = {"transport": "child", "pid": process.get_pid()}
        # An attempt that was cancelled while the pipes were connected closes one or the other.
        if process.is_closing() or self._input.is_closing():
            self._close_pipes()
        else:
            self._input.set_write_buffer_limits(high=0)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Hand on what arrived."""
        del fd
        self.data_received(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Close once the child says or hears nothing more."""
        del fd, exc
        self.close()

    def process_exited(self) -> None:
        """Wait no longer than a moment for what the child has left in its output."""
        self._wait_patiently(self._close_pipes)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end."""
        if self._timer is not None:
            self._timer.cancel()
        code = self._process.get_returncode()
        self._process.close()
        if self._aborted:
            exc = AbortedError()
        elif exc is None and code:
            exc = ChildProcessError(f"the child process ended with code {code}")
        self._end(exc)

    def _wait_patiently(self, then: Callable[[], object]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._patience, then)

    def _terminate(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has left meanwhile
            self._process.terminate()
        self._wait_patiently(self._kill)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has left meanwhile
            self._process.kill()
        self._close_pipes()

    def _close_pipes(self) -> None:
        """Close what a child of the child may still hold open."""
        self._input.close()
        self._source.close()


class StdioTransport(Reading, asyncio.Protocol):
    """The child's end: reads one descriptor, writes another; opened before anything else."""

    _output: asyncio.WriteTransport

    def __init__(self) -> None:
        super().__init__(None)
        self.framing: Final = Framing.LENGTH
        self._aborted = False
        self.facts = {"transport": "stdio"}

    async def open(self, read: int, write: int) -> None:
        """Use the two descriptors; they are closed with the transport."""
        loop = asyncio.get_running_loop()
        self._output, _ = await loop.connect_write_pipe(
            lambda: _Output(self), os.fdopen(write, "wb", 0)
        )
        self._output.set_write_buffer_limits(high=0)
        await loop.connect_read_pipe(lambda: self, os.fdopen(read, "rb", 0))

    def send(self, data: Sequence[bytes]) -> None:
        """Write *data* in one go."""
        if not self._output.is_closing():
            self._output.write(b"".join(data))

    def close(self) -> None:
        """End after what was sent has left."""
        self._output.close()

    def abort(self) -> None:
        """End now; what was not sent is lost."""
        if not self._ended:
            self._aborted = True
            self._output.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold the input."""
        self._source = cast("asyncio.ReadTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the other direction as well; the end is told of when both are over."""
        del exc
        self.close()

    def lose(self, error: Exception | None) -> None:
        """Stop reading, and tell the receiver of the end."""
        self._source.close()
        self._end(AbortedError() if self._aborted else error)


class _Output(asyncio.Protocol):
    """What asyncio tells of the descriptor that is written."""

    def __init__(self, owner: StdioTransport) -> None:
        self._owner = owner

    def pause_writing(self) -> None:
        self._owner.pause_writing()

    def resume_writing(self) -> None:
        self._owner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.lose(exc)


def connect_child(
    command: Sequence[str | os.PathLike[str]],
    *,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
    credential: str | None = None,
) -> Connect:
    """Return a `Connect` that starts *command* and speaks with it over its stdio.

    Each attempt starts a child; no shell reads the command. Its standard error is
    ours. An attempt raises OSError where the command cannot be started.
    """

    async def start_child() -> ChildTransport:
        loop = asyncio.get_running_loop()
        made = ChildTransport(patience=patience, credential=credential)
        options: dict[str, Any] = {"cwd": cwd, "env": None if env is None else dict(env)}
        words = [os.fspath(word) for word in command]
        await loop.subprocess_exec(lambda: made, *words, stderr=None, **options)
        return made

    return lambda ctx: attempt(start_child, ctx)


def listen_stdio() -> Listen:
    """Return a `Listen` for a child: its parent is the one connection there will be.

    Descriptors 0 and 1 are taken; what is read then is empty, and what is printed
    goes to standard error.
    """

    async def listen(accept: Accept) -> Listening:
        handover = Handover(accept)
        transport = StdioTransport()
        await transport.open(*_take_stdio())
        handover.accept(transport)
        return Listening(handover, lambda: None, ("stdio",))

    return listen


def _take_stdio() -> tuple[int, int]:
    """Return new descriptors for standard input and output, and put others in their place."""
    sys.stdout.flush()
    read, write = os.dup(_IN), os.dup(_OUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _IN)
    os.close(nothing)
    os.dup2(2, _OUT)
    return read, write
