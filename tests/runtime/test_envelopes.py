from __future__ import annotations

import pytest
from msgspec import UNSET, Raw
from pi_contracts.runtime.calls import Failure
from pi_contracts.runtime.envelopes import read_envelope, write_envelope
from pi_contracts.runtime.protocol.messages import ErrorEnvelope

ERRORS = {
    "without data": (Failure("busy", "later", None), ErrorEnvelope("busy", "later", UNSET)),
    "with data": (
        Failure("unknown_model", "no", {"a": [1, None]}),
        ErrorEnvelope("unknown_model", "no", Raw(b'{"a":[1,null]}')),
    ),
}


@pytest.mark.parametrize(("failure", "envelope"), ERRORS.values(), ids=ERRORS)
def test_an_error_crosses_as_code_message_and_data(
    failure: Failure, envelope: ErrorEnvelope
) -> None:
    """ERR-1."""
    assert write_envelope(failure) == envelope
    assert read_envelope(envelope) == failure
