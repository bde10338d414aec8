"""WebSockets: the opening handshake, messages in parts, and endings of every kind."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.transports import (
    MissingWebsocketsError,
    connect_websocket,
    listen_websocket,
    websocket,
)
from websockets.asyncio.client import connect as connect_other
from websockets.asyncio.server import serve as serve_other
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Server:
    """One of ours, to which clients of another make connect."""

    def __init__(self, make_notes: Any, **options: Any) -> None:
        self.make_notes = make_notes
        self.listen = listen_websocket("127.0.0.1", 0, tls=False, **options)
        self.accepted: list[Any] = []
        self.notes: list[Any] = []

    def accept(self, transport: Any) -> None:
        self.accepted.append(transport)
        self.notes.append(self.make_notes())
        transport.start(self.notes[-1])

    async def __aenter__(self) -> str:
        self.stop = await self.listen(self.accept)
        return f"ws://{self.stop.addresses[0]}"

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        for one in self.accepted:
            one.abort()
            await one.wait_closed()


def test_a_client_of_another_make_speaks_with_ours(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        server = Server(make_notes)
        async with server as uri, connect_other(uri) as client:
            await client.send(b"a text".decode())
            await client.send(["in", " ", "parts"])
            await client.ping()
            await server.notes[0].wait_for_chunks(2)
            assert server.notes[0].chunks == [b"a text", b"in parts"]
            server.accepted[0].send([b"one", b"two"])
            assert [await client.recv(), await client.recv()] == ["one", "two"]
            server.accepted[0].close()
            with pytest.raises(ConnectionClosed) as caught:
                await client.recv()
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1000
            await server.accepted[0].wait_closed()
            assert server.notes[0].error is None

    run(main)


def test_our_client_speaks_with_a_server_of_another_make(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        async def echo(connection: Any) -> None:
            async for text in connection:
                await connection.send(text)

        async with serve_other(echo, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            client = await connect_websocket(f"ws://127.0.0.1:{port}")(BACKGROUND)
            notes = make_notes()
            client.start(notes)
            client.send([b"hello", "w\u00f6rld".encode()])
            await notes.wait_for_chunks(2)
            assert notes.chunks == [b"hello", "w\u00f6rld".encode()]
            client.close()
            await client.wait_closed()
            assert notes.error is None

    run(main)


async def send_binary(client: Any) -> None:
    await client.send(b"bytes")


async def send_too_much(client: Any) -> None:
    await client.send("x" * 1001)


async def send_too_much_in_parts(client: Any) -> None:
    await client.send(["x" * 600, "x" * 600])


@pytest.mark.parametrize(
    ("misbehave", "code"),
    [(send_binary, 1003), (send_too_much, 1009), (send_too_much_in_parts, 1009)],
    ids=["a message that is no text", "one over the limit", "one over the limit in parts"],
)
def test_what_is_not_spoken_ends_the_connection_with_its_code(
    run: Any, make_notes: Any, misbehave: Callable[[Any], Awaitable[None]], code: int
) -> None:
    """TRN-13: the limit is checked before anything is kept."""

    async def main() -> None:
        server = Server(make_notes, limit=1000)
        async with server as uri, connect_other(uri) as client:
            await client.send("fine")
            await misbehave(client)
            with pytest.raises(ConnectionClosed) as caught:
                await client.recv()
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == code
            await server.accepted[0].wait_closed()
            assert isinstance(server.notes[0].error, Exception)
            assert server.notes[0].chunks == [b"fine"]

    run(main)


def test_a_client_that_closes_with_another_code_is_an_error(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        server = Server(make_notes)
        async with server as uri, connect_other(uri) as client:
            await client.close(1011, "went wrong")
            await server.accepted[0].wait_closed()
            assert "with code 1011" in str(server.notes[0].error)

    run(main)


def test_a_connection_that_is_cut_off_is_an_error(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        server = Server(make_notes)
        async with server as uri, connect_other(uri) as client:
            client.transport.abort()
            await server.accepted[0].wait_closed()
            assert isinstance(server.notes[0].error, Exception)

    run(main)


async def open_raw(uri: str) -> Any:
    """Open a WebSocket by hand, and return its writer; nothing more is read of it."""
    host, _, port = uri.removeprefix("ws://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
    writer.write(
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    return writer


def test_who_sends_pings_and_never_reads_is_given_up(
    run: Any, make_notes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRN-12: pongs that nobody reads do not pile up."""
    monkeypatch.setattr(websocket, "_MOST_REPLIES", 10_000)
    pings = (b"\x89\xfd" + bytes(4) + b"x" * 125) * 1000

    async def main() -> None:
        server = Server(make_notes)
        async with server as uri:
            writer = await open_raw(uri)
            with contextlib.suppress(ConnectionError):
                while not server.accepted or not server.accepted[0].closed:
                    writer.write(pings)
                    await writer.drain()
            await server.accepted[0].wait_closed()
            assert "never reads" in str(server.notes[0].error)
            writer.transport.abort()

    run(main)


