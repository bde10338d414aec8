"""Peers that mean harm get one stable outcome each, at a bounded cost, and hurt nobody else."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import gc
import json
import random
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import errors
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Limits, Role
from pi_contracts.runtime.protocol.framing import FrameSplitter
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import FakeClock, connect_pair, settle
from pi_contracts.runtime.transports import make_memory_pair

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

HELLO = {
    "type": "hello",
    "versions": [1],
    "bounds": {"frame": 4_194_304, "calls": 1000, "subscriptions": 1000},
}
MEGABYTE = 1024 * 1024


class Raw:
    """A client that sends whatever it likes."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.frames: list[dict[str, Any]] = []
        self.ended = False
        self.paused = False
        self._splitter = FrameSplitter(100 * MEGABYTE)
        transport.start(self)

    def receive(self, data: bytes) -> None:
        self.frames += [json.loads(text) for text in self._splitter.feed(data)]

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def lose(self, error: Exception | None) -> None:
        del error
        self.ended = True

    def send_bytes(self, data: bytes) -> None:
        self.transport.send([data])

    def send_text(self, text: bytes) -> None:
        self.send_bytes(len(text).to_bytes(4, "big") + text)

    async def send(self, *frames: Any) -> list[dict[str, Any]]:
        """Send *frames*, and return what comes back."""
        seen = len(self.frames)
        for frame in frames:
            self.send_text(json.dumps(frame).encode())
        await settle()
        return self.frames[seen:]


class Target:
    """A server with a lab, an honest client, and a raw one."""

    def __init__(self, lab: Any, limits: Limits | None) -> None:
        self.lab = lab
        self.provider = lab.make_provider()
        self.registry = Registry()
        self.registry.provide(lab.token, self.provider)
        self.keyed = self.registry.provide_keyed(lab.items)
        self.clock = FakeClock()
        self.limits = limits
        client, server = make_memory_pair()
        self.peer = self.serve(server)
        self.raw = Raw(client)
        self.binding = Binding()
        self.used: Any = self.binding.open_namespace().use(lab.token)

    def serve(self, transport: Any) -> Peer:
        peer = Peer(
            transport, Role.SERVER, registry=self.registry, limits=self.limits, clock=self.clock
        )
        peer.start()
        return peer

    async def check_others(self) -> None:
        """Another client is served as ever."""
        assert await self.used.add(1, 2, BACKGROUND) == 3

    async def check_link(self) -> None:
        """The raw client's link still works."""
        number = 1_000_000 + len(self.raw.frames)
        answers = await self.raw.send(make_call(number))
        assert answers == [{"type": "result", "id": number, "result": 5}]


def make_call(number: Any, **changes: Any) -> dict[str, Any]:
    return {
        "type": "call",
        "id": number,
        "service": "lab",
        "member": "add",
        "arguments": {"left": 2, "right": 3},
        **changes,
    }


def make_subscription(lab: Any, number: int, **changes: Any) -> dict[str, Any]:
    return {
        "type": "subscribe",
        "id": number,
        "service": "lab",
        "mode": "singleton",
        "version": 1,
        "digest": lab.token.digest,
        **changes,
    }


@pytest.fixture
def attack(lab: Any) -> Callable[..., None]:
    """Run a test's coroutine function with a `Target`; the loop must have nothing to say."""

    def attack(
        main: Callable[[Target], Awaitable[None]],
        *,
        limits: Limits | None = None,
        greet: bool = True,
    ) -> None:
        complaints: list[Any] = []

        async def watched() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            target = Target(lab, limits)
            async with asyncio.timeout(60), connect_pair(server=target.registry) as honest:
                target.binding.attach(honest.client)
                if greet:
                    assert [one["type"] for one in await target.raw.send(HELLO)] == ["welcome"]
                await main(target)
                await target.check_others()
                target.raw.transport.abort()
                await target.peer.wait_ended()
                await settle()
                ours = asyncio.current_task()
                assert {task for task in asyncio.all_tasks() if task is not ours} == set()

        asyncio.run(watched())
        assert complaints == []

    return attack


def measure(before: int) -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before


