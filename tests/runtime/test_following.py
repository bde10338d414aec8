"""States over a wire: snapshot, updates, gaps, slow readers."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw
from pi_contracts.runtime import (
    BACKGROUND,
    TRACE,
    Cancellation,
    ContractViolation,
    NotHydrated,
    ProtocolError,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.protocol.messages import Closed, ErrorEnvelope, Event, Update

if TYPE_CHECKING:
    from collections.abc import Callable


def lists(*numbers: int) -> list[Any]:
    return [{"list": [number]} for number in numbers]


def sent(wire: Any, kind: str) -> list[dict[str, Any]]:
    return [one.content for one in wire.link.frames if one.content["type"] == kind]


def test_who_subscribes_early_sees_the_snapshot_and_then_every_update(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-4, STA-5, STA-7, STA-25: equal values too, and nothing twice."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        early, late = sample.Seen(), sample.Seen()
        models.state.subscribe(early)
        async with wire.connect():
            for value in lists(1, 2, 2):
                state.set(value, BACKGROUND)
            await models.refresh(BACKGROUND)
            models.state.subscribe(late)
            assert early == [{"list": []}, *lists(1, 2, 2)]
            assert late == lists(2)

    run(test)


def test_a_change_while_the_subscription_opens_is_not_lost(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-6, r-hyd-01, r-hyd-03: and each value comes once."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.state.subscribe(seen)
        async with wire.connect(ready=False):
            for number in range(100):
                state.set({"list": [number]}, BACKGROUND)
                await asyncio.sleep(0)
            await models.refresh(BACKGROUND)
            numbers = [value["list"][0] for value in seen if value["list"]]
            assert numbers == sorted(set(numbers))
            assert models.state.value == state.value == {"list": [99]}

    run(test)


def test_an_answer_never_overtakes_the_update_before_it(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-9: nor the other way about."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)

        def act(model: Any, _force: Any, ctx: rt.Context) -> str:
            catalogue.state.set({"list": [int(model)]}, ctx)
            return model

        catalogue.act = act
        async with wire.connect():
            for number in range(20):
                await models.select(str(number), BACKGROUND)
                assert models.state.value == {"list": [number]}

    run(test)


def test_a_value_outside_the_schema_changes_nothing_anywhere(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-13, STA-28, CON-9, r-non-05."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.state.subscribe(seen)
        async with wire.connect():
            for bad in ({"list": ["x"]}, {"list": [float("nan")]}, None, rt.UNSET):
                with pytest.raises(ContractViolation):
                    state.set(bad, BACKGROUND)
            state.set({"list": [1]}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert seen == [{"list": []}, *lists(1)]
            assert [one["number"] for one in sent(wire, "update")] == [1]

    run(test)


def test_a_delivery_has_the_trace_of_its_cause_and_nothing_else_of_it(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-8, STA-9, STA-10: a writer that was cancelled cancels no delivery."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        seen: list[tuple[Any, bool]] = []
        models.state.subscribe(lambda _, ctx: seen.append((ctx.get(TRACE), ctx.cancelled)))
        async with wire.connect():
            cancellation = Cancellation()
            ctx = BACKGROUND.with_value(TRACE, {"traceparent": "1"})
            cancellation.cancel()
            state.set({"list": [1]}, ctx.with_cancellation(cancellation))
            await models.refresh(BACKGROUND)
            assert seen == [(None, False), ({"traceparent": "1"}, False)]

    run(test)


def test_listeners_over_a_wire_are_apart_from_each_other(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-21, STA-22, STA-23, STA-24, r-lis-05."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        first, second = sample.Seen(), sample.Seen()

        def fail(*_: Any) -> None:
            raise RuntimeError("mine")

        async with wire.connect():
            failing = models.state.subscribe(fail)
            assert len(wire.reported()) == 1
            one, two = models.state.subscribe(first), models.state.subscribe(first)
            models.state.subscribe(second)
            state.subscribe(
                lambda value, ctx: state.set({"list": [2]}, ctx) if value == {"list": [1]} else None
            )
            state.set({"list": [1]}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert len(wire.reported()) == 2
            assert second == [{"list": []}, *lists(1, 2)]
            assert first == [{"list": []}] * 2 + [{"list": [1]}] * 2 + [{"list": [2]}] * 2
            one.close()
            one.close()
            two.close()
            failing.close()
            state.set({"list": [3]}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert len(first) == 6

    run(test)


GAPS: dict[str, Callable[[Any], None]] = {
    "a lost update": lambda direction: direction.drop(),
    "a repeated update": lambda direction: direction.repeat(),
}


@pytest.mark.parametrize("break_off", GAPS.values(), ids=GAPS)
def test_after_a_gap_the_replica_recovers_by_itself(
    make_wire: Any, run: Any, sample: Any, break_off: Callable[[Any], None]
) -> None:
    """STA-14, STA-15, FLT-7: it is reported, and no value computed after it is delivered."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.state.subscribe(seen)
        async with wire.connect():
            wire.link.to_client.hold()
            for number in (1, 2, 3):
                state.set({"list": [number]}, BACKGROUND)
                await sample.settle()
            break_off(wire.link.to_client)
            wire.link.to_client.release(2)
            assert not models.state.ready
            with pytest.raises(NotHydrated):
                _ = models.state.value
            assert len(wire.reported()) == 1
            wire.link.to_client.release()
            await sample.settle()
            assert models.state.value == {"list": [3]}
            assert seen[-1] == {"list": [3]}
            assert seen.count({"list": [3]}) == 1
            state.set({"list": [4]}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert seen[-1] == {"list": [4]}

    run(test)


def test_a_second_gap_before_the_new_snapshot_ends_the_binding_of_the_service(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-15: with an error, until there is another connection."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        update = {"type": "update", "id": 1, "number": 7, "member": "state", "value": {"list": []}}
        async with wire.connect():
            wire.link.to_client.hold()
            wire.link.to_client.inject(json.dumps(update).encode())
            await sample.settle()
            wire.link.to_client.inject(json.dumps({**update, "id": 2, "number": 1}).encode())
            wire.link.to_client.release()
            await sample.settle()
            assert len(wire.reported()) == 1
            with pytest.raises(ProtocolError):
                _ = models.state.value
            with pytest.raises(ProtocolError):
                await models.refresh(BACKGROUND)
            assert wire.pair.client.opened
        async with wire.connect():
            assert models.state.value == {"list": []}

    run(test)


def test_a_reader_that_does_not_read_gets_the_latest_value_in_the_end(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """STA-29: what waits for it is one value, whatever was set meanwhile."""

    async def test() -> None:
        wire = make_wire()
        state = wire.provide().state
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.state.subscribe(seen)
        async with wire.connect():
            wire.link.to_client.hold(pause=True)
            for number in range(1000):
                state.set({"list": [number]}, BACKGROUND)
            await sample.settle()
            assert wire.link.to_client.waiting == ()
            assert wire.pair.server.connection.waiting == 1
            wire.link.to_client.release()
            await sample.settle()
            assert seen == [{"list": []}, *lists(999)]

    run(test)


def test_two_states_change_apart_from_each_other(make_wire: Any, run: Any, sample: Any) -> None:
    """STA-26: what did not change is not sent again."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(), await models.start(BACKGROUND) as job:
            await sample.settle()
            before = len(wire.link.frames)
            catalogue.state.set({"list": [1]}, BACKGROUND)
            await sample.settle()
            assert wire.link.list_kinds(Role.SERVER)[-1] == "update"
            assert len(wire.link.frames) == before + 1
            assert job.service.progress.value == 0

    run(test)


def test_what_arrives_together_with_a_leave_is_late(make_wire: Any, run: Any, sample: Any) -> None:
    """STA-24: nobody hears of it, and it breaks nothing."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        models = wire.namespace.use(sample.MODELS)
        observer = wire.namespace.observe(sample.DIALOGS, lambda *_: None)
        events = sample.Seen()
        listening = models.changed.subscribe(events)
        async with wire.connect():
            await sample.settle()
            followers = list(wire.binding._followers.values())
            hub = followers[0].target.get_hub(sample.CHANGED)
            listening.close()
            observer.close()
            wire.namespace.close()
            late = [
                Update(1, 1, "state", Raw(b'{"list":[1]}')),
                Closed(2, 1, "gone", 1),
                Event(3, 1, Raw(b'{"type":"a"}')),
            ]
            for follower in (*followers, hub):
                for message in late:
                    follower.take(message)
                follower.take_end(ErrorEnvelope("overflow", "late"))
            assert [follower.target.failure for follower in followers] == [None, None]
            assert models.state.last(None) == {"list": []}
            assert events == []

    run(test)
