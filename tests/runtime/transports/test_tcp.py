"""Over TCP, certificates and host names are checked unless one says otherwise."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import ssl
import struct
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.transports import (
    connect_tcp,
    listen_tcp,
    listen_websocket,
    load_client_tls,
    load_server_tls,
    tcp,
    websocket,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def try_tls(run: Any, certificates: Any, make_notes: Any) -> Callable[..., str]:
    """Connect once to a server with a certificate for localhost; tell how it went."""

    def try_it(*, authority: bool = True, host: str = "localhost", **options: Any) -> str:
        outcomes: list[str] = []

        async def main() -> None:
            accepted: list[Any] = []
            wanted = certificates.authority if authority else None
            tls = load_server_tls(certificates.server, **options.get("server", {}))
            stop = await listen_tcp("127.0.0.1", 0, tls=tls)(accepted.append)
            port = int(stop.addresses[0].rpartition(":")[2])
            client_tls = load_client_tls(authority=wanted, **options.get("client", {}))
            connect = connect_tcp("127.0.0.1", port, tls=client_tls, server_name=host)
            notes = make_notes()
            try:
                client = await connect(BACKGROUND)
            except ssl.SSLError as error:
                outcomes.append(type(error).__name__)
            else:
                client.start(notes)
                client.close()
                await client.wait_closed()
                outcomes.append("opened" if notes.error is None else "lost")
            await stop()
            await asyncio.sleep(0.02)
            for one in accepted:
                one.start(make_notes())
                await one.wait_closed()
                outcomes.append(str(one.facts["certificate"]))

        run(main)
        return outcomes[0] if len(outcomes) == 1 else " ".join(outcomes)

    return try_it


def test_a_certificate_of_the_authority_for_the_host_is_accepted(try_tls: Any) -> None:
    assert try_tls() == "opened None"


@pytest.mark.parametrize(
    "options",
    [{"authority": False}, {"host": "example.org"}],
    ids=["an authority that is not ours", "a name of another host"],
)
def test_any_other_certificate_is_refused(try_tls: Any, options: dict[str, Any]) -> None:
    assert try_tls(**options) == "SSLCertVerificationError"


def test_by_default_the_systems_authorities_decide(run: Any, certificates: Any) -> None:
    async def main() -> None:
        tls = load_server_tls(certificates.server)
        stop = await listen_tcp("127.0.0.1", 0, tls=tls)(lambda transport: transport.abort())
        port = int(stop.addresses[0].rpartition(":")[2])
        with pytest.raises(ssl.SSLCertVerificationError):
            await connect_tcp("localhost", port)(BACKGROUND)
        await stop()

    run(main)


def test_a_client_may_have_to_show_a_certificate(try_tls: Any, certificates: Any) -> None:
    server = {"authority": certificates.authority}
    outcome = try_tls(server=server, client={"certificate": certificates.client})
    assert outcome.startswith("opened")
    assert "someone@example.org" in outcome


def test_a_client_without_the_certificate_is_not_accepted(
    run: Any, certificates: Any, make_notes: Any
) -> None:
    async def main() -> None:
        accepted: list[Any] = []
        tls = load_server_tls(certificates.server, authority=certificates.authority)
        stop = await listen_tcp("127.0.0.1", 0, tls=tls)(accepted.append)
        port = int(stop.addresses[0].rpartition(":")[2])
        client_tls = load_client_tls(authority=certificates.authority)
        connect = connect_tcp("127.0.0.1", port, tls=client_tls, server_name="localhost")
        client = await connect(BACKGROUND)  # in TLS 1.3 the refusal comes after the handshake
        notes = make_notes()
        client.start(notes)
        await client.wait_closed()
        assert notes.data == b""
        assert accepted == []
        await stop()

    run(main)


def test_plain_text_has_to_be_asked_for(run: Any) -> None:
    async def main() -> None:
        stop = await listen_tcp("127.0.0.1", 0, tls=False)(lambda transport: transport.abort())
        port = int(stop.addresses[0].rpartition(":")[2])
        with pytest.raises(OSError, match=r"."):
            await connect_tcp("127.0.0.1", port)(BACKGROUND)
        await stop()

    run(main)


def test_an_address_of_version_6_is_worded_as_in_a_url(run: Any) -> None:
    async def main() -> None:
        try:
            stop = await listen_tcp("::1", 0, tls=False)(lambda _: None)
        except OSError:
            pytest.skip("this machine has no IPv6")
        assert stop.addresses[0].startswith("[::1]:")
        await stop()

    run(main)


def test_a_certificate_that_is_over_is_refused(run: Any, tmp_path: Path, make_notes: Any) -> None:
    """Even where the authority and the host are right."""
    trustme = pytest.importorskip("trustme", reason="trustme, which makes certificates, is missing")
    authority = trustme.CA()
    over = authority.issue_cert("localhost", not_after=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    over.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "over.pem"))

    async def main() -> None:
        accepted: list[Any] = []
        tls = load_server_tls(tmp_path / "over.pem")
        stop = await listen_tcp("127.0.0.1", 0, tls=tls)(accepted.append)
        client_tls = load_client_tls(authority=tmp_path / "authority.pem")
        port = int(stop.addresses[0].rpartition(":")[2])
        with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
            await connect_tcp("127.0.0.1", port, tls=client_tls, server_name="localhost")(
                BACKGROUND
            )
        await stop()
        for one in accepted:
            one.start(make_notes())
            await one.wait_closed()

    run(main)


HALF_A_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


@pytest.mark.parametrize("kind", ["tcp", "websocket"])
@pytest.mark.parametrize("first", [b"", HALF_A_HELLO], ids=["nothing", "half a hello"])
def test_a_handshake_of_tls_that_does_not_end_is_given_up(
    run: Any, certificates: Any, monkeypatch: pytest.MonkeyPatch, kind: str, first: bytes
) -> None:
    """TRN-18: nobody is accepted, and the loop has nothing to say."""
    monkeypatch.setattr(tcp, "HANDSHAKE", 0.1)
    monkeypatch.setattr(websocket, "HANDSHAKE", 0.1)
    listen = {"tcp": listen_tcp, "websocket": listen_websocket}[kind]

    async def main() -> None:
        accepted: list[Any] = []
        tls = load_server_tls(certificates.server)
        stop: Any = await listen("127.0.0.1", 0, tls=tls)(accepted.append)
        port = int(stop.addresses[0].rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
        await stop()
        assert accepted == []

    run(main)


@pytest.mark.parametrize(
    "data", [HALF_A_HELLO, b"GET / HTTP/1.1\r\n\r\n", bytes(100)], ids=["half", "HTTP", "zeros"]
)
def test_who_leaves_in_the_handshake_of_tls_or_speaks_no_tls_is_nobody(
    run: Any, certificates: Any, data: bytes
) -> None:
    async def main() -> None:
        accepted: list[Any] = []
        tls = load_server_tls(certificates.server)
        stop: Any = await listen_tcp("127.0.0.1", 0, tls=tls)(accepted.append)
        port = int(stop.addresses[0].rpartition(":")[2])
        for leave in ("close", "reset"):
            raw = socket.create_connection(("127.0.0.1", port))
            raw.sendall(data)
            await asyncio.sleep(0.02)
            if leave == "reset":
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
            await asyncio.sleep(0.02)
        await stop()
        assert accepted == []

    run(main)
