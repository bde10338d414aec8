"""Servers that mean harm: no call of ours hangs, and nothing false is shown as current."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import errors
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.protocol.framing import FrameSplitter
from pi_contracts.runtime.testing import settle
from pi_contracts.runtime.transports import make_memory_pair

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

WELCOME = {
    "type": "welcome",
    "version": 1,
    "bounds": {"frame": 4_194_304, "calls": 1000, "subscriptions": 1000},
}
MEMBERS = {"count": "state", "pair": "state", "happened": "events", "add": "method"}


class Server:
    """A server that sends whatever it likes, and a client of ours."""

    def __init__(self, lab: Any) -> None:
        self.lab = lab
        self.frames: list[dict[str, Any]] = []
        self.ended = False
        self._splitter = FrameSplitter(100_000_000)
        client, self.transport = make_memory_pair()
        self.transport.start(self)
        self.peer = Peer(client, Role.CLIENT)
        self.binding = Binding()
        self.namespace = self.binding.open_namespace()
        self.used: Any = self.namespace.use(lab.token)

    def receive(self, data: bytes) -> None:
        self.frames += [json.loads(text) for text in self._splitter.feed(data)]

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def lose(self, error: Exception | None) -> None:
        del error
        self.ended = True

    async def send(self, *frames: Any) -> None:
        for frame in frames:
            text = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
            self.transport.send([len(text).to_bytes(4, "big") + text])
            await settle()

    def find_id(self, kind: str, **fields: Any) -> int:
        """Return the id of the last frame of ours of that kind."""
        found = [
            frame["id"]
            for frame in self.frames
            if frame["type"] == kind
            and all(frame.get(name) == value for name, value in fields.items())
        ]
        return int(found[-1])

    async def open(self) -> None:
        opening = asyncio.ensure_future(self.peer.open(BACKGROUND))
        await settle()
        await self.send(WELCOME)
        await opening
        self.binding.attach(self.peer)
        await settle()

    async def check_link(self) -> None:
        """Tell whether an honest answer still gets through."""
        call = asyncio.ensure_future(self.used.add(1, 2, BACKGROUND))
        await settle()
        await self.send({"type": "result", "id": self.find_id("call"), "result": 3})
        assert await call == 3


@pytest.fixture
def suffer(lab: Any) -> Callable[..., list[BaseException]]:
    """Run a test's coroutine function with a `Server`; tell what the loop had to say."""

    def suffer(main: Callable[[Server], Awaitable[None]]) -> list[BaseException]:
        complaints: list[Any] = []

        async def watched() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
            server = Server(lab)
            async with asyncio.timeout(20):
                await server.open()
                await main(server)
                server.namespace.close()
                await server.peer.close()
            await settle()
            ours = asyncio.current_task()
            assert {task for task in asyncio.all_tasks() if task is not ours} == set()

        asyncio.run(watched())
        return complaints

    return suffer


ANSWERS: dict[str, tuple[str, str]] = {
    "a value of another type": ('{"type":"result","id":N,"result":"3"}', "invalid_result"),
    "no value": ('{"type":"result","id":N}', "invalid_result"),
    "null": ('{"type":"result","id":N,"result":null}', "invalid_result"),
    "a reference": ('{"type":"granted","id":N,"reference":"r","service":"lab"}', "invalid_result"),
    "a field too many": ('{"type":"result","id":N,"result":3,"more":4}', "protocol_error"),
    "NaN": ('{"type":"result","id":N,"result":NaN}', "protocol_error"),
    "a name twice": ('{"type":"result","id":N,"result":{"a":1,"a":2}}', "invalid_result"),
    "a name twice, spaced": ('{"type":"result", "id":N,"result":{"a":1,"a":2}}', "protocol_error"),
    "a number that no double holds": ('{"type":"result","id":N,"result":1e999}', "invalid_result"),
    "a lone surrogate": ('{"type":"result","id":N,"result":"\\ud800"}', "protocol_error"),
    "300 levels": (
        '{"type":"result","id":N,"result":' + "[" * 300 + "]" * 300 + "}",
        "invalid_result",
    ),
    "513 levels": (
        '{"type":"result","id":N,"result":' + "[" * 513 + "]" * 513 + "}",
        "invalid_result",
    ),
    "an unknown error": ('{"type":"failed","id":N,"error":{"code":"x","message":"m"}}', "x"),
    "an error without a code": (
        '{"type":"failed","id":N,"error":{"code":"","message":"m"}}',
        "protocol_error",
    ),
    "an error with data that no double holds": (
        '{"type":"failed","id":N,"error":{"code":"x","message":"m","data":1e999}}',
        "protocol_error",
    ),
    "a fault": (
        '{"type":"fault","call":N,"error":{"code":"protocol_error","message":"m"}}',
        "protocol_error",
    ),
    "a malformed fault": ('{"type":"fault","call":N,"error":7}', "protocol_error"),
}


