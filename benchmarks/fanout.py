"""What one state costs many subscribers, and how many events go through one connection.

Both ends run in one process, whose processor time is measured. Subscribers have
subscriptions of their own, spread over ten connections; the next value is set when all
have got the last one, so that none is left out. How often a value is encoded is counted.
The collector of rings is off meanwhile: it would look at the values of all subscribers,
which hold none, again and again, for half as much time as all the rest takes.

Run: python benchmarks/fanout.py
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import time
from typing import Any

import msgspec
import wire
from pi_contracts.runtime import exposure
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.registry import Registry

CONNECTIONS = 10
SUBSCRIBERS = (1, 100, 1000)
SETS = 1000
EVENTS = 20_000
BATCH = 200
ROUNDS = 5
EVENTS_BOUND = 0.3


class Counter:
    """Counts what arrives, and wakes whoever waits for a number of it."""

    def __init__(self) -> None:
        self.count = 0
        self._target = 0
        self._done = asyncio.Event()

    def add(self, *_: object) -> None:
        """Count one more."""
        self.count += 1
        if self.count >= self._target:
            self._done.set()

    async def wait_for(self, target: int) -> None:
        """Wait until *target* have arrived."""
        self._target = target
        self._done.clear()
        if self.count < target:
            await self._done.wait()


async def measure_state(subscribers: int, sets: int) -> tuple[float, float, int]:
    """Return microseconds a set and a subscriber of it, and how often a set is encoded."""
    token: Any = wire.load("bench").BENCH
    registry = Registry()
    provider = wire.make_implementation()
    registry.provide(token, provider)
    pages = [wire.make_page(103), {**wire.make_page(103)}]
    arrived = Counter()
    encodings = 0
    encode = exposure.encode

    def count(value: Any) -> bytes:
        nonlocal encodings
        encodings += 1
        return encode(value)

    async with contextlib.AsyncExitStack() as stack:
        peers = [
            (await stack.enter_async_context(wire.connect_peers(registry)))[0]
            for _ in range(min(CONNECTIONS, subscribers))
        ]
        for number in range(subscribers):
            binding = Binding()
            namespace = binding.open_namespace()
            handle: Any = namespace.use(token)
            binding.attach(peers[number % len(peers)])
            await namespace.ready(BACKGROUND)
            handle.page.subscribe(arrived.add)
        arrived.count = 0
        exposure.encode = count
        gc.collect()
        gc.disable()
        try:
            begun = time.process_time()
            for number in range(1, sets + 1):
                provider.page.set(pages[number % 2], BACKGROUND)
                await arrived.wait_for(number * subscribers)
            spent = (time.process_time() - begun) * 1e6 / sets
        finally:
            gc.enable()
            exposure.encode = encode
    return spent, spent / subscribers, round(encodings / sets)


async def measure_events() -> float:
    """Return how many events a second go through one connection."""
    token: Any = wire.load("bench").BENCH
    registry, binding = Registry(), Binding()
    provider = wire.make_implementation()
    registry.provide(token, provider)
    handle: Any = binding.open_namespace().use(token)
    arrived = Counter()
    async with wire.connect_peers(registry) as (client, _):
        binding.attach(client)
        handle.happened.subscribe(arrived.add)
        while not arrived.count:
            provider.happened.emit({"type": "opened", "number": 0}, BACKGROUND)
            await asyncio.sleep(0.01)
        best = 0.0
        for _ in range(ROUNDS):
            begun, first = time.process_time(), arrived.count
            for number in range(0, EVENTS, BATCH):
                for each in range(number, number + BATCH):
                    provider.happened.emit({"type": "opened", "number": each}, BACKGROUND)
                await arrived.wait_for(first + number + BATCH)
            best = max(best, EVENTS / (time.process_time() - begun))
        return best


async def measure_floor() -> float:
    """Return how many frames a second the floor moves one way, one write a frame."""
    arrived = Counter()
    decode = msgspec.json.Decoder(wire.FloorResult).decode
    encode = msgspec.json.Encoder().encode

    def take(_: wire.FloorEnd, text: bytes) -> None:
        decode(text)
        arrived.add()

    async with wire.open_floor_ends(take) as end:
        best = 0.0
        for _ in range(ROUNDS):
            begun, first = time.process_time(), arrived.count
            for number in range(0, EVENTS, BATCH):
                for each in range(number, number + BATCH):
                    event = {"type": "opened", "number": each}
                    end.write(encode(wire.FloorResult(each, event)))
                await arrived.wait_for(first + number + BATCH)
            best = max(best, EVENTS / (time.process_time() - begun))
        return best


def main() -> int:
    """Print every figure; return 1 if a bound is missed."""
    missed = 0
    size = len(msgspec.json.encode(wire.make_page(103)))
    for loop in ("asyncio", "uvloop"):
        print(f"\n{loop}: a state of {size} bytes, over {CONNECTIONS} connections")
        print(
            f"{'subscribers':>12}{'sets':>6}{'us a set':>12}{'us a subscriber':>17}{'encoded':>9}"
        )
        for subscribers in SUBSCRIBERS:
            spent, each, encoded = wire.run(measure_state(subscribers, SETS), loop)
            note = "" if encoded == 1 else "  MISSED: encoded more than once"
            missed += encoded != 1
            print(f"{subscribers:>12}{SETS:>6}{spent:>12.0f}{each:>17.1f}{encoded:>9}{note}")
        ours, floor = wire.run(measure_events(), loop), wire.run(measure_floor(), loop)
        is_slow = ours < EVENTS_BOUND * floor
        missed += is_slow
        note = f"  MISSED: under {EVENTS_BOUND:.0%}" if is_slow else ""
        told = (
            f"{ours:,.0f} events a second; the floor moves {floor:,.0f} frames: {ours / floor:.0%}"
        )
        print(told + note)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
