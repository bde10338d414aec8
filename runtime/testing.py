"""For tests of applications: a pair of peers, a clock that stands still, frames under control.

Nothing here sleeps or opens a socket: `ControlledLink` moves frames between two peers
of one process, and holds, drops, repeats and records them as a test says.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from .context import BACKGROUND
from .parse import parse_payload
from .peer import Peer
from .protocol import Framing, Role
from .transports.receiving import AbortedError, Receiving

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from .context import Context
    from .protocol import Limits
    from .registry import Registry
    from .tracing import Tracer
    from .transport import Accept, Clock, Receiver, Stop


async def settle(turns: int = 50) -> None:
    """Let the loop take *turns* turns: all that waits for nothing but its turn has happened."""
    for _ in range(turns):
        await asyncio.sleep(0)


class FakeTimer:
    """Something that a `FakeClock` will call."""

    def __init__(self, when: float, callback: Callable[[], object]) -> None:
        self.when: Final = when
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """Let it not be called."""
        self.callback = None


class FakeClock:
    """A clock that goes on only when a test says so."""

    def __init__(self, start: float = 1000.0) -> None:
        self._time = start
        self._timers: list[tuple[float, int, FakeTimer]] = []
        self._numbers = itertools.count()

    def time(self) -> float:
        """Return the time, in seconds."""
        return self._time

    def call_at(self, when: float, callback: Callable[[], object], /) -> FakeTimer:
        """Call *callback* once the time is *when*."""
        timer = FakeTimer(when, callback)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    @property
    def next_timer(self) -> float | None:
        """When the next timer goes off; None if there is none."""
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    async def advance(self, seconds: float) -> None:
        """Let time pass; each timer goes off at its time, and the loop settles after it."""
        end = self._time + seconds
        while (due := self.next_timer) is not None and due <= end:
            self._time = max(self._time, due)
            callback = heapq.heappop(self._timers)[2].callback
            if callback is not None:
                callback()
            await settle()
        self._time = end
        await settle()


class Frame(NamedTuple):
    """One frame that was sent over a `ControlledLink`."""

    sender: Role
    text: bytes

    @property
    def content(self) -> dict[str, Any]:
        """What the frame says."""
        return cast("dict[str, Any]", parse_payload(self.text))


class Direction:
    """The frames that go one way over a `ControlledLink`."""

    def __init__(self, sender: ControlledTransport) -> None:
        self._sender = sender
        self._waiting: deque[bytes] = deque()
        self._holding = False
        self._pausing = False

    @property
    def waiting(self) -> tuple[bytes, ...]:
        """The frames that were sent and have not arrived, oldest first."""
        return tuple(self._waiting)

    def hold(self, *, pause: bool = False) -> None:
        """Let nothing arrive from now on; with *pause* as if the reader did not read."""
        self._holding = True
        if pause and not self._pausing:
            self._pausing = True
            self._sender.pause_writing()

    def release(self, count: int | None = None) -> None:
        """Let the *count* oldest frames arrive; without it all, and the later ones as well."""
        if count is None:
            self._holding = False
            if self._pausing:
                self._pausing = False
                self._sender.resume_writing()
            count = len(self._waiting)
        for _ in range(min(count, len(self._waiting))):
            self._sender.deliver(self._waiting.popleft())

    def drop(self, count: int = 1) -> None:
        """Lose the *count* oldest frames."""
        for _ in range(min(count, len(self._waiting))):
            self._waiting.popleft()

    def repeat(self) -> None:
        """Let the oldest frame arrive, and keep it to arrive again."""
        self._sender.deliver(self._waiting[0])

    def put(self, text: bytes) -> None:
        """Take a frame that the sender sends."""
        self._waiting.append(text)
        if not self._holding:
            asyncio.get_running_loop().call_soon(self._pass)

    def inject(self, text: bytes) -> None:
        """Let *text* arrive as if the sender had sent it."""
        self._sender.deliver(text)

    def _pass(self) -> None:
        if not self._holding and self._waiting:
            self._sender.deliver(self._waiting.popleft())

    def flush(self) -> None:
        """Let everything arrive, since the sender closes."""
        while self._waiting:
            self._sender.deliver(self._waiting.popleft())


class ControlledTransport(Receiving):
    """One end of a `ControlledLink`."""

    def __init__(self, link: ControlledLink, role: Role, credential: str | None = None) -> None:
        super().__init__(credential)
        self.framing: Final = Framing.MESSAGE
        self._link = link
        self._role = role
        self.direction: Final = Direction(self)
        """The frames that this end sends."""
        self.facts = {"transport": "controlled"}
        self._closing = False

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        self._begin(receiver)

    def send(self, data: Sequence[bytes]) -> None:
        """Put each of *data* on its way."""
        if not self._closing:
            for text in data:
                self._link.frames.append(Frame(self._role, text))
                self.direction.put(text)

    def close(self) -> None:
        """End both sides in the loop's next turn; what was held arrives before."""
        if not self._closing:
            self._closing = True
            asyncio.get_running_loop().call_soon(self._finish)

    def abort(self) -> None:
        """End both sides; what was held is lost."""
        self._closing = True
        asyncio.get_running_loop().call_soon(self._link.end, AbortedError())

    def deliver(self, text: bytes) -> None:
        """Let *text* arrive at the other end."""
        self._link.get_other(self).arrive(text)

    def arrive(self, text: bytes) -> None:
        """Take *text*."""
        if self._receiver is not None and not self._closed:
            self._receiver.receive(text)

    def lose(self, error: Exception | None) -> None:
        """End."""
        self._closing = True
        self._end(error)

    def _finish(self) -> None:
        self.direction.flush()
        self._link.end(None)


