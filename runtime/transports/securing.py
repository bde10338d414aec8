"""TLS for connections that are accepted, with a line in the log for each that fails.

asyncio's own servers say nothing when the handshake of TLS fails: neither the protocol
nor the log hears of it, and whoever set a server up is left to guess.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Final, cast

from pi_contracts.runtime.errors import clip
from pi_contracts.runtime.failures import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST: Final = 10
_SPAN: Final = 60.0
_LONGEST: Final = 200

NO_TLS: Final = frozenset(
    {"HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNKNOWN_PROTOCOL", "WRONG_VERSION_NUMBER"}
)
"""What OpenSSL calls bytes that are no TLS at all."""


class HandshakeLog:
    """Logs handshakes that failed: each in one line, and at most 10 in a minute."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._count = 0

    def take(self, address: object, error: OSError) -> None:
        """Log that the handshake with *address* failed, unless that was often enough."""
        now = asyncio.get_running_loop().time()
        if not self._count or now - self._begun >= _SPAN:
            self._begun = now
            self._count = 0
        self._count += 1
        if self._count > _MOST:
            return
        host, port = cast("tuple[object, ...]", address)[:2] if address else ("?", "?")
        why = clip(word_failure(error), _LONGEST)
        LOGGER.warning("the handshake of TLS with %s:%s failed: %s", host, port, why)
        if self._count == _MOST:
            LOGGER.warning("what else fails within %.0f seconds is not logged", _SPAN)


def word_failure(error: OSError) -> str:
    """Return why a server's handshake failed, with what is most likely behind it."""
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "reason", None) or ""  # only OpenSSL's own have one
        if reason in NO_TLS:
            return "the other side speaks no TLS"
        text = error.strerror or reason or type(error).__name__
        if "ALERT" in reason:
            return f"the other side refused it, perhaps for our certificate: {text}"
        return text
    if isinstance(error, ConnectionAbortedError):
        return "it took too long"
    return "the other side left; it may not trust our certificate, or have tried without TLS"


class SecuringProtocol(asyncio.Protocol):
    """A connection that was accepted, until its TLS is there; then *make*'s has it."""

    def __init__(
        self,
        context: ssl.SSLContext,
        make: Callable[[], asyncio.BaseProtocol],
        log: HandshakeLog,
        *,
        patience: float,
    ) -> None:
        self._context = context
        self._make = make
        self._log = log
        self._patience = patience
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake; nothing is read before that."""
        made = cast("asyncio.Transport", transport)
        made.pause_reading()
        self._task = asyncio.get_running_loop().create_task(self._shake_hands(made))

    async def _shake_hands(self, transport: asyncio.Transport) -> None:
        early = _EarlyData()
        address: object = transport.get_extra_info("peername")
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport,
                early,
                self._context,
                server_side=True,
                ssl_handshake_timeout=self._patience,
            )
        except OSError as error:
            self._log.take(address, error)
            transport.abort()
            return
        if secured is not None and not early.lost:
            early.hand_over(secured, cast("asyncio.Protocol", self._make()))


class _EarlyData(asyncio.Protocol):
    """Keeps what comes right behind a handshake, until somebody is told of that."""

    def __init__(self) -> None:
        self._data: list[bytes] = []
        self._ended = False
        self.lost = False

    def data_received(self, data: bytes) -> None:
        self._data.append(data)

    def eof_received(self) -> bool:
        self._ended = True
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.lost = True

    def hand_over(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> None:
        """Let *protocol* have *transport*, and all that has come."""
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        for data in self._data:
            protocol.data_received(data)
        if self._ended:
            protocol.eof_received()
