from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET, Raw
from pi_contracts.runtime import BACKGROUND, TRACE
from pi_contracts.runtime.traces import read_trace, write_trace

TRACES: dict[str, tuple[Any, dict[str, str] | None]] = {
    "none": (UNSET, None),
    "headers": (Raw(b'{"traceparent":"00-1"}'), {"traceparent": "00-1"}),
    "an array": (Raw(b"[]"), None),
    "other values": (Raw(b'{"traceparent":null}'), None),
    "no JSON": (Raw(b"{"), None),
    "too many bytes": (Raw(b'{"a":"%s"}' % (b"x" * 9000)), None),
}


@pytest.mark.parametrize(("trace", "carrier"), TRACES.values(), ids=TRACES)
def test_a_trace_is_read_or_counts_as_none(trace: Any, carrier: dict[str, str] | None) -> None:
    """CTX-17."""
    assert read_trace(trace) == carrier


def test_a_context_without_a_trace_sends_none() -> None:
    """CTX-18: nothing is taken from anywhere but the Context."""
    assert write_trace(BACKGROUND) is UNSET
    carrier = {"traceparent": "00-1"}
    assert read_trace(write_trace(BACKGROUND.with_value(TRACE, carrier))) == carrier