class ControlledLink:
    """A connection of which a test controls and records each frame."""

    def __init__(self, *, credential: str | None = None) -> None:
        self.client: Final = ControlledTransport(self, Role.CLIENT, credential)
        self.server: Final = ControlledTransport(self, Role.SERVER)
        self.frames: Final[list[Frame]] = []
        """Every frame that was sent, in order, whether or not it arrived."""

    @property
    def to_server(self) -> Direction:
        """What the client sends."""
        return self.client.direction

    @property
    def to_client(self) -> Direction:
        """What the server sends."""
        return self.server.direction

    def get_other(self, end: ControlledTransport) -> ControlledTransport:
        """Return the end that is not *end*."""
        return self.server if end is self.client else self.client

    def end(self, error: Exception | None = None) -> None:
        """End the connection at both sides, at once; what was held is lost."""
        self.client.lose(error)
        self.server.lose(error)

    def list_kinds(self, sender: Role | None = None) -> list[str]:
        """Return the kind of each frame, of one sender or of both."""
        return [frame.content["type"] for frame in self.frames if sender in (None, frame.sender)]


class ControlledAddress:
    """A place to connect to whose links a test controls; give its methods to hosts."""

    def __init__(self) -> None:
        self.links: Final[list[ControlledLink]] = []
        """Every connection so far, the latest last."""
        self.attempts = 0
        """How often somebody tried to connect."""
        self._accept: Accept | None = None

    async def connect(self, ctx: Context) -> ControlledTransport:
        """Make one attempt: a `Connect`."""
        self.attempts += 1
        ctx.check()
        if self._accept is None:
            raise ConnectionRefusedError("nobody listens here")
        link = ControlledLink()
        self.links.append(link)
        self._accept(link.server)
        return link.client

    async def listen(self, accept: Accept) -> Stop:
        """Accept connections until it is stopped: a `Listen`."""
        self._accept = accept

        def stop() -> None:
            self._accept = None

        return _Stop(stop)


class _Stop:
    """Ends accepting at an address that has no name."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self.addresses: Final[tuple[str, ...]] = ()
        self._stop = stop

    async def __call__(self) -> None:
        self._stop()


class Pair(NamedTuple):
    """Two peers that are connected, and the link between them."""

    client: Peer
    server: Peer
    link: ControlledLink


@contextlib.asynccontextmanager
async def connect_pair(
    *,
    client: Registry | None = None,
    server: Registry | None = None,
    limits: Limits | None = None,
    client_limits: Limits | None = None,
    clock: Clock | None = None,
    tracer: Tracer | None = None,
    credential: str | None = None,
    authenticate: Callable[[str | None, Any], Awaitable[str]] | None = None,
) -> AsyncGenerator[Pair]:
    """Give two connected peers; *client* and *server* are what each of them provides.

    *client_limits* are those of the client, where they differ. Both are closed in the end.
    """
    link = ControlledLink(credential=credential)
    pair = Pair(
        Peer(
            link.client,
            Role.CLIENT,
            registry=client,
            limits=client_limits or limits,
            clock=clock,
            tracer=tracer,
        ),
        Peer(
            link.server,
            Role.SERVER,
            registry=server,
            limits=limits,
            clock=clock,
            tracer=tracer,
            authenticate=authenticate,
        ),
        link,
    )
    pair.server.start()
    try:
        await pair.client.open(BACKGROUND)
        yield pair
    finally:
        for direction in (link.to_server, link.to_client):
            direction.release()
        await pair.client.close()
        await pair.server.close()
