"""A stream of bytes over an asyncio transport: Unix sockets, TCP and TLS.

Chunks go to the receiver as they arrive, without a queue or a task between.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from pi_contracts.runtime.protocol import Framing

from .receiving import AbortedError, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class StreamTransport(Reading, asyncio.Protocol):
    """A transport of bytes.

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
        self._source = self._transport = made
        made.set_write_buffer_limits(high=1, low=0)  # a TLS transport pauses at 0 bytes over 0
        self.facts = self._describe(made)
        self._on_open(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end."""
        self._end(AbortedError() if self._aborted else exc)
