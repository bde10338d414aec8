"""Singletons over a wire: handles that last, whatever happens to connection and provider."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancellation,
    Cancelled,
    Disconnected,
    InaccessibleView,
    NotHydrated,
    UnknownService,
)
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.protocol import Role
from runtime_tokens import alter


def test_a_handle_is_there_at_once_and_a_call_without_a_connection_fails(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-3, SNG-5, STA-3: nothing is queued, and nothing is sent later."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        with pytest.raises(Disconnected, match="there is no connection"):
            await models.select("x", BACKGROUND)
        assert not models.state.ready
        with pytest.raises(NotHydrated):
            _ = models.state.value
        seen = sample.Seen()
        models.state.subscribe(seen)
        assert seen == []
        async with wire.connect():
            await sample.settle()
            assert catalogue.calls == []
            assert seen == [{"list": []}]

    run(test)


def test_all_handles_of_a_token_share_one_replica_and_one_subscription(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-4, STA-11: handles are thin, one a facet, and a value is the same object in all."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        other = wire.binding.open_namespace()
        one, two, again = (
            wire.namespace.use(sample.MODELS),
            other.use(sample.MODELS),
            wire.namespace.use(sample.MODELS),
        )
        assert one is not two
        async with wire.connect():
            assert one.state.value is two.state.value is again.state.value
            assert wire.link.list_kinds(Role.CLIENT).count("subscribe") == 1
            other.close()
            other.close()
            wire.namespace.close()
            await sample.settle()
            assert wire.link.list_kinds(Role.CLIENT).count("unsubscribe") == 1
            assert wire.pair.server.connection.served.subscriptions == {}

    run(test)


def test_the_end_of_one_facet_leaves_the_handles_of_others(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-14: its subscriptions end with it, its calls fail."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        other = wire.binding.open_namespace()
        kept, ended = wire.namespace.use(sample.MODELS), other.use(sample.MODELS)
        seen, unseen = sample.Seen(), sample.Seen()
        async with wire.connect():
            kept.changed.subscribe(seen)
            ended.changed.subscribe(unseen)
            ended.changed.on("a", unseen)
            ended.state.subscribe(lambda value, _: unseen.append(value))
            await sample.settle()
            unseen.clear()
            other.close()
            catalogue.changed.emit({"type": "a"}, BACKGROUND)
            catalogue.state.set({"list": [1]}, BACKGROUND)
            await kept.refresh(BACKGROUND)
            assert (seen, unseen) == ([{"type": "a"}], [])
            with pytest.raises(Disconnected, match='the handle of "models" has ended'):
                await ended.refresh(BACKGROUND)
            with pytest.raises(InaccessibleView, match="its facet has ended"):
                other.use(sample.MODELS)

    run(test)


def test_handles_stay_the_same_over_a_reconnect(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-6, STA-17, STA-18, EVT-4, EVT-9, CTX-12: also captured methods and states."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        select, state, seen, events = models.select, models.state, sample.Seen(), sample.Seen()
        state.subscribe(seen)
        models.changed.subscribe(events)
        async with wire.connect():
            catalogue.state.set({"list": [1]}, BACKGROUND)
            catalogue.changed.emit({"type": "a"}, BACKGROUND)
            await select("x", BACKGROUND)
            await wire.pair.client.close()
            await sample.settle()
            assert not state.ready
            assert state.last(None) == {"list": [1]}
            assert not wire.binding.attached
            assert not catalogue.state._channel.wanted
            assert not catalogue.changed._channel.wanted
        catalogue.state.set({"list": [2]}, BACKGROUND)
        catalogue.changed.emit({"type": "b"}, BACKGROUND)
        async with wire.connect():
            assert state.value == {"list": [2]}
            catalogue.changed.emit({"type": "a", "n": 1}, BACKGROUND)
            assert await select("y", BACKGROUND) == "y"
            assert seen == [{"list": []}, {"list": [1]}, {"list": [2]}]
            assert events == [{"type": "a"}, {"type": "a", "n": 1}]

    run(test)


def test_a_binding_may_be_detached_and_attached_to_another_peer(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-6: a switch closes what it leaves; the connection goes on."""

    async def test() -> None:
        first, second = make_wire(), make_wire()
        first.provide()
        second.provide().state.set({"list": [2]}, BACKGROUND)
        models = first.namespace.use(sample.MODELS)
        models.changed.subscribe(sample.Seen())
        async with first.connect(), second.connect():
            await sample.settle()
            first.binding.attach(second.pair.client)
            await first.namespace.ready(BACKGROUND)
            assert models.state.value == {"list": [2]}
            assert first.pair.server.connection.served.subscriptions == {}
            assert first.pair.client.opened
            first.binding.detach()
            first.binding.detach()
            assert not models.state.ready
            with pytest.raises(Disconnected):
                await models.refresh(BACKGROUND)
            first.binding.attach(second.pair.client)
            first.binding.attach(second.pair.client)
            await first.namespace.ready(BACKGROUND)
            assert await models.select("x", BACKGROUND) == "x"

    run(test)


