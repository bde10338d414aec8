"""Waiting until all is hydrated, and what handles of one process share."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancellation,
    Cancelled,
    Disconnected,
    ModeMismatch,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.errors import ContractMismatch
from runtime_tokens import alter


@pytest.mark.parametrize("acquired", ["before", "meanwhile"])
def test_ready_fails_with_any_that_fails_while_others_stay_cold(
    make_wire: Any, run: Any, sample: Any, acquired: str
) -> None:
    """SNG-17: nobody provides the first one; the second is of another version."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.namespace.use(alter(sample.MODELS, id="nobody"))
        bad = alter(sample.MODELS, version=2, digest="x")
        async with wire.connect(ready=False):
            if acquired == "before":
                wire.namespace.use(bad)
                await sample.settle()
            waiting = asyncio.create_task(wire.namespace.ready(BACKGROUND))
            await sample.settle()
            if acquired == "meanwhile":
                wire.namespace.use(bad)
            with pytest.raises(ContractMismatch):
                await waiting

    run(test)


def test_a_failure_after_a_wait_was_cancelled_is_nobodys(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-17: asyncio has nothing to complain of."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.namespace.use(alter(sample.MODELS, version=2, digest="x"))
        cancellation = Cancellation()
        waiting = asyncio.create_task(
            wire.namespace.ready(BACKGROUND.with_cancellation(cancellation))
        )
        await sample.settle()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await waiting
        async with wire.connect(ready=False):
            await sample.settle()
            gc.collect()

    run(test)


def test_ready_ends_with_its_facet(make_wire: Any, run: Any, sample: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.namespace.use(sample.MODELS)
        waiting = asyncio.create_task(wire.namespace.ready(BACKGROUND))
        await sample.settle()
        wire.namespace.close()
        with pytest.raises(Disconnected, match="the facet that waits has ended"):
            await waiting

    run(test)


def test_ready_waits_again_after_a_gap(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-17, STA-14: what is lost is not hydrated."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_client.hold()
            wire.link.to_client.inject(
                b'{"type":"update","id":1,"number":5,"member":"state","value":{"list":[]}}'
            )
            waiting = asyncio.create_task(wire.namespace.ready(BACKGROUND))
            await sample.settle()
            assert not waiting.done()
            wire.link.to_client.release()
            await waiting
            assert models.state.ready
            assert len(wire.reported()) == 1

    run(test)


def test_using_again_and_again_gives_the_same_handle(make_wire: Any, run: Any, sample: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        assert all(wire.namespace.use(sample.MODELS) is models for _ in range(10))
        assert wire.binding.open_namespace().use(sample.MODELS) is not models
        wire.namespace.close()
        assert list(wire.binding._users.values()) == [1]

    run(test)


def test_two_contracts_of_one_service_are_followed_apart(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-18: generated at different times, in one process, by two facets."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        seen: list[Any] = []

        class Older:
            def __init__(self, link: rt.Link) -> None:
                self.changed = link.events(sample.CHANGED)

        older = rt.Singleton(
            id="models", version=1, digest="older", members=(sample.CHANGED,), proxy=Older
        )
        first: Any = wire.namespace.use(older)
        second = wire.binding.open_namespace().use(sample.MODELS)
        first.changed.subscribe(lambda event, _: seen.append(event))
        async with wire.connect():
            await sample.settle()
            assert second.state.value == {"list": []}
            wire.catalogue.changed.emit({"type": "a"}, BACKGROUND)
            await sample.settle()
            assert seen == [{"type": "a"}]
            keyed = rt.Keyed(id="models", version=1, digest="k", members=(), proxy=Older)
            with pytest.raises(ModeMismatch, match="use has acquired it first"):
                wire.binding.open_namespace().observe(keyed, print)

    run(test)


def test_a_namespace_takes_tokens_of_the_mode_of_each_call(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TOK-9."""

    async def test() -> None:
        namespace = make_wire().namespace
        with pytest.raises(ModeMismatch, match='"dialogs" is keyed: use takes what is singleton'):
            namespace.use(sample.DIALOGS)
        with pytest.raises(ModeMismatch, match='"job" is referenced: use takes'):
            namespace.use(sample.JOB)
        with pytest.raises(ModeMismatch, match='"models" is singleton: observe takes what is'):
            namespace.observe(sample.MODELS, print)
        with pytest.raises(TypeError, match="observe takes the token of a service"):
            namespace.observe(None, print)

    run(test)


def test_changing_peers_leaves_nothing_at_the_one_that_was_left(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            client = wire.pair.client
            before = len(client._on_end)
            for _ in range(20):
                wire.binding.detach()
                wire.binding.attach(client)
                await wire.namespace.ready(BACKGROUND)
                async with await models.start(BACKGROUND):
                    pass
            assert len(client._on_end) == before
            assert client.held == {}
            await sample.settle()
            assert len(client.connection.followed) == 1

    run(test)


def test_what_is_no_context_is_refused_before_anything_is_sent(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-3, FLT-1."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            before = len(wire.link.frames)
            with pytest.raises(TypeError, match="expected a Context, found an object of type str"):
                await models.select("x", "y")
            assert len(wire.link.frames) == before

    run(test)
