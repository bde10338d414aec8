"""Every transport in one shape: how to connect, how to listen, and a receiver that notes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import transports
from pi_contracts.runtime.context import BACKGROUND

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from pi_contracts.runtime.context import Context
    from pi_contracts.runtime.transport import Connect, Listen, Transport

ECHO = """
import asyncio, sys
from pi_contracts.runtime import transports

class Echo:
    def __init__(self, transport): self.transport = transport
    def receive(self, data):
        print("heard", len(data))
        self.transport.send([data])
    def pause(self): pass
    def resume(self): pass
    def lose(self, error): done.set()

def accept(transport):
    transport.start(Echo(transport))

async def main():
    global done
    done = asyncio.Event()
    stop = await transports.listen_stdio()(accept)
    await done.wait()
    await stop()
    print("left")

asyncio.run(main())
"""


class Notes:
    """A receiver that writes down what it is told."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.told: list[str] = []
        self.error: Exception | None = None
        self.ended = asyncio.Event()
        self.something = asyncio.Event()

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    def receive(self, data: bytes) -> None:
        assert type(data) is bytes
        self.chunks.append(data)
        self.told.append("receive")
        self.something.set()

    def pause(self) -> None:
        self.told.append("pause")
        self.something.set()

    def resume(self) -> None:
        self.told.append("resume")
        self.something.set()

    def lose(self, error: Exception | None) -> None:
        self.error = error
        self.told.append("lose")
        self.ended.set()
        self.something.set()

    async def wait_for_bytes(self, count: int) -> None:
        await self._wait_for(lambda: len(self.data) >= count)

    async def wait_for_chunks(self, count: int) -> None:
        await self._wait_for(lambda: len(self.chunks) >= count)

    async def wait_to_be_told(self, word: str) -> None:
        await self._wait_for(lambda: word in self.told)

    async def _wait_for(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                self.something.clear()
                await self.something.wait()


@dataclass
class Kind:
    """One transport, as its user makes it."""

    name: str
    make: Callable[[], tuple[Callable[[Any], Connect], Listen]]
    """Gives what makes a Connect, from what listening returned; and a Listen."""
    known: dict[str, object] = field(default_factory=dict)

    @contextlib.asynccontextmanager
    async def open(self, ctx: Context = BACKGROUND) -> AsyncGenerator[tuple[Transport, Transport]]:
        """Give both ends of a connection, client first, neither started."""
        make_connect, listen = self.make()
        accepted: asyncio.Queue[Transport] = asyncio.Queue()
        stop = await listen(accepted.put_nowait)
        async with asyncio.timeout(10):
            client = await make_connect(stop)(ctx)
            server = await accepted.get()
        try:
            yield client, server
        finally:
            await stop()
            for one in (client, server):
                one.abort()
                with contextlib.suppress(RuntimeError):  # started already
                    one.start(Notes())
                async with asyncio.timeout(10):
                    await one.wait_closed()


@dataclass
class Certificates:
    """An authority, a certificate of localhost, one of a client."""

    authority: Path
    server: Path
    client: Path


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    trustme = pytest.importorskip("trustme", reason="trustme, which makes certificates, is missing")
    folder = tmp_path_factory.mktemp("certificates")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    for name, certificate in (
        ("server", authority.issue_cert("localhost")),
        ("client", authority.issue_cert("someone@example.org")),
    ):
        certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / f"{name}.pem"))
    return Certificates(folder / "authority.pem", folder / "server.pem", folder / "client.pem")


def get_port(stop: transports.Listening) -> int:
    return int(stop.addresses[0].rpartition(":")[2])


@pytest.fixture(params=["memory", "unix", "tcp", "tls", "websocket", "secure websocket"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    """Give each transport that both connects and listens."""
    name: str = request.param
    if name == "memory":
        address = transports.MemoryAddress()
        return Kind(
            name,
            lambda: (
                lambda _: transports.connect_memory(address, credential="secret"),
                transports.listen_memory(address),
            ),
            {"transport": "memory"},
        )
    if name == "unix":
        path = tmp_path / "sockets" / "s"
        return Kind(
            name,
            lambda: (
                lambda _: transports.connect_unix(path, credential="secret"),
                transports.listen_unix(path),
            ),
            {"transport": "unix"},
        )
    if name == "tcp":
        return Kind(
            name,
            lambda: (
                lambda stop: transports.connect_tcp(
                    "127.0.0.1", get_port(stop), tls=False, credential="secret"
                ),
                transports.listen_tcp("127.0.0.1", 0, tls=False),
            ),
            {"transport": "tcp"},
        )
    if name == "websocket":
        return Kind(
            name,
            lambda: (
                lambda stop: transports.connect_websocket(
                    f"ws://127.0.0.1:{get_port(stop)}", credential="secret"
                ),
                transports.listen_websocket("127.0.0.1", 0, tls=False),
            ),
            {"transport": "websocket"},
        )
    certificates: Certificates = request.getfixturevalue("certificates")
    server = transports.load_server_tls(certificates.server)
    client = transports.load_client_tls(authority=certificates.authority)
    if name == "tls":
        return Kind(
            name,
            lambda: (
                lambda stop: transports.connect_tcp(
                    "127.0.0.1",
                    get_port(stop),
                    tls=client,
                    server_name="localhost",
                    credential="secret",
                ),
                transports.listen_tcp("127.0.0.1", 0, tls=server),
            ),
            {"transport": "tcp", "tls": "TLSv1.3"},
        )
    return Kind(
        name,
        lambda: (
            lambda stop: transports.connect_websocket(
                f"wss://localhost:{get_port(stop)}", tls=client, credential="secret"
            ),
            transports.listen_websocket("localhost", 0, tls=server),
        ),
        {"transport": "websocket", "tls": "TLSv1.3"},
    )


@pytest.fixture
def make_notes() -> type[Notes]:
    return Notes


@pytest.fixture
def echo_command() -> list[str]:
    """Give the command of a child that sends back what it hears."""
    return [sys.executable, "-c", ECHO]
