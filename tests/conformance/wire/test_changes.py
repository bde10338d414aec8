"""What comes and goes at once, or from within a listener, is the same over every wire."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, ServiceError
from pi_contracts.runtime.testing import settle
from wire_facts import WIRES

over_wires = pytest.mark.parametrize("wire", WIRES)


async def meet(world: Any) -> None:
    """Let everything arrive at both sides that was sent before."""
    for _ in range(3):
        await world.used.nothing(BACKGROUND)
        await settle(10)


@over_wires
def test_subscribing_and_leaving_at_once_leaves_nothing(wire: str, run_in_world: Any) -> None:
    """EVT-9, STA-24: whatever arrives together, nobody complains."""

    async def test(world: Any) -> None:
        await world.namespace.ready(BACKGROUND)
        for _ in range(20):
            namespace = world.binding.open_namespace()
            used: Any = namespace.use(world.lab.token)
            used.count.subscribe(lambda *_: None)
            used.happened.subscribe(lambda *_: None)
            namespace.observe(world.lab.items, lambda *_: None)
            namespace.close()
            world.used.happened.subscribe(lambda *_: None).close()
            async with await world.used.start(BACKGROUND):
                pass
        await meet(world)
        served = world.get_server().connection.served
        assert (len(served.subscriptions), len(served.grants)) == (1, 0)
        assert len(world.get_client().connection.followed) == 1

    run_in_world(wire, test)


@over_wires
def test_an_instance_goes_with_all_that_listens_to_it(wire: str, run_in_world: Any) -> None:
    """KEY-8, KEY-11, EVT-11: its last words arrive, and the end of its events is no news."""

    async def test(world: Any) -> None:
        seen: list[Any] = []

        async def observe(instance: Any, ctx: Any) -> None:
            instance.service.rang.subscribe(lambda value, _: seen.append(value))
            instance.service.count.subscribe(lambda value, _: seen.append(value))
            await instance.service.bump(1, ctx)
            await asyncio.Event().wait()

        observer = world.namespace.observe(world.lab.items, observe)
        await world.namespace.ready(BACKGROUND)
        for number in range(10):
            item = world.lab.make_item(number * 10)
            live = world.keyed.spawn("k", item)
            await meet(world)
            item.rang.emit(-1, BACKGROUND)
            item.count.set(-2, BACKGROUND)
            live.close()
            await meet(world)
            assert seen == [number * 10, number * 10 + 1, -1, -2]
            seen.clear()
        observer.close()
        await meet(world)
        assert len(world.get_server().connection.served.subscriptions) == 1

    run_in_world(wire, test)


@over_wires
def test_who_subscribes_while_states_arrive_sees_each_value_once(
    wire: str, run_in_world: Any
) -> None:
    """STA-23: also that of another state, which came with the same snapshot."""

    async def test(world: Any) -> None:
        counts: list[int] = []
        pairs: list[Any] = []

        def listen(value: int, _: Any) -> None:
            if not counts:
                world.used.pair.subscribe(lambda pair, _: pairs.append(pair))
                world.used.count.subscribe(lambda count, _: counts.append(count))
            counts.append(value)

        world.used.count.subscribe(listen)
        await world.namespace.ready(BACKGROUND)
        await meet(world)
        assert (counts, pairs) == ([0, 0], [{"a": 0, "b": 0}])

    run_in_world(wire, test)


@over_wires
def test_the_listener_that_closes_the_link_is_the_last_that_runs(
    wire: str, run_in_world: Any
) -> None:
    """r-clo-03: whichever state or event it listens to."""

    async def test(world: Any) -> None:
        seen: list[str] = []

        def close(*_: Any) -> None:
            seen.append("close")
            world.get_client().close_soon()

        world.used.count.subscribe(close)
        world.used.count.subscribe(lambda *_: seen.append("count"))
        world.used.pair.subscribe(lambda *_: seen.append("pair"))
        await world.get_client().wait_ended()
        await settle()
        assert seen == ["close"]

    run_in_world(wire, test)


@over_wires
def test_a_listener_may_end_what_it_listens_to(wire: str, run_in_world: Any) -> None:
    """KEY-23: what arrives together with the end of an observer reaches nobody."""

    async def test(world: Any) -> None:
        log: list[str] = []
        observers: list[Any] = []

        async def observe(instance: Any, ctx: Any) -> None:
            log.append(f"+{instance.key}")
            ctx.on_cancel(observers[0].close)
            await asyncio.Event().wait()

        observers.append(world.namespace.observe(world.lab.items, observe))
        items = [world.lab.make_item(number) for number in range(3)]
        live = [world.keyed.spawn(key, item) for key, item in zip("abc", items, strict=True)]
        await world.namespace.ready(BACKGROUND)
        await meet(world)
        live[0].close()
        items[1].count.set(7, BACKGROUND)
        live[1].close()
        world.keyed.spawn("d", world.lab.make_item(4))
        await meet(world)
        assert log == ["+a", "+b", "+c"]

    run_in_world(wire, test)


@over_wires
@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), BaseException("x")])
def test_whatever_a_method_raises_its_caller_hears_of_it(
    wire: str, error: BaseException, run_in_world: Any
) -> None:
    """ERR-3, r-can-05: and the link goes on."""

    async def test(world: Any) -> None:
        async def nothing(ctx: Any) -> None:
            del ctx
            raise error

        world.provider.nothing = nothing
        with pytest.raises(ServiceError) as caught:
            await world.used.nothing(BACKGROUND)
        assert caught.value.code == "internal"
        assert await world.used.add(1, 2, BACKGROUND) == 3

    run_in_world(wire, test)


@over_wires
def test_what_a_provider_says_before_it_goes_arrives_before_its_successor(
    wire: str, run_in_world: Any
) -> None:
    """EVT-3, SNG-10, SNG-11: in one turn of the loop, and nothing counts as lost."""

    async def test(world: Any) -> None:
        old, new = world.provider, world.lab.make_provider()
        new.count.set(10, BACKGROUND)
        events: list[int] = []
        counts: list[int] = []
        world.used.happened.subscribe(lambda event, _: events.append(event["number"]))
        world.used.count.subscribe(lambda count, _: counts.append(count))
        await world.namespace.ready(BACKGROUND)
        await meet(world)
        for number in (1, 2):
            old.happened.emit({"type": "odd", "number": number}, BACKGROUND)
        old.count.set(1, BACKGROUND)
        world.registry.replace(world.lab.token, new)
        old.happened.emit({"type": "odd", "number": -1}, BACKGROUND)
        new.happened.emit({"type": "odd", "number": 3}, BACKGROUND)
        new.count.set(11, BACKGROUND)
        world.registry.withdraw(world.lab.token)
        world.registry.provide(world.lab.token, old)
        old.happened.emit({"type": "odd", "number": 4}, BACKGROUND)
        await meet(world)
        assert events == [1, 2, 3, 4]
        assert counts[-1] == 1
        assert 11 in counts

    run_in_world(wire, test)
