"""Transports within a process: two ends whose bytes cross in the loop's next turn.

The boundary is that of a socket: bytes, cut into chunks, and a bound on how many are
on their way before the sender is asked to pause.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pi_contracts.runtime.protocol import Framing

from .attempt import attempt
from .listening import Handover, Listening
from .receiving import AbortedError, Receiving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pi_contracts.runtime.transport import Accept, Connect, Listen, Receiver

_MOST_UNDERWAY: Final = 64 * 1024


class MemoryTransport(Receiving):
    """One of two ends; what is sent on one is received on the other."""

    _other: MemoryTransport

    def __init__(self, *, credential: str | None = None) -> None:
        super().__init__(credential)
        self.framing: Final = Framing.LENGTH
        self._loop = asyncio.get_running_loop()
        self._underway: list[bytes] = []
        self._size = 0
        self._scheduled = False
        self._paused = False
        self._closing = False
        self._aborted = False
        self.facts = {"transport": "memory"}

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        self._begin(receiver)
        self._other.schedule()

    def send(self, data: Sequence[bytes]) -> None:
        """Let *data* cross; pauses the sender while much of it is underway."""
        if self._closing:
            return
        self._underway += data
        self._size += sum(map(len, data))
        self.schedule()
        if self._size > _MOST_UNDERWAY and not self._paused:
            self._paused = True
            self.pause_writing()

    def close(self) -> None:
        """End both sides after what is underway has arrived."""
        self._closing = True
        self.schedule()

    def abort(self) -> None:
        """End both sides; what is underway is lost."""
        self._closing = self._aborted = True
        self._underway.clear()
        self._loop.call_soon(self._end_both, AbortedError())

    def join(self, other: MemoryTransport) -> None:
        """Let the two be the ends of one transport."""
        self._other = other

    def schedule(self) -> None:
        """Let what waits cross in the loop's next turn."""
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._cross)

    def arrive(self, data: bytes) -> bool:
        """Take what the other end sent; False while nobody listens to it here."""
        if self._receiver is None:
            return self._closing
        if not self._closed:
            self._receiver.receive(data)
        return True

    def leave(self, error: Exception | None) -> None:
        """End because the other end has."""
        self._closing = True
        self._end(error)

    def _cross(self) -> None:
        self._scheduled = False
        if self._aborted:
            return
        if self._underway:
            data = b"".join(self._underway)
            self._underway = [data]
            if not self._other.arrive(data):
                return
            del self._underway[0]
            self._size -= len(data)
            if self._paused:
                self._paused = False
                self.resume_writing()
        if self._closing:
            self._end_both(None)

    def _end_both(self, error: Exception | None) -> None:
        self._other.leave(None if error is None else ConnectionResetError("the other side aborted"))
        self._end(error)


def make_memory_pair(*, credential: str | None = None) -> tuple[MemoryTransport, MemoryTransport]:
    """Return both ends of a transport: of who connects, with *credential*, and who accepts."""
    client = MemoryTransport(credential=credential)
    server = MemoryTransport()
    client.join(server)
    server.join(client)
    return client, server


class MemoryAddress:
    """A place within a process at which one may listen and others connect."""

    def __init__(self) -> None:
        self.handover: Handover | None = None
        """Who listens; None while nobody does."""


def connect_memory(address: MemoryAddress, *, credential: str | None = None) -> Connect:
    """Return a `Connect` to whoever listens at *address*."""

    async def open_pair() -> MemoryTransport:
        if address.handover is None:
            raise ConnectionRefusedError("nobody listens at this address in memory")
        client, server = make_memory_pair(credential=credential)
        address.handover.accept(server)
        return client

    return lambda ctx: attempt(open_pair, ctx)


def listen_memory(address: MemoryAddress) -> Listen:
    """Return a `Listen` at *address*; one at a time."""

    async def listen(accept: Accept) -> Listening:
        if address.handover is not None:
            raise OSError("somebody listens at this address in memory already")
        handover = Handover(accept)
        address.handover = handover

        def stop() -> None:
            address.handover = None

        return Listening(handover, stop)

    return listen
