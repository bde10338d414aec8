"""A client that knows docs/wire.md alone: sockets, JSON and the schema of the frames."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import transports
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.registry import Registry
from websockets.asyncio.client import connect as connect_other
from websockets.exceptions import ConnectionClosed
from wire_facts import FRAME

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

BOUNDS = {"frame": 100_000, "calls": 10, "subscriptions": 10}
LAST = 1_000_000
HELLO = {"type": "hello", "versions": [1], "bounds": BOUNDS}


class Foreign:
    """A client of another make; each frame that it gets must be one of the schema."""

    def __init__(self, send: Any, receive: Any) -> None:
        self.send_text: Callable[[bytes], Awaitable[None]] = send
        self.receive_text: Callable[[], Awaitable[bytes | None]] = receive

    async def send(self, **frame: Any) -> None:
        await self.send_text(json.dumps(frame).encode())

    async def receive(self) -> dict[str, Any] | None:
        """Return the next frame, or None at the end of the link."""
        text = await self.receive_text()
        if text is None:
            return None
        frame = json.loads(text)
        FRAME.validate(frame)
        return dict(frame)

    async def ask(self, **frame: Any) -> list[Any]:
        """Send a frame, and return all that comes before the answer to a call after it."""
        await self.send(**frame)
        await self.send(type="call", id=LAST, service="lab", member="nothing", arguments={})
        found: list[Any] = []
        while (one := await self.receive()) is not None and one.get("id") != LAST:
            found.append(one)
        return found

    async def call(self, member: str, number: int = 1, **arguments: Any) -> list[Any]:
        """Call a method of the lab."""
        frame = {"type": "call", "id": number, "service": "lab", "member": member}
        return await self.ask(**frame, arguments=arguments)

    async def subscribe(self, number: int, **fields: Any) -> list[Any]:
        """Subscribe, without the digest of a contract."""
        head = {"type": "subscribe", "id": number, "version": 1, "digest": ""}
        return await self.ask(**{**head, **fields})


@contextlib.asynccontextmanager
async def connect_stream(opening: Awaitable[Any]) -> AsyncGenerator[Foreign]:
    reader, writer = await opening

    async def send(text: bytes) -> None:
        writer.write(len(text).to_bytes(4, "big") + text)
        await writer.drain()

    async def receive() -> bytes | None:
        try:
            length = int.from_bytes(await reader.readexactly(4), "big")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return bytes(await reader.readexactly(length))

    try:
        yield Foreign(send, receive)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def connect_messages(uri: str) -> AsyncGenerator[Foreign]:
    async with connect_other(uri) as connection:

        async def receive() -> bytes | None:
            try:
                return await connection.recv(decode=False)
            except ConnectionClosed:
                return None

        yield Foreign(lambda text: connection.send(text.decode()), receive)


class Provider:
    """A provider of the lab, to which clients of another make connect."""

    def __init__(self, lab: Any) -> None:
        self.lab = lab
        self.provider = lab.make_provider()
        self.registry = Registry()
        self.registry.provide(lab.token, self.provider)
        self.keyed = self.registry.provide_keyed(lab.items)


@pytest.fixture(params=["unix", "tcp", "websocket"])
def speak(request: pytest.FixtureRequest, lab: Any, tmp_path: Path) -> Callable[[Any], None]:
    """Run a test's coroutine function with a `Provider` and a `Foreign` that has connected."""
    name: str = request.param

    def speak(main: Callable[[Provider, Foreign], Awaitable[None]]) -> None:
        complaints: list[Any] = []

        async def run() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            world = Provider(lab)
            path = str(tmp_path / "s" / "s")
            listen = {
                "unix": lambda: transports.listen_unix(path),
                "tcp": lambda: transports.listen_tcp("127.0.0.1", 0, tls=False),
                "websocket": lambda: transports.listen_websocket("127.0.0.1", 0, tls=False),
            }[name]()
            acceptor = Acceptor(listen, world.registry)
            stop: Any = await acceptor.start()
            host, _, port = stop.addresses[0].rpartition(":")
            connection = {
                "unix": lambda: connect_stream(asyncio.open_unix_connection(path)),
                "tcp": lambda: connect_stream(asyncio.open_connection(host, int(port))),
                "websocket": lambda: connect_messages(f"ws://{stop.addresses[0]}"),
            }[name]()
            async with asyncio.timeout(20):
                async with connection as foreign:
                    await main(world, foreign)
                await acceptor.close()

        asyncio.run(run())
        assert complaints == []

    return speak


async def greet(foreign: Foreign) -> None:
    await foreign.send(**HELLO)
    welcome = await foreign.receive()
    assert welcome is not None
    assert (welcome["type"], welcome["version"]) == ("welcome", 1)


