from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw
from pi_contracts.runtime.protocol import Gap, Limits, Published, Refused, SubscriptionEnded
from pi_contracts.runtime.protocol import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable


def hydrate(pair: Any) -> int:
    """Follow a singleton, let its snapshot arrive, and return the id."""
    one: int = pair.follow()
    pair.server.served.publish_snapshot(one, 1, "d", {}, {})
    pair.cross()
    return one


GAPS = {"a gap": 3, "a duplicate": 1, "one long gone": 1}


@pytest.mark.parametrize("number", GAPS.values(), ids=GAPS)
def test_a_number_that_is_not_due_opens_the_subscription_anew(pair: Any, number: int) -> None:
    """STA-14, STA-15, FLT-7: it is reported, and a snapshot follows by itself."""
    one = hydrate(pair)
    pair.inject(pair.client, m.Update(one, 1, "s", Raw(b"1")))
    refused, gap = pair.inject(pair.client, m.Update(one, number, "s", Raw(b"2")))
    assert isinstance(refused, Refused)
    assert isinstance(gap, Gap)
    assert (gap.handle, gap.error.code) == ("models", "protocol_error")
    assert gap.error.message == f"number {number} where 2 is due"
    pair.cross()
    assert list(pair.server.served.subscriptions) == [one + 1]
    late = pair.inject(pair.client, m.Update(one, 2, "s", Raw(b"9")))
    assert late == []
    pair.server.served.publish_snapshot(one + 1, 1, "d", {}, {})
    pair.server.served.publish_update(one + 1, "s", Raw(b"3"))
    assert [type(each.message).__name__ for each in pair.at_client()] == ["Snapshot"]


def test_a_second_gap_before_the_new_snapshot_ends_the_subscription(pair: Any) -> None:
    """STA-15."""
    one = hydrate(pair)
    pair.inject(pair.client, m.Update(one, 5, "s", Raw(b"1")))
    refused, ended = pair.inject(pair.client, m.Update(one + 1, 1, "s", Raw(b"1")))
    assert isinstance(refused, Refused)
    assert isinstance(ended, SubscriptionEnded)
    assert (ended.handle, ended.error.code) == ("models", "protocol_error")
    assert len(pair.client.followed) == 0
    pair.cross()
    assert pair.server.served.subscriptions == {}


def test_a_gap_after_the_new_snapshot_is_a_first_one_again(pair: Any) -> None:
    one = hydrate(pair)
    for step in range(3):
        pair.inject(pair.client, m.Update(one + step, 5, "s", Raw(b"1")))
        pair.cross()
        pair.server.served.publish_snapshot(one + step + 1, 1, "d", {}, {})
        pair.cross()
    assert len(pair.client.followed) == 1


def test_a_publication_for_a_subscription_that_never_was_is_refused(pair: Any) -> None:
    """TRN-10."""
    (refused,) = pair.inject(pair.client, m.Unavailable(9))
    assert refused.error.message == "there never was a subscription 9"


