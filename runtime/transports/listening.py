"""Accepting connections until told to stop, whatever the transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_contracts.runtime.failures import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.runtime.transport import Accept, Transport


class Handover:
    """Hands new transports over, one by one, until it is stopped."""

    def __init__(self, accept: Accept) -> None:
        self._accept = accept
        self.stopped = False

    def accept(self, transport: Transport) -> None:
        """Hand *transport* over; abort it if that fails or nobody accepts any more."""
        if self.stopped:
            transport.abort()
            return
        try:
            self._accept(transport)
        except Exception as error:  # noqa: BLE001 - whatever the application raises is its own
            report("accepting a connection failed", error)
            transport.abort()


class Listening:
    """What `Listen` returns: called and awaited it ends accepting, and stays idempotent.

    Connections that were accepted go on.
    """

    def __init__(
        self, handover: Handover, stop: Callable[[], object], addresses: tuple[str, ...] = ()
    ) -> None:
        self._handover = handover
        self._stop = stop
        self.addresses: Final = addresses
        """Where connections are accepted: a path, or ``host:port``."""

    async def __call__(self) -> None:
        """Accept nothing more; a second time does nothing."""
        if not self._handover.stopped:
            self._handover.stopped = True
            self._stop()
