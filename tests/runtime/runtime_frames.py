"""A peer by itself, frames that no client sent, and what the server answers to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.testing import FakeClock

if TYPE_CHECKING:
    from pi_contracts.runtime.testing import ControlledLink

HELLO = {
    "type": "hello",
    "versions": [1],
    "bounds": {"frame": 100_000, "calls": 10, "subscriptions": 10},
}


def make_peer(link: ControlledLink, role: Role, **options: Any) -> Peer:
    """Return a peer at one end of *link* whose clock stands still."""
    end = link.client if role is Role.CLIENT else link.server
    return Peer(end, role, clock=FakeClock(), **options)


def make_call(number: Any, **more: Any) -> dict[str, Any]:
    """Return the frame of a call to the sample service."""
    fields = {"member": "selectModel", "arguments": {"modelId": "x"}, "service": "models"}
    return {"type": "call", "id": number, "scope": "session", **fields, **more}


def inject(link: ControlledLink, *frames: object) -> None:
    """Let the server receive frames that no client sent."""
    for frame in frames:
        text = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
        link.to_server.inject(text)


def answers(link: ControlledLink) -> list[dict[str, Any]]:
    """Return all that the server has sent."""
    return [frame.content for frame in link.frames if frame.sender is Role.SERVER]
