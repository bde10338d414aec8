"""References that the other side holds, and the bounds of its calls."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw
from pi_contracts.runtime.protocol import (
    Limits,
    Published,
    ReferenceEnded,
)
from pi_contracts.runtime.protocol.states import Subject

ARGUMENTS = Raw(b"{}")


def test_a_reference_may_be_called_as_long_as_it_is_held(pair: Any) -> None:
    """REF-3, REF-6: released, or never given, it is stale."""
    pair.grant()
    call_id = pair.call(reference="ref")
    pair.server.served.answer(call_id, UNSET)
    pair.cross()
    pair.client.release("ref", 1)
    assert pair.at_server() == [ReferenceEnded("ref")]
    pair.client.release("ref", 1)
    assert pair.at_server() == []
    for name in ("ref", "forged"):
        pair.client.call("a", ARGUMENTS, {"reference": name})
        (failed,) = pair.at_client()
        assert failed.error.code == "stale_reference"


def test_a_release_that_crosses_another_grant_leaves_the_reference(pair: Any) -> None:
    pair.grant()
    call_id = pair.call()
    pair.client.release("ref", 1)
    pair.server.served.grant(call_id, "ref", "job")
    pair.cross()
    assert "ref" in pair.server.served.grants
    pair.client.release("ref", 1)
    assert pair.at_server() == [ReferenceEnded("ref")]


def test_a_reference_that_is_idle_for_too_long_ends(make_pair: Any) -> None:
    """REF-6: by its lease; a call or a subscription keeps it."""
    pair = make_pair(limits=Limits(reference_lease=5.0, ping_interval=1000.0))
    pair.open()
    pair.grant("idle")
    pair.grant("called")
    pair.grant("followed")
    call_id = pair.call(reference="called")
    pair.follow("job", service="", reference="followed", mode="reference")
    assert pair.server.next_deadline == pair.now + 5
    pair.now += 5
    assert pair.server.handle_deadline(pair.now) == [ReferenceEnded("idle")]
    assert set(pair.server.served.grants) == {"called", "followed"}
    pair.server.served.answer(call_id, UNSET)
    pair.client.followed.unsubscribe("job")
    pair.cross()
    assert pair.server.handle_deadline(pair.now + 4) == []
    ended = pair.server.handle_deadline(pair.now + 5)
    assert ended == [ReferenceEnded("called"), ReferenceEnded("followed")]


def test_a_reference_that_ends_while_it_is_used_stays_ended(pair: Any) -> None:
    """REF-4."""
    pair.grant()
    call_id = pair.call(reference="ref")
    pair.follow("job", service="", reference="ref", mode="reference")
    pair.server.served.end_reference("ref")
    pair.server.served.end_reference("ref")
    assert pair.server.served.answer(call_id, UNSET)
    pair.client.followed.unsubscribe("job")
    pair.cross()
    assert pair.server.served.next_expiry is None


def test_following_a_reference_that_is_not_held_ends_as_stale(pair: Any) -> None:
    pair.client.followed.subscribe(
        "job", Subject.SERVICE, mode="reference", version=1, digest="d", reference="forged"
    )
    (ended,) = pair.at_client()
    assert ended.error.code == "stale_reference"


def test_more_references_than_may_be_held_are_refused(make_pair: Any) -> None:
    pair = make_pair(limits=Limits(references=1))
    pair.open()
    pair.grant("one")
    call_id = pair.call()
    assert not pair.server.served.grant(call_id, "two", "job")
    (failed,) = pair.at_client()
    assert failed.error.code == "overflow"


def test_handles_may_be_any_object(pair: Any) -> None:
    handle = object()
    one = pair.follow(handle)
    pair.server.served.publish_snapshot(one, 1, "d", {}, {})
    (published,) = pair.at_client()
    assert isinstance(published, Published)
    assert published.handle is handle


def test_the_arguments_of_outstanding_calls_are_bounded_together(make_pair: Any) -> None:
    """TRN-12: by their bytes, where they are large; what is answered makes room again."""
    pair = make_pair(limits=Limits(argument_bytes=100_000))
    pair.open()
    large, small = Raw(b'"' + b"x" * 40_000 + b'"'), Raw(b"{}")
    for arguments in (large, large, small):
        pair.client.call("a", arguments, {"service": "s"})
    assert [one.id for one in pair.at_server()] == [1, 2, 3]
    refused = pair.client.call("a", large, {"service": "s"})
    (failed,) = pair.at_client()
    assert (failed.id, failed.error.code) == (refused, "overflow")
    for end in (lambda: pair.server.served.answer(1, UNSET), lambda: pair.client.cancel(2)):
        end()
        pair.cross()
        last = pair.client.call("a", large, {"service": "s"})
        assert [one.id for one in pair.at_server()] == [last]
