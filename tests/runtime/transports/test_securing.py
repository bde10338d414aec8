"""A handshake of TLS that fails is told in the server's log, and at the client with a hint."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.reconnect import Connector
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.transports import (
    connect_tcp,
    connect_websocket,
    listen_tcp,
    listen_websocket,
    load_client_tls,
    load_server_tls,
    securing,
    tcp,
)
from pi_contracts.runtime.transports.securing import SecuringProtocol, word_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.runtime.transport import Connect, Stop


def get_port(stop: Stop) -> int:
    return int(stop.addresses[0].rpartition(":")[2])


def list_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged of handshakes, after the address."""
    return [
        record.getMessage().partition(" failed: ")[2]
        for record in caplog.records
        if "the handshake of TLS with 127.0.0.1:" in record.getMessage()
    ]


async def fetch_reason(connect: Connect) -> str:
    """Return why a connector has no connection after its first attempt."""
    connector = Connector(connect)
    told = asyncio.Event()
    connector.state.subscribe(lambda state, _: "retryAt" in state and told.set())
    told.clear()
    connector.start()
    async with asyncio.timeout(10):
        await told.wait()
    state: Any = connector.state.value
    await connector.close()
    return str(state["reason"])


ASKED = "is TLS expected there?"
LEFT = "the other side left; it may not trust our certificate, or have tried without TLS"

FAILURES: dict[str, tuple[str, str, str]] = {
    "plain text over TCP": ("plain", ASKED, "the other side speaks no TLS"),
    "plain text over a WebSocket": ("ws", ASKED, "the other side speaks no TLS"),
    "an authority that is not ours": ("distrust", "certificate verify failed", LEFT),
    "no certificate where one is asked for": (
        "without",
        "the link was lost",
        "peer did not return a certificate",
    ),
}


def note(
    logged: asyncio.Event, emit: Callable[[logging.LogRecord], None]
) -> Callable[[logging.LogRecord], None]:
    """Return *emit*, which lets *logged* be set by what a server says of a handshake."""

    def take(record: logging.LogRecord) -> None:
        emit(record)
        if "the handshake of TLS" in record.getMessage():
            logged.set()

    return take


@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_both_sides_are_told_why(
    run: Any,
    certificates: Any,
    caplog: Any,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str, str],
) -> None:
    how, reason, line = case

    async def main() -> None:
        logged = asyncio.Event()
        monkeypatch.setattr(caplog.handler, "emit", note(logged, caplog.handler.emit))
        ours = load_client_tls(authority=certificates.authority)
        authority = certificates.authority if how == "without" else None
        tls = load_server_tls(certificates.server, authority=authority)
        listen = listen_websocket if how == "ws" else listen_tcp
        acceptor = Acceptor(listen("127.0.0.1", 0, tls=tls), Registry())
        port = get_port(await acceptor.start())
        connects: dict[str, Callable[[], Connect]] = {
            "plain": lambda: connect_tcp("127.0.0.1", port, tls=False),
            "ws": lambda: connect_websocket(f"ws://127.0.0.1:{port}"),
            "distrust": lambda: connect_tcp("127.0.0.1", port, server_name="localhost"),
            "without": lambda: connect_tcp("127.0.0.1", port, tls=ours, server_name="localhost"),
        }
        assert reason in await fetch_reason(connects[how]())
        async with asyncio.timeout(5):
            await logged.wait()
        await acceptor.close()

    with caplog.at_level(logging.WARNING):
        run(main)
    (told,) = list_lines(caplog)
    assert line in told


@pytest.mark.parametrize("scheme", ["tcp", "wss"])
def test_a_client_with_tls_is_told_that_there_is_none(
    run: Any, certificates: Any, scheme: str
) -> None:
    async def main() -> None:
        listen = listen_tcp if scheme == "tcp" else listen_websocket
        acceptor = Acceptor(listen("127.0.0.1", 0, tls=False), Registry())
        port = get_port(await acceptor.start())
        tls = load_client_tls(authority=certificates.authority)
        connect = (
            connect_tcp("127.0.0.1", port, tls=tls)
            if scheme == "tcp"
            else connect_websocket(f"wss://127.0.0.1:{port}", tls=tls)
        )
        assert "is plain text expected there?" in await fetch_reason(connect)
        await acceptor.close()

    run(main)