LOST: dict[str, bytes] = {
    "a snapshot": b'{"type":"snapshot","id":1,"version":"1"}',
    "an update": b'{"type":"update","id":1,"number":1,"member":"s","value":NaN}',
    "an end": b'{"type":"ended","id":1,"error":{"code":"c","message":"m","data":1e999}}',
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_a_malformed_publication_is_lost_and_opens_the_subscription_anew(
    pair: Any, text: bytes
) -> None:
    """STA-20: a state that cannot be read is never shown as current."""
    pair.server.served.publish_snapshot(pair.follow(), 1, "d", {}, {})
    pair.cross()
    refused, gap = pair.inject(pair.client, text)
    assert isinstance(refused, Refused)
    assert isinstance(gap, Gap)
    pair.cross()
    assert set(pair.server.served.subscriptions) == {2}
    (late,) = pair.inject(pair.client, text)
    assert isinstance(late, Refused)


SNAPSHOTS: dict[str, tuple[str, m.Snapshot]] = {
    "no states of a singleton": ("follow", m.Snapshot(1, 1, "d", {}, instances=[])),
    "nothing of a singleton": ("follow", m.Snapshot(1, 1, "d", {})),
    "no instances of a keyed service": ("observe", m.Snapshot(1, 1, "d", {}, states={})),
    "both": ("observe", m.Snapshot(1, 1, "d", {}, states={}, instances=[])),
}


@pytest.mark.parametrize(("kind", "snapshot"), SNAPSHOTS.values(), ids=SNAPSHOTS)
def test_a_snapshot_of_another_kind_ends_the_subscription(
    pair: Any, kind: str, snapshot: m.Snapshot
) -> None:
    """KEY-29, TOK-9."""
    getattr(pair, kind)()
    refused, ended = pair.inject(pair.client, snapshot)
    assert isinstance(refused, Refused)
    assert isinstance(ended, SubscriptionEnded)
    pair.cross()
    assert pair.server.served.subscriptions == {}


def observe(pair: Any) -> int:
    """Observe a keyed service with the instance "a" live in generation 5; return the id."""
    one: int = pair.observe()
    live = [m.Live("a", 5, {})]
    pair.server.served.publish_instances(one, 1, "d", {}, live)
    pair.cross()
    return one


LATE: dict[str, Callable[[int], m.Message]] = {
    "an update of an older generation": lambda one: m.Update(one, 1, "s", Raw(b"1"), "a", 4),
    "an update of a later generation": lambda one: m.Update(one, 1, "s", Raw(b"1"), "a", 6),
    "an update of nobody": lambda one: m.Update(one, 1, "s", Raw(b"1"), "b", 5),
    "an update without a key": lambda one: m.Update(one, 1, "s", Raw(b"1")),
    "an end of an older generation": lambda one: m.Closed(one, 1, "a", 4),
    "an end of nobody": lambda one: m.Closed(one, 1, "b", 5),
    "an older generation": lambda one: m.Spawned(one, 1, "a", 4, {}),
}


@pytest.mark.parametrize("make", LATE.values(), ids=LATE)
def test_what_does_not_speak_of_what_is_live_is_late(pair: Any, make: Any) -> None:
    """KEY-18: it counts, and nothing else happens."""
    one = observe(pair)
    assert pair.inject(pair.client, make(one)) == []
    (published,) = pair.inject(pair.client, m.Closed(one, 2, "a", 5))
    assert isinstance(published, Published)


def test_a_live_generation_that_appears_again_is_refused(pair: Any) -> None:
    """KEY-19."""
    one = observe(pair)
    (refused,) = pair.inject(pair.client, m.Spawned(one, 1, "a", 5, {}))
    assert refused.error.message == "generation 5 of this instance is live already"


def test_a_greater_generation_takes_the_place_of_a_live_one(pair: Any) -> None:
    one = observe(pair)
    (published,) = pair.inject(pair.client, m.Spawned(one, 1, "a", 6, {}))
    assert isinstance(published, Published)
    assert pair.inject(pair.client, m.Closed(one, 2, "a", 5)) == []


def test_generations_are_not_compared_across_a_new_subscription(pair: Any) -> None:
    """STA-20."""
    one = observe(pair)
    pair.inject(pair.client, m.Closed(one, 9, "a", 5))
    pair.cross()
    snapshot = m.Snapshot(one + 1, 1, "d", {}, instances=[m.Live("a", 1, {})])
    (published,) = pair.inject(pair.client, snapshot)
    assert isinstance(published, Published)


@pytest.mark.parametrize("way", ["a snapshot", "one by one"])
def test_more_instances_than_are_followed_end_the_subscription(make_pair: Any, way: str) -> None:
    pair = make_pair(limits=Limits(instances=3))
    pair.open()
    one = pair.observe()
    lives = [m.Live(key, 1, {}) for key in "abcd"]
    at_first = lives if way == "a snapshot" else lives[:1]
    messages: list[m.Message] = [m.Snapshot(one, 1, "d", {}, instances=at_first)]
    if way == "one by one":
        spawned = [m.Spawned(one, number, key, 1, {}) for number, key in enumerate("bc", 1)]
        messages += [*spawned, m.Closed(one, 3, "b", 1), m.Spawned(one, 4, "b", 2, {})]
        messages += [m.Spawned(one, 5, "d", 1, {})]
    happenings = pair.inject(pair.client, *messages)
    assert all(isinstance(happening, Published) for happening in happenings[:-1])
    assert len(happenings) == len(messages)
    assert isinstance(happenings[-1], SubscriptionEnded)
    assert happenings[-1].error == m.ErrorEnvelope("overflow", "more than 3 instances are live")
    pair.cross()
    assert pair.server.served.subscriptions == {}
