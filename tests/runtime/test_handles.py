"""What was subscribed to through a handle ends with it, and it refuses every use."""

from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.delivery import Channel
from pi_contracts.runtime.errors import StaleReference
from pi_contracts.runtime.handles import Handle, HandleEvents, HandleReplica
from pi_contracts.runtime.replica import ReplicaFeed


def test_a_replica_refuses_every_use_after_the_end(sample: Any) -> None:
    """REF-4, KEY-24: what is known stays known, as after a disconnect."""
    feed: ReplicaFeed[Any] = ReplicaFeed(sample.STATE)
    ended, other = Handle(), Handle()
    one, two = HandleReplica(feed, ended), HandleReplica(feed, other)
    first, second = sample.Seen(), sample.Seen()
    one.subscribe(first)
    two.subscribe(second)
    feed.install(1, BACKGROUND)
    ended.close(StaleReference("it is over"))
    ended.close(StaleReference("a second time"))
    feed.install(2, BACKGROUND)
    assert (first, second) == ([1], [1, 2])
    assert (one.ready, two.ready, one.last(0)) == (False, True, 2)
    with pytest.raises(StaleReference, match="it is over"):
        _ = one.value
    with pytest.raises(StaleReference, match="it is over"):
        one.subscribe(first)
    assert two.value == 2


def test_events_refuse_every_listener_after_the_end(sample: Any) -> None:
    channel: Channel[Any] = Channel("it", coalesces=False)
    handle = Handle()
    events: HandleEvents[Any] = HandleEvents(sample.CHANGED, channel, handle)
    every, some = sample.Seen(), sample.Seen()
    events.subscribe(every)
    events.on("a", some)
    for event in ({"type": "a"}, {"type": "b"}):
        channel.publish(event, BACKGROUND)
    handle.close(StaleReference("it is over"))
    assert not channel.wanted
    assert (every, some) == ([{"type": "a"}, {"type": "b"}], [{"type": "a"}])
    with pytest.raises(StaleReference):
        events.subscribe(every)
    with pytest.raises(StaleReference):
        events.on("a", some)


def test_a_handle_that_a_first_value_ends_keeps_no_listener(sample: Any) -> None:
    """r-clo-03: the listener that ends it is not called again."""
    feed: ReplicaFeed[Any] = ReplicaFeed(sample.STATE)
    handle = Handle()
    replica = HandleReplica(feed, handle)
    feed.install(1, BACKGROUND)
    seen: list[Any] = []

    def listen(value: Any, _: Any) -> None:
        seen.append(value)
        handle.close(StaleReference("it is over"))

    assert replica.subscribe(listen).closed
    feed.install(2, BACKGROUND)
    assert seen == [1]
