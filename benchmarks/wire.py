"""What the benchmarks of the wire share: generated services, connections, and the floor.

The floor is what a wire costs without services: an asyncio.Protocol that echoes JSON
behind 4 bytes of length, read and written with msgspec. Run: python benchmarks/wire.py
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import msgspec
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.transports import connect_unix, listen_unix, make_memory_pair

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine
    from types import ModuleType

    from pi_contracts.runtime.protocol import Limits
    from pi_contracts.runtime.registry import Registry
    from pi_contracts.runtime.tracing import Tracer
    from pi_contracts.runtime.transport import Transport

HERE: Final = Path(__file__).resolve().parent
HEADER: Final = 4


@functools.cache
def load(name: str) -> ModuleType:
    """Return the module that ``gen`` makes of a contract that lies here."""
    folder = Path(tempfile.mkdtemp(prefix="pi-contracts-bench-"))
    package = folder / "benchmarked"
    files = [str(file) for file in sorted(HERE.glob("*.contract.json"))]
    command = [sys.executable, "-m", "pi_contracts.cli", "gen", *files, "--out", str(package)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, str(folder))
    return importlib.import_module(f"benchmarked.{name}")


def make_page(rows: int) -> dict[str, Any]:
    """Return a page of about 100 bytes a row."""
    return {
        "rows": [
            {
                "id": number,
                "name": f"a row of the page, number {number}",
                "tags": ["measured", "typed", "checked"],
                "done": number % 2 == 0,
            }
            for number in range(rows)
        ]
    }


@functools.cache
def get_provider() -> type:
    """Return an implementation of the service that is measured."""
    bench: Any = load("bench")

    class Bench(bench.BenchProvider):  # type: ignore[misc, name-defined]
        """Answers at once."""

        def __init__(self) -> None:
            base: Any = super()
            base.__init__(page=make_page(0))

        async def add(self, left: int, right: int, ctx: object) -> int:
            """Return the sum."""
            del ctx
            return left + right

        async def echo(self, page: Any, ctx: object) -> Any:
            """Return the page."""
            del ctx
            return page

    return Bench


def make_implementation() -> Any:
    """Return an implementation that answers at once."""
    return get_provider()()


@contextlib.asynccontextmanager
async def connect_peers(
    registry: Registry,
    *,
    memory: bool = False,
    tracer: Tracer | None = None,
    limits: Limits | None = None,
) -> AsyncGenerator[tuple[Peer, Peer]]:
    """Give a client and a server that provides *registry*, over a Unix socket or in memory."""
    accepted: asyncio.Queue[Transport] = asyncio.Queue()
    with tempfile.TemporaryDirectory() as folder:
        if memory:
            client_end, server_end = make_memory_pair()
            ends: tuple[Transport, Transport] = (client_end, server_end)
        else:
            path = Path(folder) / "s"
            stop = await listen_unix(path)(accepted.put_nowait)
            ends = (await connect_unix(path)(BACKGROUND), await accepted.get())
            await stop()
        client = Peer(ends[0], Role.CLIENT, tracer=tracer, limits=limits)
        server = Peer(ends[1], Role.SERVER, registry=registry, tracer=tracer, limits=limits)
        server.start()
        await client.open(BACKGROUND)
        try:
            yield client, server
        finally:
            await client.close()
            await server.close()


class FloorRequest(msgspec.Struct, tag_field="type", tag="call"):
    """A call, as the floor sends it."""

    id: int
    member: str
    arguments: Any
    service: str


class FloorResult(msgspec.Struct, tag_field="type", tag="result"):
    """An answer, as the floor sends it."""

    id: int
    result: Any


class FloorEnd(asyncio.Protocol):
    """Either end of the floor: splits what arrives, and hands each text on."""

    def __init__(self, take: Callable[[FloorEnd, bytes], None]) -> None:
        self._take = take
        self._kept = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold the connection."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Hand on each whole text."""
        data = self._kept + data if self._kept else data
        start, end = 0, len(data)
        while end - start >= HEADER:
            following = start + HEADER + int.from_bytes(data[start : start + HEADER], "big")
            if following > end:
                break
            self._take(self, data[start + HEADER : following])
            start = following
        self._kept = data[start:]

    def write(self, text: bytes) -> None:
        """Send a text."""
        if self.transport is not None:
            self.transport.write(len(text).to_bytes(HEADER, "big") + text)


class Floor:
    """The client of an echo."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._requests = msgspec.json.Decoder(FloorRequest)
        self._results = msgspec.json.Decoder(FloorResult)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._client = FloorEnd(self._take_result)

    def _take_request(self, end: FloorEnd, text: bytes) -> None:
        request = self._requests.decode(text)
        end.write(self._encoder.encode(FloorResult(request.id, request.arguments["value"])))

    def _take_result(self, end: FloorEnd, text: bytes) -> None:
        del end
        result = self._results.decode(text)
        self._waiting.pop(result.id).set_result(result.result)

    async def call(self, value: object) -> Any:
        """Send *value*, and return what comes back."""
        self._number += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = future
        request = FloorRequest(self._number, "echo", {"value": value}, "bench")
        self._client.write(self._encoder.encode(request))
        return await future

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[Floor]:
        """Connect both ends."""
        async with open_floor_ends(self._take_request, self._client):
            yield self


@contextlib.asynccontextmanager
async def open_floor_ends(
    take: Callable[[FloorEnd, bytes], None], client: FloorEnd | None = None
) -> AsyncGenerator[FloorEnd]:
    """Connect *client* over a Unix socket with an end that hands each text to *take*."""
    loop = asyncio.get_running_loop()
    sender = client or FloorEnd(lambda _end, _text: None)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "s")
        server = await loop.create_unix_server(lambda: FloorEnd(take), path)
        await loop.create_unix_connection(lambda: sender, path)
        try:
            yield sender
        finally:
            server.close()
            if sender.transport is not None:
                sender.transport.close()
            await asyncio.sleep(0)


def run(main: Coroutine[Any, Any, Any], loop: str) -> Any:
    """Run *main* on asyncio's own loop or on uvloop."""
    if loop == "uvloop":
        import uvloop  # noqa: PLC0415 - only where it is measured

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main)
    return asyncio.run(main)


class Time(NamedTuple):
    """What one call takes, in microseconds."""

    processor: float
    """Of the whole process, both ends: other work on the machine disturbs it little."""
    wall: float
    """What a user waits: with it comes what threads wait for each other."""


async def time_calls(
    call: Callable[[], Coroutine[Any, Any, Any]], count: int, outstanding: int
) -> Time:
    """Return what one of *count* calls takes, *outstanding* at a time."""

    async def work() -> None:
        for _ in range(count // outstanding):
            await call()

    begun, wall = time.process_time(), time.perf_counter()
    if outstanding == 1:
        await work()
    else:
        await asyncio.gather(*[work() for _ in range(outstanding)])
    scale = 1e6 / count
    return Time((time.process_time() - begun) * scale, (time.perf_counter() - wall) * scale)


if __name__ == "__main__":
    print(f"a page of 10 rows takes {len(msgspec.json.encode(make_page(10)))} bytes")
