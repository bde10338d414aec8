"""Staying connected: attempts with a growing wait, and what is known of the connection.

Calls are never kept for a later connection: while there is none they fail. Handles of
the bindings stay the same from one connection to the next.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from .context import BACKGROUND, Cancellation
from .errors import Cancelled, Disconnected, NotAuthorized, ServiceError, UnsupportedVersion, clip
from .failures import report
from .members import StateMember
from .peer import Peer
from .protocol import Role
from .schemas import Schemas
from .state import MutableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .binding import Binding
    from .context import Context
    from .protocol import Limits
    from .registry import Registry
    from .tracing import Tracer
    from .transport import Clock, Connect


class Connecting(TypedDict):
    """An attempt is going on; the first one is 1."""

    status: ReadOnly[Literal["connecting"]]
    attempt: ReadOnly[int]


class Connected(TypedDict):
    """The connection is open, since a time in UTC (RFC 3339)."""

    status: ReadOnly[Literal["connected"]]
    since: ReadOnly[str]


class NotConnected(TypedDict):
    """There is no connection; ``retryAt`` is null where no attempt will follow."""

    status: ReadOnly[Literal["disconnected"]]
    since: ReadOnly[str]
    reason: ReadOnly[str]
    retryAt: ReadOnly[str | None]


ConnectionState: TypeAlias = Connecting | Connected | NotConnected

_SCHEMAS: Final = Schemas(r"""{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$defs": {"ConnectionState": {"oneOf": [
    {
      "type": "object",
      "properties": {
        "status": {"const": "connecting"},
        "attempt": {"type": "integer", "minimum": 1}
      },
      "required": ["status", "attempt"],
      "additionalProperties": false
    },
    {
      "type": "object",
      "properties": {"status": {"const": "connected"}, "since": {"type": "string"}},
      "required": ["status", "since"],
      "additionalProperties": false
    },
    {
      "type": "object",
      "properties": {
        "status": {"const": "disconnected"},
        "since": {"type": "string"},
        "reason": {"type": "string"},
        "retryAt": {"type": ["string", "null"]}
      },
      "required": ["status", "since", "reason", "retryAt"],
      "additionalProperties": false
    }
  ]}}
}""")

CONNECTION: Final[StateMember[ConnectionState]] = StateMember(
    "connection", _SCHEMAS, value="#/$defs/ConnectionState"
)
"""The row of a member table that shows a `Connector`'s state."""

_HIGHEST_POWER: Final = 64
_LONGEST_REASON: Final = 200


class _Life(NamedTuple):
    """One attempt, and the connection that it led to if it did."""

    reason: str
    final: bool = False
    """Whether another attempt would only end alike."""
    held: float = 0.0
    """How many seconds the connection lasted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait before another attempt, in seconds.

    Each wait is between half and the whole of a span, by chance, so that many clients
    do not come back at once; the span grows with each attempt that failed.
    """

    first: float = 0.5
    """The first span."""
    factor: float = 2.0
    """How many times the last span the next one is."""
    longest: float = 30.0
    """No span is longer."""
    steady: float = 10.0
    """How long a connection must hold before the next wait is a first one again."""

    def get_wait(self, failed: int, chance: float) -> float:
        """Return how long to wait after *failed* attempts; *chance* is from 0 to 1."""
        span = self.first * self.factor ** min(failed - 1, _HIGHEST_POWER)
        return min(self.longest, span) * (1 + chance) / 2


