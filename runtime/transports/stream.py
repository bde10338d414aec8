"""A stream of bytes over an asyncio transport: Unix sockets, TCP and TLS.

Chunks go to the receiver as they arrive, without a queue or a task between. All
transports of a loop read into one buffer, out of which each chunk is copied at once.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Final, cast

from pi_contracts.runtime.protocol import Framing

from .receiving import AbortedError, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_CHUNK: Final = 256 * 1024
"""How many bytes are read at once."""

_buffers: Final[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, memoryview]] = (
    weakref.WeakKeyDictionary()
)


def _get_buffer(loop: asyncio.AbstractEventLoop) -> memoryview:
    """Return what the transports of *loop* read into; it holds nothing between two reads."""
    buffer = _buffers.get(loop)
    if buffer is None:
        buffer = _buffers[loop] = memoryview(bytearray(_CHUNK))
    return buffer


class StreamTransport(Reading, asyncio.BufferedProtocol, asyncio.Protocol):
    """A transport of bytes.

    It is a protocol of both kinds: asyncio would make an object of a chunk's full size for
    each read, and fills our buffer instead; uvloop makes small ones, and calls
    `data_received`, which costs less there.

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
        self._aborted = False
        self._buffer = _get_buffer(asyncio.get_running_loop())

    def send(self, data: Sequence[bytes]) -> None:
        """Write *data* in one go."""
        transport = self._transport
        if not transport.is_closing():
            # Not `writelines`: up to Python 3.12.8 and 3.13.1 it never asks to pause.
            transport.write(b"".join(data))  # of one piece, that piece itself

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
        self._source = self._transport = made
        made.set_write_buffer_limits(high=1, low=0)  # a TLS transport pauses at 0 bytes over 0
        self.facts = self._describe(made)
        self._on_open(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return what the next chunk is read into."""
        del sizehint
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Hand on the first *nbytes* of the buffer."""
        self.data_received(bytes(self._buffer[:nbytes]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end."""
        self._end(AbortedError() if self._aborted else exc)
