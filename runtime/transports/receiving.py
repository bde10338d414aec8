"""What every transport shares: its receiver, which hears of the end once, and last."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_contracts.runtime.transport import Receiver


class Receiving:
    """The half of a transport that tells its receiver; the end may come before anybody listens."""

    def __init__(self, credential: str | None) -> None:
        self.credential: Final = credential
        self.facts: Mapping[str, object] = {}
        self._receiver: Receiver | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._error: Exception | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the receiver has heard of the end."""
        return self._closed

    async def wait_closed(self) -> None:
        """Wait until the receiver has heard of the end."""
        if self._closed:
            return
        if self._waiter is None:
            self._waiter = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._waiter)

    def pause_writing(self) -> None:
        """Tell the receiver that the system takes no more for now."""
        if self._receiver is not None:
            self._receiver.pause()

    def resume_writing(self) -> None:
        """Tell the receiver that the system has taken everything."""
        if self._receiver is not None and not self._closed:
            self._receiver.resume()

    def _begin(self, receiver: Receiver) -> None:
        """Tell *receiver* from now on; of an end that has come already, in the loop's next turn."""
        if self._receiver is not None:
            raise RuntimeError("a transport is started once")
        self._receiver = receiver
        if self._ended:
            asyncio.get_running_loop().call_soon(self._tell, receiver)

    def _end(self, error: Exception | None) -> None:
        """Let the transport have ended because of *error*; only the first time counts."""
        if self._ended:
            return
        self._ended = True
        self._error = error
        if self._receiver is not None:
            self._tell(self._receiver)

    def _tell(self, receiver: Receiver) -> None:
        self._closed = True
        error, self._error = self._error, None
        try:
            receiver.lose(error)
        finally:
            if self._waiter is not None:
                self._waiter.set_result(None)


class Reading(Receiving):
    """A transport that reads from one of asyncio's; nothing is handed on before the start.

    What arrives until then is kept, and no more is read. Pausing from the beginning does
    not do: asyncio's TLS would not send the end of its handshake, and uvloop's pipes
    read all the same.
    """

    _source: asyncio.ReadTransport

    def __init__(self, credential: str | None) -> None:
        super().__init__(credential)
        self._early: list[bytes] = []
        self._going = False

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        asyncio.get_running_loop().call_soon(self._go_on)  # before an end that has come already
        self._begin(receiver)

    def data_received(self, data: bytes) -> None:
        """Hand on what arrived; keep it if nobody can have it yet."""
        if self._going and self._receiver is not None:
            self._receiver.receive(data)
            return
        self._early.append(data)
        self._source.pause_reading()

    def _go_on(self) -> None:
        """Hand on what came before the start, and read on."""
        self._going = True
        early, self._early = self._early, []
        for data in early:
            self.data_received(data)
        if not self._source.is_closing():
            self._source.resume_reading()

    def _end(self, error: Exception | None) -> None:
        if self._receiver is not None:
            self._go_on()  # all that came before the end
        super()._end(error)


class AbortedError(ConnectionAbortedError):
    """The transport was ended from this side, without regard to what was unsent."""

    def __init__(self) -> None:
        super().__init__("the transport was aborted")
