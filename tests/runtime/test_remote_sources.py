"""Private references over a wire end with what they came from."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, StaleReference
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.errors import ServiceError
from runtime_jobs import Job


class Tree(Job):
    """A job that gives other jobs."""

    def __init__(self, sample: Any, child: Any) -> None:
        super().__init__(sample)
        self.child = child

    async def grow(self, ctx: rt.Context) -> Any:
        del ctx
        return self.child


def make_tree(sample: Any) -> Any:
    """Return a service whose method gives trees, and those of trees give jobs."""
    none = "#/$defs/none"
    grow: Any = rt.Method("grow", sample.SCHEMAS, params=none, returns=sample.JOB)

    class TreeProxy:
        def __init__(self, link: rt.Link) -> None:
            self._link = link

        async def grow(self, ctx: rt.Context) -> Any:
            return await self._link.call_reference(grow, {}, ctx)

    tree: Any = rt.Referenced(id="tree", version=1, digest="", members=(grow,), proxy=TreeProxy)
    plant: Any = rt.Method("plant", sample.SCHEMAS, params=none, returns=tree)
    start: Any = rt.Method("start", sample.SCHEMAS, params=none, returns=sample.JOB)

    class ForestProxy:
        def __init__(self, link: rt.Link) -> None:
            self._link = link

        async def plant(self, ctx: rt.Context) -> Any:
            return await self._link.call_reference(plant, {}, ctx)

        async def start(self, ctx: rt.Context) -> Any:
            return await self._link.call_reference(start, {}, ctx)

    return rt.Singleton(
        id="forest", version=1, digest="", members=(plant, start), proxy=ForestProxy
    )


class Forest:
    def __init__(self, tree: Any) -> None:
        self.tree = tree

    async def plant(self, ctx: rt.Context) -> Any:
        del ctx
        return self.tree

    async def start(self, ctx: rt.Context) -> Any:
        del ctx
        return self.tree


async def check_stale(job: Any) -> None:
    with pytest.raises(StaleReference):
        await job.service.wait(BACKGROUND)


def test_closing_an_instance_ends_what_it_gave(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-4, REF-6."""

    async def test() -> None:
        wire = make_wire()
        dialogs = wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        dialog, job = sample.Catalogue(), Job(sample)
        dialog.job = job
        live = dialogs.spawn("a", dialog)
        given: list[Any] = []

        async def observe(instance: Any, ctx: rt.Context) -> None:
            given.append(await instance.service.start(ctx))

        wire.namespace.observe(sample.DIALOGS, observe)
        async with wire.connect():
            await sample.settle()
            (reference,) = given
            assert await reference.service.wait(BACKGROUND) == 7
            live.close()
            await sample.settle()
            assert job.released == 1
            await check_stale(reference)

    run(test)


@pytest.mark.parametrize("released", [False, True], ids=["as it was", "its tree was released"])
def test_what_a_reference_gave_ends_with_the_provider_of_all(
    make_wire: Any, run: Any, sample: Any, *, released: bool
) -> None:
    """REF-4: the release of a reference leaves what it has given."""

    async def test() -> None:
        wire = make_wire()
        token = make_tree(sample)
        job = Job(sample)
        tree = Tree(sample, job)
        wire.registry.provide(token, Forest(tree), scope="session")
        forest = wire.namespace.use(token)
        async with wire.connect():
            planted = await forest.plant(BACKGROUND)
            child = await planted.service.grow(BACKGROUND)
            if released:
                await planted.release()
            assert await child.service.wait(BACKGROUND) == 7
            wire.registry.replace(token, Forest(tree), scope="session")
            await sample.settle()
            assert (tree.released, job.released) == (1, 1)
            await check_stale(child)

    run(test)


def test_one_object_may_be_given_as_two_services(make_wire: Any, run: Any, sample: Any) -> None:
    """REF-8: identity is that of an object as one service."""

    async def test() -> None:
        wire = make_wire()
        token = make_tree(sample)
        tree = Tree(sample, Job(sample))
        wire.registry.provide(token, Forest(tree), scope="session")
        forest = wire.namespace.use(token)
        async with wire.connect():
            planted, job = await forest.plant(BACKGROUND), await forest.start(BACKGROUND)
            assert await forest.start(BACKGROUND) is job
            assert await job.service.wait(BACKGROUND) == 7
            await planted.release()
            await sample.settle()
            assert tree.released == 0
            assert await job.service.wait(BACKGROUND) == 7
            await job.release()
            await sample.settle()
            assert tree.released == 1

    run(test)


def test_a_reference_of_a_provider_that_ended_meanwhile_is_stale(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """REF-4, REF-6: the object that it would have led to is given up."""

    async def test() -> None:
        wire = make_wire()
        catalogue, go, job = wire.provide(), asyncio.Event(), Job(sample)

        async def start(ctx: rt.Context) -> Any:
            await ctx.wait(go.wait())
            return job

        catalogue.start = start
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            starting = asyncio.create_task(models.start(BACKGROUND))
            await sample.settle()
            wire.registry.withdraw(sample.MODELS, scope="session")
            go.set()
            with pytest.raises(ServiceError) as caught:
                await starting
            assert caught.value.code == "stale_reference"
            assert job.released == 1

    run(test)


def test_states_and_events_of_a_released_reference_are_stale(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """REF-4."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            reference = await models.start(BACKGROUND)
            await sample.settle()
            progress = reference.service.progress
            assert progress.value == 0
            await reference.release()
            assert (progress.ready, progress.last(-1)) == (False, 0)
            with pytest.raises(StaleReference, match="was released"):
                _ = progress.value
            with pytest.raises(StaleReference, match="was released"):
                progress.subscribe(print)

    run(test)
