"""TCP with TLS: certificates and host names are checked unless one says otherwise."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from .attempt import attempt
from .listening import Handover, Listening
from .securing import NO_TLS, HandshakeLog, SecuringProtocol
from .stream import StreamTransport

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Mapping

    from pi_contracts.runtime.transport import Accept, Connect, Listen

HANDSHAKE: Final = 10.0
"""How many seconds a client has for the handshake of TLS, and again for that of a WebSocket."""

_ALERT: Final = b"\x15\x03"
"""How TLS begins what it has to complain of, before any frame of ours could."""

ClientTls: TypeAlias = "ssl.SSLContext | bool"
"""How to connect: True checks against the system's authorities, False is plain text."""
ServerTls: TypeAlias = "ssl.SSLContext | Literal[False]"
"""How to listen: False is plain text."""


def load_server_tls(
    certificate: str | os.PathLike[str],
    key: str | os.PathLike[str] | None = None,
    *,
    authority: str | os.PathLike[str] | None = None,
) -> ssl.SSLContext:
    """Return how to listen with *certificate*.

    With *authority*, a file of certificates, clients must show one signed by it.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    if authority is not None:
        context.load_verify_locations(authority)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def load_client_tls(
    *,
    authority: str | os.PathLike[str] | None = None,
    certificate: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
) -> ssl.SSLContext:
    """Return how to connect: by *authority* instead of the system's, with *certificate*."""
    context = ssl.create_default_context(cafile=authority)
    if certificate is not None:
        context.load_cert_chain(certificate, key)
    return context


def connect_tcp(
    host: str,
    port: int,
    *,
    tls: ClientTls = True,
    server_name: str | None = None,
    credential: str | None = None,
) -> Connect:
    """Return a `Connect` to *host* and *port*.

    *server_name* is the name in the certificate, if that is not *host*. An attempt
    raises OSError, ``ssl.SSLError`` among them.
    """

    async def open_socket() -> StreamTransport:
        loop = asyncio.get_running_loop()
        context = get_client_context(tls)
        kind = _PlainTransport if context is None else StreamTransport
        made = kind(describe=_describe, credential=credential)
        name = None if context is None else server_name or host
        with advise_plain():
            await loop.create_connection(
                lambda: made, host, port, ssl=context, server_hostname=name
            )
        return made

    return lambda ctx: attempt(open_socket, ctx)


def listen_tcp(host: str, port: int, *, tls: ServerTls) -> Listen:
    """Return a `Listen` at *host* and *port*; 0 is any free port, named in ``addresses``."""

    async def listen(accept: Accept) -> Listening:
        handover = Handover(accept)

        def make() -> StreamTransport:
            return StreamTransport(describe=_describe, on_open=handover.accept)

        server = await create_server(make, host, port, tls)
        return Listening(handover, server.close, word_addresses(server))

    return listen


class _PlainTransport(StreamTransport):
    """The end of a client without TLS, which tells where the other side seems to expect it."""

    _heard = False
    _left = False
    _met_tls = False

    def close(self) -> None:
        """End after what was sent has left."""
        self._left = True
        super().close()

    def data_received(self, data: bytes) -> None:
        """Hand on what arrived, unless it begins as an alert of TLS does."""
        if not self._heard:
            self._heard = True
            if data.startswith(_ALERT):
                self._met_tls = True
                self._transport.abort()
                return
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end, and what may be behind it."""
        if self._met_tls:
            exc = ConnectionError("the other side speaks TLS")
        elif not (self._heard or self._left or self._aborted):
            exc = ConnectionError(
                "the other side left before it had said anything: is TLS expected there?"
            )
        super().connection_lost(exc)


@contextlib.contextmanager
def advise_plain() -> Generator[None]:
    """Let an attempt with TLS that met none say so, and one that was cut off ask for it."""
    try:
        yield
    except ssl.SSLError as error:
        if getattr(error, "reason", None) not in NO_TLS:
            raise
        problem = "the other side speaks no TLS: is plain text expected there?"
        raise ssl.SSLError(error.errno, problem) from error
    except ConnectionResetError as error:
        if error.errno is not None:
            raise
        problem = "the other side left in the handshake of TLS: is plain text expected there?"
        raise ConnectionResetError(problem) from error


async def create_server(
    make: Callable[[], asyncio.BaseProtocol], host: str, port: int, tls: ServerTls
) -> asyncio.Server:
    """Return a server whose protocols *make* makes, above TLS unless that is False."""
    loop = asyncio.get_running_loop()
    if tls is False:
        return await loop.create_server(make, host, port)
    if not isinstance(loop, asyncio.BaseEventLoop):
        # uvloop reads before TLS can begin on a connection that is accepted without it, so
        # that its servers have to do it all, and tell of no handshake that fails.
        return await loop.create_server(make, host, port, ssl=tls, ssl_handshake_timeout=HANDSHAKE)
    log = HandshakeLog()
    return await loop.create_server(
        lambda: SecuringProtocol(tls, make, log, patience=HANDSHAKE), host, port
    )


def get_client_context(tls: ClientTls) -> ssl.SSLContext | None:
    """Return what asyncio takes for *tls*."""
    if isinstance(tls, bool):
        return ssl.create_default_context() if tls else None
    return tls


def word_addresses(server: asyncio.Server) -> tuple[str, ...]:
    """Return ``host:port`` of each socket of *server*, as a URL would name it."""
    return tuple(
        f"[{name[0]}]:{name[1]}" if listener.family == socket.AF_INET6 else f"{name[0]}:{name[1]}"
        for listener in server.sockets
        for name in (listener.getsockname(),)
    )


def describe_peer(transport: asyncio.Transport, kind: str) -> Mapping[str, object]:
    """Return what is known of the other end: its address, and its certificate if it showed one."""
    facts: dict[str, object] = {"transport": kind, "address": transport.get_extra_info("peername")}
    tls = transport.get_extra_info("ssl_object")
    if tls is not None:
        facts["tls"] = tls.version()
        facts["certificate"] = tls.getpeercert() or None
    return facts


def _describe(transport: asyncio.Transport) -> Mapping[str, object]:
    return describe_peer(transport, "tcp")
