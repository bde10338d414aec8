"""A peer: one connection in asyncio, symmetric; the shell around ``protocol.Connection``.

What the other side may use here belongs to a handler (``serving.py``), what is used
over there to bindings (``binding.py``).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .backlog import Backlog
from .calls import Failure, make_built_in_error
from .envelopes import read_envelope
from .errors import Disconnected, NotAuthorized, Overflow, ServiceError, UnsupportedVersion, clip
from .failures import FAILURES, LOGGER, report
from .handling import Handler, Handlers, NoHandler
from .outgoing import FEW, OutgoingCalls
from .protocol import (
    Connection,
    Gap,
    Limits,
    LinkEnded,
    Published,
    ReferenceEnded,
    Refused,
    Role,
    SubscriberLeft,
    SubscriptionEnded,
)
from .protocol.messages import (
    Call,
    Cancel,
    ErrorEnvelope,
    Failed,
    Granted,
    Hello,
    Result,
    Subscribe,
    Unsubscribe,
    Welcome,
)
from .refusals import RefusalLog
from .tracing import CarefulTracer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .context import Context
    from .handling import Follower
    from .protocol import Happening
    from .protocol.states import Subject
    from .remote import RemoteReference
    from .targets import Target
    from .tracing import Tracer
    from .transport import Clock, Timer, Transport

    Authenticate: TypeAlias = Callable[[str | None, Transport], Awaitable[str]]

_LONGEST_REASON: Final = 200


class Peer:
    """The other end of one connection."""

    def __init__(
        self,
        transport: Transport,
        role: Role,
        *,
        registry: Handlers | None = None,
        limits: Limits | None = None,
        authenticate: Authenticate | None = None,
        clock: Clock | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self.closed_here = False
        """Whether this side closed the link."""
        self.identity: str | None = None
        """Who the client is, at a server that authenticates."""
        self.connection: Final = Connection(
            role, transport.framing, limits=limits, credential=transport.credential
        )
        self.tracer: Final = None if tracer is None else CarefulTracer(tracer)
        self._transport = transport
        self._registry = registry
        self._authenticate = authenticate
        self.calls: Final = OutgoingCalls(
            self.connection, flush=self.flush, flush_soon=self.flush_soon
        )
        self._loop = asyncio.get_running_loop()
        self._clock: Clock = self._loop if clock is None else clock
        self._backlog: Final = Backlog(self._take, self._flush_handled, self._loop.call_soon)
        self._handler: Handler | None = None
        self._opened: asyncio.Future[None] = self._loop.create_future()
        # Looked at, so that asyncio does not complain where nobody waits for it.
        self._opened.add_done_callback(lambda opened: opened.exception())
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._ending: ErrorEnvelope | None = None
        self._on_end: dict[Callable[[Failure], object], None] = {}
        self.held: Final[dict[str, RemoteReference[Any]]] = {}
        """The private references that came over this connection, by name."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: Timer | None = None
        self._armed: float | None = None
        self._flushing = False
        self._started = False
        self._takers: Final[dict[type, Callable[[Any], None]]] = {
            Hello: self._take_hello,
            Welcome: self._take_welcome,
            Result: self.calls.take_answer,
            Granted: self.calls.take_answer,
            Failed: self.calls.take_answer,
            Published: lambda published: published.handle.take(published.message),
            Gap: lambda gap: gap.handle.take_gap(gap.error),
            SubscriptionEnded: lambda ended: ended.handle.take_end(ended.error),
            Refused: RefusalLog().take,
            LinkEnded: lambda ended: self._finish(ended.error),
        }

    # The life of the link

    @property
    def opened(self) -> bool:
        """Whether the handshake is done and the link has not ended."""
        return self._handler is not None and self._ending is None

    @property
    def ending(self) -> Failure | None:
        """Why the link has ended, if it has."""
        return None if self._ending is None else read_envelope(self._ending)

    def start(self) -> None:
        """Begin the handshake; a second time does nothing."""
        if not self._started:
            self._started = True
            self.connection.start(self._clock.time())
            self._transport.start(self)
            self.flush()
            self.arm()

    async def open(self, ctx: Context) -> None:
        """Do the handshake.

        Raises `Disconnected`, `UnsupportedVersion` or `NotAuthorized`, and `Cancelled`
        if *ctx* was cancelled; then, and if the task is, nothing stays open.
        """
        try:
            self.start()
            await ctx.wait(self._opened)
        except BaseException:
            if not self.opened:
                self._finish(ErrorEnvelope("disconnected", "the handshake was given up"))
                self._transport.abort()
            raise

    async def close(self, error: ErrorEnvelope | None = None) -> None:
        """Say goodbye, send what waits, and end; at most ``limits.closing`` seconds.

        Nothing is delivered any more once this was called. Any number of calls, at any
        time, all return when the link is gone.
        """
        self.close_soon(error)
        if not self._gone.done():
            await asyncio.shield(self._gone)

    def close_soon(self, error: ErrorEnvelope | None = None) -> None:
        """Do what `close` does, without waiting."""
        if self._ending is None:
            self.closed_here = True
            self.connection.end(error)
            self._finish(error or ErrorEnvelope("disconnected", "this side closed the link"))

    def on_end(self, callback: Callable[[Failure], object]) -> None:
        """Call *callback* with the reason once the link has ended; at once if it has."""
        if self._ending is None:
            self._on_end[callback] = None
        else:
            callback(read_envelope(self._ending))

    def forget_end(self, callback: Callable[[Failure], object]) -> None:
        """Do not call *callback* any more; nothing happens if it never was to be called."""
        self._on_end.pop(callback, None)

    async def wait_ended(self) -> Failure:
        """Wait until the link is gone, and return why."""
        await asyncio.shield(self._gone)
        assert self._ending is not None  # noqa: S101 - narrows the type
        return read_envelope(self._ending)

    # What a transport tells

    def receive(self, data: bytes, /) -> None:
        """Take bytes, and do at once what they ask for."""
        self._handle(self.connection.receive(data, self._clock.time()))

    def pause(self) -> None:
        """Send nothing for now."""
        self.connection.pause()
        self.calls.pause()

    def resume(self) -> None:
        """Send what waits, then let calls go on that wait for their turn."""
        self.connection.resume()
        self.flush()
        self.calls.resume()

    def lose(self, error: Exception | None, /) -> None:
        """Take the end of the transport."""
        why = "" if error is None else clip(str(error), _LONGEST_REASON)
        happenings = self.connection.receive_end(self._clock.time(), why)
        if error is not None:
            LOGGER.debug("a transport has failed", exc_info=error)
        self._handle(happenings)
        if self._timer is not None:
            self._timer.cancel()
        if not self._gone.done():
            self._gone.set_result(None)

    # Sending

    def flush(self) -> None:
        """Hand everything to the transport that may be sent now."""
        take = self.connection.take_output
        while batch := take():
            self._transport.send(batch)

    def flush_soon(self) -> None:
        """Flush at the end of this turn of the loop, with whatever else comes up in it."""
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush_now)

    def flush_answer(self) -> None:
        """Flush now if hardly anything else is going on, else soon."""
        if len(self.connection.served.calls) < FEW:
            self.flush()
        else:
            self.flush_soon()

    # Subscribing

    def subscribe(self, follower: Follower, subject: Subject, target: Target, **more: str) -> int:
        """Let *follower* have what is published of *target*; return the least id of that."""
        token = target.token
        self.flush_soon()
        return self.connection.followed.subscribe(
            follower,
            subject,
            mode=target.mode,
            version=token.version,
            digest=token.digest,
            **target.address,
            **more,
        )

    def unsubscribe(self, follower: Follower) -> None:
        """Let *follower* have nothing more."""
        if self._ending is None:
            self.connection.followed.unsubscribe(follower)
            self.flush_soon()

    def release(self, reference: str, count: int) -> None:
        """Give up a private reference that came *count* times."""
        if self._ending is None:
            self.connection.release(reference, count)
            self.flush_soon()

    # Within

    def _handle(self, happenings: list[Happening]) -> None:
        self._backlog.add(happenings, at_once=self.connection.has_ended)

    def _take(self, happening: Happening) -> None:
        if self._ending is not None:
            return  # nothing is delivered on a link that has been closed
        try:
            self._takers[type(happening)](happening)
        except Exception as error:  # noqa: BLE001 - one frame must not stop the others
            report("a frame could not be handled", error)

    def _flush_handled(self) -> None:
        if self.connection.has_output:
            self.flush_answer()

    def _take_hello(self, message: Hello) -> None:
        credential = message.credential if isinstance(message.credential, str) else None
        if self._authenticate is None:
            self._accept(None)
            return
        task = self._loop.create_task(self._admit(self._authenticate, credential))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _admit(self, authenticate: Authenticate, credential: str | None) -> None:
        """Find out who the client is; no call is taken before that."""
        try:
            identity = await authenticate(credential, self._transport)
        except (NotAuthorized, Overflow) as error:
            refusal = ErrorEnvelope(error.code, error.message)
        except Exception as error:  # noqa: BLE001 - whatever an authentication raises is its own
            report("an authentication failed", error)
            refusal = ErrorEnvelope(NotAuthorized.code, "not authorized")
        else:
            if self._ending is None:
                self._accept(identity)
            return
        self.close_soon(refusal)

    def _accept(self, identity: str | None) -> None:
        self.identity = identity
        self.connection.accept(self._clock.time())
        self._begin()

    def _take_welcome(self, message: Welcome) -> None:
        del message
        self._begin()

    def _begin(self) -> None:
        """Open the link."""
        if self._registry is not None:
            self._handler = self._registry.serve(self)
        else:
            self._handler = NoHandler(self)
        handler = self._handler
        self._takers.update(
            {
                Call: handler.take_call,
                Cancel: lambda message: handler.take_cancel(message.id),
                Subscribe: handler.take_subscribe,
                Unsubscribe: lambda message: handler.take_unsubscribe(message.id),
                SubscriberLeft: lambda left: handler.take_unsubscribe(left.id),
                ReferenceEnded: lambda ended: handler.take_reference_end(ended.reference),
            }
        )
        self.flush()
        self.arm()
        self._opened.set_result(None)

    def _flush_now(self) -> None:
        self._flushing = False
        self.flush()

    def arm(self) -> None:
        """Let the one timer go off when the connection's next deadline is."""
        due = self.connection.next_deadline
        if due is None or (self._armed is not None and self._armed <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._armed = due
        self._timer = self._clock.call_at(due, self._handle_deadline)

    def _handle_deadline(self) -> None:
        self._armed = None
        self._handle(self.connection.handle_deadline(self._clock.time()))
        self.arm()

    def _finish(self, error: ErrorEnvelope) -> None:
        """End everything that hangs on the link; the transport may still send what waits."""
        if self._ending is not None:
            return
        self._ending = error
        self.connection.end(error)
        if not self._opened.done():
            self._opened.set_exception(_make_opening_error(error))
        self.calls.end(error.message)
        for task in self._tasks:
            task.cancel()
        if self._handler is not None:
            self._handler.end()
        while self._on_end:
            callback = next(iter(self._on_end))
            del self._on_end[callback]
            try:
                callback(read_envelope(error))
            except FAILURES as failure:
                report("a callback at the end of a link failed", failure)
        self._part()

    def _part(self) -> None:
        """Send what waits, with the goodbye, and let the transport go."""
        self.flush()
        if not self._transport.closed:
            if not self._started:
                self._started = True
                self._transport.start(self)
            self._transport.close()
            if self._timer is not None:
                self._timer.cancel()
            due = self._clock.time() + self.connection.limits.closing
            self._timer = self._clock.call_at(due, self._transport.abort)


def _make_opening_error(error: ErrorEnvelope) -> ServiceError:
    if error.code in {UnsupportedVersion.code, NotAuthorized.code}:
        return make_built_in_error(read_envelope(error))
    return Disconnected(error.message)
