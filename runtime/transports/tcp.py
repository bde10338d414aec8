"""TCP with TLS: certificates and host names are checked unless one says otherwise."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from .attempt import attempt
from .listening import Handover, Listening
from .stream import StreamTransport

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pi_contracts.runtime.transport import Accept, Connect, Listen

HANDSHAKE: Final = 10.0
"""How many seconds a client has for the handshake of TLS, and again for that of a WebSocket."""

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
        made = StreamTransport(describe=_describe, credential=credential)
        context = get_client_context(tls)
        name = None if context is None else server_name or host
        await loop.create_connection(lambda: made, host, port, ssl=context, server_hostname=name)
        return made

    return lambda ctx: attempt(open_socket, ctx)


def listen_tcp(host: str, port: int, *, tls: ServerTls) -> Listen:
    """Return a `Listen` at *host* and *port*; 0 is any free port, named in ``addresses``."""

    async def listen(accept: Accept) -> Listening:
        loop = asyncio.get_running_loop()
        handover = Handover(accept)
        server = await loop.create_server(
            lambda: StreamTransport(describe=_describe, on_open=handover.accept),
            host,
            port,
            ssl=tls or None,
            ssl_handshake_timeout=HANDSHAKE if tls else None,
        )
        return Listening(handover, server.close, word_addresses(server))

    return listen


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