def get_types(frames: list[Any]) -> list[str]:
    return [one["type"] for one in frames]


def get_codes(frames: list[Any]) -> list[str]:
    return [one["error"]["code"] for one in frames]


def test_the_handshake_and_the_goodbye_are_as_documented(speak: Any) -> None:
    async def main(_: Provider, foreign: Foreign) -> None:
        await foreign.send(type="ping")
        fault = await foreign.receive()
        assert fault is not None
        assert fault["type"] == "fault"
        await greet(foreign)
        assert get_types(await foreign.ask(**HELLO)) == ["fault"]
        await foreign.send(type="goodbye")
        assert await foreign.receive() is None

    speak(main)


def test_a_version_that_is_not_spoken_is_as_documented(speak: Any) -> None:
    async def main(_: Provider, foreign: Foreign) -> None:
        await foreign.send(**{**HELLO, "versions": [7]})
        goodbye = await foreign.receive()
        assert goodbye is not None
        assert goodbye["error"]["code"] == "protocol_version"
        assert goodbye["error"]["data"] == {"accepted": [1], "offered": [7]}
        assert await foreign.receive() is None

    speak(main)


def test_calls_are_as_documented(speak: Any) -> None:
    async def main(world: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        assert await foreign.call("add", left=1, right=2) == [
            {"type": "result", "id": 1, "result": 3}
        ]
        assert await foreign.call("nothing") == [{"type": "result", "id": 1}]
        assert await foreign.call("echo", value=None) == [
            {"type": "result", "id": 1, "result": None}
        ]
        (failed,) = await foreign.call("fail", how="thing")
        assert failed["error"]["data"] == "a kettle"
        assert get_codes(await foreign.call("add", left="1", right=2)) == ["invalid_arguments"]
        assert get_codes(await foreign.call("count")) == ["unknown_member"]
        (incident,) = await foreign.call("fail", how="hunter2")
        assert list(incident["error"]["data"]) == ["incident"]
        (fault,) = await foreign.ask(type="call", id=9, service="lab")
        assert (fault["type"], fault["call"]) == ("fault", 9)
        assert await foreign.call("wait", 5, name="a") == []
        assert get_types(await foreign.call("add", 5, left=1, right=2)) == ["fault"]
        (cancelled,) = await foreign.ask(type="cancel", id=5)
        assert (cancelled["id"], cancelled["error"]["code"]) == (5, "cancelled")
        assert await foreign.ask(type="cancel", id=5) == []
        assert world.provider.ended == ["a cancelled"]
        elsewhere: dict[str, Any] = {"type": "call", "id": 6, "service": "lab", "member": "nothing"}
        elsewhere["arguments"] = {}
        assert get_types(await foreign.ask(**elsewhere, scope="")) == ["result"]
        assert get_codes(await foreign.ask(**elsewhere, scope="there")) == ["unknown_service"]
        assert get_codes(await foreign.ask(**elsewhere, binding=3)) == ["not_attached"]

    speak(main)


def test_a_singleton_is_followed_as_documented(speak: Any) -> None:
    async def main(world: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        (snapshot,) = await foreign.subscribe(1, service="lab", mode="singleton")
        assert snapshot["states"] == {"count": 0, "pair": {"a": 0, "b": 0}}
        assert snapshot["members"]["happened"] == "events"
        assert list(snapshot["members"]) == sorted(snapshot["members"])
        world.provider.count.set(5, BACKGROUND)
        world.provider.count.set(6, BACKGROUND)
        assert await foreign.ask(type="pong") == [
            {"type": "update", "id": 1, "number": n, "member": "count", "value": 4 + n}
            for n in (1, 2)
        ]
        assert get_types(await foreign.subscribe(1, service="lab", mode="singleton")) == ["fault"]
        (subscribed,) = await foreign.subscribe(
            2, service="lab", mode="singleton", member="happened"
        )
        assert subscribed == {"type": "subscribed", "id": 2}
        world.provider.happened.emit({"type": "odd", "number": 1}, BACKGROUND)
        (event,) = await foreign.ask(type="pong")
        assert (event["number"], event["value"]) == (1, {"type": "odd", "number": 1})
        world.registry.withdraw(world.lab.token)
        assert get_types(await foreign.ask(type="pong")) == ["unavailable", "unavailable"]
        world.registry.provide(world.lab.token, world.provider)
        assert get_types(await foreign.ask(type="pong")) == ["snapshot", "subscribed"]
        world.provider.count.set(7, BACKGROUND)
        assert [one["number"] for one in await foreign.ask(type="pong")] == [1]
        for _ in range(2):
            assert await foreign.ask(type="unsubscribe", id=1) == []
        world.provider.count.set(8, BACKGROUND)
        assert await foreign.ask(type="pong") == []

    speak(main)


def test_what_cannot_be_followed_is_ended_as_documented(speak: Any) -> None:
    async def main(_: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        cases: dict[str, dict[str, Any]] = {
            "mode_mismatch": {"service": "lab", "mode": "keyed"},
            "contract_mismatch": {"service": "lab", "mode": "singleton", "version": 2},
            "unknown_member": {"service": "lab", "mode": "singleton", "member": "count"},
            "stale_reference": {"reference": "none", "mode": "reference"},
            "unknown_instance": {
                "service": "lab-items",
                "mode": "keyed",
                "key": "k",
                "generation": 1,
                "member": "rang",
            },
            "protocol_error": {"service": "lab", "mode": "anything"},
        }
        for code, fields in cases.items():
            (ended,) = await foreign.subscribe(3, **fields)
            assert (ended["type"], ended["error"]["code"]) == ("ended", code)
        assert await foreign.subscribe(3, service="no", mode="singleton") == [
            {"type": "unavailable", "id": 3}
        ]

    speak(main)


def test_instances_are_followed_as_documented(speak: Any) -> None:
    async def main(world: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        world.keyed.spawn("b", world.lab.make_item(1))
        (snapshot,) = await foreign.subscribe(1, service="lab-items", mode="keyed")
        assert snapshot["instances"] == [{"key": "b", "generation": 1, "states": {"count": 1}}]
        item = world.lab.make_item(2)
        life = world.keyed.spawn("a", item)
        item.count.set(3, BACKGROUND)
        place = {"key": "a", "generation": 2}
        spawned, update = await foreign.ask(type="pong")
        assert spawned == {
            "type": "spawned",
            "id": 1,
            "number": 1,
            **place,
            "states": {"count": 2},
        }
        assert update == {
            "type": "update",
            "id": 1,
            "number": 2,
            "member": "count",
            "value": 3,
            **place,
        }
        call = {"type": "call", "id": 1, "service": "lab-items", "member": "bump", **place}
        update, result = await foreign.ask(**call, arguments={"by": 4})
        assert (update["value"], result["result"]) == (7, 7)
        assert get_types(
            await foreign.subscribe(2, service="lab-items", mode="keyed", member="rang", **place)
        ) == ["subscribed"]
        item.rang.emit(9, BACKGROUND)
        (event,) = await foreign.ask(type="pong")
        assert (event["id"], event["number"], event["value"]) == (2, 1, 9)
        life.close()
        closed, ended = await foreign.ask(type="pong")
        assert (closed["type"], closed["number"]) == ("closed", 4)
        assert ended["error"]["code"] == "stale_instance"
        assert get_codes(await foreign.ask(**call, arguments={"by": 4})) == ["stale_instance"]
        later = {**call, "generation": 3}
        assert get_codes(await foreign.ask(**later, arguments={"by": 4})) == ["unknown_instance"]

    speak(main)


def test_references_are_as_documented(speak: Any) -> None:
    async def main(world: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        (granted,) = await foreign.call("start")
        assert granted["service"] == "lab-job"
        reference = granted["reference"]
        (snapshot,) = await foreign.subscribe(1, reference=reference, mode="reference")
        assert snapshot["states"] == {"progress": 0}
        call = {"type": "call", "id": 2, "reference": reference, "arguments": {}}
        assert get_types(await foreign.ask(**call, member="cancel")) == ["update", "result"]
        assert world.provider.jobs[0].done.is_set()
        release = {"type": "release", "reference": reference, "count": 1}
        assert get_codes(await foreign.ask(**release)) == ["stale_reference"]
        assert await foreign.ask(**release) == []
        assert get_codes(await foreign.ask(**call, member="wait")) == ["stale_reference"]

    speak(main)


def test_limits_and_faults_are_as_documented(speak: Any) -> None:
    async def main(_: Provider, foreign: Foreign) -> None:
        await greet(foreign)
        assert get_codes(await foreign.call("echo", value="x" * 200_000)) == ["too_large"]
        for text in (b"", b"nonsense", b"{}", b"[]", b'{"type":"ping","more":1}', b'{"type":"no"}'):
            await foreign.send_text(text)
            assert get_types(await foreign.ask(type="pong")) == ["fault"]
        for kind in ("result", "subscribed"):
            assert get_types(await foreign.ask(type=kind, id=99)) == ["fault"]
        error = {"code": "c", "message": "m"}
        assert await foreign.ask(type="fault", error=error) == []
        assert await foreign.ask(type="fault", error=7) == []
        await foreign.send_text(b"[" * 2000)
        goodbye = await foreign.receive()
        assert goodbye is not None
        assert (goodbye["type"], goodbye["error"]["code"]) == ("goodbye", "too_large")
        assert await foreign.receive() is None

    speak(main)
