"""Calls that this side makes over one connection: turns, answers, cancellation."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import UNSET, Raw

from .errors import Cancelled, Disconnected, TooLarge
from .protocol import FrameTooLarge, State
from .protocol.messages import Failed, Granted, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from msgspec import UnsetType

    from .context import Context
    from .protocol import Connection

Answer: TypeAlias = Result | Granted | Failed
"""What a call comes to on the wire."""

FEW: Final = 2
"""Up to how many outstanding calls a frame leaves at once, without waiting for others."""


class OutgoingCalls:
    """The calls that wait for their turn, and those that wait for their answer."""

    def __init__(
        self,
        connection: Connection,
        *,
        flush: Callable[[], None],
        flush_soon: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._flush = flush
        self._flush_soon = flush_soon
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, asyncio.Future[Answer]] = {}
        self._turns: deque[asyncio.Future[None]] = deque()
        self._given = 0
        """How many turns were given to calls that have not been sent yet."""
        self._flowing = asyncio.Event()
        self._ending: str | None = None

    async def call(
        self,
        service: str,
        method: str,
        arguments: bytes,
        ctx: Context,
        address: Mapping[str, Any],
        *,
        trace: Raw | UnsetType = UNSET,
    ) -> Answer:
        """Call a method and return its answer; *address* holds the fields that lead there.

        Waits first while the other side takes no more. Raises `Disconnected`,
        `TooLarge`, and `Cancelled`; if the awaiting task or *ctx* is cancelled, the
        provider is told, and no other call is touched.
        """
        connection = self._connection
        if connection.state is not State.OPEN:
            raise self._make_error()
        if self._turns or connection.paused or connection.free_calls <= self._given:
            await self._wait_until_taken(ctx)
        try:
            call_id = connection.call(method, Raw(arguments), address, trace)
        except FrameTooLarge as error:
            raise TooLarge(f"the arguments of {service}.{method}: {error}") from None
        future: asyncio.Future[Answer] = self._loop.create_future()
        self._pending[call_id] = future
        if len(self._pending) <= FEW:
            self._flush()
        else:
            self._flush_soon()
        cancelling = None
        if ctx.may_be_cancelled:
            cancelling = ctx.on_cancel(lambda: self._cancel(call_id))
        try:
            return await future
        except asyncio.CancelledError:
            if self._pending.pop(call_id, None) is not None:
                self._send_cancel(call_id)
            elif not future.cancelled() and future.exception() is None:
                self._release(future.result())
            raise
        finally:
            if cancelling is not None:
                cancelling.close()

    def end(self, why: str) -> None:
        """Let everything fail that waits, and every later call, with `Disconnected`."""
        self._ending = why
        self._flowing.set()
        waiting: list[asyncio.Future[Any]] = [*self._pending.values(), *self._turns]
        self._pending.clear()
        self._turns.clear()
        for future in waiting:
            if not future.done():
                future.set_exception(self._make_error())

    def take_answer(self, message: Answer) -> None:
        """Take the answer of a call."""
        future = self._pending.pop(message.id, None)
        if future is None or future.done():
            self._release(message)
        else:
            future.set_result(message)
        if self._turns:
            self.give_turns()

    def _release(self, answer: Answer) -> None:
        """Give up the reference that an answer holds which nobody waits for any more."""
        if isinstance(answer, Granted) and not self._connection.has_ended:
            self._connection.release(answer.reference, 1)
            self._flush_soon()

    def _make_error(self) -> Disconnected:
        return Disconnected() if self._ending is None else Disconnected(self._ending)

    def _cancel(self, call_id: int) -> None:
        """Let a call end because its Context was cancelled."""
        future = self._pending.get(call_id)
        # A future that is done was cancelled by its task, which then sends the frame itself.
        if future is not None and not future.done():
            del self._pending[call_id]
            future.set_exception(Cancelled())
            self._send_cancel(call_id)

    def _send_cancel(self, call_id: int) -> None:
        self._connection.cancel(call_id)
        self._flush_soon()
        if self._turns:
            self.give_turns()

    async def _wait_until_taken(self, ctx: Context) -> None:
        """Wait, in order, until the other side takes another call."""
        turn: asyncio.Future[None] = self._loop.create_future()
        self._turns.append(turn)
        self._loop.call_soon(self.give_turns)
        try:
            await ctx.wait(turn)
            while self._connection.paused and self._ending is None:
                await ctx.wait(self._flowing.wait())
        except BaseException:
            if turn in self._turns:
                self._turns.remove(turn)
            raise
        finally:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._given -= 1
                self._loop.call_soon(self.give_turns)
        if self._connection.state is not State.OPEN:
            raise self._make_error()

    def pause(self) -> None:
        """Let no call go on for now."""
        self._flowing.clear()

    def resume(self) -> None:
        """Let calls go on again."""
        self._flowing.set()
        self.give_turns()

    def give_turns(self) -> None:
        """Let as many calls go on as the other side takes, those first that wait longest."""
        connection = self._connection
        while self._turns and not connection.paused and connection.free_calls > self._given:
            turn = self._turns.popleft()
            if not turn.done():
                self._given += 1
                turn.set_result(None)
