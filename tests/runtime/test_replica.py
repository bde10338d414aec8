"""A replica has the value that its link installed, and cannot be written."""

from __future__ import annotations

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.errors import NotHydrated
from pi_contracts.runtime.members import StateMember
from pi_contracts.runtime.replica import Replica, ReplicaFeed
from pi_contracts.runtime.schemas import Schemas

MEMBER: StateMember[int | None] = StateMember(
    "count", Schemas('{"$defs": {"n": {}}}'), value="#/$defs/n"
)


def make() -> tuple[ReplicaFeed[int | None], Replica[int | None], list[int | None]]:
    feed = ReplicaFeed(MEMBER)
    return feed, Replica(feed), []


def test_a_cold_replica_has_no_value_and_calls_nobody() -> None:  # STA-3
    _, replica, seen = make()
    replica.subscribe(lambda value, _: seen.append(value))
    assert not replica.ready
    with pytest.raises(NotHydrated, match="count"):
        _ = replica.value
    assert replica.last("nothing") == "nothing"
    assert seen == []


def test_null_is_a_value_like_any_other() -> None:
    feed, replica, seen = make()
    replica.subscribe(lambda value, _: seen.append(value))
    feed.install(None, BACKGROUND)
    assert replica.ready
    assert replica.value is None
    assert replica.last(7) is None
    assert seen == [None]


def test_who_subscribed_before_sees_snapshot_and_updates() -> None:  # STA-5
    feed, replica, seen = make()
    replica.subscribe(lambda value, _: seen.append(value))
    feed.install(1, BACKGROUND)
    feed.install(2, BACKGROUND)
    assert seen == [1, 2]
    replica.subscribe(lambda value, _: seen.append(value))  # STA-7
    assert seen == [1, 2, 2]


def test_what_was_lost_is_stale_but_known() -> None:  # STA-17
    feed, replica, seen = make()
    feed.install(1, BACKGROUND)
    feed.lose()
    replica.subscribe(lambda value, _: seen.append(value))
    assert not replica.ready
    assert replica.last(0) == 1
    with pytest.raises(NotHydrated):
        _ = replica.value
    assert seen == []
    feed.install(2, BACKGROUND)
    assert (replica.value, seen) == (2, [2])


def test_a_consumer_cannot_write() -> None:  # STA-2
    _, replica, _ = make()
    assert not hasattr(replica, "set")
    with pytest.raises(AttributeError):
        replica.value = 3  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]
