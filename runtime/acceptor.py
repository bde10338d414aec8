"""Accepting connections: a peer for each, all with the same services, until it is closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from .context import BACKGROUND
from .errors import Overflow, ServiceError
from .failures import report
from .peer import Peer
from .protocol import Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from .peer import Authenticate
    from .protocol import Limits
    from .registry import Registry
    from .tracing import Tracer
    from .transport import Clock, Listen, Stop, Transport


CONNECTIONS: Final = 1024
"""How many connections there may be at a time, unless an acceptor is told otherwise."""

_MOST_REFUSED: Final = 64
"""How many who are refused are told why, at a time; others are only hung up on."""


class Acceptor:
    """Offers *registry* to everyone who connects, from `start` to `close`.

    *on_open* is called with each peer once its handshake is done: the place to use what
    a client provides. Who connects while there are *connections* already is told so, and
    may try again.
    """

    def __init__(
        self,
        listen: Listen,
        registry: Registry,
        *,
        authenticate: Authenticate | None = None,
        limits: Limits | None = None,
        tracer: Tracer | None = None,
        clock: Clock | None = None,
        on_open: Callable[[Peer], object] | None = None,
        connections: int = CONNECTIONS,
    ) -> None:
        if connections < 1:
            raise ValueError(f"expected room for at least 1 connection, found {connections}")
        self._listen = listen
        self._registry = registry
        self._authenticate = authenticate
        self._limits = limits
        self._tracer = tracer
        self._clock = clock
        self._on_open = on_open
        self._connections = connections
        self._stop: Stop | None = None
        self._closed = False
        self._peers: dict[Peer, None] = {}
        self._refused: dict[Peer, None] = {}
        """Those for whom there is no room, until they have been told."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def peers(self) -> tuple[Peer, ...]:
        """The connections that there are, those in their handshake among them."""
        return tuple(self._peers)

    async def start(self) -> Stop:
        """Begin to accept; return what ends that alone, and has the ``addresses``."""
        if self._stop is not None or self._closed:
            raise RuntimeError("an acceptor is started once")
        self._stop = await self._listen(self._accept)
        return self._stop

    async def close(self) -> None:
        """Accept no more, and close every connection; idempotent."""
        self._closed = True
        if self._stop is not None:
            await self._stop()
        await asyncio.gather(*[peer.close() for peer in (*self._peers, *self._refused)])

    def _accept(self, transport: Transport) -> None:
        if self._closed:
            transport.abort()
            return
        is_full = len(self._peers) >= self._connections
        if is_full and len(self._refused) >= _MOST_REFUSED:
            transport.abort()
            return
        peer = Peer(
            transport,
            Role.SERVER,
            registry=self._registry,
            authenticate=self._refuse if is_full else self._authenticate,
            limits=self._limits,
            tracer=self._tracer,
            clock=self._clock,
        )
        table = self._refused if is_full else self._peers
        table[peer] = None
        peer.on_end(lambda _: table.pop(peer, None))
        peer.start()
        if self._on_open is not None and not is_full:
            task = asyncio.get_running_loop().create_task(self._greet(peer, self._on_open))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _refuse(self, credential: str | None, transport: Transport) -> str:
        """Tell one who has said hello that there is no room."""
        del credential, transport
        raise Overflow(f"this side takes no more than {self._connections} connections")

    async def _greet(self, peer: Peer, on_open: Callable[[Peer], object]) -> None:
        """Call *on_open* once the handshake is done; one that fails concerns nobody here."""
        try:
            await peer.open(BACKGROUND)
        except ServiceError:
            return
        try:
            on_open(peer)
        except Exception as error:  # noqa: BLE001 - whatever the application raises is its own
            report("what was to happen with a new connection failed", error)
