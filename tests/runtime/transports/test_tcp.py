"""Over TCP, certificates and host names are checked unless one says otherwise."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.transports import (
    connect_tcp,
    listen_tcp,
    load_client_tls,
    load_server_tls,
)

if TYPE_CHECKING:
    from collections.abc import Callable


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
