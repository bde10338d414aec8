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


class AbortedError(ConnectionAbortedError):
    """The transport was ended from this side, without regard to what was unsent."""

    def __init__(self) -> None:
        super().__init__("the transport was aborted")
