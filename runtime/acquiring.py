"""What one facet has acquired, and when it may."""

from __future__ import annotations

from .errors import InaccessibleView, ModeMismatch


class Acquisitions:
    """The services that one facet acquired, each in one mode."""

    def __init__(self) -> None:
        self.sealed: str | None = None
        """Whose setup is over, if it is."""
        self.closed = False
        self._calls: dict[str, str] = {}

    def add(self, service: str, call: str) -> None:
        """Note that *service* is acquired with *call*, ``use`` or ``observe``.

        Raises `InaccessibleView` for a first acquisition after the setup, and for any
        after the facet's end; `ModeMismatch` where the other call acquired it first.
        """
        if self.closed:
            raise InaccessibleView(service, "its facet has ended")
        first = self._calls.get(service)
        if first is None and self.sealed is not None:
            raise InaccessibleView(
                service, f"{self.sealed} calls {call} after its setup; acquire services in setup"
            )
        if first is not None and first != call:
            raise ModeMismatch(
                f'"{service}" cannot be acquired with {call}: {first} has acquired it first'
            )
        self._calls[service] = call
