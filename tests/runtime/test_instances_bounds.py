"""What a keyed service leaves behind: nothing, whoever comes and goes."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, StaleInstance
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.errors import Overflow, ServiceError
from pi_contracts.runtime.protocol import Limits
from runtime_dialogs import Watch, make, provide


def test_an_owner_that_spawns_without_end_is_followed_no_more(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """Nothing that a provider does makes its consumers keep more and more."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect(limits=Limits(instances=2)):
            for key in "abc":
                dialogs.spawn(key, make(sample))
                await sample.settle()
            assert watch.log == ["+a", "+b", "-a", "-b"]
            with pytest.raises(Overflow, match="more than 2 instances are live"):
                await wire.namespace.ready(BACKGROUND)

    run(test)


def test_a_state_of_an_instance_that_cannot_be_read_ends_the_observation(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            wire.link.to_client.inject(
                b'{"type":"update","id":1,"number":1,"member":"state",'
                b'"value":{"list":[],"list":[1]},"key":"a","generation":1}'
            )
            await sample.settle()
            assert watch.log == ["+a", "-a"]
            with pytest.raises(ServiceError, match="cannot be read"):
                await wire.namespace.ready(BACKGROUND)
            late = Watch()
            wire.namespace.observe(sample.DIALOGS, late)
            await sample.settle()
            assert late.log == []

    run(test)


def test_a_live_generation_may_be_replaced_by_a_greater_one_at_once(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-8: a replacement is an end and a beginning."""

    async def test() -> None:
        wire = make_wire()
        provide(wire, sample).spawn("a", make(sample))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            spawned = {"type": "spawned", "id": 1, "number": 1, "key": "a", "generation": 9}
            states = {"state": {"list": [4]}}
            wire.link.to_client.inject(json.dumps({**spawned, "states": states}).encode())
            await sample.settle()
            assert watch.log == ["+a", "-a", "+a"]
            assert watch.instances["a"].service.state.value == {"list": [4]}

    run(test)


def test_ten_thousand_instances_leave_nothing_behind(make_wire: Any, run: Any, sample: Any) -> None:
    """FLT-12: no table grows with the keys that were ever used."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        wire.namespace.observe(sample.DIALOGS, Watch())
        implementation = make(sample)
        async with wire.connect():
            for number in range(10_000):
                dialogs.spawn(f"k{number}", implementation).close()
                if number % 500 == 0:
                    await sample.settle(5)
            await sample.settle()
            (watcher,) = dialogs.watchers
            assert dialogs.live == {}
            assert dialogs.latest == 10_000
            outgoing = wire.pair.server.connection.served.subscriptions[1]
            assert (outgoing.slots, wire.pair.server.connection.waiting) == ({}, 0)
            assert implementation.state._channel._subscriptions == {}
            assert watcher is not None

    run(test)


def test_the_end_of_a_facet_ends_its_observers(make_wire: Any, run: Any, sample: Any) -> None:
    """KEY-23: and a binding that is detached ends every task."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        other = wire.binding.open_namespace()
        ended, kept = Watch(), Watch()
        other.observe(sample.DIALOGS, ended)
        wire.namespace.observe(sample.DIALOGS, kept)
        async with wire.connect():
            await sample.settle()
            other.close()
            await sample.settle()
            assert (ended.log, kept.log) == (["+a", "-a"], ["+a"])
            wire.binding.detach()
            await sample.settle()
            assert kept.log == ["+a", "-a"]
            assert wire.pair.server.connection.served.subscriptions == {}
            wire.namespace.close()

    run(test)


@pytest.mark.parametrize("late", [False, True], ids=["the first observer", "one that comes later"])
def test_no_handler_starts_while_states_are_lost(
    make_wire: Any, run: Any, sample: Any, *, late: bool
) -> None:
    """KEY-9: a gap may come between the snapshot and the handler's first step, or before it."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialog = make(sample, 1)
        dialogs.spawn("a", dialog)
        watch = Watch()
        gap = (
            b'{"type":"update","id":1,"number":9,"member":"state","value":{},'
            b'"key":"a","generation":1}'
        )
        if late:
            wire.namespace.observe(sample.DIALOGS, Watch())
        async with wire.connect():
            await sample.settle()
            if not late:
                wire.namespace.observe(sample.DIALOGS, watch)
                await asyncio.sleep(0)
                wire.link.to_client.hold()
                await sample.settle()
                wire.link.to_client.release(1)
            wire.link.to_client.hold()
            wire.link.to_client.inject(gap)
            if late:
                wire.namespace.observe(sample.DIALOGS, watch)
            await sample.settle()
            assert watch.log == []
            dialog.state.set({"list": [2]}, BACKGROUND)
            await sample.settle()
            wire.link.to_client.release()
            await sample.settle()
            assert watch.log == ["+a"]
            assert watch.values[0] in ({"list": [1]}, {"list": [2]})
            assert watch.instances["a"].service.state.value == {"list": [2]}
            assert len(wire.reported()) == 1

    run(test)


def test_observing_again_and_again_leaves_nothing(make_wire: Any, run: Any, sample: Any) -> None:
    """KEY-22: and one that has stopped is not waited for."""

    async def test() -> None:
        wire = make_wire()
        provide(wire, sample).spawn("a", make(sample))
        async with wire.connect():
            for _ in range(50):
                observer = wire.namespace.observe(sample.DIALOGS, Watch())
                await sample.settle()
                observer.close()
                observer.close()
                await wire.namespace.ready(BACKGROUND)
            await sample.settle()
            assert wire.namespace._observers == {}
            assert wire.binding._followers == {}
            assert wire.pair.server.connection.served.subscriptions == {}
        with pytest.raises(TypeError, match="a handler is a coroutine function"):
            wire.namespace.observe(sample.DIALOGS, None)
        assert wire.binding._followers == {}

    run(test)


def test_what_is_kept_of_an_instance_refuses_every_use_once_it_is_gone(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-24: for one observer that has stopped, while another goes on."""

    async def test() -> None:
        wire = make_wire()
        provide(wire, sample).spawn("a", make(sample, 1))
        stopped, going = Watch(), Watch()
        async with wire.connect():
            observer = wire.namespace.observe(sample.DIALOGS, stopped)
            wire.namespace.observe(sample.DIALOGS, going)
            await sample.settle()
            state = stopped.instances["a"].service.state
            observer.close()
            with pytest.raises(StaleInstance):
                _ = state.value
            with pytest.raises(StaleInstance):
                state.subscribe(lambda *_: None)
            assert going.instances["a"].service.state.value == {"list": [1]}
            await sample.settle()

    run(test)


@pytest.mark.parametrize("how", ["the observer", "the facet", "the connection"])
def test_what_is_closed_while_a_snapshot_is_taken_again_stays_closed(
    make_wire: Any, run: Any, sample: Any, how: str
) -> None:
    """KEY-23, STA-15: by the handler's own callback or by a listener of another instance."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        gone, kept = (dialogs.spawn(key, make(sample, 1)) for key in ("gone", "kept"))
        started: list[str] = []

        async def handle(instance: Any, ctx: rt.Context) -> None:
            started.append(instance.key)
            ctx.on_cancel(close)
            await asyncio.Event().wait()

        def close() -> None:
            if how == "the observer":
                observer.close()
            elif how == "the facet":
                wire.namespace.close()
            else:
                wire.binding.detach()

        observer = wire.namespace.observe(sample.DIALOGS, handle)
        async with wire.connect():
            await sample.settle()
            started.clear()
            wire.link.to_client.hold()
            gone.close()
            dialogs.spawn("new", make(sample, 2))
            await sample.settle()
            wire.link.to_client.drop()
            kept.exposure.implementation.state.set({"list": [7]}, BACKGROUND)
            wire.link.to_client.release()
            await sample.settle()
            assert len(wire.reported()) == 1  # the gap
            assert started == []
            assert all(not follower._live for follower in wire.binding._followers.values())
        wire.namespace.close()

    run(test)
