from __future__ import annotations

import pytest
from msgspec import Raw
from pi_contracts.runtime.protocol import FrameTooLarge
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.shortening import shorten

PROBLEM = FrameTooLarge(2_000, 1_024)
LONG = m.ErrorEnvelope("busy", "x" * 2_000, Raw(b"7"))
TOO_LARGE = m.ErrorEnvelope("too_large", str(PROBLEM))
BUSY = m.ErrorEnvelope("busy", str(PROBLEM))

SHORTER: dict[str, tuple[m.Message, m.Message]] = {
    "a result": (m.Result(3, Raw(b"7")), m.Failed(3, TOO_LARGE)),
    "an error": (m.Failed(3, LONG), m.Failed(3, TOO_LARGE)),
    "a reference": (m.Granted(3, "r", "s" * 2_000), m.Failed(3, TOO_LARGE)),
    "an end": (m.Ended(3, LONG), m.Ended(3, TOO_LARGE)),
    "a fault": (m.Fault(LONG), m.Fault(BUSY)),
    "a fault of a call": (m.Fault(LONG, 3), m.Fault(BUSY, 3)),
    "a goodbye": (m.Goodbye(LONG), m.Goodbye(BUSY)),
}


@pytest.mark.parametrize(("message", "shorter"), SHORTER.values(), ids=SHORTER)
def test_what_ends_something_ends_it_all_the_same(message: m.Message, shorter: m.Message) -> None:
    """TRN-10: nobody waits for an answer that was too large to be sent."""
    assert shorten(message, PROBLEM) == shorter
    assert len(encode(shorter)) <= m.SMALLEST_FRAME


OURS: dict[str, m.Message] = {
    "a subscription": m.Subscribe(3, "keyed", 1, "d", service="s", key="k" * 2_000, generation=1),
    "a goodbye without an error": m.Goodbye(),
}


@pytest.mark.parametrize("message", OURS.values(), ids=OURS)
def test_what_has_no_shorter_form_is_refused_here(message: m.Message) -> None:
    with pytest.raises(FrameTooLarge):
        shorten(message, PROBLEM)


def test_whoever_holds_a_reference_can_give_it_up() -> None:
    """Its name is so short that every other side takes the frame."""
    assert len(encode(m.Release("\x01" * 128, 2**53 - 1))) <= m.SMALLEST_FRAME
