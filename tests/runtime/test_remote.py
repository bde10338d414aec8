"""Private references over a wire, and answers that do not fit."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, Cancellation, StaleReference
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.protocol import Limits


class Job:
    """What tells how often a reference to it was given up."""

    def __init__(self, sample: Any) -> None:
        self.inner = sample.Download(progress=0)
        self.progress = self.inner.progress
        self.released = 0
        self.done = asyncio.Event()

    async def wait(self, ctx: rt.Context) -> int:
        await ctx.wait(self.done.wait())
        return 7

    async def on_release(self) -> None:
        self.released += 1


def test_a_reference_leads_to_its_object_until_it_is_released(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """REF-1, REF-2, REF-6, REF-8: one object, one reference; its cleanup runs once."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        job = catalogue.job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            reference = await models.start(BACKGROUND)
            assert await models.start(BACKGROUND) is reference
            await sample.settle()
            assert reference.service.progress.value == 0
            job.progress.set(50, BACKGROUND)
            job.done.set()
            assert await reference.service.wait(BACKGROUND) == 7
            assert reference.service.progress.value == 50
            await reference.release()
            await reference.release()
            with pytest.raises(StaleReference, match='the reference to "job" was released'):
                await reference.service.wait(BACKGROUND)
            await sample.settle()
            assert job.released == 1
            assert not job.progress._channel.wanted
            again = await models.start(BACKGROUND)
            assert again is not reference
            assert wire.pair.client.held == {again._name: again}

    run(test)