NOT_FRAMES: list[Any] = [
    5,
    [],
    None,
    {},
    "text",
    {"type": "call"},
    {"type": "nothing we know", "id": 1},
    {"type": 7},
    make_call(1, member=7),
    make_call(1, extra="member"),
    make_call(1, arguments=[]),
    make_call("1"),
    make_call(1.5),
    make_call(True),
    make_call(None),
    make_call(0),
    make_call(-1),
    make_call(2**60),
    make_call(1, service=""),
    make_call(1, key="k"),
    make_call(1, reference="r", key="k", generation=1),
    make_call(1, trace="no carrier at all", arguments=7),
    {"type": "subscribe", "id": 1},
    {"type": "cancel"},
    {"type": "release", "reference": ""},
    {"type": "welcome", "version": 1, "bounds": HELLO["bounds"]},
    HELLO,
    {"type": "result", "id": 77, "result": 1},
    {"type": "update", "id": 5, "number": 1, "member": "count", "value": 1},
    {"type": "snapshot", "id": 9, "version": 1, "digest": "", "members": {}},
]


@pytest.mark.parametrize("frame", NOT_FRAMES, ids=lambda frame: json.dumps(frame)[:60])
def test_a_frame_of_the_wrong_shape_is_answered_and_the_link_stays(attack: Any, frame: Any) -> None:
    """TRN-10: with an error that has the documented code, and nothing of our insides."""

    async def main(target: Target) -> None:
        answers = await target.raw.send(frame)
        assert len(answers) == 1
        assert answers[0]["type"] in ("fault", "failed", "ended")
        assert answers[0]["error"]["code"] in ("protocol_error", "invalid_arguments")
        assert "Traceback" not in str(answers)
        assert target.provider.calls == []
        await target.check_link()

    attack(main)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"nonsense", b"\xff\xfe", b'{"a": 1', b"NaN", b'{"type":"ping","type":"ping"}'],
    ids=["empty", "half", "words", "no UTF-8", "unfinished", "NaN", "a name twice"],
)
def test_a_text_that_is_no_json_is_answered_and_the_link_stays(attack: Any, text: bytes) -> None:
    async def main(target: Target) -> None:
        target.raw.send_text(text)
        await settle()
        assert target.raw.frames[-1]["error"]["code"] == "protocol_error"
        await target.check_link()

    attack(main)


@pytest.mark.parametrize("seed", range(30))
def test_random_bytes_end_in_order_or_are_answered(attack: Any, seed: int) -> None:
    async def main(target: Target) -> None:
        source = random.Random(seed)
        for _ in range(200):
            target.raw.send_bytes(source.randbytes(source.randrange(1, 2000)))
            await settle(2)
        await settle()
        kinds = {frame["type"] for frame in target.raw.frames}
        assert kinds <= {"welcome", "fault", "goodbye"}
        assert target.raw.ended or not target.peer.ending

    attack(main, greet=seed % 2 == 0)


@pytest.mark.parametrize("seed", range(20))
def test_frames_with_bytes_changed_change_nothing_else(attack: Any, seed: int) -> None:
    """Texts that are nearly right, framed well: the link stays."""

    async def main(target: Target) -> None:
        source = random.Random(seed)
        texts = [json.dumps(frame).encode() for frame in (make_call(1), HELLO, *NOT_FRAMES[20:])]
        for _ in range(200):
            text = bytearray(source.choice(texts))
            for _ in range(source.randrange(1, 4)):
                text[source.randrange(len(text))] = source.randrange(32, 127)
            target.raw.send_text(bytes(text))
            await settle(2)
        await settle()
        assert not target.raw.ended
        await target.check_link()

    attack(main)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 1_000_000,
        b"[" * 1_000_000 + b"]" * 1_000_000,
        b'{"type":"call","id":1,"service":"lab","member":"echo","arguments":{"value":'
        + b'{"a":' * 500_000
        + b"1"
        + b"}" * 500_002,
        b'"' + b"[" * 2_000_000,
    ],
    ids=["open", "closed", "in a call", "in a string"],
)
def test_a_frame_a_million_deep_ends_the_link_or_is_answered(attack: Any, text: bytes) -> None:
    """TRN-10, TRN-13"""

    async def main(target: Target) -> None:
        target.raw.send_text(text)
        await settle()
        last = target.raw.frames[-1]
        assert last["error"]["code"] in ("too_large", "protocol_error")
        if last["error"]["code"] == "too_large":
            assert last["type"] == "goodbye"
            assert target.raw.ended
        assert target.provider.calls == []

    attack(main)


