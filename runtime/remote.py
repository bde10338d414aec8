"""What generated proxies are made over, where the provider is at the other end of a wire.

Handles are thin, one a facet; what they share stands in ``targets.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import UNSET

from .calls import dump_arguments, encode_arguments, make_error, read_result
from .context import check_context
from .envelopes import read_envelope
from .errors import InvalidJSON, InvalidResult, ServiceError, StaleReference
from .following import ServiceFollower
from .handles import Handle, HandleEvents, HandleReplica
from .parse import parse_payload
from .protocol.messages import Failed, Granted
from .references import PrivateReference
from .traces import write_trace

if TYPE_CHECKING:
    from .calls import Failure
    from .context import Context
    from .link import Reference
    from .members import EventsMember, Method, StateMember
    from .outgoing import Answer
    from .peer import Peer
    from .protocol.messages import Result
    from .strict_json import JsonValue
    from .targets import Target
    from .tokens import Referenced
    from .tracing import CarefulTracer

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")


class RemoteLink:
    """A link to a target at the other side, for one handle."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._states: dict[str, HandleReplica[Any]] = {}
        self._events: dict[str, HandleEvents[Any]] = {}
        self._handle = Handle()

    def state(self, member: StateMember[T]) -> HandleReplica[T]:
        """Return a view of the replica that all handles share."""
        if member.name not in self._states:
            self._states[member.name] = HandleReplica(self._target.feeds[member.name], self._handle)
        return self._states[member.name]

    def events(self, member: EventsMember[T]) -> HandleEvents[T]:
        """Return a view of the source of events over there."""
        if member.name not in self._events:
            channel = self._target.get_hub(member).channel
            self._events[member.name] = HandleEvents(member, channel, self._handle)
        return self._events[member.name]

    async def call(self, method: Method[P, R], params: P, ctx: Context) -> R:
        """Call *method* at the other side, and return its result."""
        peer, arguments = self._prepare(method, params, ctx)
        target = self._target
        if peer.tracer is None:
            message = await peer.calls.call(
                target.token.id, method.name, arguments, ctx, target.address, trace=write_trace(ctx)
            )
        else:
            message = await self._trace(peer, peer.tracer, method, arguments, ctx)
        if isinstance(message, Failed):
            raise make_error(target.token, method, read_envelope(message.error))
        payload = method.result
        if payload is None:
            return cast("R", None)
        return read_result(target.token, method, payload, self._read(peer, method, message))

    async def call_reference(
        self, method: Method[Any, Reference[T]], params: object, ctx: Context
    ) -> Reference[T]:
        """Call a method that returns a private reference, and return that.

        One object has one reference, as long as that is not released.
        """
        peer, arguments = self._prepare(method, params, ctx)
        target = self._target
        if peer.tracer is None:
            message = await peer.calls.call(
                target.token.id, method.name, arguments, ctx, target.address, trace=write_trace(ctx)
            )
        else:
            message = await self._trace(peer, peer.tracer, method, arguments, ctx)
        if isinstance(message, Failed):
            raise make_error(target.token, method, read_envelope(message.error))
        token = cast("Referenced[T]", method.get_returned())
        place = f"the result of {target.token.id}.{method.name}"
        if not isinstance(message, Granted):
            raise InvalidResult(f"{place}: expected a reference, found a value")
        if target.peer is not peer:
            peer.release(message.reference, 1)
            raise StaleReference("the connection ended before the reference was there")
        if message.service != token.id:
            peer.release(message.reference, 1)
            raise InvalidResult(f'{place}: expected a reference to "{token.id}"')
        reference = peer.held.get(message.reference)
        if reference is None:
            reference = peer.held[message.reference] = RemoteReference(
                token, peer, message.reference
            )
        reference.received += 1
        return cast("RemoteReference[T]", reference)

    def close(self, error: ServiceError) -> None:
        """Refuse every later use with *error*, and end every subscription of this handle."""
        self._handle.close(error)

    def _prepare(
        self, method: Method[Any, Any], params: object, ctx: Context
    ) -> tuple[Peer, bytes]:
        """Return the connection to call over, and the text of the arguments."""
        check_context(ctx)
        ctx.check()
        self._handle.check()
        arguments = dump_arguments(self._target.token, method, params)
        text = encode_arguments(self._target.token, method, arguments)
        return self._target.get_peer(method), text

    async def _trace(
        self,
        peer: Peer,
        tracer: CarefulTracer,
        method: Method[Any, Any],
        arguments: bytes,
        ctx: Context,
    ) -> Answer:
        """Call within a span."""
        target = self._target
        span = tracer.start_client(target.token.id, method.name, ctx)
        trace = write_trace(span.ctx)
        code: str | None = "cancelled"
        try:
            message = await peer.calls.call(
                target.token.id, method.name, arguments, ctx, target.address, trace=trace
            )
            code = message.error.code if isinstance(message, Failed) else None
        except ServiceError as error:
            code = error.code
            raise
        finally:
            span.end(code)
        return message

    def _read(self, peer: Peer, method: Method[Any, Any], message: Result | Granted) -> JsonValue:
        """Return the value that a call came to; no schema has judged it."""
        problem: object = "expected a value, found none"
        if isinstance(message, Granted):
            problem = "expected a value, found a reference"
            peer.release(message.reference, 1)
        elif message.result is not UNSET:
            try:
                return parse_payload(bytes(message.result))
            except InvalidJSON as error:
                problem = error
        place = f"the result of {self._target.token.id}.{method.name}"
        raise InvalidResult(f"{place}: {problem}")


class RemoteReference(PrivateReference, Generic[T]):
    """A private reference to an implementation at the other side of one connection."""

    def __init__(self, token: Referenced[T], peer: Peer, name: str) -> None:
        super().__init__(token)
        self._peer = peer
        self._name = name
        self._follower = ServiceFollower(token, "reference", reference=name)
        self._link = RemoteLink(self._follower.target)
        self._service = token.proxy(self._link)
        self.received = 0
        """How often it came over the connection."""
        self._follower.attach(peer, subscribe=bool(self._follower.target.feeds))
        peer.on_end(self._lose)

    @property
    def service(self) -> T:
        """The service itself; its calls raise `StaleReference` after the end."""
        return self._service

    def _lose(self, failure: Failure) -> None:
        del failure
        self.end(f'the reference to "{self.token.id}" ended with its connection')

    def _finish(self, ending: StaleReference) -> None:
        self._peer.forget_end(self._lose)
        self._link.close(ending)
        self._follower.close()
        self._peer.held.pop(self._name, None)
        self._peer.release(self._name, self.received)
