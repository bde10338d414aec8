"""Events over a wire: in order, never twice, never again, never without bound."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, TRACE, ContractViolation, Overflow
from pi_contracts.runtime.protocol import Limits, Role


def make(number: int) -> dict[str, Any]:
    return {"type": "a", "n": number}


def test_events_arrive_in_order_and_are_filtered_at_the_consumer(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """EVT-2, EVT-3, EVT-6."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        everything, some = sample.Seen(), sample.Seen()
        async with wire.connect():
            models.changed.subscribe(everything)
            models.changed.on("b", some)
            await sample.settle()
            for number in range(1000):
                changed.emit({"type": "ab"[number % 2], "n": number}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert [event["n"] for event in everything] == list(range(1000))
            assert [event["n"] for event in some] == list(range(1, 1000, 2))

    run(test)


def test_a_coroutine_listener_has_one_event_at_a_time_in_order(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """EVT-3, r-ord-02."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        started: list[int] = []
        rng = random.Random(1)

        async def listen(event: Any, _: Any) -> None:
            started.append(event["n"])
            for _ in range(rng.randint(0, 3)):
                await asyncio.sleep(0)

        async with wire.connect():
            models.changed.subscribe(listen)
            await sample.settle()
            for number in range(1000):
                changed.emit(make(number), BACKGROUND)
            for _ in range(100):
                await sample.settle()
            assert started == list(range(1000))

    run(test)


def test_a_bad_event_is_raised_where_it_is_emitted(make_wire: Any, run: Any, sample: Any) -> None:
    """EVT-1."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.changed.subscribe(seen)
        async with wire.connect():
            with pytest.raises(ContractViolation):
                changed.emit({"type": "c"}, BACKGROUND)
            await models.refresh(BACKGROUND)
            assert seen == []

    run(test)


def test_nobody_pays_for_events_that_nobody_hears(make_wire: Any, run: Any, sample: Any) -> None:
    """EVT-7, EVT-9, STA-24: the first listener subscribes, the last one unsubscribes."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            changed.emit(make(1), BACKGROUND)
            assert not changed._channel.wanted
            one, two = (models.changed.subscribe(sample.Seen()) for _ in range(2))
            await sample.settle()
            assert len(changed._channel._subscriptions) == 1
            assert wire.link.list_kinds(Role.CLIENT).count("subscribe") == 2
            one.close()
            await sample.settle()
            assert changed._channel.wanted
            two.close()
            two.close()
            await sample.settle()
            assert not changed._channel.wanted
            changed.emit(make(2), BACKGROUND)
            await sample.settle()
            assert "event" not in wire.link.list_kinds()

    run(test)


def test_a_new_listener_sees_only_what_is_emitted_from_then_on(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """EVT-4, EVT-5: what races the subscription is neither lost nor doubled once it is active."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect():
            changed.emit(make(0), BACKGROUND)
            models.changed.subscribe(seen)
            wire.link.to_client.hold()
            await sample.settle()
            changed.emit(make(1), BACKGROUND)
            changed.emit(make(2), BACKGROUND)
            wire.link.to_client.release()
            await sample.settle()
            assert seen == [make(1), make(2)]

    run(test)


def test_an_event_has_the_trace_of_its_cause(make_wire: Any, run: Any, sample: Any) -> None:
    """EVT-8."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen: list[Any] = []
        models.changed.subscribe(lambda _, ctx: seen.append(ctx.get(TRACE)))
        async with wire.connect():
            changed.emit(make(1), BACKGROUND.with_value(TRACE, {"traceparent": "1"}))
            changed.emit(make(2), BACKGROUND)
            await models.refresh(BACKGROUND)
            assert seen == [{"traceparent": "1"}, None]

    run(test)


def test_a_listener_that_fails_hurts_only_itself(make_wire: Any, run: Any, sample: Any) -> None:
    """EVT-13, r-lis-01, r-lis-03: and one that is closed by another hears nothing more."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        kept, closed = sample.Seen(), sample.Seen()

        def fail(*_: Any) -> None:
            raise RuntimeError("mine")

        async with wire.connect():
            models.changed.subscribe(fail)
            models.changed.subscribe(lambda *_: later.close())
            later = models.changed.subscribe(closed)
            models.changed.subscribe(kept)
            await sample.settle()
            changed.emit(make(1), BACKGROUND)
            changed.emit(make(2), BACKGROUND)
            await models.refresh(BACKGROUND)
            reported = wire.reported()
            assert len(reported) == 2
            assert all('the events "changed"' in text for text in reported)
            assert (kept, closed) == ([make(1), make(2)], [])

    run(test)


def test_a_reader_that_is_too_slow_is_told_what_it_missed(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """EVT-10, FLT-9, r-slo-02: its subscription ends with overflow; others go on."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect(limits=Limits(waiting_events=10)):
            subscription: Any = models.changed.subscribe(seen)
            await sample.settle()
            wire.link.to_client.hold(pause=True)
            for number in range(10_000):
                changed.emit(make(number), BACKGROUND)
            assert wire.pair.server.connection.waiting < 30
            assert not changed._channel.wanted
            wire.link.to_client.release()
            await sample.settle()
            assert subscription.closed
            assert isinstance(subscription.failure, Overflow)
            (text,) = wire.reported()
            assert text.startswith('the subscription of the events "changed" has ended')
            again = sample.Seen()
            models.changed.subscribe(again)
            await sample.settle()
            changed.emit(make(1), BACKGROUND)
            await models.refresh(BACKGROUND)
            assert again == [make(1)]

    run(test)


def test_a_burst_to_a_reader_that_keeps_up_never_overflows(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect(limits=Limits(waiting_events=100)):
            models.changed.subscribe(seen)
            await sample.settle()
            for number in range(5000):
                changed.emit(make(number), BACKGROUND)
            await models.refresh(BACKGROUND)
            assert len(seen) == 5000

    run(test)


def test_lost_events_are_reported_and_later_ones_arrive(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """EVT-10: never a silent loss."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect():
            models.changed.subscribe(seen)
            await sample.settle()
            wire.link.to_client.hold()
            for number in (1, 2):
                changed.emit(make(number), BACKGROUND)
                await sample.settle()
            wire.link.to_client.drop()
            wire.link.to_client.release()
            await sample.settle()
            assert len(wire.reported()) == 1
            changed.emit(make(3), BACKGROUND)
            await models.refresh(BACKGROUND)
            assert seen == [make(3)]

    run(test)


def test_an_event_that_cannot_be_read_is_reported(make_wire: Any, run: Any, sample: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect():
            models.changed.subscribe(seen)
            await sample.settle()
            text = b'{"type":"event","id":2,"number":1,"value":{"type":"a","type":"b"}}'
            wire.link.to_client.inject(text)
            assert seen == []
            (reported,) = wire.reported()
            assert reported.startswith('an event of "changed" cannot be read')

    run(test)


def test_a_listener_may_close_the_link_while_more_events_are_there(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """r-clo-03: no listener runs after the close."""

    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        heard, endings = sample.Seen(), sample.Seen()

        async def close(event: Any, _: Any) -> None:
            heard.append(event)
            await wire.pair.client.close()

        async with wire.connect():
            wire.pair.client.on_end(endings.append)
            models.changed.subscribe(close)
            other = sample.Seen()
            models.changed.subscribe(other)
            await sample.settle()
            wire.link.to_client.hold()
            for number in (1, 2, 3):
                changed.emit(make(number), BACKGROUND)
            await sample.settle()
            wire.link.to_client.release(3)
            await sample.settle()
            assert heard == [make(1)]
            assert len(endings) == 1
            assert len(other) <= 3

    run(test)


def test_frames_of_events_are_json_of_the_contract(make_wire: Any, run: Any, sample: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        changed = wire.provide().changed
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            models.changed.subscribe(sample.Seen())
            await sample.settle()
            changed.emit(make(1), BACKGROUND)
            await sample.settle()
            last = json.loads(wire.link.frames[-1].text)
            assert last == {"type": "event", "id": 2, "number": 1, "value": make(1)}

    run(test)


def test_an_event_outside_its_contract_is_reported_and_reaches_nobody(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-11: and those after it arrive."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        async with wire.connect():
            models.changed.subscribe(seen)
            await sample.settle()
            for number, value in enumerate(('{"type":"c"}', '{"type":"a"}'), 1):
                text = f'{{"type":"event","id":2,"number":{number},"value":{value}}}'
                wire.link.to_client.inject(text.encode())
            assert seen == [{"type": "a"}]
            (reported,) = wire.reported()
            assert reported.startswith('an event of "changed" cannot be read')

    run(test)
