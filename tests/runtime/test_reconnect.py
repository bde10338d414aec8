"""Staying connected: attempts, waits, what is shown, and handles that stay (TRN-1, TRN-6)."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from typing import Any

import pytest
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.errors import ContractViolation, Disconnected
from pi_contracts.runtime.reconnect import CONNECTION, Backoff
from pi_contracts.runtime.testing import settle
from runtime_reconnecting import World, note


def test_it_shows_each_step_of_a_life(run: Any) -> None:
    """TRN-6: the attempt increases over retries, and retryAt tells when the next is due."""

    async def main() -> None:
        world = World()
        connector = world.make_connector()
        shown = note(connector)
        connector.start()
        connector.start()
        await world.clock.advance(0)
        await world.clock.advance(0.5)
        await world.go_up()
        await world.clock.advance(1.0)
        await world.clock.advance(60.0)
        await world.go_down()
        await connector.close()
        assert shown == [
            {
                "status": "disconnected",
                "since": "2030-01-01T00:00:00.000Z",
                "reason": "not started",
                "retryAt": None,
            },
            {"status": "connecting", "attempt": 1},
            {
                "status": "disconnected",
                "since": "2030-01-01T00:00:00.000Z",
                "reason": "nobody listens here",
                "retryAt": "2030-01-01T00:00:00.500Z",
            },
            {"status": "connecting", "attempt": 2},
            {
                "status": "disconnected",
                "since": "2030-01-01T00:00:00.500Z",
                "reason": "nobody listens here",
                "retryAt": "2030-01-01T00:00:01.500Z",
            },
            {"status": "connecting", "attempt": 3},
            {"status": "connected", "since": "2030-01-01T00:00:01.500Z"},
            {
                "status": "disconnected",
                "since": "2030-01-01T00:01:01.500Z",
                "reason": shown[-2]["reason"],
                "retryAt": "2030-01-01T00:01:02.000Z",
            },
            {
                "status": "disconnected",
                "since": "2030-01-01T00:01:01.500Z",
                "reason": "this side closed the connection",
                "retryAt": None,
            },
        ]

    run(main)


def test_handles_work_over_one_connection_after_the_other(run: Any, sample: Any) -> None:
    """SNG-6, STA-18: and calls in between fail instead of waiting (SNG-5)."""

    async def main() -> None:
        world = World()
        catalogue = sample.Catalogue()
        world.registry.provide(sample.MODELS, catalogue)
        binding = Binding()
        namespace = binding.open_namespace()
        models = namespace.use(sample.MODELS)
        select = models.select
        seen: list[Any] = []

        def keep(value: Any, _: object) -> None:
            seen.append(value)

        models.state.subscribe(keep)
        await world.go_up()
        connector = world.make_connector(bindings=[binding])
        connector.start()
        await namespace.ready(BACKGROUND)
        assert await select("a", BACKGROUND) == "a"
        await world.go_down()
        assert not models.state.ready
        with pytest.raises(Disconnected):
            await select("b", BACKGROUND)
        await world.go_up()
        catalogue.state.set({"list": [1]}, BACKGROUND)
        await world.clock.advance(1.0)
        assert await select("c", BACKGROUND) == "c"
        assert [name for name, _ in catalogue.calls] == ["a", "c"]
        assert seen == [{"list": []}, {"list": [1]}]
        await connector.close()
        namespace.close()

    run(main)


def test_a_link_that_is_dropped_at_once_is_no_success(run: Any) -> None:
    """r-rec-03: the waits go on growing, up to the longest."""

    async def main() -> None:
        world = World()
        await world.go_up()
        connector = world.make_connector()
        times: list[float] = []

        def watch(state: Any, _: object) -> None:
            if state["status"] == "connecting":
                times.append(world.clock.time())
            if state["status"] == "connected":
                world.address.links[-1].end(ConnectionResetError())

        connector.state.subscribe(watch)
        connector.start()
        for _ in range(400):
            await world.clock.advance(0.25)
        waits = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert waits[:7] == [0.5, 1, 2, 4, 8, 16, 30]
        await connector.close()

    run(main)


def test_a_link_that_held_starts_the_waits_anew(run: Any) -> None:
    async def main() -> None:
        world = World()
        await world.go_up()
        connector = world.make_connector()
        connector.start()
        for _ in range(3):
            await world.clock.advance(0.5)
            world.address.links[-1].end(ConnectionResetError())
            await world.clock.advance(4)
        await world.clock.advance(10)
        world.address.links[-1].end(ConnectionResetError())
        await settle()
        before = world.address.attempts
        await world.clock.advance(0.49)
        assert world.address.attempts == before
        await world.clock.advance(0.01)
        assert world.address.attempts == before + 1
        await connector.close()

    run(main)


def test_many_clients_come_back_spread_over_the_span(run: Any) -> None:
    """r-rec-01: 200 at once: none in the first half of the span, and no crowd in the second."""

    async def main() -> None:
        world = World()
        await world.go_up()
        source = random.Random(7)
        connectors = [world.make_connector(chance=source.random) for _ in range(200)]
        for connector in connectors:
            connector.start()
        await world.clock.advance(20)
        assert all(connector.peer is not None for connector in connectors)
        tries: Counter[float] = Counter()

        def count(state: Any, _: object) -> None:
            if state["status"] == "connecting":
                tries[world.clock.time()] += 1

        for connector in connectors:
            connector.state.subscribe(count)
        for link in list(world.address.links):
            link.end(ConnectionResetError())
        await settle()
        for _ in range(60):
            await world.clock.advance(0.01)
        assert sum(tries.values()) == 200
        assert 20.25 <= min(tries) < 20.27
        assert 20.48 < max(tries) <= 20.5
        assert max(tries.values()) < 10
        assert all(connector.peer is not None for connector in connectors)
        await asyncio.gather(*[connector.close() for connector in connectors])

    run(main)


def test_a_wait_lies_between_half_and_the_whole_of_its_span() -> None:
    backoff = Backoff(first=1.0, factor=3.0, longest=20.0)
    assert [backoff.get_wait(failed, 0.0) for failed in (1, 2, 3, 4)] == [0.5, 1.5, 4.5, 10.0]
    assert [backoff.get_wait(failed, 1.0) for failed in (1, 2, 3, 4)] == [1.0, 3.0, 9.0, 20.0]
    assert backoff.get_wait(100_000, 1.0) == 20.0


@pytest.mark.parametrize(
    "state",
    [
        {"status": "connecting", "attempt": 0},
        {"status": "connected"},
        {"status": "disconnected", "since": "", "reason": ""},
        {"status": "elsewhere"},
    ],
    ids=lambda state: state["status"],
)
def test_the_state_has_a_schema_like_any_other(state: Any) -> None:
    with pytest.raises(ContractViolation):
        CONNECTION.value.check(state, "the state")
