"""Between an error as it crosses and as the runtime holds it."""

from __future__ import annotations

from typing import cast

from msgspec import UNSET, Raw

from .calls import Failure
from .protocol.messages import ErrorEnvelope
from .strict_json import JsonValue, decode, encode


def read_envelope(error: ErrorEnvelope) -> Failure:
    """Return an error as the runtime holds it, from the way it crosses."""
    data = None if error.data is UNSET else decode(error.data)
    return Failure(error.code, error.message, cast("JsonValue", data))


def write_envelope(failure: Failure) -> ErrorEnvelope:
    """Return an error as it crosses."""
    data = UNSET if failure.data is None else Raw(encode(failure.data))
    return ErrorEnvelope(failure.code, failure.message, data)
