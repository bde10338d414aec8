"""Faults of ours; a fault of the peer is a value and never raised."""

from __future__ import annotations

from pi_contracts.runtime.errors import PiContractsError


class LocalProtocolError(PiContractsError, RuntimeError):
    """We tried to send what may not be sent now."""

    def __init__(self, kind: str, role: str, state: str) -> None:
        super().__init__(f'the {role} cannot send "{kind}" while it is {state}')
        self.kind = kind
        self.role = role
        self.state = state


class FrameTooLarge(PiContractsError, ValueError):  # noqa: N818 - named by what is wrong
    """A frame is larger than the other side takes; it was not sent."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"a frame of {size} bytes, where the other side takes {limit}")
        self.size = size
        self.limit = limit
