"""A stream of bytes over an asyncio transport: Unix sockets, TCP and TLS.

Chunks go to the receiver as they arrive, without a queue or a task between. Reading
is not paused from the beginning: asyncio's TLS would not send the end of its handshake.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from pi_contracts.runtime.protocol import Framing

from .receiving import AbortedError, Receiving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pi_contracts.runtime.transport import Receiver


class StreamTransport(Receiving, asyncio.Protocol):
    """A transport of bytes; before it is started it keeps one chunk and reads no more.

    *describe* tells what is known of the other end once the connection is made;
    *on_open* is called then, and nobody has the transport before.
    """

    _transport: asyncio.Transport

    def __init__(
        self,
        *,
        describe: Callable[[asyncio.Transport], Mapping[str, object]],
        on_open: Callable[[StreamTransport], object] = lambda _: None,
        credential: str | None = None,
    ) -> None:
        super().__init__(credential)
        self.framing: Final = Framing.LENGTH
        self._describe = describe
        self._on_open = on_open
        self._early: list[bytes] = []
        self._going = False
        self._aborted = False

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        asyncio.get_running_loop().call_soon(self._go_on)  # before an end that has come already
        self._begin(receiver)

    def send(self, data: Sequence[bytes]) -> None:
        """Write *data* in one go."""
        transport = self._transport
        if transport.is_closing():
            return
        if len(data) == 1:
            transport.write(data[0])
        else:
            transport.writelines(data)

    def close(self) -> None:
        """End after what was sent has left."""
        self._transport.close()

    def abort(self) -> None:
        """End now; what was not sent is lost."""
        if not self._ended:
            self._aborted = True
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold the connection."""
        made = cast("asyncio.Transport", transport)
        self._transport = made
        made.set_write_buffer_limits(high=1, low=0)  # a TLS transport pauses at 0 bytes over 0
        self.facts = self._describe(made)
        self._on_open(self)

    def data_received(self, data: bytes) -> None:
        """Hand on what arrived; keep it if nobody can have it yet."""
        if self._going and self._receiver is not None:
            self._receiver.receive(data)
            return
        self._early.append(data)
        self._transport.pause_reading()

    def _go_on(self) -> None:
        """Hand on what came before the start, and read on."""
        self._going = True
        early, self._early = self._early, []
        for data in early:
            self.data_received(data)
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end, after all that came before it."""
        if self._receiver is not None:
            self._go_on()
        self._end(AbortedError() if self._aborted else exc)
