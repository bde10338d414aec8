"""One connection: bytes and the time in, happenings and bytes out; no I/O, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, Raw, UnsetType

from . import codec
from . import messages as m
from .faults import FrameTooLarge, LocalProtocolError
from .followed import Followed
from .framing import FrameSplitter, Framing, add_header, describe_excess
from .happenings import LinkEnded, Refused
from .limits import MOST_REFUSED, STRANGER, UNREAD, Limits
from .liveness import Liveness
from .outbox import Outbox
from .served import Served
from .shortening import shorten
from .states import ANSWERS, PUBLICATIONS, RECEIVED, SENT, Role, State
from .versions import VERSIONS, describe_mismatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .happenings import Happening


class Connection:
    """The machine of one end; ``served`` is what the other side holds, ``followed`` what we do.

    Nothing that the peer does raises; asking for what may not be sent now raises
    `LocalProtocolError`.
    """

    def __init__(
        self,
        role: Role,
        framing: Framing = Framing.LENGTH,
        *,
        limits: Limits | None = None,
        versions: tuple[int, ...] = VERSIONS,
        credential: str | None = None,
    ) -> None:
        self.role: Final = role
        self.limits: Final = limits or Limits()
        self.state = State.CONNECTING
        self.has_ended = False
        """Whether nothing more is taken; a goodbye may still wait to be sent."""
        self.version: int | None = None
        """The version that both sides agreed on."""
        self.bounds: m.Bounds | None = None
        """What the other side takes."""
        self.paused = False
        """Whether nothing may be sent for now."""
        self._batch = self.limits.batch
        self._is_stream = framing is Framing.LENGTH
        self._versions = versions
        self._credential = credential
        most = self.limits.frame
        self._splitter = FrameSplitter(min(most, STRANGER) if role is Role.SERVER else most)
        self._outbox = Outbox()
        self._calls: set[int] = set()
        self._last_call = 0
        self._liveness = Liveness(self.limits)
        self._begun = 0.0
        self._refused = 0
        self._received_row: Mapping[type, State] = RECEIVED[role][self.state]
        self._sent_row = SENT[role][self.state]
        self.served: Final = Served(self.limits, self._outbox, self._put, self._fault)
        self.followed: Final = Followed(self.limits, self._put, self._fault)
        self._takers: dict[type, Callable[[Any, list[Happening]], None]] = {
            m.Hello: self._take_hello,
            m.Welcome: self._take_welcome,
            m.Goodbye: self._take_goodbye,
            m.Fault: self._take_fault,
            m.Ping: self._take_ping,
            m.Pong: self._take_nothing,
            m.Call: self.served.take_call,
            m.Cancel: self.served.take_cancel,
            m.Subscribe: self.served.take_subscribe,
            m.Unsubscribe: self.served.take_unsubscribe,
            m.Release: self.served.take_release,
            **dict.fromkeys(ANSWERS, self._take_answer),
            **dict.fromkeys(PUBLICATIONS, self.followed.take),
        }

    # What comes in

    def start(self, now: float) -> None:
        """Begin: the client's hello waits to be sent, and the handshake's time runs."""
        self.served.now = self._liveness.heard = self._begun = now
        if self.role is Role.CLIENT:
            credential = UNSET if self._credential is None else self._credential
            self._put(m.Hello(list(self._versions), self._make_bounds(), credential))

    def receive(self, data: bytes, now: float) -> list[Happening]:
        """Take a chunk of the stream, or one message, and return what has happened."""
        happenings: list[Happening] = []
        if self.has_ended:
            return happenings
        self.served.now = now
        if self._is_stream:
            texts = self._splitter.feed(data)
        elif len(data) > self._splitter.limit:
            self._splitter.oversized = len(data)
            texts = []
        else:
            texts = [data]
        if texts:
            self._liveness.hear(now)
        for text in texts:
            self._take(text, happenings)
            if self.has_ended:
                return happenings
        if self._splitter.oversized is not None:
            problem = describe_excess(self._splitter.oversized, self._splitter.limit)
            self._give_up("too_large", problem, happenings)
        elif self.paused and self._is_overfull:
            problem = f"{self._outbox.waiting_frames} frames wait for a peer that does not read"
            self._give_up("overflow", problem, happenings)
        return happenings

    def receive_end(self, now: float, why: str = "") -> list[Happening]:
        """Take the end of the transport, and *why* it came if that is known."""
        self.served.now = now
        if self.has_ended:
            return []
        self._set_state(State.ENDED)
        is_cut = self._is_stream and self._splitter.truncated
        problem = "the link ended inside a frame" if is_cut else "the link was lost"
        if why:
            problem = f"{problem}: {why}"
        return [LinkEnded(m.ErrorEnvelope("disconnected", problem))]

    @property
    def next_deadline(self) -> float | None:
        """When `handle_deadline` is due; None once the connection has ended."""
        if self.has_ended:
            return None
        if self.state is not State.OPEN:
            return self._begun + self.limits.handshake
        expiry = self.served.next_expiry
        due = self._liveness.next_deadline
        return due if expiry is None else min(due, expiry)

    def handle_deadline(self, now: float) -> list[Happening]:
        """Do what is due: ask for a sign of life, give the peer up, end idle references."""
        happenings: list[Happening] = []
        self.served.now = now
        if self.has_ended:
            return happenings
        if self.state is not State.OPEN:
            if now >= self._begun + self.limits.handshake:
                problem = f"the handshake took more than {self.limits.handshake:g} seconds"
                self._give_up("disconnected", problem, happenings)
            return happenings
        silence = self._liveness.measure_silence(now)
        if silence is not None:
            problem = f"the other side gave no sign of life for {silence:g} seconds"
            self._give_up("disconnected", problem, happenings)
            return happenings
        if self._liveness.take_ping(now):
            self._put(m.Ping())
        happenings += self.served.end_idle(now)
        return happenings

    # What goes out

    @property
    def has_output(self) -> bool:
        """Whether something waits that may be sent now."""
        return bool(self._outbox.waiting) and not self.paused

    @property
    def waiting(self) -> int:
        """How many frames and parcels wait to be sent."""
        return len(self._outbox.waiting)

    def take_output(self) -> list[bytes]:
        """Return a batch of what may be sent now, ready for the transport."""
        if self.paused or not self._outbox.waiting:
            return []
        texts = self._outbox.take(self._batch)
        return list(map(add_header, texts)) if self._is_stream else texts

    def pause(self) -> None:
        """Send nothing for now."""
        self.paused = True

    def resume(self) -> None:
        """Send again."""
        self.paused = False

    def accept(self, now: float) -> None:
        """Open the connection, as the server, after a hello."""
        self._liveness.heard = now
        assert self.version is not None, "a hello comes before"  # noqa: S101 - narrows the type
        self._put(m.Welcome(self.version, self._make_bounds()))

    def end(self, error: m.ErrorEnvelope | None = None) -> None:
        """Say goodbye, and why; a second time does nothing."""
        if not self.has_ended:
            self._put(m.Goodbye(UNSET if error is None else error))

    @property
    def free_calls(self) -> int:
        """How many more calls the other side takes now."""
        return 0 if self.bounds is None else self.bounds.calls - len(self._calls)

    @property
    def outstanding(self) -> int:
        """How many calls of ours are not yet answered."""
        return len(self._calls)

    def call(
        self,
        member: str,
        arguments: Raw,
        address: Mapping[str, Any],
        trace: Raw | UnsetType = UNSET,
    ) -> int:
        """Send a call and return its id; *address* holds the fields that lead there.

        Raises `FrameTooLarge`, and has sent nothing then.
        """
        call_id = self._last_call + 1
        text = codec.encode(m.Call(call_id, member, arguments, trace=trace, **address))
        if m.Call not in self._sent_row:
            raise LocalProtocolError("call", self.role.value, self.state.value)
        if len(text) > self._outbox.longest:
            raise FrameTooLarge(len(text), self._outbox.longest)
        self._last_call = call_id
        self._calls.add(call_id)
        self._outbox.put_frame(text)
        return call_id

    def cancel(self, call_id: int) -> None:
        """Give a call up; nothing of it happens after that."""
        if call_id in self._calls:
            self._calls.remove(call_id)
            self._put(m.Cancel(call_id))

    def release(self, reference: str, count: int) -> None:
        """Give up a reference that was received *count* times."""
        self._put(m.Release(reference, count))

    # Within

    def _take(self, text: bytes, happenings: list[Happening]) -> None:
        message = codec.decode(text)
        kind = type(message)
        state = self._received_row.get(kind)
        if state is None:
            self._refuse(message, happenings)
            return
        if self._refused:
            self._refused = 0
        if state is not self.state:
            self._set_state(state)
        self._takers[kind](message, happenings)

    def _refuse(self, message: m.Message | codec.Malformed, happenings: list[Happening]) -> None:
        if not isinstance(message, codec.Malformed):
            name, state = m.get_tag(type(message)), self.state.value
            problem = f'"{name}" cannot come while the connection is {state}'
            self._fault(problem, happenings, message.id if isinstance(message, m.Call) else None)
        elif message.deep:
            self._give_up("too_large", message.problem, happenings)
        else:
            self._refuse_malformed(message, happenings)
        self._refused += 1
        if self._refused >= MOST_REFUSED and not self.has_ended:
            problem = f"{MOST_REFUSED} texts in a row that are no frames"
            self._give_up("protocol_error", problem, happenings)

    def _refuse_malformed(self, text: codec.Malformed, happenings: list[Happening]) -> None:
        """Refuse a text that is no frame, so that nobody waits for what it was to be."""
        kind, number, problem = text.kind, text.id, text.problem
        error = m.ErrorEnvelope("protocol_error", problem)
        if kind is m.Goodbye:
            self._set_state(State.ENDED)
            happenings.append(LinkEnded(error))
        elif kind is m.Fault:  # one is never answered by another
            happenings.append(Refused(by_us=True, error=error))
        elif kind is m.Subscribe and self.state is State.OPEN and self.served.is_free(number):
            happenings.append(Refused(by_us=True, error=error))
            self._put(m.Ended(number, error))
        elif kind not in PUBLICATIONS or not self.followed.lose(number, problem, happenings):
            is_free = kind is m.Call and number not in self.served.calls
            self._fault(problem, happenings, number if is_free else None)
        if number in self._calls and (kind is m.Fault or kind in ANSWERS):
            self._calls.remove(number)
            happenings.append(m.Failed(number, error))

    def _set_state(self, state: State) -> None:
        self.state = state
        self.has_ended = state is State.ENDED
        self._received_row = RECEIVED[self.role][state]
        self._sent_row = SENT[self.role][state]
        if state is State.OPEN:
            self._splitter.limit = self.limits.frame

    def _put(self, message: m.Message) -> None:
        kind = type(message)
        state = self._sent_row.get(kind)
        if state is None:
            if self.has_ended:
                return  # the end races everybody who sends
            raise LocalProtocolError(m.get_tag(kind), self.role.value, self.state.value)
        text = codec.encode(message)
        longest = self._outbox.longest
        if longest and len(text) > longest:
            text = codec.encode(shorten(message, FrameTooLarge(len(text), longest)))
        if state is not self.state:
            self._set_state(state)
        self._outbox.put_frame(text)

    def _fault(self, problem: str, happenings: list[Happening], call: int | None = None) -> None:
        error = m.ErrorEnvelope("protocol_error", problem)
        happenings.append(Refused(by_us=True, error=error))
        if m.Fault in self._sent_row:
            self._put(m.Fault(error, UNSET if call is None else call))

    def _give_up(self, code: str, problem: str, happenings: list[Happening]) -> None:
        self._end_link(m.ErrorEnvelope(code, problem), happenings)

    def _end_link(self, error: m.ErrorEnvelope, happenings: list[Happening]) -> None:
        """Say goodbye, and tell this side of the end."""
        self.end(error)
        happenings.append(LinkEnded(error))

    @property
    def _is_overfull(self) -> bool:
        """Whether more waits than a peer that reads would leave."""
        most = 2 * (self.limits.calls + self.limits.subscriptions) + UNREAD
        outbox = self._outbox
        return outbox.waiting_frames > most or outbox.frame_bytes > self.limits.unread_bytes

    def _make_bounds(self) -> m.Bounds:
        limits = self.limits
        return m.Bounds(limits.frame, limits.calls, limits.subscriptions)

    def _set_bounds(self, bounds: m.Bounds) -> None:
        self.bounds = bounds
        self._outbox.longest = bounds.frame

    def _take_hello(self, message: m.Hello, happenings: list[Happening]) -> None:
        common = set(self._versions) & set(message.versions)
        if common:
            self._set_bounds(message.bounds)
            self.version = max(common)
            happenings.append(message)
            return
        self._end_link(describe_mismatch(self._versions, message.versions), happenings)

    def _take_welcome(self, message: m.Welcome, happenings: list[Happening]) -> None:
        if message.version not in self._versions:
            self._end_link(describe_mismatch(self._versions, [message.version]), happenings)
            return
        self._set_bounds(message.bounds)
        self.version = message.version
        happenings.append(message)

    def _take_goodbye(self, message: m.Goodbye, happenings: list[Happening]) -> None:
        error = message.error
        if isinstance(error, UnsetType):
            error = m.ErrorEnvelope("disconnected", "the other side closed the link")
        happenings.append(LinkEnded(error))

    def _take_fault(self, message: m.Fault, happenings: list[Happening]) -> None:
        happenings.append(Refused(by_us=False, error=message.error))
        call = message.call
        if not isinstance(call, UnsetType) and call in self._calls:
            self._calls.remove(call)
            happenings.append(m.Failed(call, message.error))

    def _take_ping(self, message: m.Ping, happenings: list[Happening]) -> None:
        del message, happenings
        self._put(m.Pong())

    def _take_nothing(self, message: m.Pong, happenings: list[Happening]) -> None:
        """Do nothing: that something has arrived is all that counts."""

    def _take_answer(
        self, message: m.Result | m.Granted | m.Failed, happenings: list[Happening]
    ) -> None:
        if message.id in self._calls:
            self._calls.remove(message.id)
            happenings.append(message)
        elif message.id > self._last_call:
            self._fault(f"there never was a call {message.id}", happenings)
        elif isinstance(message, m.Granted):
            self._put(m.Release(message.reference, 1))  # nobody waits for it any more