@pytest.mark.parametrize(("text", "code"), ANSWERS.values(), ids=ANSWERS)
def test_whatever_a_server_answers_the_call_ends_with_an_error_and_the_link_stays(
    suffer: Any, text: str, code: str
) -> None:
    """TRN-10, TRN-15, CON-11: nothing hangs, and nothing false is taken for a result."""

    async def main(server: Server) -> None:
        call = asyncio.ensure_future(server.used.add(1, 2, BACKGROUND))
        await settle()
        await server.send(text.replace("N", str(server.find_id("call")), 1).encode())
        assert call.done()
        with pytest.raises(errors.ServiceError) as caught:
            await call
        assert caught.value.code == code
        await server.check_link()

    assert suffer(main) == []


UNREADABLE: dict[str, str] = {
    "a field too many": '{"type":"update","id":I,"number":1,"member":"count","value":5,"more":1}',
    "NaN": '{"type":"update","id":I,"number":1,"member":"count","value":NaN}',
    "a lone surrogate": '{"type":"update","id":I,"number":1,"member":"count","value":"\\ud800"}',
    "a number left out": '{"type":"update","id":I,"number":2,"member":"count","value":5}',
    "a malformed end": '{"type":"ended","id":I,"error":7}',
    "a malformed snapshot": '{"type":"snapshot","id":I}',
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_what_a_server_publishes_unreadably_is_a_loss_from_which_a_state_recovers(
    suffer: Any, text: str
) -> None:
    """STA-20, FLT-7: the old value is not shown as current any more."""

    async def main(server: Server) -> None:
        def make_snapshot(value: int) -> dict[str, Any]:
            return {
                "type": "snapshot",
                "id": server.find_id("subscribe", service="lab"),
                "version": 1,
                "digest": server.lab.token.digest,
                "members": MEMBERS,
                "states": {"count": value, "pair": {"a": 1, "b": 1}},
            }

        await server.send(make_snapshot(1))
        assert server.used.count.value == 1
        first = server.find_id("subscribe", service="lab")
        await server.send(text.replace("I", str(first), 1).encode())
        assert not server.used.count.ready
        assert server.find_id("unsubscribe") == first
        assert server.find_id("subscribe", service="lab") > first
        await server.send(make_snapshot(7))
        assert server.used.count.value == 7
        await server.check_link()

    assert {type(one) for one in suffer(main)} == {errors.ProtocolError}


@pytest.mark.parametrize("seed", range(20))
def test_random_frames_of_a_server_end_in_order_or_are_refused(suffer: Any, seed: int) -> None:
    """Every kind, under ids that are and that are not, with fields left out and exchanged."""
    source = random.Random(seed)
    error = {"code": "c", "message": "m"}
    fields: dict[str, list[Any]] = {
        "number": [1, 2, 3, 0, "1"],
        "member": ["count", "pair", "happened", "add", "nothing", 7],
        "value": [1, None, "x", {"a": 1, "b": 1}, {"type": "odd", "number": 1}],
        "key": ["k", "", 7],
        "generation": [1, 2, 0],
        "states": [{}, {"count": 1}, {"count": "x", "more": 1}, 7],
        "instances": [[], [{"key": "k", "generation": 1, "states": {"count": 1}}] * 2, {}],
        "version": [1, 2],
        "digest": ["", "d"],
        "members": [MEMBERS, {}, {"count": "method"}],
        "error": [error, {**error, "data": 1}, 7],
        "result": [1, None],
        "reference": ["r", ""],
        "service": ["lab", "lab-job"],
        "arguments": [{}, 7],
        "mode": ["singleton", "keyed", "x"],
        "count": [1, 0],
        "call": [1, 2],
    }
    kinds = [
        *("call", "cancel", "result", "granted", "failed", "subscribe", "unsubscribe", "release"),
        *("subscribed", "snapshot", "update", "event", "spawned", "closed", "unavailable", "ended"),
        *("fault", "ping", "pong", "hello", "welcome"),
    ]
    needed = {
        "update": ["number", "member", "value"],
        "event": ["number", "value"],
        "spawned": ["number", "key", "generation", "states"],
        "closed": ["number", "key", "generation"],
        "snapshot": ["version", "digest", "members"],
        "ended": ["error"],
        "failed": ["error"],
        "granted": ["reference", "service"],
    }

    async def main(server: Server) -> None:
        heard: list[Any] = []
        server.used.count.subscribe(lambda value, _: heard.append(value))
        server.used.happened.subscribe(lambda value, _: heard.append(value))
        observer = server.namespace.observe(server.lab.items, lambda *_: settle(1))
        calls = [asyncio.ensure_future(server.used.add(1, 2, BACKGROUND)) for _ in range(5)]
        calls.append(asyncio.ensure_future(server.used.start(BACKGROUND)))
        await settle()
        for _ in range(150):
            kind = source.choice(kinds)
            names = [*needed.get(kind, []), *source.sample(list(fields), source.choice([0, 0, 1]))]
            frame: dict[str, Any] = {"type": kind}
            if kind not in ("fault", "ping", "pong"):
                frame["id"] = source.randrange(1, 12)
            if kind == "snapshot":
                names.append(source.choice(["states", "instances"]))
            frame.update({name: source.choice(fields[name]) for name in names})
            await server.send(frame)
        assert not server.ended
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        observer.close()

    complaints = suffer(main)
    assert all(isinstance(one, errors.PiContractsError) for one in complaints), complaints
