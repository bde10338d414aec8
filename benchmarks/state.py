"""What is held in memory: by a subscriber that does not read, and by whatever is idle.

Memory is what Python's allocator was asked for, of both ends in one process together.

Run: python benchmarks/state.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import json
import socket
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import wire
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import settle
from pi_contracts.runtime.transports import listen_unix

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 10.0
VALUES_BOUND = 2.5
"""Two, and what allocators and frames add to them."""
GROWTH_BOUND = 8.0
"""How many bytes an instance that has come and gone may leave behind."""
IDLE = 1000
INSTANCES = 10_000


def measure() -> int:
    """Return how many bytes are held."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@functools.cache
def get_item_class() -> type:
    """Return an implementation of the keyed service that is measured."""
    items: Any = wire.load("bench_items")

    class Item(items.BenchItemsProvider):  # type: ignore[misc, name-defined]
        """Does nothing."""

        async def rename(self, name: str, ctx: object) -> None:
            """Do nothing."""

    return Item


def make_item() -> Any:
    """Return an instance to spawn."""
    return get_item_class()(count=0)


def ignore(value: object, ctx: object) -> None:
    """Listen to nothing."""


async def measure_slow_reader(seconds: float) -> tuple[float, int]:
    """Return how many values are held for one who does not read, and how many were set."""
    bench: Any = wire.load("bench")
    registry = Registry()
    provider = wire.make_implementation()
    registry.provide(bench.BENCH, provider)
    values = [wire.make_page(103) for _ in range(2)]
    size = len(msgspec.json.encode(values[0]))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "s")
        acceptor = Acceptor(listen_unix(path), registry)
        await acceptor.start()
        loop = asyncio.get_running_loop()
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        await loop.sock_connect(client, path)
        bounds = {"frame": 1_000_000, "calls": 8, "subscriptions": 8}
        subscription = {"service": "bench", "mode": "singleton", "version": 1, "digest": ""}
        for frame in (
            {"type": "hello", "versions": [1], "bounds": bounds},
            {"type": "subscribe", "id": 1, **subscription},
        ):
            text = json.dumps(frame).encode()
            await loop.sock_sendall(client, len(text).to_bytes(4, "big") + text)
            await loop.sock_recv(client, 10)  # after the last one nothing
        tracemalloc.start()
        end, count = loop.time() + seconds, 0
        while loop.time() < end:
            provider.page.set(values[count % 2], BACKGROUND)
            count += 1
            await asyncio.sleep(0.001)
        # The values themselves were made before; each copy or encoding is a block of its own.
        blocks = tracemalloc.take_snapshot().traces
        held = sum(block.size for block in blocks if block.size >= size // 2)
        tracemalloc.stop()
        client.close()
        await acceptor.close()
        return held / size, count


async def measure_idle() -> dict[str, float]:
    """Return the bytes of whatever is there and does nothing."""
    bench: Any = wire.load("bench")
    items: Any = wire.load("bench_items")
    registry = Registry()
    registry.provide(bench.BENCH, wire.make_implementation())
    keyed = registry.provide_keyed(items.BENCH_ITEMS)
    kept: list[Any] = []
    figures: dict[str, float] = {}

    async def weigh(name: str, count: int, make: Callable[[], object]) -> None:
        before = measure()
        kept.extend(make() for _ in range(count))
        await settle(200)
        figures[name] = (measure() - before) / count

    async with contextlib.AsyncExitStack() as stack:
        client, _ = await stack.enter_async_context(wire.connect_peers(registry))
        binding = Binding()
        namespace = binding.open_namespace()
        binding.attach(client)
        handle: Any = namespace.use(bench.BENCH)
        await namespace.ready(BACKGROUND)
        tracemalloc.start()
        await weigh("proxy, one more of a service", IDLE, lambda: namespace.use(bench.BENCH))
        await weigh("listener of a state", IDLE, lambda: handle.page.subscribe(ignore))

        def subscribe() -> Any:
            other = Binding()
            used: Any = other.open_namespace().use(bench.BENCH)
            other.attach(client)
            return used

        await weigh("subscription, both ends", IDLE, subscribe)
        numbers = iter(range(10 * IDLE))

        async def wait(_: object, ctx: Any) -> None:
            await ctx.wait(asyncio.get_running_loop().create_future())

        await weigh(
            "keyed instance, provided", IDLE, lambda: keyed.spawn(str(next(numbers)), make_item())
        )
        before = measure()
        observer = namespace.observe(items.BENCH_ITEMS, wait)
        await settle(200)
        figures["keyed instance, observed"] = (measure() - before) / IDLE
        observer.close()
        await settle(200)
        before = measure()
        for _ in range(20):
            await stack.enter_async_context(wire.connect_peers(registry))
        figures["connection, both ends"] = (measure() - before) / 20
        tracemalloc.stop()
    return figures


async def measure_growth() -> float:
    """Return the bytes that each of many instances leaves behind when it has gone."""
    items: Any = wire.load("bench_items")
    registry, binding = Registry(), Binding()
    keyed = registry.provide_keyed(items.BENCH_ITEMS)
    namespace = binding.open_namespace()

    async def wait(_: object, ctx: Any) -> None:
        await ctx.wait(asyncio.get_running_loop().create_future())

    async def come_and_go(count: int) -> None:
        for start in range(0, count, 100):
            lives = [keyed.spawn(f"key {n}", make_item()) for n in range(start, start + 100)]
            await settle(20)
            for life in lives:
                life.close()
            await settle(20)

    async with wire.connect_peers(registry) as (client, _):
        binding.attach(client)
        namespace.observe(items.BENCH_ITEMS, wait)
        await come_and_go(1000)
        tracemalloc.start()
        before = measure()
        await come_and_go(INSTANCES)
        grown = measure() - before
        tracemalloc.stop()
        namespace.close()
    return grown / INSTANCES


def main() -> int:
    """Print every figure; return 1 if a bound is missed."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    missed = 0
    values, count = asyncio.run(measure_slow_reader(seconds))
    is_missed = values > VALUES_BOUND
    missed += is_missed
    note = f"  MISSED: more than {VALUES_BOUND:g}" if is_missed else ""
    print(f"one who reads nothing for {seconds:g} s: of {count} values {values:.2f} are held{note}")
    print("\nbytes of what is idle")
    for name, size in asyncio.run(measure_idle()).items():
        print(f"{name:>32}{size:>10,.0f}")
    grown = asyncio.run(measure_growth())
    is_missed = grown > GROWTH_BOUND
    missed += is_missed
    note = f"  MISSED: more than {GROWTH_BOUND:g}" if is_missed else ""
    print(
        f"\neach of {INSTANCES:,} instances that come and go leaves {grown:.1f} bytes behind{note}"
    )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
