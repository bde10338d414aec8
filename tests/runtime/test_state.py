"""A state checks what is set, and delivers it to everyone in order."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pytest
from pi_contracts.runtime.context import BACKGROUND, TRACE, Cancellation, Context
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.members import StateMember
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.state import MutableState

SCHEMAS = Schemas(json.dumps({"$defs": {"n": {"type": "integer", "minimum": 0}, "any": {}}}))
MEMBER: StateMember[int] = StateMember("count", SCHEMAS, value="#/$defs/n")
ANY: StateMember[object] = StateMember("any", SCHEMAS, value="#/$defs/any")


def test_a_providing_state_always_has_a_value() -> None:  # STA-1
    state = MutableState(MEMBER, 3)
    assert state.ready
    assert (state.value, state.last(0)) == (3, 3)
    assert state.get_member() is MEMBER


def test_a_subscriber_gets_the_current_value_at_once_and_then_each_later_one() -> None:  # STA-7
    state, seen = MutableState(MEMBER, 3), list[int]()
    state.subscribe(lambda value, _: seen.append(value))
    assert seen == [3]
    state.set(4, BACKGROUND)
    state.set(4, BACKGROUND)  # STA-25: equal values are published
    assert seen == [3, 4, 4]


@pytest.mark.parametrize("value", [-1, "4", None, math.nan, b"4"], ids=repr)
def test_what_the_schema_refuses_changes_nothing(value: int) -> None:  # STA-13
    state, seen = MutableState(MEMBER, 3), list[int]()
    state.subscribe(lambda value, _: seen.append(value))
    with pytest.raises(ContractViolation) as caught:
        state.set(value, BACKGROUND)
    assert caught.value.__notes__ == ['in the state "count"']
    assert state.value == 3
    assert seen == [3]
    with pytest.raises(ContractViolation):
        MutableState(MEMBER, value)


@pytest.mark.parametrize("value", [{1: 2}, [math.inf], {"a": {1}}, "\ud800"], ids=ascii)
def test_what_is_no_json_is_refused_though_the_schema_is_open(value: object) -> None:
    state = MutableState(ANY, None)
    with pytest.raises(ContractViolation):
        state.set(value, BACKGROUND)
    assert state.value is None


def test_values_are_borrowed_not_copied() -> None:  # STA-11
    value = {"a": [1]}
    state, seen = MutableState(ANY, value), list[object]()
    state.subscribe(lambda value, _: seen.append(value))
    assert state.value is value
    assert seen[0] is value


def test_a_failing_listener_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    # STA-21
    state, seen = MutableState(MEMBER, 0), list[str]()

    def fail(value: int, _: Context) -> None:
        seen.append(f"fail {value}")
        raise ValueError("broken listener")

    state.subscribe(fail)
    state.subscribe(lambda value, _: seen.append(f"fine {value}"))
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        state.set(1, BACKGROUND)
    assert state.value == 1
    assert seen == ["fail 0", "fine 0", "fail 1", "fine 1"]
    assert 'a listener of the state "count" failed' in caplog.text
    assert "broken listener" in caplog.text


def test_what_a_listener_sets_comes_after_the_delivery_that_is_going_on() -> None:
    # STA-22, STA-28
    state, seen = MutableState(MEMBER, 0), list[str]()

    def writer(value: int, ctx: Context) -> None:
        seen.append(f"a{value}")
        if 0 < value < 3:
            state.set(value + 1, ctx)
            assert state.value == value + 1

    state.subscribe(writer)
    state.subscribe(lambda value, _: seen.append(f"b{value}"))
    state.set(1, BACKGROUND)
    assert seen == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3"]


def test_what_the_first_callback_sets_comes_after_it() -> None:
    state, seen = MutableState(MEMBER, 0), list[str]()

    def writer(value: int, ctx: Context) -> None:
        if value == 0:
            state.set(1, ctx)
        seen.append(f"a{value}")

    state.subscribe(lambda value, _: seen.append(f"b{value}"))
    state.subscribe(writer)
    assert seen == ["b0", "a0", "b1", "a1"]


def test_who_subscribes_during_a_delivery_gets_the_value_once() -> None:  # STA-23
    state, seen = MutableState(MEMBER, 0), list[int]()
    subscribed: list[object] = []

    def outer(value: int, _: Context) -> None:
        if value == 1 and not subscribed:
            subscribed.append(state.subscribe(lambda value, _: seen.append(value)))

    state.subscribe(outer)
    state.set(1, BACKGROUND)
    assert seen == [1]
    state.set(2, BACKGROUND)
    assert seen == [1, 2]


def test_who_subscribes_while_a_newer_value_waits_gets_that_once() -> None:
    state, seen = MutableState(MEMBER, 0), list[int]()

    def outer(value: int, ctx: Context) -> None:
        if value == 1:
            state.set(2, ctx)
            state.subscribe(lambda value, _: seen.append(value))

    state.subscribe(outer)
    state.set(1, BACKGROUND)
    assert seen == [2]


def test_unsubscribing_is_idempotent_and_effective_at_once() -> None:  # STA-24
    state, seen = MutableState(MEMBER, 0), list[str]()
    first = state.subscribe(lambda value, _: seen.append(f"first {value}"))
    state.subscribe(lambda value, _: seen.append(f"second {value}"))
    assert not first.closed
    first.close()
    first.close()
    assert first.closed
    state.set(1, BACKGROUND)
    assert seen == ["first 0", "second 0", "second 1"]


def test_a_listener_that_an_earlier_one_closes_is_not_called_any_more() -> None:
    state, seen = MutableState(MEMBER, 0), list[int]()

    def closer(value: int, _: Context) -> None:
        if value == 1:
            last.close()

    state.subscribe(closer)
    last = state.subscribe(lambda value, _: seen.append(value))
    state.set(1, BACKGROUND)
    assert seen == [0]


def test_one_listener_subscribed_twice_is_two_subscriptions() -> None:  # STA-24, FLT-10
    state, seen = MutableState(MEMBER, 0), list[int]()

    def listener(value: int, _: Context) -> None:
        seen.append(value)

    first = state.subscribe(listener)
    state.subscribe(listener)
    state.set(1, BACKGROUND)
    assert seen == [0, 0, 1, 1]
    first.close()
    state.set(2, BACKGROUND)
    assert seen == [0, 0, 1, 1, 2]


def test_deliveries_run_under_fresh_contexts_with_the_writers_trace() -> None:
    # STA-9, STA-10
    state, seen = MutableState(MEMBER, 0), list[Context]()
    subscription = state.subscribe(lambda _, ctx: seen.append(ctx))
    cancellation = Cancellation()
    writer = BACKGROUND.with_cancellation(cancellation).with_value(TRACE, {"traceparent": "x"})
    cancellation.cancel()
    state.set(1, writer)
    first, second = seen
    assert first.get(TRACE) is None
    assert second.get(TRACE) == {"traceparent": "x"}
    assert not second.cancelled
    subscription.close()
    assert first.cancelled
    assert second.cancelled


def test_cells_update_independently() -> None:  # STA-26
    one, two, seen = MutableState(MEMBER, 0), MutableState(MEMBER, 0), list[int]()
    two.subscribe(lambda value, _: seen.append(value))
    one.set(1, BACKGROUND)
    assert seen == [0]


def test_a_listener_must_be_callable() -> None:
    with pytest.raises(TypeError, match="a listener is a function"):
        MutableState(MEMBER, 0).subscribe(3)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_what_is_no_context_is_refused_and_changes_nothing() -> None:
    """CON-3, STA-13."""
    state, seen = MutableState(MEMBER, 3), list[int]()
    state.subscribe(lambda value, _: seen.append(value))
    nothing: Any = None
    with pytest.raises(TypeError, match="expected a Context, found an object of type NoneType"):
        state.set(4, nothing)
    assert (state.value, seen) == (3, [3])
