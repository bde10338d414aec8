from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.outbox import EventSlot, Outbox, Outgoing, StateSlot


def put_value(outbox: Outbox, owner: Outgoing, value: int) -> StateSlot:
    slot = StateSlot(owner, ("", "s"), "s", Raw(b"%d" % value), UNSET)
    outbox.put_parcel(slot)
    return slot


def test_frames_leave_in_the_order_in_which_they_were_put() -> None:
    """TRN-9: an answer does not overtake the update before it, nor the other way about."""
    outbox, owner = Outbox(), Outgoing(1)
    put_value(outbox, owner, 1)
    outbox.put_frame(encode(m.Result(1)))
    outbox.put_parcel(EventSlot(outbox, Outgoing(2), Raw(b"2"), UNSET))
    kinds = [json.loads(text)["type"] for text in outbox.take(10_000)]
    assert kinds == ["update", "result", "event"]
    assert not outbox.waiting
    assert (outbox.waiting_frames, outbox.waiting_bytes) == (0, 0)


def test_a_batch_ends_at_its_budget_and_has_one_frame_at_least() -> None:
    outbox = Outbox()
    for number in range(5):
        outbox.put_frame(encode(m.Cancel(number + 1)))
    assert len(outbox.take(1)) == 1
    assert len(outbox.take(30)) == 2
    assert len(outbox.take(10_000)) == 2


def test_numbers_are_given_when_a_frame_leaves() -> None:
    """STA-14: what never leaves has no number."""
    outbox, owner = Outbox(), Outgoing(1)
    outbox.drop(put_value(outbox, owner, 1))
    put_value(outbox, owner, 2)
    (text,) = outbox.take(10_000)
    assert json.loads(text) == {"type": "update", "id": 1, "number": 1, "member": "s", "value": 2}


@given(
    st.lists(st.sampled_from(["state", "event", "frame", "drop", "close", "take"]), max_size=400)
)
def test_what_waits_is_bounded_by_what_is_wanted(steps: list[str]) -> None:
    """STA-29: dropped parcels do not pile up, and counts end at nothing."""
    outbox, owner = Outbox(), Outgoing(1)
    for number, step in enumerate(steps, start=1):
        match step:
            case "state":
                known = owner.slots.get(("", "s"))
                if known is not None:
                    outbox.drop(known)
                put_value(outbox, owner, number)
            case "event":
                outbox.put_parcel(EventSlot(outbox, owner, Raw(b"1"), UNSET))
            case "frame":
                outbox.put_frame(encode(m.Cancel(number)))
            case "drop":
                for parcel in list(owner.slots.values()):
                    outbox.drop(parcel)
            case "close":
                outbox.close(owner)
                owner = Outgoing(number)
            case _:
                outbox.take(100)
        wanted = owner.waiting_events + len(owner.slots) + outbox.waiting_frames
        assert len(outbox.waiting) <= 3 * wanted + 400
    while outbox.waiting:
        outbox.take(10_000)
    assert (outbox.waiting_frames, outbox.waiting_bytes, owner.waiting_events) == (0, 0, 0)


def test_churn_before_a_slow_reader_does_not_pile_up() -> None:
    outbox, owner = Outbox(), Outgoing(1)
    for number in range(5000):
        outbox.drop(put_value(outbox, owner, number))
    assert len(outbox.waiting) < 200


def test_events_of_a_closed_subscription_are_swept_with_their_bytes() -> None:
    outbox, owner = Outbox(), Outgoing(1)
    for _ in range(50):
        outbox.put_parcel(EventSlot(outbox, owner, Raw(b"123"), UNSET))
    outbox.close(owner)
    other = Outgoing(2)
    for _ in range(50):
        outbox.put_parcel(EventSlot(outbox, other, Raw(b"1"), UNSET))
    assert outbox.waiting_bytes <= 50 + 3 * 15
    assert len(outbox.take(1_000_000)) == 50
    assert outbox.waiting_bytes == 0
