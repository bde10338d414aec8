from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET, Raw
from pi_contracts.runtime.protocol import (
    Limits,
    SubscriptionEnded,
)
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.states import Subject

ARGUMENTS = Raw(b"{}")


def texts(happenings: list[Any]) -> list[tuple[str, Any]]:
    """Return member or kind of each publication, with its value."""
    found: list[tuple[str, Any]] = []
    for one in happenings:
        message = one.message
        value = bytes(message.value) if hasattr(message, "value") else None
        found.append((type(message).__name__, value))
    return found


def test_more_calls_than_are_taken_are_refused_by_name(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(calls=2))
    pair.open()
    calls = [m.Call(number, "a", ARGUMENTS, service="s") for number in (1, 2, 3)]
    assert pair.inject(pair.server, *calls) == calls[:2]
    (text,) = pair.server.take_output()
    failed = json.loads(text[4:])
    assert (failed["id"], failed["error"]["code"]) == (3, "overflow")
    assert failed["error"]["message"] == "more than 2 calls are outstanding"


def test_a_cancelled_call_is_answered_at_once_and_its_result_goes_nowhere(pair: Any) -> None:
    """CTX-20: the client has an answer, whatever the handler does."""
    call_id = pair.call()
    assert pair.inject(pair.server, m.Cancel(call_id)) == [m.Cancel(call_id)]
    assert pair.server.served.calls == {}
    assert not pair.server.served.answer(call_id, UNSET)
    assert not pair.server.served.grant(call_id, "ref", "job")
    (failed,) = pair.at_client()
    assert failed.error.code == "cancelled"


def test_cancelling_what_is_unknown_or_finished_does_nothing(pair: Any) -> None:
    """CTX-11, CTX-8."""
    call_id = pair.call()
    pair.server.served.answer(call_id, UNSET)
    assert pair.inject(pair.server, m.Cancel(call_id), m.Cancel(99), m.Unsubscribe(99)) == []


def test_more_subscriptions_than_are_taken_end_with_overflow(make_pair: Any) -> None:
    """FLT-9: what a peer that only asks can make this side keep is bounded."""
    pair = make_pair(limits=Limits(subscriptions=1))
    pair.open()
    pair.follow("one")
    pair.client.followed.subscribe(
        "two", Subject.SERVICE, mode="singleton", version=1, digest="d", service="s"
    )
    (ended,) = pair.at_client()
    assert isinstance(ended, SubscriptionEnded)
    assert (ended.handle, ended.error.code) == ("two", "overflow")


def test_a_subscription_id_that_is_still_open_is_refused(pair: Any) -> None:
    pair.follow()
    again = m.Subscribe(1, "singleton", 1, "d", service="s")
    (refused,) = pair.inject(pair.server, again)
    assert refused.error.message == "the subscription 1 is still open"


def test_a_snapshot_is_followed_by_numbered_updates(pair: Any) -> None:
    """STA-4, STA-14."""
    one = pair.follow()
    pair.server.served.publish_snapshot(one, 1, "d", {"s": "state"}, {"s": Raw(b"1")})
    assert texts(pair.at_client()) == [("Snapshot", None)]
    for value in (b"2", b"3"):
        pair.server.served.publish_update(one, "s", Raw(value))
        (published,) = pair.at_client()
        assert bytes(published.message.value) == value
    assert published.message.number == 2


def test_values_that_are_set_before_the_snapshot_leaves_are_part_of_it(pair: Any) -> None:
    """STA-6."""
    one = pair.follow()
    pair.server.served.publish_snapshot(one, 1, "d", {}, {"s": Raw(b"1")})
    pair.server.served.publish_update(one, "s", Raw(b"2"))
    (published,) = pair.at_client()
    assert bytes(published.message.states["s"]) == b"2"


def test_a_state_that_waits_keeps_its_place_and_its_latest_value(pair: Any) -> None:
    """STA-29: memory stays bounded, and the last value arrives."""
    one = pair.follow()
    served = pair.server.served
    served.publish_snapshot(one, 1, "d", {}, {})
    pair.cross()
    pair.server.pause()
    for value in range(1000):
        served.publish_update(one, "s", Raw(b"%d" % value))
        served.publish_update(one, "t", Raw(b"0"))
    assert pair.server.waiting == 2
    assert served.holds(one, "", "s")
    pair.server.resume()
    found = pair.at_client()
    assert texts(found) == [("Update", b"999"), ("Update", b"0")]
    assert [one.message.number for one in found] == [1, 2]
    assert not served.holds(one, "", "s")