def test_a_length_over_the_limit_ends_the_link_before_anything_is_kept(attack: Any) -> None:
    """TRN-13: nothing is allocated for what a header announces."""

    async def main(target: Target) -> None:
        tracemalloc.start()
        before = measure(0)
        target.raw.send_bytes(b"\xff\xff\xff\xff")
        await settle()
        assert target.raw.frames[-1]["type"] == "goodbye"
        assert target.raw.frames[-1]["error"]["code"] == "too_large"
        assert str(Limits().frame) in target.raw.frames[-1]["error"]["message"]
        for _ in range(50):
            target.raw.send_bytes(b"x" * MEGABYTE)
        await settle()
        assert measure(before) < MEGABYTE
        tracemalloc.stop()

    attack(main)


@pytest.mark.parametrize("cut", [1, 3, 4, 5, 40])
def test_a_truncated_frame_is_no_message(attack: Any, cut: int) -> None:
    """TRN-14"""

    async def main(target: Target) -> None:
        text = json.dumps(make_call(1)).encode()
        target.raw.send_bytes((len(text).to_bytes(4, "big") + text)[:cut])
        target.raw.transport.close()
        await target.peer.wait_ended()
        assert target.provider.calls == []
        assert (await target.peer.wait_ended()).code == "disconnected"

    attack(main)


def test_half_a_frame_and_then_silence_is_dropped_after_the_limit(attack: Any) -> None:
    """Half a frame is no sign of life."""

    async def main(target: Target) -> None:
        target.raw.send_bytes(b"\x00\x00\x01\x00{")
        limits = Limits()
        for _ in range(int(limits.ping_interval + limits.ping_timeout) + 3):
            target.raw.send_bytes(b" ")
            await target.clock.advance(1.0)
        assert target.raw.ended

    attack(main)


def test_one_who_never_greets_is_dropped_and_is_served_nothing(attack: Any) -> None:
    """TRN-18"""

    async def main(target: Target) -> None:
        answers = await target.raw.send(make_call(1), make_subscription(target.lab, 1))
        assert {one["type"] for one in answers} <= {"fault", "goodbye"}
        assert target.provider.calls == []
        await target.clock.advance(Limits().handshake + Limits().closing + 1)
        assert target.raw.ended

    attack(main, greet=False)


def test_an_unknown_version_is_refused_with_both_sides_versions(attack: Any) -> None:
    """TRN-11"""

    async def main(target: Target) -> None:
        answers = await target.raw.send({**HELLO, "versions": [77, 99]}, make_call(1))
        assert [one["type"] for one in answers] == ["goodbye"]
        assert answers[0]["error"]["code"] == "protocol_version"
        assert "77" in str(answers[0])
        assert "1" in str(answers[0])
        assert target.raw.ended
        assert target.provider.calls == []

    attack(main, greet=False)


def test_an_id_that_is_in_use_is_refused_and_its_call_goes_on(attack: Any) -> None:
    async def main(target: Target) -> None:
        slow = make_call(7, member="wait", arguments={"name": "a"})
        assert await target.raw.send(slow) == []
        (fault,) = await target.raw.send(make_call(7))
        assert fault["type"] == "fault"
        assert fault["error"]["code"] == "protocol_error"
        target.provider.waiting["a"].set()
        await settle()
        assert target.raw.frames[-1] == {"type": "result", "id": 7, "result": "a"}
        assert target.provider.calls == []
        assert await target.raw.send(make_call(7)) == [{"type": "result", "id": 7, "result": 5}]
        await target.check_link()

    attack(main)


def test_cancels_of_what_is_not_ones_own_change_nothing(attack: Any) -> None:
    """CTX-8, CTX-11"""

    async def main(target: Target) -> None:
        call = asyncio.ensure_future(target.used.wait("honest", BACKGROUND))
        await settle()
        await target.raw.send(*[{"type": "cancel", "id": number} for number in range(1, 50)])
        await settle()
        assert not target.raw.ended
        assert target.provider.ended == []
        target.provider.waiting["honest"].set()
        assert await call == "honest"
        await target.check_link()

    attack(main)


