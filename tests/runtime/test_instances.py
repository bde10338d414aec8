"""Keyed services over a wire: instances appear whole, and end for good."""

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
from pi_contracts.runtime.errors import ContractMismatch
from pi_contracts.runtime.protocol import Role
from runtime_dialogs import Watch, make, provide
from runtime_tokens import alter


def test_observers_see_what_is_live_then_what_comes_and_goes_in_order(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-6, KEY-7, KEY-8, KEY-9, KEY-10, KEY-20: each instance with all of its states."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        for key, number in (("b", 2), ("é", 3), ("a", 1), ("B", 4)):
            dialogs.spawn(key, make(sample, number))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            assert watch.log == ["+B", "+a", "+b", "+é"]
            assert {"list": [1]} in watch.values
            one = dialogs.spawn("c", make(sample, 5))
            await sample.settle()
            one.close()
            one.close()
            await sample.settle()
            again = dialogs.spawn("c", make(sample, 6))
            await sample.settle()
            assert watch.log[4:] == ["+c", "-c", "+c"]
            assert again.generation == one.generation + 1
        await sample.settle()
        assert sorted(watch.log[7:]) == ["-B", "-a", "-b", "-c", "-é"]

    run(test)


def test_an_update_reaches_its_instance_and_no_other(make_wire: Any, run: Any, sample: Any) -> None:
    """EVT-11, KEY-16: events too."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        one, two = make(sample, 1), make(sample, 2)
        dialogs.spawn("a", one)
        dialogs.spawn("b", two)
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            heard = {key: sample.Seen() for key in "ab"}
            for key, instance in watch.instances.items():
                instance.service.changed.subscribe(heard[key])
            await sample.settle()
            one.state.set({"list": [9]}, BACKGROUND)
            two.changed.emit({"type": "b"}, BACKGROUND)
            await sample.settle()
            values = {key: one.service.state.value for key, one in watch.instances.items()}
            assert values == {"a": {"list": [9]}, "b": {"list": [2]}}
            assert heard == {"a": [], "b": [{"type": "b"}]}
            assert await watch.instances["b"].service.select("x", BACKGROUND) == "x"
            assert (len(one.calls), len(two.calls)) == (0, 1)

    run(test)


def test_closing_an_instance_ends_its_task_and_refuses_new_calls(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-11, KEY-15, KEY-24, r-key-01, r-key-03: a call that was admitted returns."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        go_on = asyncio.Event()
        old, new = make(sample, 1), make(sample, 2)

        async def wait() -> str:
            await go_on.wait()
            return "done"

        old.act = lambda *_: wait()
        opened = dialogs.spawn("k", old)
        dialogs.spawn("other", make(sample, 3))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            instance = watch.instances["k"]
            service = instance.service
            heard: Any = service.changed.subscribe(sample.Seen())
            running = asyncio.create_task(service.select("x", BACKGROUND))
            await sample.settle()
            opened.close()
            dialogs.spawn("k", new)
            await sample.settle()
            with pytest.raises(StaleInstance):
                await service.refresh(BACKGROUND)
            go_on.set()
            assert await running == "done"
            assert new.calls == []
            assert watch.log[-2:] == ["-k", "+k"]
            assert "-other" not in watch.log
            with pytest.raises(StaleInstance, match='the instance "k" is gone'):
                _ = instance.service
            assert heard.closed
            assert not old.changed._channel.wanted
            assert not old.state._channel.wanted

    run(test)


def test_an_instance_that_is_gone_at_the_provider_answers_before_the_news_arrives(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-14, KEY-18."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        opened = dialogs.spawn("k", make(sample))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            service = watch.instances["k"].service
            wire.link.to_client.hold()
            opened.close()
            dialogs.spawn("k", make(sample))
            call = asyncio.create_task(service.refresh(BACKGROUND))
            listener: Any = service.changed.subscribe(sample.Seen())
            await sample.settle()
            wire.link.to_client.release()
            with pytest.raises(StaleInstance):
                await call
            await sample.settle()
            assert listener.closed

    run(test)


def test_a_subscription_opens_with_the_first_observer_and_closes_with_the_last(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """KEY-22, KEY-23, KEY-28: a late observer has what is live already."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        async with wire.connect():
            one, two = Watch(), Watch()
            first = wire.namespace.observe(sample.DIALOGS, one)
            await sample.settle()
            second = wire.namespace.observe(sample.DIALOGS, two)
            await sample.settle()
            assert (one.log, two.log) == (["+a"], ["+a"])
            assert wire.link.list_kinds(Role.CLIENT).count("subscribe") == 1
            first.close()
            first.close()
            await sample.settle()
            assert (one.log, two.log) == (["+a", "-a"], ["+a"])
            second.close()
            await sample.settle()
            assert wire.pair.server.connection.served.subscriptions == {}
            assert dialogs.watchers == {}
            assert list(dialogs.live) == ["a"]  # KEY-26: the owner decides
            third = Watch()
            wire.namespace.observe(sample.DIALOGS, third)
            await sample.settle()
            assert third.log == ["+a"]
            assert wire.link.list_kinds(Role.CLIENT).count("subscribe") == 2

    run(test)


def test_a_disconnect_ends_every_task_and_a_reconnect_begins_anew(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-20, CTX-12: by the same registration."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
        await sample.settle()
        assert watch.log == ["+a", "-a"]
        assert dialogs.watchers == {}
        async with wire.connect():
            await sample.settle()
            assert watch.log == ["+a", "-a", "+a"]

    run(test)


def test_after_a_gap_what_is_still_live_goes_on(make_wire: Any, run: Any, sample: Any) -> None:
    """STA-15: what was missed comes and goes with the new snapshot."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        kept = make(sample, 1)
        dialogs.spawn("kept", kept)
        gone = dialogs.spawn("gone", make(sample, 2))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            wire.link.to_client.hold()
            gone.close()
            dialogs.spawn("new", make(sample, 3))
            await sample.settle()
            wire.link.to_client.drop()
            kept.state.set({"list": [7]}, BACKGROUND)
            wire.link.to_client.release()
            await sample.settle()
            assert len(wire.reported()) == 1
            assert watch.log == ["+gone", "+kept", "-gone", "+new"]
            assert watch.instances["kept"].service.state.value == {"list": [7]}

    run(test)


def test_a_withdrawn_keyed_service_ends_what_it_had(make_wire: Any, run: Any, sample: Any) -> None:
    """KEY-5, SNG-9: its next owner goes on from there."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            dialogs.close()
            await sample.settle()
            assert watch.log == ["+a", "-a"]
            provide(wire, sample).spawn("b", make(sample))
            await sample.settle()
            assert watch.log == ["+a", "-a", "+b"]

    run(test)


def test_a_contract_that_does_not_fit_fails_the_observation(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-7: at either side."""

    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialogs.spawn("a", make(sample))
        other = alter(sample.DIALOGS, kind=rt.Keyed, version=2, digest="x")
        watch = Watch()
        wire.namespace.observe(other, watch)
        async with wire.connect(ready=False):
            with pytest.raises(ContractMismatch):
                await wire.namespace.ready(BACKGROUND)
            assert watch.log == []
        claimed = make_wire()
        claimed.namespace.observe(sample.DIALOGS, watch)
        async with claimed.connect(ready=False):
            snapshot = {"type": "snapshot", "id": 1, "version": 2, "digest": "x", "members": {}}
            text = json.dumps({**snapshot, "instances": []}).encode()
            claimed.link.to_client.inject(text)
            with pytest.raises(ContractMismatch):
                await claimed.namespace.ready(BACKGROUND)

    run(test)


def test_a_slow_reader_gets_the_last_value_before_the_end(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        dialogs = provide(wire, sample)
        dialog = make(sample, 1)
        live = dialogs.spawn("a", dialog)
        watch = Watch()
        wire.namespace.observe(sample.DIALOGS, watch)
        async with wire.connect():
            await sample.settle()
            wire.link.to_client.hold(pause=True)
            for number in (2, 3):
                dialog.state.set({"list": [number]}, BACKGROUND)
            live.close()
            wire.link.to_client.release()
            await sample.settle()
            assert watch.log == ["+a", "-a"]
            assert watch.values[-1] == {"list": [3]}

    run(test)
