"""A source of events checks what is emitted, and delivers it in order."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pi_contracts.runtime.context import BACKGROUND, Context
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.events import EventSource
from pi_contracts.runtime.members import EventsMember
from pi_contracts.runtime.schemas import Schemas

SCHEMAS = Schemas(json.dumps({"$defs": {"e": {"type": ["object", "null"], "required": ["type"]}}}))
MEMBER: EventsMember[Any] = EventsMember(
    "changed", SCHEMAS, payload="#/$defs/e", discriminator="type"
)
PLAIN: EventsMember[Any] = EventsMember("plain", SCHEMAS, payload="#/$defs/e")


def test_subscribers_see_every_event_in_order_and_no_earlier_one() -> None:  # EVT-2, EVT-3
    source, seen = EventSource(MEMBER), list[Any]()
    source.emit({"type": "before"}, BACKGROUND)
    subscription = source.subscribe(lambda event, _: seen.append(event["type"]))
    for name in ("a", "b", "a"):
        source.emit({"type": name}, BACKGROUND)
    subscription.close()
    source.emit({"type": "after"}, BACKGROUND)
    assert seen == ["a", "b", "a"]
    assert source.get_member() is MEMBER


def test_on_filters_by_the_discriminator() -> None:  # EVT-2
    source, seen = EventSource(MEMBER), list[Any]()
    source.on("a", lambda event, _: seen.append(event))
    for event in ({"type": "a", "n": 1}, {"type": "b"}, None, {"type": "a", "n": 2}):
        source.emit(event, BACKGROUND)
    assert [event["n"] for event in seen] == [1, 2]


def test_on_needs_a_discriminator() -> None:
    with pytest.raises(TypeError, match='the events "plain" have no discriminator: use subscribe'):
        EventSource(PLAIN).on("a", lambda event, _: event)


@pytest.mark.parametrize("event", [{}, 5, {"type": b"x"}], ids=repr)
def test_a_bad_event_raises_at_the_emitter_and_reaches_nobody(event: object) -> None:  # EVT-1
    source, seen = EventSource(MEMBER), list[Any]()
    source.subscribe(lambda event, _: seen.append(event))
    with pytest.raises(ContractViolation) as caught:
        source.emit(event, BACKGROUND)
    assert caught.value.__notes__ == ['in the events "changed"']
    assert seen == []


def test_a_failing_listener_is_isolated(caplog: pytest.LogCaptureFixture) -> None:  # EVT-13
    source, seen = EventSource(MEMBER), list[Any]()

    def fail(_: Any, __: Context) -> None:
        raise ValueError("broken listener")

    source.subscribe(fail)
    source.on("a", fail)
    source.subscribe(lambda event, _: seen.append(event))
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        source.emit({"type": "a"}, BACKGROUND)
    assert seen == [{"type": "a"}]
    assert caplog.text.count('a listener of the events "changed" failed') == 2


def test_an_event_emitted_by_a_listener_comes_after_the_one_being_delivered() -> None:
    source, seen = EventSource(MEMBER), list[str]()

    def first(event: Any, ctx: Context) -> None:
        seen.append("first " + event["type"])
        if event["type"] == "a":
            source.emit({"type": "b"}, ctx)

    source.subscribe(first)
    source.subscribe(lambda event, _: seen.append("second " + event["type"]))
    source.emit({"type": "a"}, BACKGROUND)
    assert seen == ["first a", "second a", "first b", "second b"]
