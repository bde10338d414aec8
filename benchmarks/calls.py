"""What a typed, validated call costs over a wire, beside the floor and what else there is.

Both ends run in one process, whose processor time is shown, and take turns with the
others; the best of several rounds counts. How many times slower gRPC is, whose threads
wait for each other, is of what a user waits. The floor is a bare asyncio.Protocol echo of
the same JSON; gRPC carries JSON as bytes; rpyc and Pyro5 call from this thread into
another one.

Run: python benchmarks/calls.py
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
import wire
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.registry import Registry

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from pi_contracts.runtime.tracing import Tracer

    Call = Callable[[], Coroutine[Any, Any, Any]]

PASSES = 3
"""How often ours and gRPC, whose threads would disturb each other, are opened in turns."""
ROUNDS = 12
CALLS = 1280
PEER_CALLS = 320
FLOOR_BOUND = 2.5
GRPC_BOUNDS = {1: 8.0, 64: 5.0}
MEMORY_BOUND = 0.9
LOCAL_BOUND = 3.0
OUTSTANDING = (1, 64)


class Cell(NamedTuple):
    """What is measured in one row: the arguments, and how many calls are outstanding."""

    name: str
    outstanding: int


Figures: TypeAlias = dict[Cell, dict[str, wire.Time]]
"""The best of each contender in each cell."""


@contextlib.asynccontextmanager
async def open_ours(
    *, memory: bool = False, tracer: Tracer | None = None
) -> AsyncGenerator[dict[str, Call]]:
    """Give the calls of a handle over a Unix socket or in memory."""
    token: Any = wire.load("bench").BENCH
    registry, binding = Registry(), Binding()
    registry.provide(token, wire.make_implementation())
    handle: Any = binding.open_namespace().use(token)
    page = wire.make_page(10)
    async with wire.connect_peers(registry, memory=memory, tracer=tracer) as (client, _):
        binding.attach(client)
        yield {
            "small": lambda: handle.add(1, 2, BACKGROUND),
            "1 KB": lambda: handle.echo(page, BACKGROUND),
        }


@contextlib.asynccontextmanager
async def open_floor() -> AsyncGenerator[dict[str, Call]]:
    """Give the calls of the floor."""
    page = wire.make_page(10)
    async with wire.Floor().open() as floor:
        yield {"small": lambda: floor.call(3), "1 KB": lambda: floor.call(page)}


@contextlib.asynccontextmanager
async def open_grpc() -> AsyncGenerator[dict[str, Call]]:
    """Give the calls of gRPC with JSON bytes."""
    module: Any = importlib.import_module("grpc")
    encode, decode = msgspec.json.encode, msgspec.json.decode

    async def echo(request: bytes, context: object) -> bytes:
        del context
        return encode(decode(request)["value"])

    handler = module.method_handlers_generic_handler(
        "bench.Bench", {"Echo": module.unary_unary_rpc_method_handler(echo)}
    )
    with tempfile.TemporaryDirectory() as folder:
        server = module.aio.server()
        server.add_generic_rpc_handlers((handler,))
        server.add_insecure_port(f"unix:{folder}/s")
        await server.start()
        async with module.aio.insecure_channel(f"unix:{folder}/s") as channel:
            call = channel.unary_unary("/bench.Bench/Echo")
            page = wire.make_page(10)

            async def ask(value: object) -> Any:
                return decode(await call(encode({"value": value})))

            yield {"small": lambda: ask(3), "1 KB": lambda: ask(page)}
        await server.stop(None)


async def measure_wire(loop: str) -> Figures:
    """Return what a call takes, for each cell and contender."""
    best: Figures = {}
    for _ in range(PASSES):
        async with open_floor() as floor, open_ours() as ours, open_ours(memory=True) as memory:
            fast = {"floor": floor, "ours": ours, "memory": memory}
            await take_turns(best, fast, CALLS, rounds=ROUNDS // PASSES)
        async with open_grpc() as grpc:
            contenders = {"grpc.aio": grpc}
            await take_turns(best, contenders, PEER_CALLS, rounds=ROUNDS // PASSES)
    print(f"\n{loop}: microseconds of processor time a call")
    return best


async def take_turns(
    best: Figures, contenders: dict[str, dict[str, Call]], calls: int, *, rounds: int = ROUNDS
) -> None:
    """Keep the best time of each contender in each cell."""
    for outstanding in OUTSTANDING:
        for _ in range(rounds):
            for name, kinds in contenders.items():
                for kind, call in kinds.items():
                    cell = best.setdefault(Cell(kind, outstanding), {})
                    spent = await wire.time_calls(call, calls, outstanding)
                    known = cell.get(name, spent)
                    cell[name] = wire.Time(*map(min, known, spent))


def report_wire(best: Figures) -> int:
    """Print the cells, and return how many bounds are missed."""
    print(f"{'':14}{'floor':>8}{'ours':>8}{'x floor':>9}{'memory':>9}{'x ours':>8}", end="")
    print(f"{'grpc.aio':>10}{'x slower':>10}")
    missed = 0
    for cell, times in sorted(best.items(), key=lambda row: (row[0].outstanding, row[0].name)):
        ours, floor, memory = (times[name].processor for name in ("ours", "floor", "memory"))
        grpc = times["grpc.aio"].wall / times["ours"].wall
        bound = GRPC_BOUNDS[cell.outstanding]
        checks = {
            f"over {FLOOR_BOUND} floors": ours > FLOOR_BOUND * floor,
            f"under {bound:g} times faster": grpc < bound,
            "memory too slow": cell.outstanding == 1 and memory > MEMORY_BOUND * ours,
        }
        notes = [text for text, is_missed in checks.items() if is_missed]
        missed += len(notes)
        print(
            f"{cell.name:>6} {cell.outstanding:>4}   {floor:8.1f}{ours:8.1f}{ours / floor:9.2f}"
            f"{memory:9.1f}{memory / ours:8.2f}{times['grpc.aio'].processor:10.1f}{grpc:10.1f}"
            f"{'  MISSED: ' + ', '.join(notes) if notes else ''}"
        )
    return missed


def time_in_turn(call: Callable[[], object], count: int) -> float:
    """Return the microseconds of one call that is not awaited."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - begun) / count * 1e6)
    return best


