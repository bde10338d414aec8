"""The same behaviour over every transport, and within one process (TRN-16)."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextlib
import logging
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import errors
from pi_contracts.runtime.context import BACKGROUND, TRACE, Cancellation, ContextKey
from pi_contracts.runtime.protocol import Limits
from wire_facts import WIRES

if TYPE_CHECKING:
    from collections.abc import Callable

over_every_wire = pytest.mark.parametrize("wire", WIRES)
anywhere = pytest.mark.parametrize("wire", ["direct", *WIRES])


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - the other end of a socket is waited for
            await asyncio.sleep(0.001)


@anywhere
def test_a_call_gives_its_result(wire: str, run_in_world: Any) -> None:
    async def main(world: Any) -> None:
        assert await world.used.add(2, 3, BACKGROUND) == 5
        assert await world.used.nothing(BACKGROUND) is None
        assert world.provider.calls == [(2, 3), "nothing"]

    run_in_world(wire, main)


@anywhere
def test_an_optional_argument_is_left_out_or_null_or_there(wire: str, run_in_world: Any) -> None:
    """CON-14"""

    async def main(world: Any) -> None:
        note = world.used.note
        assert await note("a", BACKGROUND) == "a UNSET"
        assert await note("b", BACKGROUND, mark=None) == "b None"
        assert await note("c", BACKGROUND, mark="x") == "c 'x'"

    run_in_world(wire, main)


UNCHANGED: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53 + 1,
    -(10**400),
    0.1,
    1e300,
    "",
    "z\u00fcrich \U0001f600 \u2028 \x7f",
    [],
    {},
    [[], [[]], {}],
    {"": 0, "__class__": 1, "__proto__": {"constructor": None}, "$ref": "#"},
    {"type": "result", "id": 1, "reference": "forged"},
]


@anywhere
def test_json_arrives_as_it_was_sent(wire: str, run_in_world: Any) -> None:
    """CON-9, CON-10, SEC-3, SEC-4: any JSON is data, whatever it looks like."""

    async def main(world: Any) -> None:
        deep: Any = 0
        for _ in range(500):
            deep = [deep]
        for value in [*UNCHANGED, deep, "x" * 1_000_000]:
            outcome = await world.used.echo(value, BACKGROUND)
            assert outcome == value
            assert type(outcome) is type(value)
        assert await world.used.echo((1, Decimal("2.5")), BACKGROUND) == [1, 2.5]

    run_in_world(wire, main)


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

REFUSED: dict[str, Any] = {
    "NaN": float("nan"),
    "infinity": float("inf"),
    "bytes": b"x",
    "a set": {1},
    "an object": object(),
    "a number as key": {1: "a"},
    "equal keys": {1: "a", "1": "b"},
    "a lone surrogate": "\ud800",
    "a cycle": CYCLE,
    "a function": len,
}


@anywhere
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_json_is_refused_and_not_sent(wire: str, name: str, run_in_world: Any) -> None:
    """CON-10, CON-12, FLT-2: what works alone works over a wire."""

    async def main(world: Any) -> None:
        with pytest.raises(errors.InvalidArguments):
            await world.used.echo(REFUSED[name], BACKGROUND)
        with pytest.raises(errors.InvalidArguments):
            await world.used.echo([{"deep": REFUSED[name]}], BACKGROUND)
        assert world.provider.calls == []
        assert await world.used.add(1, 1, BACKGROUND) == 2

    run_in_world(wire, main)


@anywhere
def test_arguments_and_results_outside_their_schema_are_refused(
    wire: str, run_in_world: Any
) -> None:
    """CON-12, CON-13: the value is not repeated, and the link stays."""

    async def main(world: Any) -> None:
        with pytest.raises(errors.InvalidArguments) as caught:
            await world.used.add("a secret", 1, BACKGROUND)
        assert "a secret" not in str(caught.value)
        assert "left" in str(caught.value)
        with pytest.raises(errors.InvalidResult) as broken:
            await world.used.fail("bad result", BACKGROUND)
        assert "no integer" not in str(broken.value)
        with pytest.raises(TypeError):
            await world.used.add(1, 2)
        assert world.provider.calls == []
        assert await world.used.add(1, 1, BACKGROUND) == 2

    run_in_world(wire, main)


@anywhere
def test_errors_of_the_contract_arrive_as_their_class(wire: str, run_in_world: Any) -> None:
    """ERR-4, ERR-5"""

    async def main(world: Any) -> None:
        with pytest.raises(world.lab.module.Busy):
            await world.used.fail("busy", BACKGROUND)
        with pytest.raises(world.lab.module.UnknownThing) as caught:
            await world.used.fail("thing", BACKGROUND)
        assert caught.value.data == "a kettle"

    run_in_world(wire, main)


@anywhere
def test_any_other_failure_is_internal_and_tells_nothing(
    wire: str, run_in_world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """ERR-3, TRN-19, SEC-6: the log has the text under the incident."""

    async def main(world: Any) -> None:
        for how in ("hunter2", "cancelled"):
            with pytest.raises(errors.InternalError) as caught:
                await world.used.fail(how, BACKGROUND)
            assert "hunter2" not in str(caught.value) + repr(caught.value.data)
            assert set(caught.value.data) == {"incident"}
            assert caught.value.data["incident"] in caplog.text

    with caplog.at_level(logging.ERROR):
        run_in_world(wire, main)
    assert "hunter2" in caplog.text


@anywhere
def test_cancelling_a_context_ends_exactly_that_call(wire: str, run_in_world: Any) -> None:
    """CTX-9, CTX-20"""

    async def main(world: Any) -> None:
        cancellation = Cancellation()
        calls = [
            asyncio.ensure_future(world.used.wait(name, ctx))
            for name, ctx in (
                ("a", BACKGROUND),
                ("b", BACKGROUND.with_cancellation(cancellation)),
                ("c", BACKGROUND),
            )
        ]
        await until(lambda: len(world.provider.waiting) == 3)
        cancellation.cancel()
        with pytest.raises(errors.Cancelled):
            await calls[1]
        await until(lambda: world.provider.ended)
        for event in world.provider.waiting.values():
            event.set()
        assert [await calls[0], await calls[2]] == ["a", "c"]
        assert world.provider.ended == ["b cancelled"]

    run_in_world(wire, main)


@anywhere
def test_cancelling_a_task_ends_its_call(wire: str, run_in_world: Any) -> None:
    async def main(world: Any) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await world.used.wait("a", BACKGROUND)
        await until(lambda: world.provider.ended == ["a cancelled"])
        assert await world.used.add(1, 1, BACKGROUND) == 2

    run_in_world(wire, main)


@anywhere
def test_a_call_under_a_cancelled_context_runs_nothing(wire: str, run_in_world: Any) -> None:
    """CTX-10, FLT-6"""

    async def main(world: Any) -> None:
        cancellation = Cancellation()
        cancellation.cancel()
        with pytest.raises(errors.Cancelled):
            await world.used.add(1, 1, BACKGROUND.with_cancellation(cancellation))
        assert await world.used.add(2, 2, BACKGROUND) == 4
        assert world.provider.calls == [(2, 2)]

    run_in_world(wire, main)


@anywhere
def test_of_a_context_only_its_trace_crosses(wire: str, run_in_world: Any) -> None:
    """CTX-5, CTX-7"""

    async def main(world: Any) -> None:
        key: ContextKey[str] = ContextKey("mine")
        ctx = BACKGROUND.with_value(key, "private").with_value(TRACE, {"traceparent": "t"})
        await world.used.add(1, 1, ctx)
        (inner,) = world.provider.contexts
        assert inner.get(TRACE) == {"traceparent": "t"}
        assert inner.get(key) is None
        assert inner is not ctx

    run_in_world(wire, main)


@anywhere
def test_many_calls_at_once_each_get_their_own_answer(wire: str, run_in_world: Any) -> None:
    async def main(world: Any) -> None:
        sums = await asyncio.gather(*[world.used.add(n, n, BACKGROUND) for n in range(300)])
        assert sums == [2 * n for n in range(300)]

    run_in_world(wire, main)


@anywhere
def test_a_state_hydrates_and_follows_in_order(wire: str, run_in_world: Any) -> None:
    """STA-4, STA-5, STA-13, STA-26"""

    async def main(world: Any) -> None:
        seen: list[int] = []
        world.provider.count.set(5, BACKGROUND)
        subscription = world.used.count.subscribe(lambda value, _: seen.append(value))
        await until(lambda: world.used.count.ready and seen)
        for number in range(6, 106):
            world.provider.count.set(number, BACKGROUND)
        with pytest.raises(errors.ContractViolation):
            world.provider.count.set("six", BACKGROUND)
        await until(lambda: seen[-1] == 105)
        assert seen == sorted(set(seen))
        assert seen[0] in (0, 5)
        subscription.close()
        assert world.used.pair.value == {"a": 0, "b": 0}

    run_in_world(wire, main)


@anywhere
def test_two_members_that_are_set_together_are_seen_together(wire: str, run_in_world: Any) -> None:
    async def main(world: Any) -> None:
        torn: list[Any] = []
        world.used.pair.subscribe(
            lambda value, _: torn.append(value) if value["a"] != value["b"] else None
        )
        for number in range(1, 301):
            world.provider.pair.set({"a": number, "b": number}, BACKGROUND)
            if number % 50 == 0:
                await asyncio.sleep(0)
        await until(lambda: world.used.pair.last({"a": 0})["a"] == 300)
        assert torn == []

    run_in_world(wire, main)


@anywhere
def test_events_arrive_in_order_and_can_be_chosen(wire: str, run_in_world: Any) -> None:
    """EVT-1, EVT-2, EVT-3"""

    async def main(world: Any) -> None:
        everything: list[int] = []
        odd: list[int] = []
        world.used.happened.subscribe(lambda event, _: everything.append(event["number"]))
        world.used.happened.on("odd", lambda event, _: odd.append(event["number"]))
        # Until the subscription is active, events are nobody's.
        await until(lambda: _emit(world, -2) or everything)
        for number in range(500):
            _emit(world, number)
        with pytest.raises(errors.ContractViolation):
            world.provider.happened.emit({"type": "neither", "number": 1}, BACKGROUND)
        await until(lambda: everything[-1] == 499)
        assert [number for number in everything if number >= 0] == list(range(500))
        assert odd == list(range(1, 500, 2))

    run_in_world(wire, main)


def _emit(world: Any, number: int) -> None:
    kind = "odd" if number % 2 else "even"
    world.provider.happened.emit({"type": kind, "number": number}, BACKGROUND)


@anywhere
def test_a_failing_listener_hurts_only_itself(wire: str, run_in_world: Any) -> None:
    """EVT-13, STA-21"""

    async def main(world: Any) -> None:
        complaints: list[Any] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        heard: list[int] = []

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        world.used.happened.subscribe(fail)
        world.used.happened.subscribe(lambda event, _: heard.append(event["number"]))
        await until(lambda: _emit(world, 0) or heard)
        assert {type(one) for one in complaints} == {ZeroDivisionError}
        assert len(complaints) == len(heard)

    run_in_world(wire, main)


@anywhere
def test_a_reference_is_its_callers_until_it_is_released(wire: str, run_in_world: Any) -> None:
    """REF-1, REF-5, REF-6"""

    async def main(world: Any) -> None:
        async with await world.used.start(BACKGROUND) as reference:
            job = reference.service
            (theirs,) = world.provider.jobs
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await job.wait(BACKGROUND)
            waiting = asyncio.ensure_future(job.wait(BACKGROUND))
            theirs.progress.set(50, BACKGROUND)
            await until(lambda: job.progress.ready and job.progress.value == 50)
            await job.cancel(BACKGROUND)
            assert await waiting == -1
        await reference.release()
        with pytest.raises(errors.StaleReference):
            await job.wait(BACKGROUND)

    run_in_world(wire, main)


@over_every_wire
def test_an_answer_comes_after_the_updates_that_it_speaks_of(wire: str, run_in_world: Any) -> None:
    """TRN-9"""

    async def main(world: Any) -> None:
        world.keyed.spawn("a", world.lab.make_item())
        outcomes: list[Any] = []

        async def watch(instance: Any, ctx: Any) -> None:
            for _ in range(100):
                result = await instance.service.bump(1, ctx)
                outcomes.append((result, instance.service.count.value))

        observer = world.namespace.observe(world.lab.items, watch)
        await until(lambda: len(outcomes) == 100)
        assert outcomes == [(n, n) for n in range(1, 101)]
        observer.close()

    run_in_world(wire, main)


@over_every_wire
def test_instances_appear_whole_and_leave_with_their_task(wire: str, run_in_world: Any) -> None:
    """KEY-6, KEY-8, KEY-9, KEY-10, KEY-11, KEY-20"""

    async def main(world: Any) -> None:
        log: list[str] = []

        async def watch(instance: Any, ctx: Any) -> None:
            log.append(f"{instance.key} {instance.service.count.value}")
            try:
                await ctx.wait(asyncio.Event().wait())
            finally:
                log.append(f"{instance.key} left")

        for key, count in (("b", 2), ("\u00e9", 4), ("a", 1), ("\U0001f600", 5)):
            world.keyed.spawn(key, world.lab.make_item(count))
        observer = world.namespace.observe(world.lab.items, watch)
        await until(lambda: len(log) == 4)
        assert log == ["a 1", "b 2", "\u00e9 4", "\U0001f600 5"]
        extra = world.keyed.spawn("c", world.lab.make_item(3))
        await until(lambda: log[-1] == "c 3")
        extra.close()
        extra.close()
        await until(lambda: log[-1] == "c left")
        world.keyed.spawn("c", world.lab.make_item(33))
        await until(lambda: log[-1] == "c 33")
        observer.close()
        await until(lambda: len([line for line in log if line.endswith("left")]) == 6)

    run_in_world(wire, main)


@over_every_wire
def test_an_instance_that_was_replaced_is_not_reached_by_old_handles(
    wire: str, run_in_world: Any
) -> None:
    """KEY-14, KEY-16, KEY-24"""

    async def main(world: Any) -> None:
        first, second = world.lab.make_item(), world.lab.make_item()
        handles: list[Any] = []

        async def watch(instance: Any, ctx: Any) -> None:
            handles.append(instance.service)
            await ctx.wait(asyncio.Event().wait())

        observer = world.namespace.observe(world.lab.items, watch)
        life = world.keyed.spawn("k", first)
        await until(lambda: len(handles) == 1)
        life.close()
        world.keyed.spawn("k", second)
        await until(lambda: len(handles) == 2)
        with pytest.raises(errors.PiContractsError):
            await handles[0].bump(1, BACKGROUND)
        assert await handles[1].bump(1, BACKGROUND) == 1
        assert (first.count.value, second.count.value) == (0, 1)
        observer.close()

    run_in_world(wire, main)


@over_every_wire
@pytest.mark.parametrize("who", ["client", "server"])
def test_when_the_link_ends_nothing_is_left_waiting(wire: str, who: str, run_in_world: Any) -> None:
    """TRN-15, STA-17, CTX-12, SNG-5: all fail at once, and states tell what was last known."""

    async def main(world: Any) -> None:
        await world.namespace.ready(BACKGROUND)
        calls = [asyncio.ensure_future(world.used.wait(str(n), BACKGROUND)) for n in range(5)]
        await until(lambda: len(world.provider.waiting) == 5)
        peer = world.get_client() if who == "client" else world.get_server()
        await asyncio.gather(peer.close(), peer.close())
        await peer.close()
        for call in calls:
            with pytest.raises(errors.Disconnected):
                await call
        await until(lambda: len(world.provider.ended) == 5)
        assert not world.used.count.ready
        assert world.used.count.last(7) == 0
        with pytest.raises(errors.NotHydrated):
            world.used.count.value  # noqa: B018 - reading is what is tried
        with pytest.raises(errors.Disconnected):
            await world.used.add(1, 1, BACKGROUND)

    run_in_world(wire, main)


@over_every_wire
def test_both_sides_call_at_once(wire: str, run_in_world: Any, lab: Any) -> None:
    """TRN-8: a handler may call back over the link that it answers on."""

    async def main(world: Any) -> None:
        from pi_contracts.runtime.binding import Binding
        from pi_contracts.runtime.registry import Registry

        ours = lab.make_provider()
        client, server = world.get_client(), world.get_server()
        registry = client._registry
        assert isinstance(registry, Registry)
        registry.provide(lab.token, ours)
        back = Binding()
        theirs = back.open_namespace().use(lab.token)
        back.attach(server)

        async def add(left: int, right: int, ctx: Any) -> int:
            echoed: int = await theirs.echo(left + right, ctx)
            return echoed

        world.provider.add = add
        sums = await asyncio.gather(*[world.used.add(n, 1, BACKGROUND) for n in range(20)])
        assert sums == [n + 1 for n in range(20)]
        assert sorted(ours.calls) == sums

    run_in_world(wire, main)


@over_every_wire
def test_a_call_that_is_too_large_fails_alone(wire: str, run_in_world: Any) -> None:
    """TRN-13: and says what the limit is."""

    async def main(world: Any) -> None:
        small = [asyncio.ensure_future(world.used.wait(name, BACKGROUND)) for name in "ab"]
        await until(lambda: len(world.provider.waiting) == 2)
        with pytest.raises(errors.TooLarge, match="10000"):
            await world.used.echo("x" * 10_001, BACKGROUND)
        for event in world.provider.waiting.values():
            event.set()
        assert [await call for call in small] == ["a", "b"]

    run_in_world(wire, main, limits=Limits(frame=10_000))


@over_every_wire
def test_a_provider_may_go_and_another_come(wire: str, run_in_world: Any) -> None:
    """SNG-9, SNG-10"""

    async def main(world: Any) -> None:
        await world.namespace.ready(BACKGROUND)
        add = world.used.add
        world.registry.withdraw(world.lab.token)
        with pytest.raises(errors.UnknownService):
            await add(1, 1, BACKGROUND)
        await until(lambda: not world.used.count.ready)
        later = world.lab.make_provider()
        later.count.set(9, BACKGROUND)
        world.registry.provide(world.lab.token, later)
        await until(lambda: world.used.count.ready)
        assert world.used.count.value == 9
        assert await add(1, 1, BACKGROUND) == 2
        newest = world.lab.make_provider()
        world.registry.replace(world.lab.token, newest)
        later.count.set(10, BACKGROUND)
        newest.count.set(11, BACKGROUND)
        await until(lambda: world.used.count.last(0) == 11)
        assert newest.calls == []
        with contextlib.suppress(errors.PiContractsError):
            await add(3, 3, BACKGROUND)
        assert newest.calls == [(3, 3)]

    run_in_world(wire, main)


@over_every_wire
def test_it_is_the_same_on_uvloop(wire: str, run_in_world: Any) -> None:
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not installed here")

    async def main(world: Any) -> None:
        seen: list[int] = []
        world.used.count.subscribe(lambda value, _: seen.append(value))
        sums = await asyncio.gather(*[world.used.add(n, n, BACKGROUND) for n in range(100)])
        assert sums == [2 * n for n in range(100)]
        block = "x" * 1_000_000
        assert await world.used.echo(block, BACKGROUND) == block
        world.provider.count.set(7, BACKGROUND)
        await until(lambda: seen[-1:] == [7])
        call = asyncio.ensure_future(world.used.wait("a", BACKGROUND))
        await until(lambda: world.provider.waiting)
        await world.get_server().close()
        with pytest.raises(errors.Disconnected):
            await call

    run_in_world(wire, main, loop_factory=uvloop.new_event_loop)