@pytest.mark.parametrize("answer", [b"\x15\x03\x01\x00\x02\x02\x46", b""], ids=["alert", "nothing"])
def test_a_plain_client_knows_an_alert_of_tls(run: Any, answer: bytes) -> None:
    async def main() -> None:
        async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answer)
            writer.close()

        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reason = await fetch_reason(connect_tcp("127.0.0.1", port, tls=False))
        assert reason.endswith("the other side speaks TLS" if answer else ASKED)
        server.close()

    run(main)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ssl.SSLError(1, "no shared cipher"), ssl.SSLError),
        (ConnectionResetError(104, "reset"), OSError),
    ],
    ids=["of TLS", "of the system"],
)
def test_other_failures_of_an_attempt_are_left_as_they_are(
    error: OSError, expected: type[OSError]
) -> None:
    with pytest.raises(expected) as caught, tcp.advise_plain():
        raise error
    assert caught.value is error


def test_a_handshake_that_takes_too_long_is_told(
    run: Any, certificates: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "HANDSHAKE", 0.05)

    async def main() -> None:
        tls = load_server_tls(certificates.server)
        stop = await listen_tcp("127.0.0.1", 0, tls=tls)(lambda _: None)
        reader, writer = await asyncio.open_connection("127.0.0.1", get_port(stop))
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
        await stop()

    run(main)
    assert list_lines(caplog) == ["it took too long"]


@pytest.mark.parametrize("span", [60.0, 0.0], ids=["within a minute", "later"])
def test_the_lines_are_bounded(
    run: Any, certificates: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch, span: float
) -> None:
    monkeypatch.setattr(securing, "_SPAN", span)

    async def main() -> None:
        tls = load_server_tls(certificates.server)
        stop = await listen_tcp("127.0.0.1", 0, tls=tls)(lambda _: None)
        for _ in range(12):
            reader, writer = await asyncio.open_connection("127.0.0.1", get_port(stop))
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
        await stop()

    run(main)
    assert list_lines(caplog) == ["the other side speaks no TLS"] * (10 if span else 12)
    assert ("is not logged" in caplog.text) == bool(span)


class Alert(ssl.SSLError):
    reason = "TLSV1_ALERT_UNKNOWN_CA"


WORDS: dict[str, tuple[OSError, str]] = {
    "an alert": (
        Alert(1, "alert unknown ca"),
        "the other side refused it, perhaps for our certificate: alert unknown ca",
    ),
    "another failure": (ssl.SSLError(1, "no shared cipher"), "no shared cipher"),
    "one without words": (ssl.SSLError(), "SSLError"),
    "an end": (ConnectionResetError(), LEFT),
}


@pytest.mark.parametrize(("error", "words"), WORDS.values(), ids=WORDS)
def test_the_likely_cause_is_said(error: OSError, words: str) -> None:
    assert word_failure(error) == words


class Recorder(asyncio.Protocol):
    """Notes what a protocol is told, in order."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        del transport
        self.told.append("made")

    def data_received(self, data: bytes) -> None:
        self.told.append(data)

    def eof_received(self) -> None:
        self.told.append("eof")


class SecuredTransport(asyncio.Transport):
    """A transport that takes a protocol, and nothing else."""

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None: ...

    def pause_reading(self) -> None: ...


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ([], ["made", b"a", b"b"]),
        (["eof"], ["made", b"a", b"b", "eof"]),
        (["eof", "lost"], []),
    ],
    ids=["open", "its direction ended", "lost"],
)
def test_what_comes_right_behind_the_handshake_is_kept(
    monkeypatch: pytest.MonkeyPatch, ends: list[str], told: list[object]
) -> None:
    async def start_tls(
        transport: asyncio.Transport, protocol: asyncio.Protocol, *_: object, **__: object
    ) -> asyncio.Transport:
        protocol.data_received(b"a")
        protocol.data_received(b"b")
        if "eof" in ends:
            protocol.eof_received()
        if "lost" in ends:
            protocol.connection_lost(None)
        return transport

    async def main() -> None:
        recorder = Recorder()
        monkeypatch.setattr(asyncio.get_running_loop(), "start_tls", start_tls)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        log = securing.HandshakeLog()
        protocol = SecuringProtocol(context, lambda: recorder, log, patience=1.0)
        protocol.connection_made(SecuredTransport())
        await asyncio.sleep(0)
        assert recorder.told == told

    asyncio.run(main())


def test_a_server_on_uvloop_speaks_tls(certificates: Any) -> None:
    """Its loop begins to read before TLS can begin, and has to do it all."""
    uvloop = pytest.importorskip("uvloop", reason="uvloop is missing")

    async def main() -> None:
        tls = load_server_tls(certificates.server)
        acceptor = Acceptor(listen_tcp("127.0.0.1", 0, tls=tls), Registry())
        port = get_port(await acceptor.start())
        ours = load_client_tls(authority=certificates.authority)
        connect = connect_tcp("127.0.0.1", port, tls=ours, server_name="localhost")
        peer = Peer(await connect(BACKGROUND), Role.CLIENT)
        async with asyncio.timeout(10):
            await peer.open(BACKGROUND)
        assert peer.opened
        await peer.close()
        await acceptor.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