def measure_rpyc() -> float:
    """Return what a small call costs with rpyc."""
    module: Any = importlib.import_module("rpyc")
    servers: Any = importlib.import_module("rpyc.utils.server")

    class Service(module.Service):  # type: ignore[misc, name-defined]
        """Echoes."""

        def exposed_echo(self, value: object) -> object:
            """Return *value*."""
            return value

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "s")
        server: Any = servers.ThreadedServer(Service, socket_path=path)
        threading.Thread(target=server.start, daemon=True).start()
        while not server.active:
            time.sleep(0.01)
        connection = module.utils.factory.unix_connect(path)
        try:
            return time_in_turn(lambda: connection.root.echo(3), PEER_CALLS)
        finally:
            connection.close()
            server.close()


def measure_pyro() -> float:
    """Return what a small call costs with Pyro5."""
    module: Any = importlib.import_module("Pyro5.api")

    @module.expose
    class Service:
        """Echoes."""

        def echo(self, value: object) -> object:
            """Return *value*."""
            return value

    with tempfile.TemporaryDirectory() as folder:
        daemon = module.Daemon(unixsocket=f"{folder}/s")
        uri = daemon.register(Service())
        threading.Thread(target=daemon.requestLoop, daemon=True).start()
        with module.Proxy(uri) as proxy:
            spent = time_in_turn(lambda: proxy.echo(3), PEER_CALLS)
        daemon.shutdown()
        return spent


async def measure_local() -> tuple[float, float]:
    """Return what awaiting a method costs itself, and through a view in its process."""
    token: Any = wire.load("bench").BENCH
    implementation = wire.make_implementation()
    registry = Registry()
    registry.provide(token, implementation)
    namespace = registry.open_local()
    view: Any = namespace.use(token)
    namespace.activate()
    best: Figures = {}
    calls: dict[str, dict[str, Call]] = {
        "plain": {"local": lambda: implementation.add(1, 2, BACKGROUND)},
        "view": {"local": lambda: view.add(1, 2, BACKGROUND)},
    }
    await take_turns(best, calls, 19_200)
    times = best[Cell("local", 1)]
    return times["plain"].processor, times["view"].processor


async def measure_telemetry() -> dict[str, float]:
    """Return what a small call costs without a tracer, with one, and with spans kept."""
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - only here
    from pi_contracts.runtime.telemetry import OpenTelemetryTracer  # noqa: PLC0415 - only here

    best: Figures = {}
    recording = OpenTelemetryTracer(TracerProvider())
    async with (
        open_ours() as off,
        open_ours(tracer=OpenTelemetryTracer()) as idle,
        open_ours(tracer=recording) as on,
    ):
        await take_turns(best, {"off": off, "no spans": idle, "spans": on}, CALLS // 2)
    return {name: time.processor for name, time in best[Cell("small", 1)].items()}


def main() -> int:
    """Print every figure; return 1 if a bound is missed."""
    missed = 0
    for loop in ("asyncio", "uvloop"):
        missed += report_wire(wire.run(measure_wire(loop), loop))
    print(f"\nrpyc, small, 1:  {measure_rpyc():8.1f}")
    print(f"Pyro5, small, 1: {measure_pyro():8.1f}")
    plain, via = asyncio.run(measure_local())
    is_slow = via > LOCAL_BOUND * plain
    missed += is_slow
    print(
        f"\nawaiting a method {plain:.3f}, through a local view {via:.3f}: {via / plain:.2f} times",
        end="",
    )
    print("  MISSED" if is_slow else "")
    times = asyncio.run(measure_telemetry())
    print("telemetry, small, 1: " + ", ".join(f"{name} {one:.1f}" for name, one in times.items()))
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
