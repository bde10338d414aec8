"""The versions of the protocol, and what is said where two sides share none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Raw

from .codec import encode_data
from .messages import ErrorEnvelope

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSIONS: Final = (1,)
"""The versions of the protocol that this side speaks."""

_MOST_NAMED: Final = 16


def describe_mismatch(ours: Iterable[int], theirs: Iterable[int]) -> ErrorEnvelope:
    """Return the error that ends the handshake; of very many versions the greatest are named."""
    accepted, offered = _choose(ours), _choose(theirs)
    data = Raw(encode_data({"accepted": accepted, "offered": offered}))
    problem = f"this side speaks versions {accepted} of the protocol, the other one {offered}"
    return ErrorEnvelope("protocol_version", problem, data)


def _choose(versions: Iterable[int]) -> list[int]:
    return sorted(set(versions))[-_MOST_NAMED:]
