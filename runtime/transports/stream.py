"""A stream of bytes over an asyncio transport: Unix sockets, TCP and TLS.

Chunks go to the receiver as they arrive, without a queue or a task between.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from pi_contracts.runtime.protocol import Framing

from .receiving import AbortedError, Receiving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pi_contracts.runtime.transport import Receiver


class StreamTransport(Receiving, asyncio.Protocol):
    """A transport of bytes; nothing is read before it is started.

    *describe* tells what is known of the other end once the connection is made;
    *on_open* is called then.
    """

    def __init__(
        self,
        *,
        describe: Callable[[asyncio.Transport], Mapping[str, object]],
        on_open: Callable[[StreamTransport], object] = lambda _: None,
        credential: str | None = None,
    ) -> None:
        super().__init__(Framing.LENGTH, credential)
        self._describe = describe
        self._on_open = on_open
        self._transport: asyncio.Transport | None = None
        self._aborted = False

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        self._begin(receiver)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def send(self, data: Sequence[bytes]) -> None:
        """Write *data* in one go."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if len(data) == 1:
            transport.write(data[0])
        else:
            transport.writelines(data)

    def close(self) -> None:
        """End after what was sent has left."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End now; what was not sent is lost."""
        if self._transport is not None:
            self._aborted = True
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold the connection, still without reading."""
        made = cast("asyncio.Transport", transport)
        self._transport = made
        made.pause_reading()
        made.set_write_buffer_limits(high=0)
        self.facts = self._describe(made)
        self._on_open(self)

    def data_received(self, data: bytes) -> None:
        """Hand on what arrived."""
        if self._receiver is not None:
            self._receiver.receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end."""
        self._end(AbortedError() if self._aborted else exc)