def test_a_snapshot_takes_the_place_of_what_still_waits(pair: Any) -> None:
    """SNG-11: nothing of the old provider arrives after it."""
    one = pair.follow()
    served = pair.server.served
    served.publish_snapshot(one, 1, "d", {}, {})
    pair.cross()
    pair.server.pause()
    served.publish_update(one, "s", Raw(b"1"))
    served.publish_unavailable(one)
    served.publish_snapshot(one, 1, "d", {}, {"s": Raw(b"2")})
    pair.server.resume()
    assert texts(pair.at_client()) == [("Snapshot", None)]


def test_that_nobody_provides_a_service_is_published(pair: Any) -> None:
    """SNG-9."""
    one = pair.follow()
    pair.server.served.publish_unavailable(one)
    assert texts(pair.at_client()) == [("Unavailable", None)]


def test_the_last_value_of_a_service_leaves_before_it_is_gone(pair: Any) -> None:
    one = pair.follow()
    served = pair.server.served
    served.publish_snapshot(one, 1, "d", {}, {"s": Raw(b"1")})
    pair.cross()
    pair.server.pause()
    for value in (b"2", b"3"):
        served.publish_update(one, "s", Raw(value))
    served.publish_unavailable(one)
    pair.server.resume()
    assert texts(pair.at_client()) == [("Update", b"3"), ("Unavailable", None)]


def test_instances_appear_with_their_states_and_go(pair: Any) -> None:
    """KEY-6, KEY-8."""
    one = pair.observe()
    served = pair.server.served
    live = [m.Live("a", 1, {"s": Raw(b"1")}), m.Live("b", 2, {"s": Raw(b"2")})]
    served.publish_instances(one, 1, "d", {}, live)
    (snapshot,) = pair.at_client()
    assert [each.key for each in snapshot.message.instances] == ["a", "b"]
    served.publish_spawned(one, m.Live("c", 3, {"s": Raw(b"3")}))
    served.publish_update(one, "s", Raw(b"4"), key="c", generation=3)
    served.publish_update(one, "s", Raw(b"5"), key="a", generation=1)
    served.publish_closed(one, "b", 2)
    found = pair.at_client()
    assert texts(found) == [("Spawned", None), ("Update", b"5"), ("Closed", None)]
    assert bytes(found[0].message.states["s"]) == b"4"
    assert [each.message.number for each in found] == [1, 2, 3]


def test_an_instance_that_comes_and_goes_while_nothing_leaves_is_never_seen(pair: Any) -> None:
    """KEY-8 for a slow reader: what waits stays as small as what is live."""
    one = pair.observe()
    served = pair.server.served
    served.publish_instances(one, 1, "d", {}, [m.Live("old", 1, {})])
    pair.cross()
    pair.server.pause()
    for generation in range(2, 2000):
        served.publish_spawned(one, m.Live("new", generation, {}))
        served.publish_update(one, "s", Raw(b"1"), key="old", generation=1)
        served.publish_closed(one, "new", generation)
    assert pair.server.waiting < 200
    served.publish_closed(one, "old", 1)
    pair.server.resume()
    assert texts(pair.at_client()) == [("Update", b"1"), ("Closed", None)]


def test_an_instance_that_goes_before_the_snapshot_leaves_is_not_in_it(pair: Any) -> None:
    one = pair.observe()
    served = pair.server.served
    served.publish_instances(
        one, 1, "d", {}, [m.Live("a", 1, {"s": Raw(b"1")}), m.Live("b", 2, {})]
    )
    served.publish_closed(one, "b", 2)
    served.publish_update(one, "s", Raw(b"2"), key="a", generation=1)
    (snapshot,) = pair.at_client()
    (live,) = snapshot.message.instances
    assert (live.key, bytes(live.states["s"])) == ("a", b"2")


def test_an_update_of_the_next_generation_does_not_take_the_place_of_an_older_one(
    pair: Any,
) -> None:
    """KEY-18."""
    one = pair.observe()
    served = pair.server.served
    served.publish_instances(one, 1, "d", {}, [m.Live("a", 1, {})])
    pair.cross()
    pair.server.pause()
    served.publish_update(one, "s", Raw(b"1"), key="a", generation=1)
    served.publish_closed(one, "a", 1)
    served.publish_spawned(one, m.Live("a", 2, {"s": Raw(b"2")}))
    served.publish_update(one, "s", Raw(b"3"), key="a", generation=2)
    pair.server.resume()
    found = pair.at_client()
    assert texts(found) == [("Update", b"1"), ("Closed", None), ("Spawned", None)]
    assert bytes(found[2].message.states["s"]) == b"3"