def test_pings_of_one_who_reads_are_answered_whatever_their_number(
    run: Any, make_notes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "_MOST_REPLIES", 10_000)

    async def main() -> None:
        server = Server(make_notes)
        async with server as uri, connect_other(uri, max_size=None) as client:
            for _ in range(300):
                await (await client.ping(b"x" * 125))
            server.accepted[0].send([b"x" * 3_000_000])
            assert len(await client.recv(decode=False)) == 3_000_000
            assert not server.accepted[0].closed

    run(main)


def test_empty_parts_of_a_message_cost_nothing(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        server = Server(make_notes)
        async with server as uri:
            writer = await open_raw(uri)
            part, last = b"\x00\x80" + bytes(4), b"\x80\x83" + bytes(4) + b"end"
            writer.write(b"\x01\x80" + bytes(4) + part * 10_000 + last)
            await server.notes[0].wait_for_chunks(1)
            assert server.notes[0].chunks == [b"end"]
            assert server.accepted[0]._begun == b""
            writer.transport.abort()

    run(main)


def test_a_page_of_an_unknown_origin_is_refused(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        server = Server(make_notes, origins=["https://ours.example"])
        async with server as uri:
            async with connect_other(uri, origin=Origin("https://ours.example")):
                pass
            with pytest.raises(InvalidStatus) as caught:
                await connect_other(uri, origin=Origin("https://theirs.example"))
            assert caught.value.response.status_code == 403
            assert len(server.accepted) == 1

    run(main)


async def exchange(uri: str, text: bytes) -> bytes:
    host, _, port = uri.removeprefix("ws://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(text)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 426"),
        (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 405"),
        (b"\x00\x01\x02\r\n\r\n", b""),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000 + b"\r\n", b"HTTP/1.1 431"),
    ],
    ids=["no upgrade", "no GET", "no HTTP", "too many headers"],
)
def test_what_does_not_ask_for_a_websocket_is_refused(
    run: Any, make_notes: Any, text: bytes, answer: bytes
) -> None:
    async def main() -> None:
        server = Server(make_notes)
        async with server as uri:
            assert (await exchange(uri, text))[:12] == answer
            assert server.accepted == []

    run(main)


def test_a_client_that_asks_for_nothing_is_dropped(
    run: Any, make_notes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRN-18: the opening handshake has its timeout as well."""
    monkeypatch.setattr(websocket, "HANDSHAKE", 0.02)

    async def main() -> None:
        async with Server(make_notes) as uri:
            assert await exchange(uri, b"GET ") == b""

    run(main)


def test_a_server_that_refuses_is_a_connection_error(run: Any) -> None:
    async def main() -> None:
        async def refuse(reader: Any, writer: Any) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ConnectionError, match=r"no WebSocket was opened: .*404"):
                await connect_websocket(f"ws://127.0.0.1:{port}")(BACKGROUND)

    run(main)


def test_a_server_that_only_hangs_up_is_a_connection_error(run: Any) -> None:
    async def main() -> None:
        async def hang_up(reader: Any, writer: Any) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.close()

        async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ConnectionError, match="no WebSocket was opened"):
                await connect_websocket(f"ws://127.0.0.1:{port}")(BACKGROUND)

    run(main)


def test_a_server_that_never_answers_is_given_up(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "HANDSHAKE", 0.02)

    async def main() -> None:
        async def wait(reader: Any, writer: Any) -> None:
            await reader.read()
            writer.close()

        async with await asyncio.start_server(wait, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ConnectionError, match="took more than 0 seconds"):
                await connect_websocket(f"ws://127.0.0.1:{port}")(BACKGROUND)

    run(main)


def test_without_the_library_a_message_says_what_to_install(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == "websockets":
            raise ImportError(name)
        return real(name, *arguments)

    async def main() -> None:
        monkeypatch.setattr(builtins, "__import__", refuse)
        for opening in (
            connect_websocket("ws://localhost:1")(BACKGROUND),
            listen_websocket("localhost", 0, tls=False)(lambda _: None),
        ):
            with pytest.raises(MissingWebsocketsError) as caught:
                await opening
            assert str(caught.value) == (
                'the library "websockets" is not installed\n'
                "run: pip install pi-contracts[websockets]"
            )
        monkeypatch.undo()

    run(main)


def test_a_close_before_the_handshake_is_done_just_closes(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        from websockets.server import ServerProtocol

        loop = asyncio.get_running_loop()
        opened: list[Exception | None] = []
        fresh = websocket.WebSocketTransport(ServerProtocol(), lambda _, why: opened.append(why))

        async def hold(reader: Any, writer: Any) -> None:
            await reader.read()
            writer.close()

        async with await asyncio.start_server(hold, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await loop.create_connection(lambda: fresh, "127.0.0.1", port)
            fresh.close()
            fresh.start(make_notes())
            await fresh.wait_closed()
        assert [str(one) for one in opened] == ["no WebSocket was opened: the other side left"]

    run(main)
