"""Answering one peer: its calls and subscriptions, from the registry."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, Raw

from .calls import encode_result, run_method
from .context import BACKGROUND, CLIENT, TRACE, Cancellation
from .eager_tasks import start_task
from .envelopes import write_envelope
from .errors import InvalidJSON
from .exposure import Exposure, describe_unknown
from .feeds import FixedFeed, InstancesFeed, SingletonFeed
from .members import Method
from .parse import parse_payload
from .protocol.messages import ErrorEnvelope
from .protocol.served import SMALL
from .references import give_up, hold
from .traces import read_trace

if TYPE_CHECKING:
    from .calls import Answer
    from .context import Context
    from .feeds import Feed
    from .keyed import LiveInstance
    from .peer import Peer
    from .protocol.messages import Call, Subscribe
    from .registry import Registry, Slot
    from .strict_json import JsonValue


class _Running(Cancellation):
    """A call whose method runs, and the cancellation of its Context."""

    __slots__ = ("call_id", "exposure", "method", "size", "started", "task")

    def __init__(
        self, call_id: int, exposure: Exposure, method: Method[Any, Any], size: int
    ) -> None:
        super().__init__()
        self.size: Final = size
        self.call_id: Final = call_id
        self.exposure: Final = exposure
        self.method: Final = method
        self.task: asyncio.Task[None] | None = None
        self.started = False


class Serving:
    """The provider's side of one connection."""

    def __init__(self, peer: Peer, registry: Registry) -> None:
        self.peer: Final = peer
        self._registry = registry
        self._served = peer.connection.served
        self._loop = asyncio.get_running_loop()
        self._running: dict[int, _Running] = {}
        self._known: dict[tuple[str, str, str], tuple[Slot, Exposure, Method[Any, Any]]] = {}
        """Methods of singletons that were found; good as long as the slot has the exposure."""
        self._tasks: set[_Running] = set()
        self._bytes = 0
        """How many the large arguments have of all calls that run, cancelled or not."""
        self._feeds: dict[int, Feed] = {}
        self._references: dict[str, Exposure] = {}
        """What each private reference of this peer leads to, by name."""
        self._names: dict[tuple[int, str], str] = {}
        """The name of each reference, by its object and its service."""
        identity = peer.identity
        self._scope = BACKGROUND if identity is None else BACKGROUND.with_value(CLIENT, identity)

    # Calls

    def take_call(self, message: Call) -> None:
        """Run the method that a call names, in a task of its own, or refuse the call.

        Its first step runs at once: what never waits is answered when this returns.
        """
        connection = self.peer.connection
        if connection.has_ended or message.id not in self._served.calls:
            return  # its end has come with it
        known = self._known.get((message.scope, message.service, message.member))
        if (
            known is not None
            and known[0].exposure is known[1]
            and message.key is UNSET
            and not message.binding
        ):
            _, exposure, method = known
        else:
            found = self._find_method(message)
            if isinstance(found, ErrorEnvelope):
                self._fail(message.id, found)
                return
            exposure, method = found
        if len(self._tasks) >= 2 * connection.limits.calls:
            problem = "too many calls that were cancelled are still running"
            self._fail(message.id, ErrorEnvelope("overflow", problem))
            return
        size = len(message.arguments)
        if size <= SMALL:
            size = 0
        elif self._bytes + size > connection.limits.argument_bytes:
            problem = "the arguments of calls that were cancelled and still run are too large"
            self._fail(message.id, ErrorEnvelope("overflow", problem))
            return
        try:
            arguments = parse_payload(bytes(message.arguments))
        except InvalidJSON as error:
            place = f"the arguments of {exposure.token.id}.{method.name}"
            self._fail(message.id, ErrorEnvelope("invalid_arguments", f"{place}: {error}"))
            return
        running = _Running(message.id, exposure, method, size)
        ctx = self._scope.with_cancellation(running)
        if message.trace is not UNSET:
            carrier = read_trace(message.trace)
            if carrier is not None:
                ctx = ctx.with_value(TRACE, carrier)
        self._running[message.id] = running
        self._tasks.add(running)
        self._bytes += size
        task = start_task(self._loop, self._run(running, arguments, ctx))
        if not task.done():
            running.task = task
            if running.cancelled:
                task.cancel()

    async def _run(self, running: _Running, arguments: JsonValue, ctx: Context) -> None:
        running.started = True
        exposure, method = running.exposure, running.method
        tracer = self.peer.tracer
        span = None
        if tracer is not None:
            span = tracer.start_server(exposure.token.id, method.name, ctx)
            ctx = span.ctx
        code: str | None = "cancelled"
        try:
            answer = await run_method(
                exposure.token, method, exposure.implementation, arguments, ctx
            )
            code = None if answer.failure is None else answer.failure.code
            if self._running.get(running.call_id) is running:  # the id may be in use again
                del self._running[running.call_id]
                self._answer(running.call_id, exposure, method, answer)
        finally:
            self._forget(running)
            if span is not None:
                span.end(code)

    def _answer(
        self, call_id: int, source: Exposure, method: Method[Any, Any], answer: Answer
    ) -> None:
        if answer.failure is not None:
            self._served.fail(call_id, write_envelope(answer.failure))
        elif method.refers:
            self._grant(call_id, source, method, answer.reference)
        elif method.result is None:
            self._served.answer(call_id, UNSET)
        else:
            text = encode_result(source.token, method, answer.result)
            if isinstance(text, bytes):
                self._served.answer(call_id, Raw(text))
            else:
                self._served.fail(call_id, write_envelope(text))
        self.peer.flush_answer()

    def take_cancel(self, call_id: int) -> None:
        """Cancel the Context of a call, and its task; the call is answered already."""
        running = self._running.pop(call_id, None)
        if running is not None:
            self._stop(running)

    def _stop(self, running: _Running) -> None:
        running.cancel()
        if running.task is not None:
            running.task.cancel()
        if not running.started:  # and never will be
            self._forget(running)

    def _forget(self, running: _Running) -> None:
        self._tasks.discard(running)
        self._bytes -= running.size

    def _fail(self, call_id: int, error: ErrorEnvelope) -> None:
        self._served.fail(call_id, error)
        self.peer.flush_answer()

    def _find_method(self, message: Call) -> tuple[Exposure, Method[Any, Any]] | ErrorEnvelope:
        exposure = self._find_target(message)
        if isinstance(exposure, ErrorEnvelope):
            return exposure
        member = exposure.members.get(message.member)
        if isinstance(member, Method):
            slot = self._registry.find(message.service, message.scope)
            if slot is not None and slot.exposure is exposure:
                place = (message.scope, message.service, message.member)
                self._known[place] = (slot, exposure, member)
            return exposure, member
        return describe_unknown(exposure, message.member, "method")

    def _find_target(self, message: Call | Subscribe) -> Exposure | ErrorEnvelope:
        """Return what a call, or a subscription to events, is addressed to."""
        if message.reference:
            return self._references[message.reference]
        slot = self._find_slot(message)
        if isinstance(slot, ErrorEnvelope):
            return slot
        if slot is None or not slot.provided:
            return ErrorEnvelope("unknown_service", f'nobody provides "{message.service}" now')
        if slot.exposure is not None:
            if message.key is UNSET:
                return slot.exposure
            return ErrorEnvelope("mode_mismatch", f'"{message.service}" is not keyed')
        if message.key is UNSET:
            return ErrorEnvelope("mode_mismatch", f'"{message.service}" is keyed: name an instance')
        return _find_instance(slot, message)

    def _find_slot(self, message: Call | Subscribe) -> Slot | ErrorEnvelope | None:
        if not self._registry.is_allowed(message.service, message.scope):
            return ErrorEnvelope("service_not_allowed", f'"{message.service}" may not be used here')
        if message.binding:
            return ErrorEnvelope("not_attached", "the binding that is meant is over")
        return self._registry.find(message.service, message.scope)

    # References

    def _grant(
        self,
        call_id: int,
        source: Exposure,
        method: Method[Any, Any],
        implementation: object,
    ) -> None:
        token = method.get_returned()
        assert token is not None  # noqa: S101 - narrows the type
        hold(implementation)
        if source.root.closed:
            error = ErrorEnvelope("stale_reference", "its provider ended meanwhile")
            self._served.fail(call_id, error)
            give_up(implementation)
            return
        place = (id(implementation), token.id)
        name = self._names.get(place) or secrets.token_urlsafe(16)
        if not self._served.grant(call_id, name, token.id) or name in self._references:
            give_up(implementation)
            return
        self._names[place] = name
        granted = self._references[name] = Exposure(token, implementation, source=source)
        source.root.on_close(granted, lambda: self._end_reference(name))
        self.peer.arm()

    def take_reference_end(self, reference: str) -> None:
        """Forget a reference that was released, or idle for too long."""
        granted = self._references.pop(reference, None)
        if granted is None:
            return
        for subscription_id, feed in list(self._feeds.items()):
            if feed.exposure is granted:
                error = ErrorEnvelope("stale_reference", "the reference has ended")
                self.end_subscription(subscription_id, error)
        del self._names[id(granted.implementation), granted.token.id]
        granted.root.leave(granted)
        give_up(granted.implementation)

    def _end_reference(self, reference: str) -> None:
        """End a reference that came from what is provided no more."""
        self._served.end_reference(reference)
        self.take_reference_end(reference)

    # Subscriptions

    def take_subscribe(self, message: Subscribe) -> None:
        """Open the feed that a subscription asks for, or refuse it."""
        if message.id not in self._served.subscriptions:
            return  # its end came together with it
        feed = self._make_feed(message)
        if isinstance(feed, ErrorEnvelope):
            self._served.end_subscription(message.id, feed)
        else:
            self._feeds[message.id] = feed
            feed.open()
        self.peer.flush_answer()

    def _make_feed(self, message: Subscribe) -> Feed | ErrorEnvelope:
        if message.reference:
            granted = self._references[message.reference]
            if message.mode == "reference":
                return FixedFeed(self, message, granted)
            return ErrorEnvelope("mode_mismatch", f'"{granted.token.id}" is a reference')
        if message.mode == "reference":
            return ErrorEnvelope("mode_mismatch", f'"{message.service}" is not a reference')
        if message.key is not UNSET or (message.mode == "keyed" and message.member):
            found = self._find_target(message)
            if isinstance(found, ErrorEnvelope):
                return found
            if message.mode == "keyed":
                return FixedFeed(self, message, found)
            return ErrorEnvelope("mode_mismatch", f'"{message.service}" is keyed')
        slot = self._find_slot(message)
        if isinstance(slot, ErrorEnvelope):
            return slot
        if message.mode == "singleton":
            return SingletonFeed(self, message, self._registry)
        return InstancesFeed(self, message, self._registry)

    def take_unsubscribe(self, subscription_id: int) -> None:
        """Close the feed of a subscription that is over."""
        feed = self._feeds.pop(subscription_id, None)
        if feed is not None:
            feed.close()

    def end_subscription(self, subscription_id: int, error: ErrorEnvelope) -> None:
        """End a subscription, and say why."""
        self._served.end_subscription(subscription_id, error)
        self.take_unsubscribe(subscription_id)
        self.peer.flush_soon()

    def end(self) -> None:
        """Cancel every call, close every feed and release every reference."""
        running, self._running = self._running, {}
        for call in running.values():
            self._stop(call)
        feeds, self._feeds = self._feeds, {}
        for feed in feeds.values():
            feed.close()
        references, self._references = self._references, {}
        self._names.clear()
        for granted in references.values():
            granted.root.leave(granted)
            give_up(granted.implementation)


def _find_instance(slot: Slot, message: Call | Subscribe) -> Exposure | ErrorEnvelope:
    keyed = slot.keyed
    assert keyed is not None  # noqa: S101 - narrows the type
    instance: LiveInstance | None = keyed.live.get(str(message.key))
    if instance is not None and instance.generation == message.generation:
        return instance.exposure
    if message.generation > keyed.latest:
        return ErrorEnvelope("unknown_instance", f'there is no such instance of "{slot.service}"')
    return ErrorEnvelope("stale_instance", f'this instance of "{slot.service}" is gone')
