"""Other people's bug reports about runtimes of this kind: each cannot happen here.

Most are tested where their module is; what needs more than one of them stands here.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, Disconnected, NotAuthorized
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import CLIENT, Cancellation
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.protocol.framing import add_header
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import FakeClock, connect_pair, settle
from pi_contracts.runtime.transports.memory import make_memory_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import ModuleType

    from pi_contracts.runtime import generated as rt

TESTS = Path(__file__).resolve().parents[1]
FILE = (TESTS / ".." / ".." / "shared" / "cases" / "runtime.json").resolve()


def test_every_case_is_named_by_a_test() -> None:
    if not FILE.is_file():
        pytest.skip("the shared cases are not beside us")
    text = "".join(file.read_text("utf-8") for file in TESTS.rglob("*.py"))
    cases = [case["id"] for case in json.loads(FILE.read_bytes())]
    assert [case for case in cases if case not in text] == []


@pytest.fixture(scope="module")
def sample() -> ModuleType:
    """Give the sample service of the runtime's tests."""
    name = "sample_service_of_the_runtime"
    spec = importlib.util.spec_from_file_location(name, TESTS / "runtime" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run *main*; anything that the loop complains of fails the test."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        await main()

    asyncio.run(watched())
    assert complaints == []


def test_a_provider_that_dies_fails_each_of_its_calls_once(sample: Any) -> None:
    """r-dis-05: and both clients go on with the next provider."""

    async def test() -> None:
        bindings = [Binding() for _ in range(2)]
        services = [binding.open_namespace().use(sample.MODELS) for binding in bindings]
        for attempt in range(2):
            registry, catalogue = Registry(), sample.Catalogue()
            registry.provide(sample.MODELS, catalogue)
            async with (
                connect_pair(server=registry) as one,
                connect_pair(server=registry) as two,
            ):
                bindings[0].attach(one.client)
                bindings[1].attach(two.client)
                if attempt:
                    results = [await service.select("x", BACKGROUND) for service in services]
                    assert results == ["x", "x"]
                    break
                catalogue.act = lambda *_: asyncio.Event().wait()
                calls = [
                    asyncio.create_task(service.select("x", BACKGROUND)) for service in services
                ]
                await settle()
                for pair in (one, two):
                    pair.link.end(ConnectionResetError("killed"))
                outcomes = await asyncio.gather(*calls, return_exceptions=True)
                assert [type(outcome) for outcome in outcomes] == [Disconnected] * 2

    run(test)


def test_an_owner_may_close_the_instances_of_a_client_that_has_left(sample: Any) -> None:
    """r-key-05: they belong to the owner, who hears of the end of each link."""

    async def test() -> None:
        registry = Registry()
        dialogs = registry.provide_keyed(sample.DIALOGS)
        ended: list[str] = []

        async def handle(instance: Any, _: rt.Context) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(instance.key)

        observer = registry.open_local()
        observer.observe(sample.DIALOGS, handle)
        async with connect_pair(server=registry) as pair:
            instances = [dialogs.spawn(key, sample.Catalogue()) for key in "abc"]
            pair.server.on_end(lambda _: [instance.close() for instance in instances])
            await settle()
            pair.link.end(ConnectionResetError("killed"))
            await settle()
        assert dialogs.live == {}
        assert sorted(ended) == ["a", "b", "c"]
        observer.close()

    run(test)


def test_half_a_message_and_then_silence_is_given_up(sample: Any) -> None:
    """r-fra-07: nobody else is slowed, and what was kept of it is gone with its peer."""

    async def test() -> None:
        registry, clock = Registry(), FakeClock()
        registry.provide(sample.MODELS, sample.Catalogue())
        half, end = make_memory_pair()
        server = Peer(end, Role.SERVER, registry=registry, clock=clock)
        client = Peer(half, Role.CLIENT, clock=clock)
        server.start()
        await client.open(BACKGROUND)
        half.send([add_header(b"x" * 100_000)[:50_000]])
        client.connection.pause()  # it says nothing more, not even to a ping
        async with connect_pair(server=registry) as other:
            binding = Binding()
            models = binding.open_namespace().use(sample.MODELS)
            binding.attach(other.client)
            await settle()
            assert await models.select("x", BACKGROUND) == "x"
            limits = server.connection.limits
            await clock.advance(limits.ping_interval + limits.ping_timeout + 1)
            assert not server.opened
            assert server.ending is not None
            assert "no sign of life" in server.ending.message
            assert await models.select("y", BACKGROUND) == "y"
        await clock.advance(10)
        await client.close()

    run(test)


def test_two_parts_of_a_state_are_seen_together(sample: Any) -> None:
    """r-ord-04."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        binding = Binding()
        models = binding.open_namespace().use(sample.MODELS)
        seen: list[Any] = []
        models.state.subscribe(lambda value, _: seen.append(value["list"]))
        async with connect_pair(server=registry) as pair:
            binding.attach(pair.client)
            for number in range(1000):
                catalogue.state.set({"list": [number, number]}, BACKGROUND)
                if number % 7 == 0:
                    await asyncio.sleep(0)
            await settle()
            assert seen[-1] == [999, 999]
            assert all(len(set(pair)) <= 1 for pair in seen)

    run(test)


def test_work_that_outlives_its_call_has_a_controller_of_its_own(sample: Any) -> None:
    """CTX-14, REF-9: cancelling or losing the call does not touch it."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        binding = Binding()
        models = binding.open_namespace().use(sample.MODELS)
        owned, done = Cancellation(), asyncio.Event()
        tasks: list[asyncio.Task[None]] = []

        async def work(ctx: rt.Context) -> None:
            await ctx.wait(done.wait())

        async def start() -> str:
            tasks.append(asyncio.create_task(work(BACKGROUND.with_cancellation(owned))))
            await asyncio.Event().wait()
            return "never"

        catalogue.act = lambda *_: start()
        async with connect_pair(server=registry) as pair:
            binding.attach(pair.client)
            call = asyncio.create_task(models.select("x", BACKGROUND))
            await settle()
            call.cancel()
            await settle()
        assert not tasks[0].done()
        done.set()
        await tasks[0]

    run(test)


def test_a_method_authorizes_whatever_the_client_shows(sample: Any) -> None:
    """SEC-5: a proxy that hides a method hides it from its user, and from nobody else."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()

        def act(_model: Any, _force: Any, ctx: rt.Context) -> str:
            if ctx.get(CLIENT) != "owner":
                raise NotAuthorized
            return "done"

        catalogue.act = act
        registry.provide(sample.MODELS, catalogue)
        for identity, code in (("guest", "not_authorized"), ("owner", None)):

            async def authenticate(*_: Any, who: str = identity) -> str:
                return who

            async with connect_pair(server=registry, authenticate=authenticate) as pair:
                answer: Any = await pair.client.calls.call(
                    "models", "selectModel", b'{"modelId":"x"}', BACKGROUND, {"service": "models"}
                )
                assert getattr(getattr(answer, "error", None), "code", None) == code

    run(test)