def test_instances_beyond_one_frame_follow_one_by_one(make_pair: Any) -> None:
    """KEY-20: still in the order of their keys."""
    pair = make_pair(limits=Limits(frame=2000))
    pair.open()
    one = pair.observe()
    live = [m.Live(f"{n:03}", n + 1, {"s": Raw(b'"%s"' % (b"x" * 100))}) for n in range(30)]
    pair.server.served.publish_instances(one, 1, "d", {}, live)
    found = pair.at_client()
    first = [each.key for each in found[0].message.instances]
    rest = [each.message.key for each in found[1:]]
    assert len(first) > 1
    assert [*first, *rest] == [each.key for each in live]


def test_a_value_that_the_other_side_does_not_take_ends_its_subscription(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(frame=1024))
    pair.open()
    one = pair.follow()
    served = pair.server.served
    served.publish_snapshot(one, 1, "d", {}, {})
    pair.cross()
    served.publish_update(one, "s", Raw(b'"%s"' % (b"x" * 1100)))
    served.publish_update(one, "t", Raw(b"1"))
    (ended,) = pair.at_client()
    assert isinstance(ended, SubscriptionEnded)
    assert ended.error.code == "too_large"


def test_events_are_counted_and_one_too_many_ends_their_subscription(make_pair: Any) -> None:
    """EVT-10: with its own code; those before it arrive."""
    pair = make_pair(limits=Limits(waiting_events=3))
    pair.open()
    one = pair.listen()
    served = pair.server.served
    served.confirm_events(one)
    pair.cross()
    pair.server.pause()
    happenings: list[Any] = []
    for number in range(4):
        served.publish_event(one, Raw(b"%d" % number), UNSET, happenings)
    assert [type(each).__name__ for each in happenings] == ["SubscriberLeft"]
    assert one not in served.subscriptions
    pair.server.resume()
    found = pair.at_client()
    assert [type(each) for each in found] == [SubscriptionEnded]
    assert found[0].error.code == "overflow"


def test_the_bytes_of_waiting_events_are_bounded_too(make_pair: Any) -> None:
    """EVT-10."""
    pair = make_pair(limits=Limits(waiting_bytes=100))
    pair.open()
    one = pair.listen()
    pair.server.served.confirm_events(one)
    pair.server.pause()
    happenings: list[Any] = []
    pair.server.served.publish_event(one, Raw(b'"%s"' % (b"x" * 90)), UNSET, happenings)
    assert happenings == []
    pair.server.served.publish_event(one, Raw(b'"%s"' % (b"x" * 90)), UNSET, happenings)
    assert len(happenings) == 1


def test_events_that_have_left_do_not_count_any_more(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(waiting_events=3))
    pair.open()
    one = pair.listen()
    pair.server.served.confirm_events(one)
    happenings: list[Any] = []
    for number in range(10):
        pair.server.served.publish_event(one, Raw(b"%d" % number), UNSET, happenings)
        (published,) = [each for each in pair.at_client() if isinstance(each.message, m.Event)]
        assert published.message.number == number + 1
    assert happenings == []


def test_nothing_leaves_for_a_subscription_that_was_closed(pair: Any) -> None:
    """SRV-17, r-hyd-05: what still waits is dropped, and what is underway is late."""
    one = pair.follow()
    served = pair.server.served
    served.publish_snapshot(one, 1, "d", {}, {})
    pair.client.followed.unsubscribe("models")
    pair.client.followed.unsubscribe("models")
    assert pair.at_client() == []
    assert served.subscriptions == {}
    served.end_subscription(one, m.ErrorEnvelope("busy", "late"))
    assert pair.at_client() == []


def test_events_that_wait_while_their_provider_is_replaced_keep_their_numbers(pair: Any) -> None:
    """EVT-2: a slow reader finds no gap where nothing was lost."""
    one = pair.listen()
    served = pair.server.served
    served.confirm_events(one)
    pair.cross()
    pair.server.pause()
    happenings: list[Any] = []
    served.publish_event(one, Raw(b"1"), UNSET, happenings)
    served.publish_event(one, Raw(b"2"), UNSET, happenings)
    served.publish_unavailable(one)
    served.confirm_events(one)
    served.publish_event(one, Raw(b"3"), UNSET, happenings)
    pair.server.resume()
    kinds = [type(found.message).__name__ for found in pair.at_client()]
    assert kinds == ["Event", "Event", "Unavailable", "Subscribed", "Event"]
    assert happenings == []
    assert pair.server.served.subscriptions.keys() == {one}