def test_a_peer_that_is_not_open_cannot_be_attached(make_wire: Any, run: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        async with wire.connect():
            await wire.pair.client.close()
            with pytest.raises(Disconnected):
                Binding().attach(wire.pair.client)

    run(test)


def test_the_end_of_a_peer_that_was_left_changes_nothing(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        first, second = make_wire(), make_wire()
        first.provide()
        second.provide()
        models = first.namespace.use(sample.MODELS)
        async with second.connect():
            async with first.connect():
                first.binding.attach(second.pair.client)
            await first.namespace.ready(BACKGROUND)
            assert await models.select("x", BACKGROUND) == "x"

    run(test)


def test_a_withdrawn_service_keeps_its_subscriptions(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-9: a later provider hydrates the same handle."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        events = sample.Seen()
        models.changed.subscribe(events)
        async with wire.connect():
            wire.registry.withdraw(sample.MODELS, scope="session")
            wire.registry.withdraw(sample.MODELS, scope="session")
            await sample.settle()
            assert not models.state.ready
            with pytest.raises(UnknownService):
                await models.refresh(BACKGROUND)
            later = sample.Catalogue()
            later.state.set({"list": [3]}, BACKGROUND)
            wire.registry.provide(sample.MODELS, later, scope="session")
            await wire.namespace.ready(BACKGROUND)
            assert models.state.value == {"list": [3]}
            later.changed.emit({"type": "b"}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert events == [{"type": "b"}]
            assert wire.link.list_kinds(Role.CLIENT).count("subscribe") == 2

    run(test)


def test_a_replaced_provider_leaves_no_gap_and_has_nothing_more_to_say(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-10, SNG-11."""

    async def test() -> None:
        wire = make_wire()
        old = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        seen, events = sample.Seen(), sample.Seen()
        models.state.subscribe(seen)
        models.changed.subscribe(events)
        async with wire.connect():
            new = sample.Catalogue()
            new.state.set({"list": [9]}, BACKGROUND)
            wire.registry.replace(sample.MODELS, new, scope="session")
            old.state.set({"list": [1]}, BACKGROUND)
            old.changed.emit({"type": "a"}, BACKGROUND)
            new.changed.emit({"type": "b"}, BACKGROUND)
            assert await models.select("x", BACKGROUND) == "x"
            assert (len(old.calls), len(new.calls)) == (0, 1)
            assert seen == [{"list": []}, {"list": [9]}]
            assert events == [{"type": "b"}]
            assert "unavailable" not in wire.link.list_kinds()
            assert models.state.ready

    run(test)


def test_services_are_acquired_during_setup(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-2."""

    async def test() -> None:
        wire = make_wire()
        wire.namespace.use(sample.MODELS)
        wire.namespace.seal("@pi/models:tui")
        wire.namespace.use(sample.MODELS)
        with pytest.raises(InaccessibleView) as caught:
            wire.namespace.observe(sample.DIALOGS, lambda *_: None)
        assert str(caught.value) == (
            '"dialogs" cannot be used: @pi/models:tui calls observe after its setup;'
            " acquire services in setup"
        )

    run(test)


def test_ready_waits_for_what_is_acquired_meanwhile(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-17."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.namespace.use(sample.MODELS)
        waiting = asyncio.create_task(wire.namespace.ready(BACKGROUND))
        await sample.settle()
        later = wire.namespace.use(alter(sample.MODELS, id="later"))
        async with wire.connect(ready=False):
            await sample.settle()
            assert not waiting.done()
            implementation = sample.Catalogue()
            wire.registry.provide(alter(sample.MODELS, id="later"), implementation, scope="session")
            await waiting
            assert later.state.ready

    run(test)


def test_cancelling_a_wait_ends_only_that_wait(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-17, CTX-4."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.namespace.use(sample.MODELS)
        cancellation = Cancellation()
        one = asyncio.create_task(wire.namespace.ready(BACKGROUND.with_cancellation(cancellation)))
        two = asyncio.create_task(wire.namespace.ready(BACKGROUND))
        await sample.settle()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await one
        async with wire.connect():
            await two

    run(test)


def test_a_proxy_has_the_members_of_its_table_and_no_others(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-3, CON-15, STA-2: a call without a Context sends nothing."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            before = len(wire.link.frames)
            for name in ("select_all", "__len__", "act"):
                assert not hasattr(models, name)
            assert not hasattr(models.state, "set")
            with pytest.raises(TypeError):
                await models.select("x")
            assert len(wire.link.frames) == before

    run(test)


def test_the_member_table_is_announced_sorted_by_name(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-7."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.namespace.use(sample.MODELS)
        async with wire.connect():
            (snapshot,) = [
                frame.content for frame in wire.link.frames if frame.content["type"] == "snapshot"
            ]
            assert list(snapshot["members"].items()) == [
                ("changed", "events"),
                ("refresh", "method"),
                ("selectModel", "method"),
                ("start", "method"),
                ("state", "state"),
            ]

    run(test)
