"""Calls that wait for their turn, and the end of the link under them."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Disconnected,
    TooLarge,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.protocol import Limits
from runtime_calls import Slow, by_context

if TYPE_CHECKING:
    from collections.abc import Callable


def test_calls_wait_for_their_turn_in_order(make_wire: Any, run: Any, sample: Any) -> None:
    """TRN-12: no more are outstanding than the other side takes."""

    async def test() -> None:
        wire = make_wire()
        most = 0
        running = 0

        async def work(model: Any) -> Any:
            nonlocal most, running
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return model

        wire.provide().act = lambda model, *_: work(model)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(calls=3)):
            calls = [models.select(str(number), BACKGROUND) for number in range(50)]
            assert await asyncio.gather(*calls) == [str(number) for number in range(50)]
            assert most <= 3
            order = [model for model, _ in wire.catalogue.calls]
            assert order == [str(number) for number in range(50)]

    run(test)


def test_calls_wait_while_the_transport_is_paused(make_wire: Any, run: Any, sample: Any) -> None:
    """TRN-12: and may be cancelled meanwhile."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold(pause=True)
            one, two = (
                asyncio.create_task(models.select(name, BACKGROUND)) for name in ("one", "two")
            )
            await sample.settle()
            one.cancel()
            await by_context(lambda ctx: models.select("three", ctx), sample.settle)
            assert wire.link.to_server.waiting == ()
            wire.link.to_server.release()
            assert await two == "two"
            with pytest.raises(asyncio.CancelledError):
                await one
            assert [model for model, _ in wire.catalogue.calls] == ["two"]

    run(test)


def test_arguments_that_the_other_side_does_not_take_fail_with_the_limit(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-13, r-fra-01: other calls go on."""

    async def test() -> None:
        wire = make_wire()
        slow = wire.provide().act = Slow()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(frame=2000)):
            small = [asyncio.create_task(models.select(name, BACKGROUND)) for name in ("a", "b")]
            await sample.settle()
            with pytest.raises(TooLarge, match=r"the arguments of models\.selectModel: .* 2000"):
                await models.select("x" * 3000, BACKGROUND)
            slow.go_on.set()
            assert await asyncio.gather(*small) == ["a", "b"]

    run(test)


def test_a_result_that_this_side_does_not_take_fails_with_the_limit(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide().act = lambda *_: "x" * 3000
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(frame=2000)):
            with pytest.raises(TooLarge, match="2000"):
                await models.select("x", BACKGROUND)

    run(test)


ENDS: dict[str, Callable[[Any], Any]] = {
    "by the other side": lambda wire: wire.pair.server.close(),
    "by this side": lambda wire: wire.pair.client.close(),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_the_end_of_the_link_ends_every_call_at_once(
    make_wire: Any, run: Any, sample: Any, end: Callable[[Any], Any]
) -> None:
    """TRN-15, CTX-12, r-dis-01: those that run, and those that wait for their turn."""

    async def test() -> None:
        wire = make_wire()
        slow = wire.provide().act = Slow()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(calls=3)):
            calls = [
                asyncio.create_task(models.select(str(number), BACKGROUND)) for number in range(5)
            ]
            await sample.settle()
            await end(wire)
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [Disconnected] * 5
            await sample.settle()
            assert slow.log == ["+0", "+1", "+2", "-0", "-1", "-2"]
            with pytest.raises(Disconnected):
                await wire.pair.client.calls.call("s", "a", b"{}", BACKGROUND, {"service": "s"})

    run(test)


def test_both_sides_call_each_other_at_the_same_time(make_wire: Any, run: Any, sample: Any) -> None:
    """TRN-8, r-lif-03: a call that calls back, and again."""

    async def test() -> None:
        there, here = make_wire(), make_wire()
        there.provide()
        here.provide()
        models, back = there.namespace.use(sample.MODELS), here.namespace.use(sample.MODELS)

        async def call_back(model: str, ctx: rt.Context) -> str:
            return model if len(model) > 4 else await back.select(f"{model}<", ctx)

        async def call_again(model: str, ctx: rt.Context) -> str:
            return await models.select(f"{model}>", ctx)

        there.catalogue.act = lambda model, _, ctx: call_back(model, ctx)
        here.catalogue.act = lambda model, _, ctx: call_again(model, ctx)
        async with there.connect(client=here.registry):
            here.binding.attach(there.pair.server)
            assert await models.select("x", BACKGROUND) == "x<><>"

    run(test)


def test_a_call_that_times_out_may_close_the_link(make_wire: Any, run: Any, sample: Any) -> None:
    """r-clo-05: whatever waits at that moment ends as well."""

    async def test() -> None:
        wire = make_wire()
        wire.provide().act = Slow()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            other = asyncio.create_task(models.select("other", BACKGROUND))

            async def close_at_timeout() -> None:
                try:
                    async with asyncio.timeout(0.005):
                        await models.select("x", BACKGROUND)
                except TimeoutError:
                    await wire.pair.client.close()

            await close_at_timeout()
            with pytest.raises(Disconnected):
                await other

    run(test)


def test_a_turn_that_comes_as_the_transport_pauses_is_kept(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-12: the call is still the first to go on; and one that is cancelled gives it away."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold(pause=True)
            names = ("one", "two", "three")
            calls = [asyncio.create_task(models.select(name, BACKGROUND)) for name in names]
            await sample.settle()
            wire.pair.client.resume()
            wire.pair.client.pause()
            calls[1].cancel()
            await sample.settle()
            wire.link.to_server.release()
            assert await calls[0] == "one"
            assert await calls[2] == "three"
            with pytest.raises(asyncio.CancelledError):
                await calls[1]
            assert [model for model, _ in wire.catalogue.calls] == ["one", "three"]

    run(test)


def test_the_end_of_the_link_ends_calls_whose_turn_has_just_come(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-15."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold(pause=True)
            call = asyncio.create_task(models.select("x", BACKGROUND))
            await sample.settle()
            wire.pair.client.resume()
            wire.pair.client.close_soon()
            with pytest.raises(Disconnected):
                await call

    run(test)