@pytest.mark.parametrize(
    ("generation", "code"),
    [(1, "stale_instance"), (3, "unknown_instance"), (99, "unknown_instance")],
)
def test_a_forged_generation_reaches_nobody(attack: Any, generation: int, code: str) -> None:
    """KEY-14, KEY-15"""

    async def main(target: Target) -> None:
        target.keyed.spawn("k", target.lab.make_item()).close()
        item = target.lab.make_item()
        target.keyed.spawn("k", item)
        address = {"service": "lab-items", "key": "k", "member": "bump", "arguments": {"by": 1}}
        (answer,) = await target.raw.send(make_call(1, **address, generation=generation))
        assert answer["error"]["code"] == code
        assert item.count.value == 0
        (answer,) = await target.raw.send(make_call(2, **address, generation=2))
        assert answer["result"] == 1

    attack(main)


def test_a_forged_reference_reaches_nobody(attack: Any) -> None:
    """REF-2, REF-3: neither a guess, nor that of another client, nor a value of its shape."""

    async def main(target: Target) -> None:
        reference = await target.used.start(BACKGROUND)
        name = reference.service._link._target.address["reference"]
        for number, guess in enumerate(("1", name, "x" * 100_000, "../lab"), 1):
            call = make_call(number, reference=guess, member="cancel", arguments={})
            del call["service"]
            (answer,) = await target.raw.send(call)
            assert answer["error"]["code"] == "stale_reference"
            assert await target.raw.send({"type": "release", "reference": guess, "seen": 1}) in (
                [],
                [target.raw.frames[-1]],
            )
        assert not target.provider.jobs[0].done.is_set()
        target.provider.jobs[0].done.set()
        assert await reference.service.wait(BACKGROUND) == 0
        await reference.release()

    attack(main)


@pytest.mark.parametrize(
    "member",
    ["__class__", "__init__", "calls", "_value", "constructor", "count", "happened", "add.x"],
)
def test_only_members_of_the_table_are_reachable(attack: Any, member: str) -> None:
    """CON-5, SEC-2, SNG-16"""

    async def main(target: Target) -> None:
        (answer,) = await target.raw.send(make_call(1, member=member, arguments={}))
        assert answer["error"]["code"] == "unknown_member"
        assert target.provider.calls == []

    attack(main)


@pytest.mark.parametrize("service", ["$control", "lab2", "__main__", "lab-job"])
def test_only_services_that_are_provided_are_reachable(attack: Any, service: str) -> None:
    """SEC-1, SEC-3"""

    async def main(target: Target) -> None:
        (answer,) = await target.raw.send(make_call(1, service=service))
        assert answer["error"]["code"] in ("unknown_service", "service_not_allowed")

    attack(main)


@pytest.mark.parametrize("carrier", [7, "x", [], {"traceparent": 7}, {"a": "b" * 100_000}])
def test_a_malformed_trace_is_none(attack: Any, carrier: Any) -> None:
    """CTX-17"""

    async def main(target: Target) -> None:
        (answer,) = await target.raw.send(make_call(1, trace=carrier))
        assert answer["result"] == 5
        assert "trace" not in repr(target.provider.contexts[0])

    attack(main)


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_subscriptions_above_the_limit_are_refused(attack: Any, count: int) -> None:
    """The cost of those that are open is bounded, that of refusals is none."""

    async def main(target: Target) -> None:
        await target.raw.send(make_subscription(target.lab, 1))
        tracemalloc.start()
        before = measure(0)
        for start in range(2, count + 2, 1000):
            await target.raw.send(
                *[make_subscription(target.lab, n) for n in range(start, start + 1000)]
            )
            if target.raw.ended:
                break
            target.raw.frames.clear()
        grown = measure(before)
        tracemalloc.stop()
        assert grown < 2 * MEGABYTE, f"{grown} bytes"

    attack(main, limits=Limits(subscriptions=100))


def test_calls_above_the_limit_are_refused(attack: Any) -> None:
    async def main(target: Target) -> None:
        slow = [make_call(n, member="wait", arguments={"name": "a"}) for n in range(1, 2001)]
        answers = await target.raw.send(*slow)
        assert len(target.provider.waiting) == 1
        tasks = len(asyncio.all_tasks())
        assert tasks < 50
        assert {one["type"] for one in answers} <= {"fault", "failed", "goodbye"}
        assert len(answers) == 1990 or target.raw.ended

    attack(main, limits=Limits(calls=10))