class Connector:
    """Keeps a process connected, from `start` to `close`.

    Each connection is a `Peer` that every one of *bindings* is attached to and that
    *registry* is offered to; until its end nobody else attaches them. A refusal that
    would only be repeated ends the attempts: that the client is not authorized, or
    speaks no version of the server's.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        bindings: Iterable[Binding] = (),
        registry: Registry | None = None,
        limits: Limits | None = None,
        tracer: Tracer | None = None,
        backoff: Backoff | None = None,
        patience: float = 30.0,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._connect = connect
        self._bindings = tuple(bindings)
        self._registry = registry
        self._limits = limits
        self._tracer = tracer
        self._backoff = backoff or Backoff()
        self._patience = patience
        self._clock: Clock = clock or asyncio.get_running_loop()
        self._chance = chance
        self._now = now
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._changed = asyncio.Event()
        self._peer: Peer | None = None
        self.state: Final[MutableState[ConnectionState]] = MutableState(
            CONNECTION, self._describe_end("not started", None)
        )
        """What is known of the connection; may be given to a provider of it."""

    @property
    def peer(self) -> Peer | None:
        """The open connection, while there is one."""
        return self._peer if self._peer is not None and self._peer.opened else None

    def owns(self, peer: Peer, /) -> bool:
        """Tell whether *peer* is the connection that there is now."""
        return peer is self._peer

    def start(self) -> None:
        """Begin to connect; a second time does nothing.

        Raises RuntimeError after the end, and for a binding that another connector
        holds; then no binding is taken.
        """
        if self._closed:
            raise RuntimeError("this connector was closed: make another one")
        if self._task is not None:
            if self._task.done():
                raise RuntimeError("this connector has given up for good: make another one")
            return
        loop = asyncio.get_running_loop()
        try:
            for binding in self._bindings:
                binding.reserve(self)
        except RuntimeError:
            self._free_bindings()
            raise
        self._task = loop.create_task(self._run())

    def _free_bindings(self) -> None:
        for binding in self._bindings:
            binding.free(self)

    async def wait_connected(self, ctx: Context) -> Peer:
        """Return the open connection, once there is one.

        Raises `Disconnected` when no attempt will follow, `Cancelled` if *ctx* is cancelled.
        """
        while (peer := self.peer) is None:
            state = self.state.value
            if self._task is None or self._task.done():
                reason = state["reason"] if state["status"] == "disconnected" else "closed"
                raise Disconnected(f"there is no connection: {reason}")
            self._changed.clear()
            await ctx.wait(self._changed.wait())
        return peer

    async def close(self) -> None:
        """Disconnect and try no more; idempotent, and concurrent calls all return then."""
        is_first, self._closed = not self._closed, True
        if self._task is not None:
            if is_first:
                self._task.cancel()  # once: a second time would end its goodbye
            await asyncio.wait([self._task])
            self._free_bindings()  # of a task that was cancelled before its first step

    async def _run(self) -> None:
        failed = 0
        try:
            while True:
                self._show({"status": "connecting", "attempt": failed + 1})
                life = await self._live()
                if life.final:
                    self._give_up(life.reason)
                    return
                failed = 1 if life.held >= self._backoff.steady else failed + 1
                wait = self._backoff.get_wait(failed, self._chance())
                self._show(self._describe_end(life.reason, wait))
                await self._sleep(wait)
        except asyncio.CancelledError:
            if self._peer is not None:
                await self._peer.close()
            self._peer = None
            self._give_up("this side closed the connection")
            raise
        finally:
            self._changed.set()

    def _give_up(self, reason: str) -> None:
        """Show that no attempt will follow; who hears of it may start another connector."""
        self._free_bindings()
        self._show(self._describe_end(reason, None))

    async def _live(self) -> _Life:
        """Connect once and stay as long as that lasts."""
        cancellation = Cancellation()
        timer = self._clock.call_at(self._clock.time() + self._patience, cancellation.cancel)
        try:
            peer = await self._open(BACKGROUND.with_cancellation(cancellation))
        except (NotAuthorized, UnsupportedVersion) as error:
            return _Life(error.message, final=True)
        except Cancelled:
            return _Life(f"the attempt took more than {self._patience:g} seconds")
        except ServiceError as error:
            return _Life(error.message)
        except OSError as error:
            reason = error.strerror or str(error) or type(error).__name__
            return _Life(clip(reason, _LONGEST_REASON))
        except Exception as error:  # noqa: BLE001 - it would only be raised again
            report("connecting failed for good", error)
            return _Life(f"connecting failed: {type(error).__name__}", final=True)
        finally:
            timer.cancel()
        self._show({"status": "connected", "since": self._word_time(0.0)})
        since = self._clock.time()
        ending = await peer.wait_ended()
        self._peer = None
        return _Life(ending.message, held=self._clock.time() - since)

    async def _open(self, ctx: Context) -> Peer:
        transport = await self._connect(ctx)
        peer = Peer(
            transport,
            Role.CLIENT,
            registry=self._registry,
            limits=self._limits,
            clock=self._clock,
            tracer=self._tracer,
        )
        await peer.open(ctx)
        self._peer = peer
        try:
            for binding in self._bindings:
                binding.attach(peer)
        except BaseException:
            self._peer = None
            peer.close_soon()
            raise
        return peer

    async def _sleep(self, seconds: float) -> None:
        awake = asyncio.Event()
        timer = self._clock.call_at(self._clock.time() + seconds, awake.set)
        try:
            await awake.wait()
        finally:
            timer.cancel()

    def _describe_end(self, reason: str, wait: float | None) -> NotConnected:
        return {
            "status": "disconnected",
            "since": self._word_time(0.0),
            "reason": reason,
            "retryAt": None if wait is None else self._word_time(wait),
        }

    def _word_time(self, later: float) -> str:
        time = self._now() + timedelta(seconds=later)
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _show(self, state: ConnectionState) -> None:
        self.state.set(state, BACKGROUND)
        self._changed.set()
