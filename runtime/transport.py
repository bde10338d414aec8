"""Interfaces between a peer and what moves its bytes, and between a peer and the time.

A transport knows nothing of frames, limits or JSON; how it is used is written down in
``docs/design/protocol.md``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from .context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .protocol import Framing


class Receiver(Protocol):
    """What a transport tells of what happens; called on the loop's thread."""

    def receive(self, data: bytes, /) -> None:
        """Take a chunk of the stream, or one message; never called inside `send`."""
        ...

    def pause(self) -> None:
        """Send nothing for now: the transport holds what the system has not taken."""
        ...

    def resume(self) -> None:
        """Send again; never called inside `send`."""
        ...

    def lose(self, error: Exception | None, /) -> None:
        """Take the end of the transport, once and last; None: the other side closed it."""
        ...


class Transport(Protocol):
    """Moves bytes to the other side and back."""

    @property
    def framing(self) -> Framing:
        """Whether messages stay apart or are a stream."""
        ...

    @property
    def credential(self) -> str | None:
        """What the connecting side shows in the handshake."""
        ...

    @property
    def facts(self) -> Mapping[str, object]:
        """What is known of the other end: a user id, a certificate."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the end was told."""
        ...

    def start(self, receiver: Receiver) -> None:
        """Tell *receiver* from now on; once."""
        ...

    def send(self, data: Sequence[bytes]) -> None:
        """Send in order, without waiting; after `close` nothing happens."""
        ...

    def close(self) -> None:
        """Send what waits, then end; idempotent."""
        ...

    def abort(self) -> None:
        """End now, whatever waits; idempotent."""
        ...

    async def wait_closed(self) -> None:
        """Wait until the end was told."""
        ...


class Timer(Protocol):
    """Something that will be called."""

    def cancel(self) -> None:
        """Let it not be called."""
        ...


class Clock(Protocol):
    """The time, in seconds; a running loop is one."""

    def time(self) -> float:
        """Return the time, which never goes back."""
        ...

    def call_at(self, when: float, callback: Callable[[], object], /) -> Timer:
        """Call *callback* at *when*."""
        ...


Connect: TypeAlias = Callable[[Context], Awaitable[Transport]]
"""One attempt to connect; its closure owns the address and the credential."""

Accept: TypeAlias = Callable[[Transport], object]
"""Takes each connection that arrives."""


class Stop(Protocol):
    """What ends accepting, called and awaited; a second time does nothing."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where connections are accepted: a path, or ``host:port``; none within a process."""
        ...

    async def __call__(self) -> None:
        """Accept nothing more."""
        ...


Listen: TypeAlias = Callable[[Accept], Awaitable[Stop]]
"""Accepts connections until it is stopped."""