def test_a_disconnect_ends_references_for_good(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-4, REF-6, REF-9, REF-10: the object's own work goes on."""

    async def test() -> None:
        wire = make_wire()
        job = wire.provide().job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            reference = await models.start(BACKGROUND)
        await sample.settle()
        assert job.released == 1
        async with wire.connect():
            with pytest.raises(StaleReference, match="ended with its connection"):
                await reference.service.wait(BACKGROUND)
            await reference.release()
            again = await models.start(BACKGROUND)
            job.done.set()
            assert await again.service.wait(BACKGROUND) == 7
        assert reference is not again

    run(test)


def test_a_reference_is_known_to_its_recipient_only(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-3, REF-7: its name means nothing on another connection."""

    async def test() -> None:
        wire, other = make_wire(), make_wire()
        job = wire.provide().job = Job(sample)
        other.registry = wire.registry
        one, two = wire.namespace.use(sample.MODELS), other.namespace.use(sample.MODELS)
        async with wire.connect(), other.connect():
            mine, theirs = await one.start(BACKGROUND), await two.start(BACKGROUND)
            assert mine._name != theirs._name
            answer = await other.pair.client.calls.call(
                "job", "wait", b"{}", BACKGROUND, {"reference": mine._name}
            )
            assert answer.error.code == "stale_reference"
            await mine.release()
            await sample.settle()
            assert job.released == 0
            await theirs.release()
            await sample.settle()
            assert job.released == 1

    run(test)


def test_cancelling_a_wait_leaves_the_job(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-5, CTX-13, CTX-19."""

    async def test() -> None:
        wire = make_wire()
        job = wire.provide().job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(), await models.start(BACKGROUND) as reference:
            cancellation = Cancellation()
            ctx = BACKGROUND.with_cancellation(cancellation)
            one = asyncio.create_task(reference.service.wait(ctx))
            two = asyncio.create_task(reference.service.wait(BACKGROUND))
            await sample.settle()
            cancellation.cancel()
            with pytest.raises(rt.Cancelled):
                await one
            job.done.set()
            assert await two == 7

    run(test)


def test_a_replaced_provider_takes_its_references_with_it(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """REF-4."""

    async def test() -> None:
        wire = make_wire()
        job = wire.provide().job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            reference = await models.start(BACKGROUND)
            await sample.settle()
            wire.registry.replace(sample.MODELS, sample.Catalogue(), scope="session")
            await sample.settle()
            assert job.released == 1
            with pytest.raises(StaleReference):
                await reference.service.wait(BACKGROUND)

    run(test)


def test_an_idle_reference_ends_with_its_lease(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-6."""

    async def test() -> None:
        wire = make_wire()
        members = tuple(m for m in sample.JOB.members if m.name == "wait")

        class Proxy:
            def __init__(self, link: rt.Link) -> None:
                self._link = link

            async def wait(self, ctx: rt.Context) -> Any:
                method: Any = members[0]
                return await self._link.call(method, {}, ctx)

        token = rt.Referenced(id="job", version=1, digest="", members=members, proxy=Proxy)
        start = rt.Method("start", sample.SCHEMAS, params="#/$defs/none", returns=token)

        class Starting:
            def __init__(self, link: rt.Link) -> None:
                self._link = link

            async def start(self, ctx: rt.Context) -> Any:
                return await self._link.call_reference(start, {}, ctx)

        job = wire.catalogue.job = Job(sample)
        starter = rt.Singleton(id="starter", version=1, digest="", members=(start,), proxy=Starting)
        wire.registry.provide(starter, wire.catalogue, scope="session")
        service = wire.namespace.use(starter)
        limits = Limits(reference_lease=50.0)
        async with wire.connect(limits=limits):
            reference = await service.start(BACKGROUND)
            await wire.clock.advance(60)
            assert job.released == 1
            with pytest.raises(StaleReference):
                await reference.service.wait(BACKGROUND)

    run(test)


def test_a_callback_that_fails_at_the_release_is_reported(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)

        def fail() -> None:
            raise RuntimeError("at once")

        async def fail_later() -> None:
            raise RuntimeError("later")

        failing: Any

        async with wire.connect():
            for callback in (fail, fail_later):
                failing = catalogue.job = Job(sample)
                failing.on_release = callback
                await (await models.start(BACKGROUND)).release()
                await sample.settle()
            reported = wire.reported()
            assert [text.partition(": ")[2] for text in reported] == ["at once", "later"]
            catalogue.job = sample.Download(progress=0)
            await (await models.start(BACKGROUND)).release()

    run(test)


def test_a_reference_that_nobody_waits_for_any_more_is_given_back(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        job = wire.provide().job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            call = asyncio.create_task(models.start(BACKGROUND))
            wire.link.to_server.hold()
            await sample.settle()
            wire.link.to_server.release()
            wire.link.to_client.hold()
            await sample.settle()
            call.cancel()
            wire.link.to_client.release()
            with pytest.raises(asyncio.CancelledError):
                await call
            await sample.settle()
            assert job.released == 1
            call = asyncio.create_task(models.start(BACKGROUND))
            await asyncio.sleep(0)
            wire.link.to_client.hold()
            await sample.settle()
            wire.link.to_client.release()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await sample.settle()
            assert job.released == 2

    run(test)


def test_a_reference_whose_handle_has_moved_on_is_given_back(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """REF-4: the binding was detached while the call was running."""

    async def test() -> None:
        wire = make_wire()
        job = wire.provide().job = Job(sample)
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            call = asyncio.create_task(models.start(BACKGROUND))
            await asyncio.sleep(0)
            wire.binding.detach()
            with pytest.raises(StaleReference, match="before the reference was there"):
                await call
            await sample.settle()
            assert job.released == 1

    run(test)


def test_a_link_gives_the_same_view_of_a_member_each_time(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        remote = wire.namespace.use(sample.MODELS)._link
        local = wire.registry.open_local(scope="session", strict=True).use(sample.MODELS)._link
        assert remote.state(sample.STATE) is remote.state(sample.STATE)
        assert remote.events(sample.CHANGED) is remote.events(sample.CHANGED)
        assert local.state(sample.STATE)._feed is local.state(sample.STATE)._feed
        assert local.events(sample.CHANGED)._channel is local.events(sample.CHANGED)._channel

    run(test)