class Deaf(Raw):
    """A client that never reads: what it is sent stays on the way."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.frames = []
        self.ended = False
        self.paused = False


def test_one_who_never_reads_holds_little_and_is_given_up(attack: Any) -> None:
    """TRN-12, STA-29, EVT-10: states coalesce, events are bounded, answers are bounded."""

    async def main(target: Target) -> None:
        client, server = make_memory_pair()
        peer = target.serve(server)
        deaf = Deaf(client)
        texts = [
            HELLO,
            make_subscription(target.lab, 1),
            make_subscription(target.lab, 2, member="happened"),
        ]
        for frame in texts:
            deaf.send_text(json.dumps(frame).encode())
        await settle()
        tracemalloc.start()
        before = measure(0)
        for number in range(5_000):
            target.provider.count.set(number, BACKGROUND)
            target.provider.happened.emit({"type": "odd", "number": number}, BACKGROUND)
            if number % 100 == 0:
                await asyncio.sleep(0)
        held = measure(before)
        assert held < 4 * MEGABYTE, f"{held} bytes of states and events"
        for start in range(3, 200_000, 1000):
            for number in range(start, start + 1000):
                arguments = {"value": "x" * 1000}
                call = make_call(number, member="echo", arguments=arguments)
                deaf.send_text(json.dumps(call).encode())
            await settle(5)
            target.provider.calls.clear()
            if peer.ending is not None:
                break
        held = measure(before)
        tracemalloc.stop()
        assert held < 8 * MEGABYTE, f"{held} bytes of answers"
        assert peer.ending is not None, "a peer that never reads was never given up"
        await target.clock.advance(Limits().closing + 1)
        client.abort()
        await peer.wait_ended()

    attack(main, limits=Limits(calls=64, subscriptions=64))


def test_one_who_never_answers_is_found_out(attack: Any, lab: Any) -> None:
    """A half-open link ends after the time that Limits say, and calls on it fail."""

    async def main(target: Target) -> None:
        client, server = make_memory_pair()
        silent = Raw(server)
        peer = Peer(client, Role.CLIENT, clock=target.clock)
        opening = asyncio.ensure_future(peer.open(BACKGROUND))
        await settle()
        await silent.send({"type": "welcome", "version": 1, "bounds": HELLO["bounds"]})
        await opening
        binding = Binding()
        used: Any = binding.open_namespace().use(lab.token)
        binding.attach(peer)
        call = asyncio.ensure_future(used.add(1, 1, BACKGROUND))
        await settle()
        limits = Limits()
        await target.clock.advance(limits.ping_interval)
        assert silent.frames[-1]["type"] == "ping"
        assert not call.done()
        await target.clock.advance(limits.ping_timeout + 0.1)
        with pytest.raises(errors.Disconnected):
            await call
        await target.clock.advance(limits.closing + 1)
        server.abort()
        await peer.wait_ended()

    attack(main)


def test_a_reader_that_is_slow_is_told_what_it_missed(attack: Any) -> None:
    """EVT-10: its subscription ends with overflow, and states give the latest value."""

    async def main(target: Target) -> None:
        async with connect_pair(server=target.registry) as pair:
            binding = Binding()
            namespace = binding.open_namespace()
            used: Any = namespace.use(target.lab.token)
            binding.attach(pair.client)
            await namespace.ready(BACKGROUND)
            heard: list[int] = []
            reports: list[Any] = []
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: reports.append(context["exception"]))
            used.happened.subscribe(lambda event, _: heard.append(event["number"]))
            await settle()
            pair.link.to_client.hold(pause=True)
            for number in range(10_000):
                target.provider.happened.emit({"type": "odd", "number": number}, BACKGROUND)
                target.provider.count.set(number, BACKGROUND)
            assert len(pair.link.to_client.waiting) <= 2
            pair.link.to_client.release()
            await settle()
            assert used.count.value == 9_999
            frames = [frame.content for frame in pair.link.frames]
            ended = [frame for frame in frames if frame["type"] == "ended"]
            assert [frame["error"]["code"] for frame in ended] == ["overflow"]
            assert heard == list(range(len(heard)))
            assert [one.code for one in reports] == ["overflow"]

    attack(main)
